"""Sizes of patches, judged by held-out bags."""

from dataclasses import astuple

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import Cancelled, FormatError
from emberscope.base.monitor import Watch
from emberscope.frames.scene.generated import RangeScene
from emberscope.labels import BACKGROUND, Box, Spot
from emberscope.labels.relax import relax
from emberscope.pipeline.sizes import judged_sizes
from emberscope.pipeline.suggest import suggest
from emberscope.project import Project, PutLabels
from emberscope.project.exchange.sources import add_source

FRAMES, SHAPE = 12, (200, 280)
WIDTH, HEIGHT, BOX = 18, 28, 75  # px, of a person and of the box somebody draws about one


def ground(rng):
    """Warm and cold patches of all sizes, with round hot things that are no person."""
    rows, cols = SHAPE
    frame = rng.normal(0, 12, SHAPE)
    for scale in (8, 25, 60):
        coarse = rng.normal(0, 25, (rows // scale + 2, cols // scale + 2))
        frame += np.kron(coarse, np.ones((scale, scale)))[:rows, :cols]
    y, x = np.mgrid[:rows, :cols]
    for cx, cy in rng.uniform(0, 1, (8, 2)) * (cols, rows):
        frame += 150 * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * 4.0**2))
    return frame


def person(frame, x, y):
    """A warm body, a hotter head on top of it."""
    frame[y + 8 : y + HEIGHT, x + 2 : x + WIDTH - 2] += 160
    frame[y : y + 8, x + 5 : x + WIDTH - 5] += 260


def with_persons(folder, seed):
    """Persons in loose boxes, some in spots, and boxes of background, on ground of its own on every
    frame."""
    rng = np.random.default_rng(seed)
    frames = [ground(rng) for _ in range(FRAMES)]
    labels = []
    for k, frame in enumerate(frames):
        for column in range(2):
            left, top = 5 + 90 * column, int(rng.integers(0, SHAPE[0] - BOX))
            x, y = (
                left + int(rng.integers(2, BOX - WIDTH - 2)),
                top + int(rng.integers(2, BOX - HEIGHT - 2)),
            )
            person(frame, x, y)
            place = {"id": len(labels) + 1, "source": 10, "frame": k, "class_id": 1}
            labels.append(
                Spot(**place, x=x + WIDTH / 2, y=y + HEIGHT / 2, rho=5.0) if rng.random() < 0.3
                else Box(**place, x0=left, y0=top, x1=left + BOX, y1=top + BOX, looseness=1.0))
        for top in (5, 110):
            labels.append(Box(id=len(labels) + 1, source=10, frame=k, class_id=BACKGROUND,
                              x0=195, y0=top, x1=195 + BOX, y1=top + BOX))
    return a_project(folder, np.stack(frames), labels)


@pytest.fixture
def persons(tmp_path):
    return with_persons(tmp_path, 0)


def a_project(folder, frames, labels):
    np.save(folder / "frames.npy", np.clip(frames + 2000, 0, 60000).astype(np.uint16))
    project = Project()
    project.apply(add_source(project, folder / "frames.npy"))
    (source,) = project.sources
    project.apply(
        PutLabels(after=[msgspec.structs.replace(label, source=source) for label in labels])
    )
    return project


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_patches_fit_the_persons_not_the_boxes_about_them(tmp_path, cache, seed):
    assert 16 <= judged_sizes(with_persons(tmp_path, seed), cache=cache).patch <= 32


@pytest.fixture(params=[(1, 0), (2, 1), (3, 2)])
def vehicle(request, tmp_path):
    """A vehicle of the generated range in boxes that are drawn looser and looser, and background
    beside it."""
    u, seed = request.param
    scene = RangeScene(vehicle="SUV", range_m=1500.0, seed=seed, n_frames=16, shape=(200, 320))
    rng, labels = np.random.default_rng(seed), []
    for k in range(scene.n_frames):
        (target,) = scene.truth(k)
        box = relax(target.box, u, frame_shape=scene.shape, rng=rng, base=(30, 40))
        place = {"source": 10, "frame": k}
        labels.append(
            Box(
                id=2 * k + 1,
                class_id=1,
                **place,
                x0=box[0],
                y0=box[1],
                x1=box[2],
                y1=box[3],
                looseness=1.0,
            )
        )
        away = 0 if (target.box[1] + target.box[3]) / 2 > 100 else 200 - 30 * u
        labels.append(
            Box(
                id=2 * k + 2,
                class_id=BACKGROUND,
                **place,
                x0=20,
                y0=away,
                x1=20 + 40 * u,
                y1=away + 30 * u,
            )
        )
    sides = [
        np.sqrt((t.box[2] - t.box[0]) * (t.box[3] - t.box[1]))
        for k in range(16)
        for t in scene.truth(k)
    ]
    return a_project(tmp_path, np.stack(list(scene.frames())).astype(float), labels), float(
        np.median(sides)
    )


def test_patches_fit_a_vehicle_however_loosely_its_boxes_are_drawn(vehicle, cache):
    project, side = vehicle
    assert side / 1.6 <= judged_sizes(project, cache=cache).patch <= max(1.6 * side, 32)


def test_why_names_the_size_and_the_one_that_labels_suggest(persons, cache):
    found = judged_sizes(persons, cache=cache)
    (judged,) = found.judged
    assert found.why == (
        f"Patches of {found.patch} px, step {found.stride}: they tell targets from the ground of "
        f"held-out bags best ({judged.side} px {judged.area:.2f}, {judged.other} px "
        f"{judged.other_area:.2f})."
    )


def test_the_same_labels_give_the_same_sizes(persons, tmp_path):
    assert astuple(judged_sizes(persons, cache=tmp_path / "a")) == astuple(
        judged_sizes(persons, cache=tmp_path / "b")
    )


def test_the_suggestion_has_the_patches_that_bags_judged(persons, cache, few_trees):
    sizes, found = judged_sizes(persons, cache=cache), suggest(persons, seconds=0.0, cache=cache)
    assert (found.recipe.bags.patch, found.recipe.bags.stride) == (sizes.patch, sizes.stride)
    assert found.reasons[0] == sizes.why
    assert found.sizes == sizes


def test_tight_boxes_that_targets_fill_keep_their_size(tmp_path, cache):
    rng = np.random.default_rng(3)
    frames, labels = np.stack([ground(rng) for _ in range(FRAMES)]), []
    for k, frame in enumerate(frames):
        x, y = int(rng.integers(0, 90)), int(rng.integers(0, 120))
        frame[y : y + 56, x : x + 80] += 200 + rng.normal(0, 40, (56, 80))
        for class_id, left, top in ((1, x, y), (BACKGROUND, 190, 10), (BACKGROUND, 190, 110)):
            labels.append(Box(id=len(labels) + 1, source=10, frame=k, class_id=class_id,
                              x0=left, y0=top, x1=left + 80, y1=top + 56))
    found = judged_sizes(a_project(tmp_path, frames, labels), cache=cache)
    assert (found.patch, found.judged) == (64, ())


def test_it_can_be_cancelled(persons, cache):
    def stop(fraction, message):
        raise Cancelled

    with pytest.raises(Cancelled):
        judged_sizes(persons, cache=cache, monitor=Watch(stop))


def test_frames_that_are_gone_are_a_format_error(persons, cache, tmp_path):
    (tmp_path / "frames.npy").unlink()
    with pytest.raises(FormatError):
        judged_sizes(persons, cache=cache)


def test_without_background_labels_alone_decide(persons, cache):
    background = [label for label in persons.labels if label.class_id == BACKGROUND]
    persons.apply(PutLabels(before=background))
    assert judged_sizes(persons, cache=cache).judged == ()
