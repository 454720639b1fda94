"""What bag labels say of pairs: background is the same, witnesses differ from it, and nothing is
guessed. And what pairs say of labels."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.bags.pairs import bag_pairs, labels_of_pairs

# Rows 0 to 2 and 3 to 5 in positive bags, 6 to 8 in a negative one.
BAGS = Bags.from_lists([[0, 1, 2], [3, 4, 5], [6, 7, 8]], np.array([1, 1, -1]))
# Rows 0 and 4 are the witnesses
CONFIDENCE = np.array([0.9, 0.1, 0.2, 0.3, 0.5, 0.1, 0.9, 0.9, 0.9])


def said(side):
    """{pair: (same, weight)}, the smaller row first."""
    rows = np.sort(side.pairs, axis=1).tolist()
    return {tuple(pair): (bool(same), round(float(weight), 3))
            for pair, same, weight in zip(rows, side.same, side.pair_weight, strict=True)}


def test_two_instances_of_negative_bags_are_the_same():
    assert said(bag_pairs(BAGS, 9)) == {
        (6, 7): (True, 0.2),
        (6, 8): (True, 0.2),
        (7, 8): (True, 0.2),
    }


def test_a_witness_differs_from_background_by_its_confidence():
    found = said(bag_pairs(BAGS, 9, confidence=CONFIDENCE))
    assert found[0, 6] == (False, 0.18)
    assert found[4, 8] == (False, 0.1)


def test_of_positive_bags_only_the_witnesses_are_the_same():
    found = said(bag_pairs(BAGS, 9, confidence=CONFIDENCE))
    assert found[0, 4] == (True, 0.09)
    # Of the others nothing is said
    assert {row for pair in found for row in pair} == {0, 4, 6, 7, 8}


def test_witnesses_of_two_classes_are_not_said_to_be_the_same():
    bags = Bags.from_lists(
        [[0, 1, 2], [3, 4, 5], [6, 7, 8]], np.array([1, 1, -1]), classes=np.array([1, 3, 2])
    )
    assert (0, 4) not in said(bag_pairs(bags, 9, confidence=CONFIDENCE))


def test_a_certain_target_is_the_witness_of_its_bag():
    y = np.array([0, 0, 1, 0, 0, 0, 0, 0, 0])
    found = said(bag_pairs(BAGS, 9, y=y, confidence=CONFIDENCE))
    assert found[2, 6] == (False, 0.2)
    assert (0, 6) not in found


def test_an_instance_that_is_marked_as_background_is_no_witness():
    y = np.array([-1, 0, 0, 0, 0, 0, 0, 0, 0])
    found = said(bag_pairs(BAGS, 9, y=y, confidence=CONFIDENCE))
    assert found[0, 6] == (True, 0.2)
    assert found[2, 6] == (False, 0.04)


def test_an_instance_that_also_lies_in_a_negative_bag_is_background():
    bags = Bags.from_lists([[0, 1, 2], [0, 3]], np.array([1, -1]))
    found = said(bag_pairs(bags, 4, confidence=np.array([1.0, 0.5, 0.2, 0.0])))
    assert found == {(0, 3): (True, 0.2), (0, 1): (False, 0.1), (1, 3): (False, 0.1)}


def test_unlabeled_bags_say_nothing():
    bags = Bags.from_lists([[0, 1], [2, 3]], np.array([0, 0]))
    assert len(bag_pairs(bags, 4, confidence=np.ones(4)).pairs) == 0


def test_the_same_seed_draws_the_same_pairs_and_no_pair_twice():
    bags = Bags.from_lists([list(range(100)), list(range(100, 300))], np.array([1, -1]))
    confidence = np.linspace(0, 1, 300)
    first, again, other = (
        bag_pairs(bags, 300, confidence=confidence, most=50, seed=s) for s in (0, 0, 1)
    )
    assert np.array_equal(first.pairs, again.pairs)
    assert not np.array_equal(first.pairs, other.pairs)
    # 50 of background, 50 of the witness and background
    assert len(said(first)) == len(first.pairs) == 100
    assert (first.pairs[:, 0] != first.pairs[:, 1]).all()


@pytest.mark.parametrize("most", [0, 1, 3, 100])
def test_there_are_at_most_as_many_pairs_of_a_kind_as_wanted(most):
    assert len(bag_pairs(BAGS, 9, most=most).pairs) == min(most, 3)


def labels(alike, certain):
    return labels_of_pairs(
        np.array(alike, np.int64).reshape(-1, 2), np.array(certain, np.int8)
    ).tolist()


def test_who_is_alike_to_background_by_way_of_another_is_background():
    assert labels([(0, 1), (1, 3)], [0, 0, 0, -1]) == [-1, -1, 0, 0]


def test_who_is_alike_to_a_target_is_one():
    assert labels([(0, 2)], [0, 0, 1]) == [1, 0, 0]


def test_of_who_is_alike_to_both_kinds_nothing_follows():
    assert labels([(0, 1), (0, 2)], [0, -1, 1]) == [0, 0, 0]


def test_without_pairs_no_label_follows():
    assert labels([], [0, -1, 1]) == [0, 0, 0]
