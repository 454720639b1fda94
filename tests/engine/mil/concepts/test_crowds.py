"""Which instances of bags take part in the search for concepts."""

import numpy as np

from emberscope.bags.model import Bags
from emberscope.mil.concepts.crowds import standing_out


def bags_with_a_target_each():
    """12 positive bags of five, whose first instance lies apart, 12 negative ones, and a positive
    one of one instance.
    """
    X = np.random.default_rng(0).normal(size=(121, 6))
    X[0:60:5] += 6.0
    X[120] += 6.0
    return X, Bags.from_lists(
        [*np.arange(120).reshape(24, 5), [120]], np.array([1] * 12 + [-1] * 12 + [1], np.int8)
    )


def test_of_positive_bags_the_targets_stay():
    X, bags = bags_with_a_target_each()
    kept, _ = standing_out(X, bags)
    assert [kept.of(k).tolist() for k in range(12)] == [[5 * k] for k in range(12)]


def test_negative_bags_and_a_bag_of_one_stay_as_they_are():
    X, bags = bags_with_a_target_each()
    kept, _ = standing_out(X, bags)
    assert kept.sizes[12:24].tolist() == [5] * 12
    assert kept.of(24).tolist() == [120]


def test_rows_in_no_bag_change_nothing():
    X, bags = bags_with_a_target_each()
    more = np.vstack([X, np.full((3, 6), 50.0)])
    np.testing.assert_array_equal(
        standing_out(more, bags)[0].members, standing_out(X, bags)[0].members
    )
