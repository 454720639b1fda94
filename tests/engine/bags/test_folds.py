"""Folds keep groups together, balance classes and leave no fold empty."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberscope.bags.folds import (
    bag_groups,
    connected_groups,
    frame_blocks,
    grouped_folds,
    joined,
    sides_of,
)
from emberscope.bags.model import Bags
from emberscope.base.errors import DataError


def test_what_is_joined_by_way_of_others_is_one_group():
    assert joined(np.array([0, 3]), np.array([2, 2]), 5).tolist() == [0, 1, 0, 0, 2]


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from([-1, 1])), min_size=20, max_size=80),
    st.integers(0, 5),
)
def test_no_group_is_in_two_folds_and_no_fold_is_empty(rows, seed):
    groups = np.array([group for group, _ in rows] + list(range(4)))
    labels = np.array([label for _, label in rows] + [1, -1, 1, -1])
    fold = grouped_folds(groups, labels, n_folds=3, seed=seed)
    assert all(len(set(fold[groups == g])) == 1 for g in set(groups))
    assert set(fold) == {0, 1, 2}


def test_classes_are_spread_over_the_folds():
    groups = np.repeat(np.arange(12), 10)
    labels = np.where(groups < 4, 1, -1)
    fold = grouped_folds(groups, labels, n_folds=4)
    assert [(labels[fold == f] == 1).sum() for f in range(4)] == [10, 10, 10, 10]
    assert [(labels[fold == f] == -1).sum() for f in range(4)] == [20, 20, 20, 20]


def test_one_giant_group_leaves_every_other_fold_filled():
    groups = np.array([0] * 50 + [1, 2, 3])
    assert set(grouped_folds(groups, n_folds=4)) == {0, 1, 2, 3}


def test_the_same_seed_gives_the_same_folds():
    groups = np.repeat(np.arange(30), 3)
    first, again, other = (grouped_folds(groups, n_folds=5, seed=seed) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_more_folds_than_groups_are_refused_with_the_number_that_works():
    with pytest.raises(DataError, match=r"5 folds need 5 groups, there are 2\. Use 2 folds"):
        grouped_folds([0, 0, 1, 1], n_folds=5)


def test_frame_blocks_keep_neighboring_frames_of_one_source_together():
    blocks = frame_blocks([1, 1, 1, 2], [0, 9, 10, 0], block=10)
    assert blocks.tolist() == [0, 0, 1, 2]


def test_bags_that_share_an_instance_are_one_group_through_any_chain():
    bags = Bags.from_lists([[0, 1], [1, 2], [2, 3], [4]], [1, 1, 1, -1])
    assert connected_groups(bags, 6).tolist() == [0, 0, 0, 0, 1, 2]
    assert bag_groups(bags, 6).tolist() == [0, 0, 0, 1]


def test_groups_of_bags_are_numbered_in_the_order_of_bags():
    bags = Bags.from_lists([[5], [1, 4], [0], [4, 2]], np.array([1, -1, 1, -1]))
    assert bag_groups(bags, 6).tolist() == [0, 1, 2, 1]


def test_a_second_grouping_joins_bags_that_share_no_instance():
    bags = Bags.from_lists([[0], [1], [2], []], [1, 1, -1, 1])
    assert bag_groups(bags, 3, also=[7, 8, 7]).tolist() == [0, 1, 0, 2]


@given(st.lists(st.lists(st.integers(0, 19), max_size=4, unique=True), min_size=1, max_size=12))
def test_connected_groups_agree_with_a_naive_flood(members):
    bags = Bags.from_lists(members, np.ones(len(members)))
    found = connected_groups(bags, 20)
    for start in range(20):
        reached, grown = {start}, True
        while grown:
            more = reached.union(*(set(m) for m in members if reached & set(m)))
            grown, reached = more != reached, more
        assert set(np.flatnonzero(found == found[start])) == reached


def test_folds_by_connected_groups_leak_no_instance_of_a_bag():
    rng = np.random.default_rng(0)
    bags = Bags.from_lists(
        [rng.choice(200, 3, replace=False) // 2 * 2 for _ in range(25)], np.ones(25)
    )
    fold = grouped_folds(connected_groups(bags, 200), n_folds=4)
    assert all(len(set(fold[bags.of(k)])) == 1 for k in range(len(bags)))


def test_clips_are_counted_on_either_side_of_every_fold():
    clip = np.array([1, 1, 2, 2, 3, 4])
    found = sides_of([0, 1, 1, 1, -2, -1], clip)
    assert (found.held.tolist(), found.learned.tolist()) == ([1, 2], [3, 2])
    assert [shared.tolist() for shared in found.shared] == [[1], [1]]
    assert found.alone.tolist() == [2]


def test_without_folds_there_are_no_sides():
    found = sides_of([-1, -2], [1, 2])
    assert (len(found.held), len(found.learned), found.shared) == (0, 0, [])
