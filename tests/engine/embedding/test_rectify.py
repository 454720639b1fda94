"""Units for axes that have none, for the whole embedding and around every point."""

import numpy as np
import pytest
from scipy.spatial import procrustes

from emberscope.embedding.rectify import kept_neighbors, local_metrics, rectify
from emberscope.neighbors.graph import knn

SHEAR = np.array([[3.0, 1.0], [0.0, 0.2]])


@pytest.fixture
def plane():
    X = np.random.default_rng(0).uniform(size=(200, 2)) * [5, 2]
    return X, knn(X, 8)


def test_a_sheared_plane_gets_its_lengths_back(plane):
    X, neighbors = plane
    found = rectify(X @ SHEAR, neighbors)
    assert procrustes(X, found.coordinates)[2] < 1e-12
    np.testing.assert_allclose(found.coordinates.std(axis=0).sum(), X.std(axis=0).sum(), rtol=1e-2)
    length = np.linalg.norm(found.coordinates[neighbors.idx[:, 0]] - found.coordinates, axis=1)
    np.testing.assert_allclose(length, neighbors.dist[:, 0], rtol=1e-6)


def test_the_stretch_is_that_of_the_map(plane):
    X, neighbors = plane
    found = rectify(X @ SHEAR, neighbors)
    np.testing.assert_allclose(found.stretch, np.linalg.svd(np.linalg.inv(SHEAR))[1], rtol=1e-6)
    np.testing.assert_allclose(
        found.coordinates, (X - X.mean(axis=0)) @ SHEAR @ found.map, atol=1e-12
    )
    assert "times more one way" in found.note


def test_an_axis_without_extent_stays_flat_and_finite(plane):
    X, neighbors = plane
    Z = rectify(np.column_stack([X[:, 0], np.zeros(200)]), neighbors).coordinates
    assert np.isfinite(Z).all()
    assert np.ptp(Z[:, 1]) < 1e-9


def test_a_metric_that_would_part_neighbors_is_not_used(plane):
    """Four instances drawn far out say that this axis is short; to believe them would flatten the
    embedding."""
    X, neighbors = plane
    Z = X.copy()
    Z[:4, 1] += [5, -5, 6, -6]
    found = rectify(Z, neighbors)
    assert found.even
    assert found.stretch[0] == found.stretch[1]
    np.testing.assert_allclose(found.coordinates, found.stretch[0] * (Z - Z.mean(axis=0)))
    assert "All axes have one scale" in found.note


def test_with_one_scale_edges_are_on_the_whole_as_long_as_in_the_features(plane):
    X, neighbors = plane
    Z = X.copy()
    Z[:4, 1] += [5, -5, 6, -6]
    drawn = rectify(Z, neighbors).coordinates
    squared = np.square(drawn[neighbors.idx] - drawn[:, None]).sum()
    assert squared == pytest.approx(np.square(neighbors.dist).sum(), rel=1e-6)


def test_kept_neighbors_is_the_share_of_the_lists_found_in_the_picture():
    X = np.arange(6.0)[:, None]
    neighbors = knn(X, 2)
    assert kept_neighbors(X, neighbors) == 1
    swapped = X[[5, 1, 2, 3, 4, 0]]  # the two ends change places
    near = [{4, 3}, {5, 2}, {1, 3}, {2, 4}, {3, 0}, {1, 2}]
    expected = sum(len(near[i] & set(neighbors.idx[i])) for i in range(6)) / 12
    assert kept_neighbors(swapped, neighbors) == expected


def test_many_dimensions_are_only_scaled():
    X = np.random.default_rng(0).normal(size=(300, 12))
    found = rectify(X * np.arange(1, 13), knn(X, 20))
    np.testing.assert_allclose(found.stretch, 1 / np.arange(1.0, 13), rtol=1e-6)


def test_the_local_metric_of_a_linear_map_is_the_same_everywhere(plane):
    X, neighbors = plane
    S = local_metrics(X, X @ SHEAR, neighbors)
    assert S.shape == (200, 2, 2)
    assert S.dtype == np.float32
    inverse = np.linalg.inv(SHEAR)
    np.testing.assert_allclose(
        S, np.broadcast_to(inverse @ inverse.T, S.shape), rtol=2e-3, atol=1e-4
    )


def test_rows_alone_serve_as_neighbors(plane):
    X, neighbors = plane
    np.testing.assert_allclose(
        local_metrics(X, X @ SHEAR, neighbors.idx),
        local_metrics(X, X @ SHEAR, neighbors),
        rtol=1e-5,
    )


def test_a_point_that_was_squeezed_has_a_larger_metric(plane):
    X, neighbors = plane
    Z = np.column_stack([np.where(X[:, 0] > 2.5, 2.5 + 0.1 * (X[:, 0] - 2.5), X[:, 0]), X[:, 1]])
    along = local_metrics(X, Z, neighbors)[:, 0, 0]
    assert np.median(along[X[:, 0] > 3]) == pytest.approx(100, rel=1e-2)
    assert np.median(along[X[:, 0] < 2]) == pytest.approx(1, rel=1e-2)


def test_points_drawn_on_one_spot_have_a_finite_metric(plane):
    X, neighbors = plane
    S = local_metrics(X, np.where(X[:, :1] > 2.5, 0.0, X), neighbors)
    assert np.isfinite(S).all()
    assert (np.linalg.eigvalsh(S)[:, 0] > 0).all()


def test_many_dimensions_use_second_moments():
    X = np.random.default_rng(0).normal(size=(400, 5))
    inverse = np.linalg.inv(local_metrics(X, 2 * X, knn(X, 30)))
    np.testing.assert_allclose(np.einsum("naa->n", inverse), 4 * 5, rtol=1e-3)
