"""Patches of whole frames."""

import numpy as np
import pytest

from emberscope.bags.model import Instances
from emberscope.features.extract import extract
from emberscope.features.on_frame import frames_in_turn
from emberscope.features.recipe import FeatureRecipe

BOXES = np.array([[0, 0, 24, 24], [8, 8, 32, 32], [60, 40, 84, 64], [8, 30, 32, 54]], np.float32)


@pytest.mark.parametrize("kind", ["infrared", "statistics", "hog"])
def test_they_have_the_features_of_instances_to_the_bit(kind, memory_source):
    frames = list(np.random.default_rng(0).normal(1000, 9, (9, 80, 100)).astype(np.uint16))
    recipe, numbers = FeatureRecipe(kind=kind), [0, 3, 4, 8]
    instances = Instances.at(np.zeros(16), np.repeat(numbers, 4), np.tile(BOXES, (4, 1)))
    expected = extract(instances, lambda _: memory_source(frames), recipe)
    turns = frames_in_turn(memory_source(frames), numbers, recipe)
    np.testing.assert_array_equal(np.concatenate([frame.of(BOXES) for frame in turns]), expected)


def test_each_frame_of_a_clip_is_read_once_and_in_its_order(memory_source):
    source = memory_source(list(np.zeros((9, 40, 40), np.uint16)))
    assert [frame.number for frame in
            frames_in_turn(source, range(9), FeatureRecipe(kind="infrared"))] == list(range(9))
    assert set(source.reads.values()) == {1}
