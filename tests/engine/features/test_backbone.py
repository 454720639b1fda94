"""Features of a network in a file of the user's."""

import sys

import msgspec
import numpy as np
import pytest

from emberscope.bags.model import Instances
from emberscope.base.errors import FormatError, ParamError
from emberscope.course.stages.features import seconds_per_instance
from emberscope.features import backbone
from emberscope.features.backbone import backbone_of, content_of
from emberscope.features.extract import chip_shape, extract, feature_names, n_features
from emberscope.features.groups import group_of
from emberscope.features.on_frame import frames_in_turn
from emberscope.features.recipe import FeatureRecipe

from .onnx_bytes import color_network, mean_network

pytest.importorskip("onnxruntime")
IMAGENET = np.array([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]])


@pytest.fixture
def write(tmp_path):
    def written(data, name="net.onnx", **fields):
        (tmp_path / name).write_bytes(data)
        return FeatureRecipe(kind="cnn", file=str(tmp_path / name), **fields)

    return written


def convolved(chip, kernel, mean, std):
    """What `color_network` has inside of it: (4, rows - 2, cols - 2)."""
    image = (chip[None] - np.asarray(mean)[:, None, None]) / np.asarray(std)[:, None, None]
    places = [(r, c) for r in range(chip.shape[0] - 2) for c in range(chip.shape[1] - 2)]
    flat = [np.tensordot(kernel, image[:, r : r + 3, c : c + 3], 3) for r, c in places]
    return np.maximum(np.array(flat).T, 0).reshape(4, chip.shape[0] - 2, -1)


def test_chips_go_through_the_network_as_it_was_trained(write):
    data, kernel = color_network()
    chips = np.random.default_rng(1).random((5, 8, 8)).astype(np.float32)
    found = backbone_of(write(data)).describe(chips)
    expected = [convolved(chip, kernel, *IMAGENET).mean(axis=(1, 2)) for chip in chips]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_patches_of_a_whole_frame_have_the_features_of_instances_to_the_bit(write, memory_source):
    frames = list(np.random.default_rng(0).normal(1000, 9, (2, 40, 40)).astype(np.uint16))
    boxes = np.array([[0, 0, 24, 24], [8, 8, 32, 32]], np.float32)
    recipe = write(color_network()[0])
    instances = Instances.at(np.zeros(4), np.repeat([0, 1], 2), np.tile(boxes, (2, 1)))
    expected = extract(instances, lambda _: memory_source(frames), recipe)
    turns = frames_in_turn(memory_source(frames), [0, 1], recipe)
    np.testing.assert_array_equal(np.concatenate([one.of(boxes) for one in turns]), expected)


def test_the_file_says_what_is_subtracted_and_a_setting_wins(write):
    data, kernel = color_network(mean="[0.5, 0.4, 0.3]", image_std="0.2, 0.2, 0.1")
    chip = np.random.default_rng(1).random((1, 8, 8)).astype(np.float32)
    of_file = backbone_of(write(data)).describe(chip)[0]
    of_setting = backbone_of(write(data, mean=(0.1,))).describe(chip)[0]
    for found, mean in ((of_file, [0.5, 0.4, 0.3]), (of_setting, [0.1] * 3)):
        inside = convolved(chip[0], kernel, mean, [0.2, 0.2, 0.1])
        np.testing.assert_allclose(found, inside.mean(axis=(1, 2)), rtol=1e-4)


def test_a_value_inside_of_the_network_can_be_taken_by_its_name(write):
    data, kernel = color_network()
    chip = np.random.default_rng(1).random((1, 8, 8)).astype(np.float32)
    found = backbone_of(write(data, output="c"))
    assert found.width == 4
    positive = backbone_of(write(data, output="bent")).describe(chip)[0]
    expected = convolved(chip[0], kernel, *IMAGENET).mean(axis=(1, 2))
    np.testing.assert_allclose(positive, expected, rtol=1e-4)


@pytest.mark.parametrize(
    ("shape", "axes", "channels"),
    [((1, 1, 6, 9), [2, 3], 1), ((1, 6, 9, 1), [1, 2], 1), (("n", 6, 9, 3), [1, 2], 3)],
)
def test_channels_may_be_one_or_three_and_come_first_or_last(write, shape, axes, channels):
    found = backbone_of(write(mean_network(shape, axes), mean=(0.0,), std=(0.5,)))
    assert (found.rows, found.cols, found.width) == (6, 9, channels)
    chip = np.random.default_rng(0).random((1, 6, 9)).astype(np.float32)
    np.testing.assert_allclose(found.describe(chip)[0], np.full(channels, 2 * chip.mean()),
                               rtol=1e-5)


def test_a_network_that_takes_any_size_gets_the_chip_of_the_recipe(write):
    recipe = write(color_network(("n", 3, "h", "w"))[0], chip=12)
    assert n_features(recipe) == 4
    assert (chip_shape(recipe).rows, chip_shape(recipe).cols) == (12, 12)
    assert len(feature_names(recipe)) == 4
    assert group_of(feature_names(recipe)[3]) == ("network", "all")


def test_instances_of_frames_become_rows_that_do_not_depend_on_each_other(write, scene):
    recipe = write(color_network()[0])
    instances = Instances.at(np.ones(6), np.arange(6) % 3,
                             np.array([[5 * i, 20, 5 * i + 16, 36] for i in range(6)]))
    X = extract(instances, lambda _: scene, recipe)
    assert X.shape == (6, 4)
    assert np.ptp(X, axis=0).min() > 0
    assert np.array_equal(extract(instances.take([4]), lambda _: scene, recipe), X[[4]])


def test_twice_the_counts_are_the_same_features(write, memory_source):
    recipe = write(color_network()[0])
    frame = np.random.default_rng(0).integers(100, 5000, (40, 40)).astype(np.uint16)
    instances = Instances.at([1], [0], [[8, 8, 24, 24]])
    once, twice = (extract(instances, lambda _, f=f: memory_source([f]), recipe)
                   for f in (frame, 2 * frame))
    np.testing.assert_allclose(once, twice, rtol=1e-4)


def test_an_instance_costs_what_its_chip_takes_in_the_network(write):
    recipe = write(color_network()[0])
    assert seconds_per_instance(recipe) > backbone_of(recipe).seconds > 0


def test_a_file_that_is_no_network_is_named(write):
    with pytest.raises(FormatError, match=r"net\.onnx: this is not a network in ONNX"):
        backbone_of(write(b"not a network"))


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FormatError, match=r"gone\.onnx: the network cannot be read"):
        backbone_of(FeatureRecipe(kind="cnn", file=str(tmp_path / "gone.onnx")))


def test_a_recipe_without_a_file_says_what_to_do():
    with pytest.raises(ParamError, match=r"need the file of a network\. Give an ONNX file"):
        n_features(FeatureRecipe(kind="cnn"))


@pytest.mark.parametrize(
    ("shape", "axes", "said"),
    [
        ((1, 12), [1], "has 2 dimensions"),
        ((1, 4, 8, 8), [2, 3], "4 channels"),
        ((2, 3, 8, 8), [2, 3], "takes 2 images at a time"),
    ],
)
def test_a_network_that_takes_no_single_image_is_refused(write, shape, axes, said):
    with pytest.raises(FormatError, match=said):
        backbone_of(write(mean_network(shape, axes)))


def test_an_output_that_is_not_there_is_answered_with_those_that_are(write):
    with pytest.raises(ParamError, match=r"no value 'features'\. Its outputs: y\."):
        backbone_of(write(color_network()[0], output="features"))


@pytest.mark.parametrize(("field", "given"), [("std", (0.0,)), ("mean", (0.1, 0.2))])
def test_numbers_that_do_not_fit_the_channels_are_refused(write, field, given):
    with pytest.raises(ParamError, match=f"{field} is 0.*one number or 3"):
        backbone_of(write(color_network()[0], **{field: given}))


def test_another_file_under_the_same_name_is_refused(write):
    recipe = write(color_network()[0])
    known = msgspec.structs.replace(recipe, content=content_of(recipe.file))
    assert backbone_of(known).width == 4
    write(color_network(mean="0.5")[0])
    with pytest.raises(FormatError, match="another network than the one that was used"):
        backbone_of(known)


def test_where_onnxruntime_is_missing_the_error_says_how_to_install_it(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    backbone._opened.cache_clear()
    with pytest.raises(ParamError, match=r"not installed\. Install it: pip install "
                                         r'"emberscope\[onnx\]"'):
        backbone_of(write(color_network()[0]))


def test_no_other_kind_of_features_needs_onnxruntime(scene, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    instances = Instances.at([1], [0], [[8, 8, 24, 24]])
    assert extract(instances, lambda _: scene, FeatureRecipe()).shape == (1, 324)
