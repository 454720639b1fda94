"""Exact duplicates, merged and restored."""

import numpy as np
import pytest

from emberscope.neighbors import duplicates
from emberscope.neighbors.duplicates import content_key, distinct_rows


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


@pytest.mark.parametrize("with_labels", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_copies_are_those_that_a_sort_of_all_rows_finds(dtype, with_labels):
    rng = np.random.default_rng(0)
    X = (rng.integers(0, 2, (80, 9)) * rng.choice([-1.0, 1.0], (80, 9))).astype(dtype)[:, :4]
    y = rng.integers(-1, 2, 80) if with_labels else np.zeros(80, int)
    _, first, inverse = np.unique(np.c_[X + 0.0, y], axis=0, return_index=True, return_inverse=True)
    found = distinct_rows(X, y if with_labels else None)
    assert np.array_equal(found.rows, np.sort(first))
    assert np.array_equal(found.rows[found.inverse], first[inverse.ravel()])


def test_different_rows_with_one_fingerprint_stay_apart(monkeypatch):
    monkeypatch.setattr(duplicates, "_fingerprints", lambda X: np.ones((len(X), 2), np.uint64))
    found = distinct_rows(np.array([[1.0], [2.0], [1.0]]))
    assert found.inverse.tolist() == [0, 1, 0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fingerprints_tell_any_two_changed_values_apart(dtype):
    row = np.random.default_rng(0).normal(size=21).astype(dtype)
    pairs = np.transpose(np.triu_indices(21, 1))
    X = np.repeat(row[None], len(pairs) + 1, axis=0)
    for r, pair in enumerate(pairs):
        X[r, pair] *= -1  # the sign is the highest bit, the hardest to mix
    prints = duplicates._fingerprints(X)
    assert len(np.unique(prints[:, 0])) == len(np.unique(prints[:, 1])) == len(X)


def test_nothing_is_copied_where_nothing_is_merged():
    X = np.eye(3)
    assert distinct_rows(X).select(X) is X
    Y = np.array([[1.0], [1.0]])
    assert distinct_rows(Y).select(Y).tolist() == [[1.0]]


def test_other_values_shapes_and_precisions_have_other_keys():
    X = np.arange(6.0).reshape(2, 3)
    arrays = [X, X.reshape(3, 2), X.astype(np.float32), X + 1, X[::-1]]
    assert len({content_key(a) for a in arrays}) == len(arrays)
    assert content_key(arrays[0].copy()) == content_key(arrays[0])
