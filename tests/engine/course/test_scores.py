"""What is said of a run, in one record."""

import numpy as np

from emberscope.course.scores import Scores, joined, ranks


def test_ranks_are_shares_of_the_lower_and_ties_share_theirs():
    np.testing.assert_allclose(
        ranks(np.array([5.0, -1e9, 7.0, 5.0, np.nan])), [0.5, 0.0, 1.0, 0.5, np.nan]
    )
    np.testing.assert_array_equal(ranks(np.array([3.0])), [0.0])


def test_scores_are_joined_in_order_and_in_single_precision():
    found = joined(
        Scores({"a": np.ones(2)}, {"m": 1.0}, ["first"]), Scores({}, {"n": 2.0}, ["second"])
    )
    assert (found.metrics, found.notes) == ({"m": 1.0, "n": 2.0}, ["first", "second"])
    assert found.points["a"].dtype == np.float32
