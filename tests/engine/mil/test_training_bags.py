"""Bags to learn from, in an order that their values and labels decide."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.mil.training_bags import in_order_of_values, renumbered, training_bags


def usable(lists, labels, n):
    return training_bags(None, Bags.from_lists(lists, np.array(labels)), n, method="test")


def test_negative_bags_come_first_then_small_ones_then_by_values():
    X = np.array([5.0, 4, 3, 2, 1, 0])[:, None]
    found = in_order_of_values(X, usable([[0, 1], [2], [3], [4, 5]], [1, 1, 1, -1], 6))
    assert [found.bags.of(k).tolist() for k in range(4)] == [[5, 4], [3], [2], [1, 0]]
    assert found.rows.tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("seed", range(5))
def test_values_in_order_are_the_same_whatever_the_order_of_rows_and_bags(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (40, 3)).astype(float)  # many rows are tied in the first features, some in all
    lists, labels = [np.arange(4 * k, 4 * k + 4) for k in range(10)], np.where(np.arange(10) % 3, -1, 1)
    rows, order = rng.permutation(40), rng.permutation(10)
    moved = [np.argsort(rows)[rng.permutation(lists[k])] for k in order]
    one = in_order_of_values(X, usable(lists, labels, 40))
    two = in_order_of_values(X[rows], usable(moved, labels[order], 40))
    np.testing.assert_array_equal(X[one.bags.members], X[rows][two.bags.members])
    np.testing.assert_array_equal(one.bags.labels, two.bags.labels)


def test_rows_are_numbered_in_the_order_bags_name_them():
    rows, bags = renumbered(Bags.from_lists([[7, 3], [3, 9]], np.array([-1, 1])))
    assert rows.tolist() == [7, 3, 9]
    assert bags.members.tolist() == [0, 1, 1, 2]
