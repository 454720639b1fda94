"""Labels of neighbors, looking past the instance's own bags."""

import numpy as np
import pytest

from emberscope.bags import Bags
from emberscope.evaluate.purity import bag_purity, neighborhood_purity

LINE = np.arange(6.0)[:, None]
Y = np.array([1, 1, 1, -1, -1, 1])


def test_purity_is_the_share_of_equal_labels_among_the_nearest():
    found = neighborhood_purity(LINE, Y, k=2)
    np.testing.assert_allclose(found, [1, 1, 0.5, 0.5, 0.5, 0])


def test_neighbors_of_the_own_bag_say_nothing():
    bags = Bags.from_column(np.array([0, 0, 0, 1, 1, 2]), np.array([1, -1, 1]))
    found = neighborhood_purity(LINE, Y, bags, k=1)
    np.testing.assert_allclose(found, [0, 0, 0, 0, 0, 0])


def test_an_instance_of_two_bags_looks_past_both():
    bags = Bags(np.array([0, 2, 5, 6]), np.array([0, 1, 1, 2, 3, 5]), np.array([1, 1, 1], np.int8),
                np.arange(3), np.ones(3, np.int64))  # fmt: skip
    found = neighborhood_purity(LINE, np.array([1, 1, 1, 1, -1, -1]), bags, k=1)
    assert found[1] == 0.0  # 0, 2 and 3 share a bag with it: the nearest other is 4
    assert found[0] == 1.0  # 1 shares a bag, 2 does not


def test_unknown_instances_are_neither_judged_nor_counted():
    found = neighborhood_purity(LINE, np.array([1, 0, 1, -1, 0, 0]), k=1)
    np.testing.assert_array_equal(found, [1, np.nan, 0, 0, np.nan, np.nan])


@pytest.mark.parametrize(
    ("Z", "y"), [(LINE, np.zeros(6, int)), (LINE[:1], [1]), (LINE, [0, 0, 1, 0, 0, 0])]
)
def test_without_labels_to_compare_there_is_no_purity(Z, y):
    assert np.isnan(neighborhood_purity(Z, y)).all()


def test_only_the_nearest_32_are_looked_through():
    near = np.concatenate([np.zeros(40), [1.0, 2.0]])[:, None] + 1e-6 * np.arange(42)[:, None]
    bags = Bags.from_column(np.concatenate([np.zeros(40, int), [1, 2]]), np.array([1, 1, 1]))
    found = neighborhood_purity(near, np.ones(42, int), bags)
    assert np.isnan(found[:9]).all()  # 32 of their own bag come before the first other instance
    assert found[40] == 1.0


def test_a_bag_is_as_pure_as_its_members():
    bags = Bags(
        np.array([0, 2, 4, 4]),
        np.array([0, 1, 1, 2]),
        np.array([1, 1, 1], np.int8),
        np.arange(3),
        np.ones(3),
    )
    np.testing.assert_array_equal(
        bag_purity(np.array([1.0, 0.5, np.nan]), bags), [0.75, 0.5, np.nan]
    )
