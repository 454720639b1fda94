"""Shortest paths and landmarks."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from emberscope.base.errors import Cancelled, DataError
from emberscope.base.monitor import Watch
from emberscope.neighbors.geodesics import geodesics, landmarks


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
