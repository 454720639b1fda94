"""Two halves of a concept: 2-means of its witnesses, and every instance with the nearer mean."""

import numpy as np

from emberscope.mil.concepts.splitting import split_in_two

X = np.array([[0.0, 0], [0.1, 0], [0.2, 9], [5.0, 0], [5.1, 9], [4.0, 3], [1.0, 3]])
WITNESSES = np.arange(5)


def test_the_first_half_is_that_of_more_witnesses():
    assert split_in_two(X, np.array([[1.0, 0.0]]), [WITNESSES])[:5, 0].tolist() == [1, 1, 1, 2, 2]


def test_every_instance_is_with_the_nearer_mean():
    assert split_in_two(X, np.array([[1.0, 0.0]]), [WITNESSES])[5:, 0].tolist() == [2, 1]


def test_features_count_as_they_do_in_the_concept():
    assert split_in_two(X, np.array([[0.0, 1.0]]), [WITNESSES])[:5, 0].tolist() == [1, 1, 2, 1, 2]


def test_a_concept_of_one_witness_or_of_equal_ones_has_no_halves():
    scales = np.ones((3, 2))
    same = np.vstack([X, X[:1]])
    assert not split_in_two(
        same, scales, [np.array([0]), np.array([0, 7]), np.empty(0, np.int64)]
    ).any()
