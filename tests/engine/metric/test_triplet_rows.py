"""Triplets to look at, the worst first; and impostors."""

import numpy as np

from emberscope.metric.triplet_rows import EASY, HARD, SEMI_HARD, hardest_triplets, rated, rivals

LINE = np.array([[0.0], [1.0], [1.5], [4.0]])
KIND = np.array([1, 1, -1, -1])
ROWS = np.arange(4)


def test_a_triplet_is_hard_semi_hard_or_easy_by_its_distances():
    Z = np.array([[0.0], [1.0], [0.5], [1.5], [9.0]])
    found = rated(Z, np.array([(0, 1, 4), (0, 1, 3), (0, 1, 2)]), margin=1.0)
    assert found.hardness.tolist() == [HARD, SEMI_HARD, EASY]
    assert found.rows[:, 2].tolist() == [2, 3, 4]
    assert (found.near.tolist(), found.far.tolist()) == ([1.0, 1.0, 1.0], [0.5, 1.5, 9.0])


def triplets(Z, rows=None, kind=KIND, *, k=1, **options):
    rows = np.arange(len(Z)) if rows is None else rows
    return hardest_triplets(Z, rows, kind, rivals(Z[rows], kind, k), margin=1.0, **options)


def test_each_anchor_has_its_target_and_its_nearest_impostor():
    found = triplets(LINE)
    assert sorted(map(tuple, found.rows.tolist())) == [(0, 1, 2), (1, 0, 2), (2, 3, 1), (3, 2, 1)]


def test_the_worst_comes_first():
    found = triplets(LINE)
    assert found.rows[0].tolist() == [2, 3, 1]
    assert (np.diff(found.near - found.far) <= 0).all()


def test_the_target_is_the_kth_nearest_of_its_kind_or_the_farthest():
    Z = np.array([[0.0], [1.0], [3.0], [9.0]])
    assert [rivals(Z, np.ones(4, int), k).target[0] for k in (1, 2, 3, 9)] == [1, 2, 3, 3]


def test_a_frequent_kind_does_not_fill_the_list():
    Z = np.random.default_rng(0).normal(size=(100, 2))
    kind = np.where(np.arange(100) < 90, -1, 1)
    found = triplets(Z, kind=kind, most=5)
    assert np.bincount((kind[found.rows[:, 0]] > 0).astype(int)).tolist() == [5, 5]


def test_rows_are_those_of_the_whole_space():
    Z = np.concatenate([np.full((3, 1), 99.0), LINE])
    assert triplets(Z, ROWS + 3).rows[0].tolist() == [5, 6, 4]


def test_one_kind_or_nobody_makes_no_triplet():
    assert len(triplets(LINE, kind=np.ones(4, int))) == 0
    assert len(triplets(LINE, ROWS[:0], KIND[:0])) == 0


def test_impostors_lie_between_an_instance_and_its_own_kind():
    assert rivals(LINE, KIND, 1).between.tolist() == [0, 1, 2, 0]


def test_an_instance_alone_of_its_kind_has_no_target():
    found = rivals(LINE, np.array([1, -1, -1, -1]), 2)
    assert (found.target[0], found.between[0]) == (-1, -1)
    assert len(triplets(LINE, kind=np.array([1, -1, -1, -1]))) == 3
