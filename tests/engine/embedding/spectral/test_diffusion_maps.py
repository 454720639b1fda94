"""Diffusion maps: the distances of the random walk itself, circles, densities, and Laplacian
eigenmaps as a case."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from emberscope.embedding.spectral.diffusion_maps import (
    DiffusionMaps,
    density_normalized,
    faded_after,
    kernel_width,
)
from emberscope.embedding.spectral.laplacian_eigenmaps import LaplacianEigenmaps
from emberscope.embedding.spectral.modes import laplacian_modes
from emberscope.neighbors.graph import affinity, knn, neighborhood_graph


@pytest.mark.parametrize("t", [1, 2, 5])
def test_all_coordinates_together_have_the_diffusion_distance(t):
    X = np.random.default_rng(0).normal(size=(100, 3))
    sigma = 1.0
    neighbors = knn(X, 20)
    W = affinity(neighborhood_graph(X, neighbors), neighbors, sigma=sigma).toarray()
    q = W.sum(axis=1)
    W = W / q[:, None] / q
    P = W / W.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    stationary = W.sum(axis=1) / W.sum()
    walk = np.linalg.matrix_power(P, t)
    expected = np.square((walk[:, None] - walk[None]) / np.sqrt(stationary)).sum(axis=2)
    Z = DiffusionMaps(n_components=99, n_neighbors=20, sigma=sigma, t=t).fit(X).embedding_
    np.testing.assert_allclose(np.square(Z[:, None] - Z[None]).sum(axis=2), expected, atol=1e-10)


def test_without_density_normalization_one_step_is_laplacian_eigenmaps_scaled():
    X = np.random.default_rng(0).normal(size=(80, 3)) * [4, 2, 1]
    walk = DiffusionMaps(n_components=3, n_neighbors=15, sigma=1.0, alpha=0.0, t=1).fit(X)
    modes = LaplacianEigenmaps(n_components=3, n_neighbors=15, sigma=1.0).fit(X)
    np.testing.assert_allclose(walk.eigenvalues_, 1 - modes.eigenvalues_, atol=1e-12)
    np.testing.assert_allclose(
        walk.embedding_, modes.embedding_ * (1 - modes.eigenvalues_), atol=1e-9
    )


def test_a_circle_has_two_equal_eigenvalues():
    angle = 2 * np.pi * np.arange(60) / 60
    est = DiffusionMaps(n_neighbors=10).fit(np.column_stack([np.cos(angle), np.sin(angle)]))
    assert est.eigenvalues_[0] == pytest.approx(est.eigenvalues_[1], abs=1e-12)


def uneven_circle(n=400):
    """A circle with up to 19 times as many points on one side as on the other."""
    angle = np.sort(2 * np.pi * (np.arange(n) + 0.5) / n)
    for _ in range(50):  # invert the distribution function angle + 0.9 sin(angle)
        angle -= (angle + 0.9 * np.sin(angle) - 2 * np.pi * (np.arange(n) + 0.5) / n) / (
            1 + 0.9 * np.cos(angle)
        )
    return angle, np.column_stack([np.cos(angle), np.sin(angle)])


def angle_correlation(alpha):
    angle, X = uneven_circle()
    Z = DiffusionMaps(n_neighbors=399, sigma=0.15, alpha=alpha).fit(X).embedding_
    found = np.unwrap(np.arctan2(Z[:, 1], Z[:, 0]))
    return abs(np.corrcoef(found, angle)[0, 1])


def test_the_density_of_sampling_is_forgotten_with_alpha_1_only():
    assert angle_correlation(1.0) > 0.999
    assert angle_correlation(0.0) < 0.99


def test_the_kernel_sum_grows_with_the_intrinsic_dimension():
    rng = np.random.default_rng(0)
    for d in (1, 2, 3):
        X = np.pad(rng.uniform(size=(3000, d)), ((0, 0), (0, 5 - d)))
        assert kernel_width(X, float(np.median(knn(X, 1).dist)))[1] == pytest.approx(d, abs=0.35)


def test_the_width_scales_with_the_features():
    X = np.random.default_rng(0).normal(size=(300, 3))
    one, ten = DiffusionMaps().fit(X), DiffusionMaps().fit(10 * X)
    assert ten.sigma_ == pytest.approx(10 * one.sigma_)
    np.testing.assert_allclose(np.abs(ten.embedding_), np.abs(one.embedding_), atol=1e-9)
    assert f"{one.dimension_:.2g} dimensions" in one.notes_[-1]


def test_more_steps_only_shrink_fast_modes():
    X = np.random.default_rng(0).normal(size=(200, 3)) * [4, 2, 1]
    one, four = (DiffusionMaps(n_components=3, t=t).fit(X) for t in (1, 4))
    np.testing.assert_allclose(four.embedding_, one.embedding_ * one.eigenvalues_**3, atol=1e-12)


def test_auto_steps_end_when_the_first_mode_left_out_has_faded():
    assert faded_after(np.array([0.9, 0.8, 0.5]), 2) == 4  # (5/9)**4 < 0.1 <= (5/9)**3
    assert faded_after(np.array([0.9, 0.8, 0.899]), 2) == 64
    est = DiffusionMaps(t=None).fit(np.random.default_rng(0).normal(size=(50, 2)))
    assert f"takes {est.t_} steps" in est.notes_[-1]


def test_new_instances_follow_the_coordinates():
    X = np.random.default_rng(0).normal(size=(900, 3)) * [4, 2, 1]
    est, whole = DiffusionMaps().fit(X[:800]), DiffusionMaps().fit(X).embedding_
    for found, expected in zip(est.transform(X[800:]).T, whole[800:].T):
        # Of this draw; six others: 0.78 to 0.9993
        assert abs(np.corrcoef(found, expected)[0, 1]) > 0.99


def test_a_far_instance_neither_breaks_the_walk_nor_the_numbers():
    X = np.vstack([np.random.default_rng(0).normal(size=(100, 2)), [[1e4, 0]]])
    est = DiffusionMaps(n_neighbors=20).fit(X)
    assert np.isfinite(est.embedding_).all()
    assert np.isfinite(est.transform(np.array([[-1e5, 3.0]]))).all()


def test_density_normalization_divides_by_both_densities():
    W = csr_array(np.array([[0, 2.0], [2, 0]]))
    assert density_normalized(W, np.array([4.0, 9.0]), 0.5).toarray()[0, 1] == pytest.approx(2 / 6)


def test_modes_have_variance_1_under_the_stationary_distribution():
    X = np.random.default_rng(0).normal(size=(60, 2))
    neighbors = knn(X, 10)
    W = affinity(neighborhood_graph(X, neighbors), neighbors)
    stationary = W.sum(axis=1) / W.sum()
    V = laplacian_modes(W, 3).vectors
    np.testing.assert_allclose(V.T * stationary @ V, np.eye(3), atol=1e-10)
