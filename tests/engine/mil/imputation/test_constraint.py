"""What bag labels say about instance labels."""

import numpy as np

from emberscope.bags.model import Bags
from emberscope.mil.imputation.constraint import known_labels, restore_witnesses

BAGS = Bags.from_lists([[0, 1, 2], [2, 3], [4, 5]], [1, 1, -1])
NONE = np.zeros(6, np.int8)


def test_the_best_scored_candidates_come_back():
    score = np.array([0.1, 0.3, 0.2, 0.5, 0.9, 0.9])
    labels = restore_witnesses(np.full(6, -1), score, BAGS, np.array([0, 0, 0, 0, -1, -1]))
    assert labels.tolist() == [-1, 1, -1, 1, -1, -1]


def test_a_bag_with_enough_positives_stays_as_it_is():
    labels = restore_witnesses(np.array([1, -1, 1, -1, -1, -1]), np.arange(6.0), BAGS, NONE)
    assert labels.tolist() == [1, -1, 1, -1, -1, -1]


def test_equal_scores_are_told_apart_by_the_second_one():
    labels = restore_witnesses(
        np.full(6, -1), np.zeros(6), BAGS, NONE, second=np.array([0, 0, 1, 0, 0, 0.0])
    )
    assert labels.tolist() == [-1, -1, 1, -1, -1, -1]


def test_a_bag_of_fewer_candidates_than_witnesses_has_all_of_them():
    labels = restore_witnesses(
        np.full(6, -1), np.zeros(6), BAGS, np.array([0, 0, -1, 0, 0, 0]), min_witness=3
    )
    assert labels.tolist() == [1, 1, -1, 1, -1, -1]


def test_a_negative_bag_speaks_louder_than_a_given_label():
    known = known_labels(np.array([0, -1, 0, 0, 1, 0]), BAGS, 6)
    assert known.fixed.tolist() == [0, -1, 0, 0, -1, -1]
    assert known.free.tolist() == [True, False, True, True, False, False]


def test_a_positive_bag_of_one_candidate_makes_it_certain():
    known = known_labels(np.array([0, 0, -1, 0, 0, 0]), BAGS, 6, min_witness=1)
    assert known.fixed.tolist() == [0, 0, -1, 1, -1, -1]
