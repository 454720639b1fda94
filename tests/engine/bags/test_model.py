"""The CSR of bags and the instance table."""

from dataclasses import replace

import numpy as np
import pytest

from emberscope.bags.model import Bags, Instances
from emberscope.base.errors import DataError

BAGS = Bags.from_lists([[0, 1], [1, 2], [3], []], [1, -1, 0, 1])


def test_members_of_a_bag_are_rows():
    assert [BAGS.of(k).tolist() for k in range(4)] == [[0, 1], [1, 2], [3], []]
    assert BAGS.sizes.tolist() == [2, 2, 1, 0]
    assert BAGS.bag_of_member.tolist() == [0, 0, 1, 1, 2]


def test_an_instance_in_a_negative_bag_is_negative_whatever_else_it_is_in():
    assert BAGS.instance_labels(5).tolist() == [1, -1, -1, 0, 0]
    assert BAGS.conflicts(5).tolist() == [1]


def test_the_first_bag_of_an_instance_is_the_one_with_the_lowest_number():
    assert BAGS.first_bag(5).tolist() == [0, 0, 1, 2, -1]


def test_a_column_of_bag_numbers_makes_the_same_bags_as_lists():
    made = Bags.from_column([1, 0, -1, 1], [1, -1])
    assert [made.of(k).tolist() for k in range(2)] == [[1], [0, 3]]


def test_a_column_with_more_bags_than_labels_is_refused():
    with pytest.raises(DataError, match="bag numbers go up to 2 for 2 bag labels"):
        Bags.from_column([0, 1, 2], [1, -1])


@pytest.mark.parametrize(
    ("indptr", "members", "what"),
    [
        ([0, 2], [0], "indptr does not rise"),
        ([0, 1], [-1], "negative row"),
        ([0, 1, 1], [0], "disagree in number"),
    ],
)
def test_bags_that_do_not_fit_together_are_refused(indptr, members, what):
    one = np.array([1])
    with pytest.raises(DataError, match=what):
        Bags(np.array(indptr), np.array(members), one.astype(np.int8), one, one)


def test_equal_supports_have_equal_ids_and_any_other_support_another():
    made = Instances.at([1, 1, 2, 1], [0, 0, 0, 1], [[0, 0, 8, 8]] * 4)
    assert made.ids[0] == made.ids[1]
    assert len(set(made.ids)) == 3
    assert made.rows_of([made.ids[2]]).tolist() == [2]


def test_bags_are_taken_in_the_order_asked_for():
    some = Bags.from_lists([[0, 1], [], [2]], [1, 0, -1], ids=[7, 8, 9]).take([2, 0, 1])
    assert [some.of(k).tolist() for k in range(3)] == [[2], [0, 1], []]
    assert (some.labels.tolist(), some.ids.tolist()) == ([-1, 1, 0], [9, 7, 8])


def test_every_row_can_be_a_bag_of_its_own():
    own = Bags.of_one([4, 2], [1, -3])
    assert [own.of(k).tolist() for k in range(2)] == [[4], [2]]
    assert (own.labels.tolist(), own.classes.tolist()) == ([1, -1], [1, 2])


@pytest.mark.parametrize("odd", [2, 255, 256, -128, 0.5, np.nan])
def test_a_label_that_is_no_sign_is_refused_before_it_is_made_one(odd):
    with pytest.raises(DataError, match=f"a bag has the label {odd}"):
        Bags.from_lists([[0], [1]], [odd, -1])
    with pytest.raises(DataError, match=f"a bag has the label {odd}"):
        Bags.from_column([0, 1], [odd, -1])


def test_groups_and_blocks_go_with_their_bags():
    bags = Bags.from_lists([[0], [1], [2]], np.array([1, -1, 1]))
    taken = replace(bags, groups=np.array([5, 5, 6]), blocks=np.array([1, 2, 3])).take(
        np.array([2, 0])
    )
    assert (taken.groups.tolist(), taken.blocks.tolist()) == ([6, 5], [3, 1])


def test_as_many_blocks_as_bags():
    with pytest.raises(DataError, match="2 blocks for 1 bags"):
        replace(Bags.from_lists([[0]], np.array([1])), blocks=np.array([1, 2]))


def test_numbers_of_bags_go_with_them():
    bags = replace(Bags.from_lists([[0], [1, 2], [3]], [-1, 1, 1]),
                   values=np.array([-2.0, 0.5, 3.0]))
    assert bags.take([2, 0]).values.tolist() == [3.0, -2.0]
    assert bags.among(np.array([1, 2, 3]), 4).values.tolist() == [0.5, 3.0]


def test_numbers_of_other_bags_are_refused():
    with pytest.raises(DataError, match="1 values for 2 bags"):
        replace(Bags.from_lists([[0], [1]], [-1, 1]), values=np.zeros(1))
