"""Exact duplicates, merged and restored."""

import numpy as np
import pytest

from emberscope.neighbors.duplicates import distinct_rows


def test_rows_are_merged_in_order_of_first_appearance_and_restored():
    X = np.array([[2.0, 0], [1, 1], [2, 0], [1, 1], [2, 0]])
    found = distinct_rows(X)
    assert found.rows.tolist() == [0, 1]
    assert found.counts.tolist() == [3, 2]
    assert found.n_merged == 3
    assert np.array_equal(found.restore(X[found.rows]), X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_different_rows_stay_where_they_are(dtype):
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(dtype)
    assert distinct_rows(X).rows.tolist() == list(range(40))


def test_minus_zero_is_zero():
    assert len(distinct_rows(np.array([[0.0], [-0.0]]))) == 1


def test_with_labels_only_rows_of_one_label_are_merged():
    X, y = np.zeros((4, 2)), np.array([1, -1, 1, 0])
    assert distinct_rows(X, y).inverse.tolist() == [0, 1, 0, 2]


def test_no_rows_give_no_rows():
    assert len(distinct_rows(np.empty((0, 3)))) == 0
