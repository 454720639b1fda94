"""Laplacian eigenmaps: closed forms and scikit-learn."""

import numpy as np
import pytest
from sklearn.manifold import spectral_embedding

from emberscope.embedding.spectral.laplacian_eigenmaps import LaplacianEigenmaps
from emberscope.neighbors.graph import affinity, knn, neighborhood_graph


def test_a_ring_has_the_eigenvalues_of_the_cycle_and_is_a_circle():
    n = 50
    angle = 2 * np.pi * np.arange(n) / n
    est = LaplacianEigenmaps(n_neighbors=2, kernel="binary").fit(np.column_stack([np.cos(angle), np.sin(angle)]))
    # L v = l D v with D = 2 I: half of the unnormalised 2 - 2 cos.
    np.testing.assert_allclose(est.eigenvalues_, 1 - np.cos(2 * np.pi / n) * np.ones(2), atol=1e-10)
    radius = np.linalg.norm(est.embedding_, axis=1)
    assert radius.std() / radius.mean() < 1e-6
    assert "interchangeable" in est.notes_[0]


def test_it_equals_scikit_learn_on_the_same_affinities():
    X = np.random.default_rng(0).normal(size=(80, 3)) * [4, 2, 1]
    est = LaplacianEigenmaps(n_components=3).fit(X)
    neighbors = knn(X, 15)
    W = affinity(neighborhood_graph(X, neighbors), neighbors)
    oracle = spectral_embedding(W.toarray(), n_components=3, eigen_solver="lobpcg", eigen_tol=1e-10, random_state=0)
    for ours, theirs in zip(est.embedding_.T, oracle.T):
        assert abs(ours @ theirs) / np.linalg.norm(ours) / np.linalg.norm(theirs) == pytest.approx(1, abs=1e-6)


def test_columns_have_weighted_mean_0_and_variance_1():
    X = np.random.default_rng(0).normal(size=(80, 3))
    neighbors = knn(X, 15)
    degree = affinity(neighborhood_graph(X, neighbors), neighbors).sum(axis=1)
    Z = LaplacianEigenmaps().fit(X).embedding_
    np.testing.assert_allclose(degree @ Z / degree.sum(), 0, atol=1e-10)
    np.testing.assert_allclose(Z.T * degree @ Z / degree.sum(), np.eye(2), atol=1e-10)


def test_two_clusters_become_the_two_sides_of_the_first_axis():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 5)), rng.normal(size=(40, 5)) + 30])
    z = LaplacianEigenmaps(n_components=1).fit(X).embedding_[:, 0]
    assert len({*np.sign(z[:40])}) == len({*np.sign(z[40:])}) == 1
    assert np.sign(z[0]) != np.sign(z[40])


def test_a_given_width_is_used():
    X = np.random.default_rng(0).normal(size=(60, 2))
    values = [LaplacianEigenmaps(sigma=sigma).fit(X).eigenvalues_[0] for sigma in (0.2, 1e3)]
    binary = LaplacianEigenmaps(kernel="binary").fit(X).eigenvalues_[0]
    assert values[0] < values[1]
    assert values[1] == pytest.approx(binary, rel=1e-3)
