"""Shortest paths and landmarks."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from emberscope.base.errors import Cancelled, DataError
from emberscope.base.monitor import Watch
from emberscope.neighbors import threads
from emberscope.neighbors.geodesics import _next_farthest, geodesics, landmarks
from emberscope.neighbors.graph import knn, neighborhood_graph


def path(*lengths):
    n = len(lengths) + 1
    W = np.zeros((n, n))
    for i, length in enumerate(lengths):
        W[i, i + 1] = W[i + 1, i] = length
    return csr_array(W)


def test_lengths_add_up_along_a_path_and_are_not_squared():
    assert geodesics(path(1.0, 2.0, 4.0))[0].tolist() == [0, 1, 3, 7]


def test_only_the_wanted_sources_are_computed():
    D = geodesics(path(1.0, 2.0, 4.0), sources=np.array([3, 1]))
    assert D.tolist() == [[7, 6, 4, 0], [1, 0, 2, 6]]


def test_floyd_warshall_agrees_on_a_random_graph():
    rng = np.random.default_rng(0)
    W = np.where(rng.random((40, 40)) < 0.1, rng.random((40, 40)), 0)
    W = np.maximum(W, W.T)
    np.fill_diagonal(W, 0)
    D = np.where(W > 0, W, np.inf)
    np.fill_diagonal(D, 0)
    for k in range(40):
        D = np.minimum(D, D[:, [k]] + D[[k], :])
    np.testing.assert_allclose(geodesics(csr_array(W)), D)


def test_components_are_infinitely_apart():
    W = csr_array((np.ones(2), ([0, 1], [1, 0])), (3, 3))
    assert np.isinf(geodesics(W)[0, 2])


def test_a_negative_length_is_refused():
    with pytest.raises(DataError, match="negative"):
        geodesics(path(-1.0))


def test_paths_stop_at_the_next_batch():
    with pytest.raises(Cancelled):
        geodesics(path(1.0), monitor=Watch(stop=lambda: True))


def test_landmarks_are_distinct_rows_and_include_the_far_one():
    X = np.vstack([np.random.default_rng(0).normal(size=(99, 2)), [[50.0, 50.0]]])
    chosen = landmarks(X, 10, seed=3)
    assert len(np.unique(chosen)) == 10
    assert 99 in chosen
    assert np.array_equal(chosen, landmarks(X, 10, seed=3))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_sources_together_are_dijkstra(dtype):
    rng = np.random.default_rng(1)
    i, j = rng.integers(0, 300, (2, 900))
    W = csr_array((rng.random(900) + 0.01, (i, j)), (300, 300))
    W = csr_array(W + W.T)
    D, truth = geodesics(W, dtype=dtype), dijkstra(W)
    assert D.dtype == dtype
    np.testing.assert_allclose(D, truth, rtol=0 if dtype is np.float64 else 1e-6)


def test_the_number_of_threads_changes_nothing(monkeypatch):
    X = np.random.default_rng(0).normal(size=(400, 3))
    W = neighborhood_graph(X, knn(X, 5)).lengths
    many = geodesics(W, dtype=np.float32)
    monkeypatch.setattr(threads, "thread_count", lambda: 1)
    assert np.array_equal(geodesics(W, dtype=np.float32), many)


def test_a_long_path_in_a_bad_order_is_no_trouble():
    order = np.random.default_rng(0).permutation(2000)
    W = csr_array((np.ones(1999), (order[:-1], order[1:])), (2000, 2000))
    assert geodesics(csr_array(W + W.T), sources=order[:1])[0, order[-1]] == 1999


def test_the_farthest_row_is_found_as_by_hand():
    X = np.random.default_rng(0).normal(size=(80, 5)).astype(np.float32)
    distance, naive = np.full(80, np.inf, np.float32), np.full(80, np.inf)
    last = 7
    for _ in range(10):
        naive = np.minimum(naive, np.square(X - X[last]).sum(axis=1))
        expected = int(naive.argmax())
        last = _next_farthest(X, last, distance)
        assert last == expected


def test_landmarks_take_as_many_of_a_rare_label_where_labels_are_given():
    X = np.random.default_rng(0).normal(size=(500, 2))
    y = np.where(np.arange(500) < 10, 1, -1)
    assert (y[landmarks(X, 60, y=y)] == 1).sum() == 10
    assert (y[landmarks(X, 60)] == 1).sum() < 6


def test_more_landmarks_than_rows_are_all_rows():
    assert landmarks(np.eye(3), 7).tolist() == [0, 1, 2]


def test_landmarks_of_equal_looking_rows_are_distinct():
    assert len(set(landmarks(np.zeros((40, 3)), 20))) == 20
