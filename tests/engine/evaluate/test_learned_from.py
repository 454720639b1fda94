"""What a method learns from beside bags."""

import numpy as np

from emberscope.evaluate.learned_from import BAGS_ALONE, LearnedFrom
from emberscope.labels.side_info import SideInfo


def test_a_fold_gets_the_labels_of_its_rows():
    assert LearnedFrom(np.array([1, -1, 0])).among(np.array([0, 2]), 3).labels.tolist() == [1, 0]


def test_of_what_is_known_of_pairs_a_fold_gets_those_inside_it():
    side = SideInfo.of_pairs(same=[[0, 1], [1, 2]])
    known = LearnedFrom(side=side).among(np.array([1, 2]), 3).beside_labels
    assert known["side"].pairs.tolist() == [[0, 1]]


def test_a_method_that_gets_nothing_beside_bags_is_asked_for_nothing():
    found = BAGS_ALONE.among(np.array([0]), 3)
    assert (found.labels, found.beside_labels) == (None, {})
