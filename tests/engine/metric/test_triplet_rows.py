"""Triplets to look at, the worst first; and impostors."""

import numpy as np

from emberscope.metric.triplet_rows import EASY, HARD, SEMI_HARD, hardest_triplets, impostors, rated

LINE = np.array([[0.0], [1.0], [1.5], [4.0]])
KIND = np.array([1, 1, -1, -1])
ROWS = np.arange(4)


def test_a_triplet_is_hard_semi_hard_or_easy_by_its_distances():
    Z = np.array([[0.0], [1.0], [0.5], [1.5], [9.0]])
    found = rated(Z, np.array([(0, 1, 4), (0, 1, 3), (0, 1, 2)]), margin=1.0)
    assert found.hardness.tolist() == [HARD, SEMI_HARD, EASY]
    assert found.rows[:, 2].tolist() == [2, 3, 4]
    assert (found.near.tolist(), found.far.tolist()) == ([1.0, 1.0, 1.0], [0.5, 1.5, 9.0])


def test_each_anchor_has_its_farthest_positive_and_its_nearest_negative():
    found = hardest_triplets(LINE, ROWS, KIND, margin=1.0)
    assert sorted(map(tuple, found.rows.tolist())) == [(0, 1, 2), (1, 0, 2), (2, 3, 1), (3, 2, 1)]


def test_the_worst_comes_first():
    found = hardest_triplets(LINE, ROWS, KIND, margin=1.0)
    assert found.rows[0].tolist() == [2, 3, 1]
    assert (np.diff(found.near - found.far) <= 0).all()


def test_a_frequent_kind_does_not_fill_the_list():
    Z = np.random.default_rng(0).normal(size=(100, 2))
    kind = np.where(np.arange(100) < 90, -1, 1)
    found = hardest_triplets(Z, np.arange(100), kind, margin=1.0, most=5)
    assert np.bincount((kind[found.rows[:, 0]] > 0).astype(int)).tolist() == [5, 5]


def test_rows_are_those_of_the_whole_space():
    Z = np.concatenate([np.full((3, 1), 99.0), LINE])
    assert hardest_triplets(Z, ROWS + 3, KIND, margin=1.0).rows[0].tolist() == [5, 6, 4]


def test_rows_may_come_in_any_order():
    found = hardest_triplets(LINE, ROWS[::-1], KIND[::-1], margin=1.0)
    assert found.rows.tolist() == hardest_triplets(LINE, ROWS, KIND, margin=1.0).rows.tolist()


def test_one_kind_or_nobody_makes_no_triplet():
    assert len(hardest_triplets(LINE, ROWS, np.ones(4, int), margin=1.0)) == 0
    assert len(hardest_triplets(LINE, ROWS[:0], KIND[:0], margin=1.0)) == 0


def test_impostors_lie_between_an_instance_and_its_own_kind():
    assert impostors(LINE, KIND, 1).tolist() == [0, 1, 2, 0]


def test_an_instance_alone_of_its_kind_has_no_reach():
    assert impostors(LINE, np.array([1, -1, -1, -1]), 2).tolist()[0] == -1
