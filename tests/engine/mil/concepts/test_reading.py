"""What a person asks of concepts."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.mil.concepts.reading import Reading, causes, conflicts

BAGS = Bags.from_lists([[0, 1], [2], [3]], np.array([1, 1, -1]))
NEAR, FAR = 0.01, 50.0
DISTANCE2 = np.array([[NEAR, FAR], [FAR, NEAR], [FAR, FAR], [FAR, 0.1]])


def test_the_cause_of_a_bag_with_one_target_is_that_target():
    found = causes(DISTANCE2, Bags.from_lists([[0, 2]], np.array([1])), 0)
    assert found[0][:2] == (0, 0)


def test_a_cause_is_the_probability_given_that_the_bag_holds_one():
    a = np.array([[1.0], [2.0]])
    found = Reading.of(a, Bags.from_lists([[0, 1]], np.array([1])))
    p = np.exp(-a[:, 0])
    np.testing.assert_allclose(found.cause[:, 0], p / (1 - np.prod(1 - p)))


def test_an_instance_far_from_all_is_of_no_concept():
    assert Reading.of(DISTANCE2, BAGS).concept().tolist() == [0, 1, -1, 1]


def test_conflicts_are_likely_targets_in_negative_bags_and_positive_bags_without_one():
    found = conflicts(Reading.of(DISTANCE2, BAGS), BAGS)
    assert found.negative.tolist() == [3]
    assert found.uncovered.tolist() == [1]
    assert found.several.tolist() == [0]


def test_an_empty_bag_has_no_cause():
    assert causes(DISTANCE2, Bags.from_lists([[]], np.array([1])), 0) == []
    assert np.isnan(Reading.of(DISTANCE2, Bags.from_lists([[]], np.array([1]))).bag).all()


def test_the_probability_of_a_bag_is_that_of_the_noisy_or():
    assert Reading.of(DISTANCE2, BAGS).bag[2, 1] == pytest.approx(np.exp(-0.1))
