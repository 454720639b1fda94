"""Bag reductions against loops written for reading."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.bags.reduce import (
    REDUCTIONS,
    bag_argmax,
    bag_log_sum_exp,
    bag_max,
    bag_mean,
    bag_noisy_or,
    bag_softmax,
    segment_argmax,
)
from emberscope.base.errors import DataError, ParamError

BAGS = Bags.from_lists([[], [0, 1, 2], [2], [], [4, 0, 3]], [1, 1, -1, 0, -1])
VALUES = np.array([0.1, 0.9, 0.4, 0.0, 1.0])


def naive(values, rule):
    return [rule(values[BAGS.of(k)]) if len(BAGS.of(k)) else np.nan for k in range(len(BAGS))]


RULES = {
    "max": lambda v: max(v),
    "mean": lambda v: sum(v) / len(v),
    "noisy-or": lambda v: 1 - np.prod([1 - p for p in v]),
    "log-sum-exp": lambda v: np.log(np.mean(np.exp(5 * v))) / 5,
    "softmax": lambda v: sum(v * np.exp(5 * v)) / sum(np.exp(5 * v)),
}


@pytest.mark.parametrize("name", sorted(REDUCTIONS))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_reduction_agrees_with_its_naive_twin_and_an_empty_bag_is_nan(name, dtype):
    values = VALUES.astype(dtype)
    np.testing.assert_allclose(
        REDUCTIONS[name](values, BAGS), naive(values.astype(float), RULES[name]), atol=1e-12
    )


@pytest.mark.parametrize("name", sorted(REDUCTIONS))
def test_several_columns_are_reduced_one_by_one(name):
    both = np.stack([VALUES, VALUES[::-1]], axis=1)
    expected = np.stack(
        [REDUCTIONS[name](VALUES, BAGS), REDUCTIONS[name](VALUES[::-1], BAGS)], axis=1
    )
    np.testing.assert_allclose(REDUCTIONS[name](both, BAGS), expected)


@pytest.mark.parametrize("name", sorted(REDUCTIONS))
def test_no_bags_give_no_values(name):
    assert REDUCTIONS[name](VALUES, Bags.from_lists([], [])).shape == (0,)


def test_a_missing_value_stays_in_its_own_bag():
    values = VALUES.copy()
    values[4] = np.nan
    assert np.isnan(bag_max(values, BAGS)).tolist() == [True, False, False, True, True]


def test_log_sum_exp_lies_between_mean_and_max_and_does_not_overflow():
    values = VALUES * 1000
    low, high = bag_mean(values, BAGS), bag_max(values, BAGS)
    middle = bag_log_sum_exp(values, BAGS, alpha=10)
    full = BAGS.sizes > 0
    assert (middle[full] >= low[full]).all()
    assert (middle[full] <= high[full]).all()


def test_softmax_nears_the_maximum_as_alpha_grows():
    full = BAGS.sizes > 0
    np.testing.assert_allclose(
        bag_softmax(VALUES, BAGS, alpha=500)[full], bag_max(VALUES, BAGS)[full], atol=1e-6
    )


def test_noisy_or_of_a_sure_instance_is_one():
    assert bag_noisy_or([1.0, 0.2], Bags.from_lists([[0, 1]], [1])) == [1.0]


def test_noisy_or_refuses_scores_that_are_no_probabilities():
    with pytest.raises(DataError, match="noisy-or of values from -1 to 2"):
        bag_noisy_or([-1.0, 2.0], Bags.from_lists([[0, 1]], [1]))


def test_alpha_must_be_positive():
    with pytest.raises(ParamError, match="alpha is 0"):
        bag_softmax(VALUES, BAGS, alpha=0)


def test_the_best_row_of_each_bag_is_its_largest_and_an_empty_bag_has_none():
    assert bag_argmax(VALUES, BAGS).tolist() == [-1, 1, 2, -1, 4]


def test_of_equal_values_the_first_member_is_the_best():
    assert bag_argmax(np.ones(5), BAGS).tolist() == [-1, 0, 2, -1, 4]
    assert segment_argmax(np.array([1.0, 3, 3, 2, 2, 5, 0]), np.array([0, 3, 6, 7])).tolist() == [
        1,
        5,
        6,
    ]


def test_bags_of_nothing_have_no_best_rows():
    assert bag_argmax(VALUES, Bags.from_lists([[], []], [1, -1])).tolist() == [-1, -1]
