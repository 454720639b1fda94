"""NPE and ONPP: what the weights lose, known subspaces."""

import numpy as np
import pytest
from scipy.linalg import eigh, subspace_angles

from emberscope.embedding.linear.npe import NPE, lost_form
from emberscope.embedding.spectral.reconstruction_weights import (
    reconstruction_weights,
    weight_matrix,
)
from emberscope.neighbors.graph import knn

X = np.random.default_rng(0).normal(size=(40, 5)) * [3, 2, 1, 0.6, 0.3] + 10


def weights_of(X, k=6):
    neighbors = knn(X, k)
    return weight_matrix(neighbors, reconstruction_weights(X, neighbors))


def test_the_form_is_the_squared_error_of_reconstruction():
    rng = np.random.default_rng(1)
    R, a = weights_of(X), rng.normal(size=5)
    z = X @ a
    assert a @ lost_form(X, X.mean(axis=0), R) @ a == pytest.approx(
        np.square(z - R @ z).sum(), rel=1e-10
    )


def test_axes_solve_the_generalized_eigenproblem():
    est, C = NPE(n_neighbors=6, ridge=0.0).fit(X), X - X.mean(axis=0)
    M = np.eye(40) - weights_of(X).toarray()
    values, vectors = eigh(C.T @ M.T @ M @ C, C.T @ C)
    np.testing.assert_allclose(est.eigenvalues_, values[:2])
    np.testing.assert_allclose(
        np.abs(est.components_), np.abs(vectors[:, :2]) * np.sqrt(40), atol=1e-8
    )


def test_coordinates_have_unit_variance_and_no_correlation():
    np.testing.assert_allclose(
        np.cov(NPE(ridge=0.0).fit(X).embedding_.T, bias=True), np.eye(2), atol=1e-10
    )


def test_orthogonal_axes_are_the_least_lossy_orthonormal_ones():
    est = NPE(n_neighbors=6, orthogonal=True).fit(X)
    values, vectors = eigh(lost_form(X, X.mean(axis=0), weights_of(X)))
    np.testing.assert_allclose(est.eigenvalues_, values[:2])
    np.testing.assert_allclose(np.abs(est.components_), np.abs(vectors[:, :2]), atol=1e-10)


def test_a_linear_sheet_in_noise_is_found_within_a_degree():
    rng = np.random.default_rng(1)
    frame = np.linalg.qr(rng.normal(size=(10, 2)))[0]
    data = rng.uniform(-1, 1, size=(1500, 2)) @ frame.T + 0.01 * rng.normal(size=(1500, 10))
    # An axis may lean towards features that hardly vary; the directions its coordinates stand for
    # do not.
    directions = (data - data.mean(axis=0)).T @ NPE().fit(data).embedding_
    assert np.degrees(subspace_angles(directions, frame)).max() < 1


def test_a_constant_feature_adds_no_axis():
    more = np.hstack([X, np.full((40, 1), 7.0)])
    est, plain = NPE().fit(more), NPE().fit(X)
    np.testing.assert_allclose(est.components_[:5], plain.components_, atol=1e-8)


def test_the_origin_does_not_matter():
    np.testing.assert_allclose(NPE().fit(X + 100).embedding_, NPE().fit(X).embedding_, atol=1e-7)


def test_copies_do_not_turn_the_axes():
    est = NPE().fit(np.vstack([X, X[:9]]))
    np.testing.assert_allclose(est.components_, NPE().fit(X).components_)
    assert "9 of 49 instances are exact copies" in est.notes_[0]
