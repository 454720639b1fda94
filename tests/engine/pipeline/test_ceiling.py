"""What true labels of instances reach on the features, by source."""

import msgspec
import numpy as np
import pytest

from emberscope.bags import Bags
from emberscope.base.monitor import Watch
from emberscope.labels import BACKGROUND
from emberscope.pipeline import run
from emberscope.pipeline.ceiling import NO_TRUTH, TOO_LITTLE, ceiling, ceilings, measure_ceiling
from emberscope.project import Project, PutLabels, to_snapshot
from emberscope.project.exchange.sources import add_source
from emberscope.project.model.parts import ALL, parts_of_run
from emberscope.tasks.measures import MeasureCeiling
from emberscope.tasks.table import TABLE

from .conftest import N_FRAMES, RECIPE, a_box

pytestmark = pytest.mark.usefixtures("few_trees")
BAGS = 20


def planted(shift, *, n_bags=BAGS, size=4):
    """Bags of four, half of them positive with one target, which lies `shift` from the ground in
    each feature."""
    rng = np.random.default_rng(0)
    labels = np.tile([1, -1], n_bags // 2)
    X = rng.normal(size=(n_bags * size, 3))
    target = (np.arange(len(X)) % size == 0) & np.repeat(labels > 0, size)
    X[target] += shift
    return X, target, Bags.from_column(np.repeat(np.arange(n_bags), size), labels)


def test_targets_unlike_the_ground_are_all_found():
    found = ceiling(*planted(8.0), np.arange(BAGS) // 2)
    assert found["pointing"] == found["auc"] == 1.0
    assert found["balanced"] > 0.95
    assert (found["pointing_chance"], found["bags"], found["instances"]) == (
        0.25,
        BAGS // 2,
        4 * BAGS,
    )


def test_targets_like_the_ground_are_found_by_chance():
    found = ceiling(*planted(0.0, n_bags=60), np.arange(60) // 2)
    assert found["auc"] == pytest.approx(0.5, abs=0.2)


def test_the_better_classifier_is_chosen_in_every_fold():
    assert sum(ceiling(*planted(8.0), np.arange(BAGS) // 2)["classifiers"].values()) == 5


def test_blocks_of_one_place_cannot_be_held_out():
    assert ceiling(*planted(8.0), np.zeros(BAGS, int)) is None


def test_a_project_whose_boxes_are_tight_has_a_ceiling_for_its_source(project, cache):
    (row,), notes = ceilings(project, RECIPE, cache=cache)
    assert (row["source"], row["bags"], notes) == ("frames.npy", N_FRAMES, [])


def with_images(project, folder, count):
    """The project and images of noise with a bright square each, which is labeled like as much of
    the ground."""
    before = set(project.sources)
    for k in range(count):
        image = np.random.default_rng(k).normal(1000, 20, (1, 96, 96))
        image[:, 8:40, 8:40] += np.linspace(200, 600, 32)
        np.save(folder / f"{k}.npy", image.astype(np.uint16))
        project.apply(add_source(project, folder / f"{k}.npy"))
    for source in sorted(set(project.sources) - before):
        for class_id, x in ((1, 8), (BACKGROUND, 56)):
            label = msgspec.structs.replace(a_box(project, 0, class_id, x, x), source=source)
            project.apply(PutLabels(after=[label]))
    return project


def test_single_images_are_judged_together(tmp_path, cache):
    (row,), notes = ceilings(with_images(Project(), tmp_path, 6), RECIPE, cache=cache)
    assert (row["source"], row["bags"], notes) == ("6 sources together", 6, [])
    assert row["sources"] == [f"{k}.npy" for k in range(6)]


def test_one_image_beside_a_clip_has_no_ceiling_and_is_named(project, tmp_path, cache):
    (row,), notes = ceilings(with_images(project, tmp_path, 1), RECIPE, cache=cache)
    assert (row["sources"], notes) == (["frames.npy"], [TOO_LITTLE.format("0.npy")])


def test_a_clip_of_background_alone_is_named_and_not_judged_with_single_images(
    project, tmp_path, cache
):
    project.apply(
        PutLabels(before=[label for label in project.labels if label.class_id != BACKGROUND])
    )
    (row,), notes = ceilings(with_images(project, tmp_path, 6), RECIPE, cache=cache)
    assert row["sources"] == [f"{k}.npy" for k in range(6)]
    assert notes == [TOO_LITTLE.format("frames.npy")]


def test_one_image_has_no_ceiling(tmp_path, cache):
    assert ceilings(with_images(Project(), tmp_path, 1), RECIPE, cache=cache) == (
        [],
        [TOO_LITTLE.format("0.npy")],
    )


def test_without_a_known_target_there_is_none_and_a_sentence_says_why(project, cache):
    loose = [msgspec.structs.replace(label, looseness=1.0) for label in project.labels]
    project.apply(PutLabels(before=list(project.labels), after=loose))
    assert ceilings(project, RECIPE, cache=cache) == ([], [NO_TRUTH])


def test_a_run_gets_the_ceiling_beside_its_numbers_and_by_source(project, cache):
    made = run(project, RECIPE, cache=cache)
    found = measure_ceiling(project, made, cache=cache)
    (row,), _ = ceilings(project, RECIPE, cache=cache)
    assert found.metrics["map_accuracy_ceiling"] == row["balanced"]
    (source,) = project.sources
    assert {
        part.source: part.numbers["witness_found_ceiling"]
        for part in parts_of_run(found)
        if "witness_found_ceiling" in part.numbers
    } == {ALL: row["pointing"], source: row["pointing"]}


def test_a_run_without_truth_gets_a_note_instead_once(project, cache):
    made = run(project, RECIPE, cache=cache)
    project.apply(
        PutLabels(before=[label for label in project.labels if label.class_id != BACKGROUND])
    )
    found = measure_ceiling(project, measure_ceiling(project, made, cache=cache), cache=cache)
    assert [note for note in found.notes if note.startswith("No ceiling")] == [NO_TRUTH]
    assert "inside_auc_ceiling" not in found.metrics


def test_the_worker_measures_it(project, cache, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(cache))
    made = run(project, RECIPE)
    found = TABLE.answer(MeasureCeiling(snapshot=to_snapshot(project), run=made), Watch())
    assert "witness_found_ceiling" in found.metrics
