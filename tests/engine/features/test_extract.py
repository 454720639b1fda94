"""From instances to X."""

import numpy as np
import pytest

from emberscope.bags.model import Instances
from emberscope.base.errors import Cancelled, ParamError
from emberscope.base.monitor import Watch
from emberscope.features import infrared
from emberscope.features.chips import resample
from emberscope.features.ehd import ehd
from emberscope.features.extract import (
    chip_shape,
    extract,
    feature_names,
    grown,
    n_features,
    preparation,
)
from emberscope.features.hog import hog
from emberscope.features.pixels import pixels
from emberscope.features.recipe import FeatureRecipe
from emberscope.features.statistics import statistics
from emberscope.frames.contrast import Contrast, apply, lookup_table
from emberscope.frames.normalize import normalize

KINDS = ("hog", "hog-seed", "statistics", "pixels", "hog+statistics", "infrared", "ehd")


@pytest.fixture
def instances():
    boxes = [[10, 20, 26, 30], [50, 5, 70, 20], [20, 20, 36, 30], [-5, -5, 3, 3], [79, 59, 80, 60]]
    return Instances.at(np.zeros(5), [0, 0, 1, 2, 2], boxes)


@pytest.mark.parametrize("kind", KINDS)
def test_x_has_a_finite_row_per_instance_and_a_name_per_column(kind, scene, instances):
    recipe = FeatureRecipe(kind=kind)
    X = extract(instances, lambda _: scene, recipe)
    assert X.shape == (5, n_features(recipe))
    assert X.dtype == np.float32
    assert np.isfinite(X).all()
    assert len(set(feature_names(recipe))) == X.shape[1]


def test_the_lengths_of_the_presets():
    lengths = {kind: n_features(FeatureRecipe(kind=kind)) for kind in KINDS}
    assert (lengths["hog"], lengths["hog-seed"], lengths["pixels"], lengths["ehd"]) == (
        324,
        11160,
        1024,
        80,
    )


def test_a_row_is_the_hog_of_the_chip_of_the_normalized_frame(scene, instances):
    recipe = FeatureRecipe()
    X = extract(instances, lambda _: scene, recipe)
    frame = normalize(scene.frames[1], low=recipe.low, high=recipe.high)
    np.testing.assert_array_equal(
        X[2], hog(resample(frame, instances.box[2:3], chip_shape(recipe)))[0]
    )


@pytest.mark.parametrize("kind", KINDS)
def test_display_contrast_never_changes_features(kind, scene, instances):
    recipe = FeatureRecipe(kind=kind)
    before = extract(instances, lambda _: scene, recipe).tobytes()
    for mode in ("linear", "percentile", "manual", "full", "plateau", "clahe"):
        for frame in scene.frames:
            apply(lookup_table(frame, Contrast(mode=mode, polarity="black_hot")), frame)
    assert extract(instances, lambda _: scene, recipe).tobytes() == before


def test_the_clip_percentiles_matter(scene, instances):
    open_source = lambda _: scene  # noqa: E731
    wide = extract(instances, open_source, FeatureRecipe(kind="pixels", high=100.0))
    narrow = extract(instances, open_source, FeatureRecipe(kind="pixels", high=98.0))
    assert wide.max() > narrow.max()


def test_the_seed_preset_stretches_whatever_keep_aspect_says(scene, instances):
    stretched, padded = (
        extract(
            instances.take([0]), lambda _: scene, FeatureRecipe(kind="hog-seed", keep_aspect=keep)
        )
        for keep in (False, True)
    )
    np.testing.assert_array_equal(stretched, padded)


def test_bad_pixels_do_not_reach_the_statistics(memory_source):
    frame = np.random.default_rng(0).normal(5000, 40, (40, 40)).astype(np.uint16)
    broken = frame.copy()
    broken[:, 30:] = 65535
    mask = np.ones(frame.shape, bool)
    mask[:, 30:] = False
    instances = Instances.at([0], [0], [[2, 2, 20, 20]])
    recipe = FeatureRecipe(kind="pixels")
    X = [
        extract(instances, lambda _, f=f: memory_source([f], mask=mask), recipe)
        for f in (frame, broken)
    ]
    np.testing.assert_array_equal(*X)


def test_an_infrared_row_is_of_the_chip_of_a_support_twice_as_large(scene, instances):
    recipe = FeatureRecipe(kind="infrared")
    X = extract(instances, lambda _: scene, recipe)
    frame = preparation(recipe)(scene.frames[1], None)
    # Twice [20, 20, 36, 30]
    chip = resample(frame, np.array([[12, 15, 44, 35]], np.float32), chip_shape(recipe))
    np.testing.assert_array_equal(X[2, : len(infrared.NAMES)], infrared.infrared(chip)[0])


def test_a_support_grows_around_its_center():
    one = Instances.at([0], [0], [[10, 20, 20, 24]])
    assert grown(one, 3).box.tolist() == [[0, 16, 30, 28]]


def test_rows_do_not_depend_on_the_other_instances(scene, instances):
    recipe = FeatureRecipe(kind="hog+statistics")
    X = extract(instances, lambda _: scene, recipe)
    np.testing.assert_array_equal(extract(instances.take([3]), lambda _: scene, recipe)[0], X[3])


def test_no_instances_give_an_empty_matrix(scene):
    none = Instances.at([], [], np.empty((0, 4)))
    assert extract(none, lambda _: scene, FeatureRecipe()).shape == (0, 324)


@pytest.mark.parametrize(
    ("kind", "chip"), [("hog", 8), ("statistics", 4), ("pixels", 0), ("hog", 5000), ("ehd", 8)]
)
def test_a_chip_side_that_cannot_work_is_refused_with_the_range(kind, chip, scene, instances):
    with pytest.raises(ParamError, match=f"chip is {chip} px. Give"):
        extract(instances, lambda _: scene, FeatureRecipe(kind=kind, chip=chip))


def test_progress_rises_and_cancel_is_heard_between_batches(scene):
    seen = []
    instances = Instances.at(np.zeros(30), np.zeros(30), np.tile([0, 0, 51, 12], (30, 1)))

    def stop():
        return len(seen) >= 3

    with pytest.raises(Cancelled):
        extract(
            instances, lambda _: scene, FeatureRecipe(kind="hog-seed"),
            monitor=Watch(lambda fraction, _: seen.append(fraction), stop=stop),
        )
    assert len(seen) == 3
    assert seen == sorted(seen)
    assert seen[-1] < 1


def test_infrared_features_see_as_much_as_their_chip_is_wider_than_the_patch():
    assert FeatureRecipe(kind="infrared").sees == infrared.GROWN
    assert FeatureRecipe(kind="hog").sees == 1


@pytest.mark.parametrize("describe", [statistics, infrared.infrared, ehd, pixels, hog])
def test_a_chip_is_described_alone_as_among_others_to_the_bit(describe):
    chips = np.random.default_rng(0).random((5, 64, 64)).astype(np.float32)
    together = describe(chips)
    alone = np.concatenate([describe(chip[None]) for chip in chips])
    assert np.array_equal(alone, together)
