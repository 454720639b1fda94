"""How unlike known instances others are."""

import numpy as np
import pytest

from emberscope.bags import Bags
from emberscope.evaluate.unlike import Known, novelty_in_bags

X = np.arange(20.0)[:, None]  # a step apart
PLACE = np.arange(20) // 2


def test_the_unit_is_what_known_ones_keep_from_other_places():
    novelty = Known(X, PLACE).novelty(np.array([[19.5], [21.0], [39.0]]))
    np.testing.assert_allclose(novelty, [0.25, 1.0, 10.0], rtol=0.02)  # the ends keep 2


def test_a_known_one_is_compared_with_other_places():
    assert Known(X, PLACE).novelty(X, PLACE).max() == pytest.approx(1, rel=0.02)
    assert (Known(X, PLACE).novelty(X) == 0).all()


def test_where_there_is_no_other_place_nobody_knows():
    assert np.isnan(Known(X, np.zeros(20, int)).novelty(X, np.zeros(20, int))).all()


def test_copies_of_one_row_leave_everything_else_unlike():
    known = Known(np.ones((6, 2)), np.arange(6))
    assert known.novelty(np.array([[1.0, 1.0], [1.0, 2.0]])).tolist() == [0.0, np.inf]


def test_more_instances_than_are_compared_at_once_have_the_same_distances():
    rng = np.random.default_rng(0)
    many = rng.normal(size=(4500, 3))
    known = Known(many, np.arange(4500))
    assert np.array_equal(known.novelty(many[:2500])[2100:], known.novelty(many[2100:2500]))


def test_a_bag_far_from_labeled_ones_is_new_and_teaches_nothing():
    rows = np.append(np.arange(8.0), [70.0, 70.0])[:, None]
    bags = Bags.from_column(np.arange(10) // 2, np.array([1, -1, 1, -1, 0]))
    instances, of_bags = novelty_in_bags(rows, bags, np.arange(5))
    assert instances[-2:].min() > 10  # its copy in the same bag does not make it known
    assert of_bags[-1] == pytest.approx(instances[-2:].mean())
    assert of_bags[:-1].max() <= 1


def test_bags_of_one_group_do_not_make_each_other_known():
    rows = np.array([[0.0], [10.0], [20.0], [30.0], [70.0], [70.0]])
    bags = Bags.from_column(np.arange(6), np.array([1, -1, 1, -1, 1, 1]))
    assert novelty_in_bags(rows, bags, np.arange(6))[1][-1] == 0
    assert novelty_in_bags(rows, bags, np.array([0, 1, 2, 3, 4, 4]))[1][-1] > 0


def test_where_no_bag_is_labeled_nothing_is_known():
    bags = Bags.from_column(np.array([0, 1]), np.array([0, 0]))
    assert all(np.isnan(found).all() for found in novelty_in_bags(X[:2], bags, np.arange(2)))
