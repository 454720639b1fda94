"""Weights of neighbors: LLE's equation, its invariances, its naive twin."""

import numpy as np
import pytest

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.embedding.spectral.reconstruction_weights import (
    edge_weights,
    full_weights,
    reconstruction_error,
    reconstruction_weights,
    weight_matrix,
)
from emberscope.neighbors.graph import Neighbors, knn, neighborhood_graph


def naive(X, neighbors, ridge=1e-3):
    return np.array([of_one(X, i, idx, ridge) for i, idx in enumerate(neighbors.idx)])


def of_one(X, i, near, ridge=1e-3):
    offsets = X[near].astype(np.float64) - X[i]
    C = offsets @ offsets.T
    w = np.linalg.solve(C + ridge * np.trace(C) * np.eye(len(C)), np.ones(len(C)))
    return w / w.sum()


@pytest.fixture
def cloud():
    X = np.random.default_rng(0).normal(size=(60, 4))
    return X, knn(X, 7)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_weights_equal_their_plain_twin(cloud, dtype):
    X, neighbors = cloud
    X = X.astype(dtype)
    np.testing.assert_allclose(reconstruction_weights(X, neighbors), naive(X, neighbors), rtol=1e-9)


def test_weights_do_not_change_when_the_cloud_is_turned_moved_and_scaled(cloud):
    X, neighbors = cloud
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0]
    np.testing.assert_allclose(
        reconstruction_weights(3 * X @ turn + 5, neighbors),
        reconstruction_weights(X, neighbors),
        atol=1e-8,
    )


def test_weights_sum_to_1(cloud):
    np.testing.assert_allclose(reconstruction_weights(*cloud).sum(axis=1), 1, atol=1e-12)


def test_neighbors_that_lie_on_the_instance_share_it():
    X = np.zeros((4, 2))
    neighbors = Neighbors(
        np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]], np.int32), np.zeros((4, 3))
    )
    np.testing.assert_allclose(reconstruction_weights(X, neighbors), 1 / 3)


def test_the_error_matrix_is_the_squared_error_and_leaves_constants(cloud):
    X, neighbors = cloud
    W = weight_matrix(neighbors, reconstruction_weights(X, neighbors))
    M = reconstruction_error(W)
    z = X[:, 0]
    assert z @ (M @ z) == pytest.approx(np.square(z - W @ z).sum())
    np.testing.assert_allclose(M @ np.ones(60), 0, atol=1e-12)


def test_a_row_of_the_weight_matrix_holds_the_weights_of_that_row(cloud):
    X, neighbors = cloud
    weights = reconstruction_weights(X, neighbors)
    row = weight_matrix(neighbors, weights).toarray()[5]
    np.testing.assert_array_equal(row[neighbors.idx[5]], weights[5])


def test_it_can_be_stopped(cloud):
    with pytest.raises(Cancelled):
        reconstruction_weights(*cloud, monitor=Watch(stop=lambda: True))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_lists_of_any_length_give_the_weights_of_each_of_them(cloud, dtype):
    X = cloud[0].astype(dtype)
    lengths = neighborhood_graph(X, knn(X, 5)).lengths
    W = edge_weights(X, lengths).toarray()
    for i in range(len(X)):
        near = np.flatnonzero(lengths.toarray()[i])
        np.testing.assert_allclose(W[i, near], of_one(X, i, near), rtol=1e-7)


@pytest.mark.parametrize("features", [2, 4, 90])
def test_weights_of_all_others_equal_those_of_lists_that_name_them(features):
    X = np.random.default_rng(0).normal(size=(40, features))
    W = full_weights(X)
    for i in range(len(X)):
        others = np.delete(np.arange(40), i)
        np.testing.assert_allclose(W[i, others], of_one(X, i, others), rtol=1e-8)
