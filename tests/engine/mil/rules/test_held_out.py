"""Folds of bags and draws of some of them."""

from dataclasses import replace

import numpy as np

from emberscope.bags.model import Bags
from emberscope.mil.rules.held_out import connected_fold, some_bags


def test_bags_of_one_group_are_held_back_together():
    bags = replace(
        Bags.of_one(np.arange(12), np.tile([1, -1], 6)), groups=np.repeat(np.arange(3), 4)
    )
    fold = connected_fold(bags, 12)
    assert all(len(set(fold[4 * g : 4 * g + 4])) == 1 for g in range(3))


def test_some_bags_keep_the_shares_of_both_labels():
    bags = Bags.from_lists(
        list(np.arange(300).reshape(60, 5)), np.array([1] * 20 + [-1] * 40, np.int8)
    )
    some = some_bags(bags, 90)
    assert [int((some.labels == side).sum()) for side in (1, -1)] == [6, 12]
    assert some_bags(bags, 90).members.tolist() == some.members.tolist()


def test_of_either_label_there_is_a_bag_at_least():
    bags = Bags.from_lists(
        [np.arange(50), np.arange(50, 100), [100]], np.array([1, -1, -1], np.int8)
    )
    assert set(some_bags(bags, 1).labels.tolist()) == {1, -1}
