"""Tangent planes: null spaces that are known, and the quadratic part alone."""

import numpy as np
import pytest

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.embedding.spectral.alignment import (
    affine_misfit,
    alignment_matrix,
    hessian,
    tangent_coordinates,
    tangent_map,
)
from emberscope.neighbors.graph import knn


@pytest.fixture
def grid():
    """A flat grid of 10 x 12 points, turned into 4-D."""
    u = np.stack(np.meshgrid(np.arange(10.0), np.arange(12.0)), axis=-1).reshape(-1, 2)
    axes = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 2)))[0]
    return u, u @ axes.T


def naive(X, members, d, kind):
    n = len(X)
    M = np.zeros((n, n))
    for N in members:
        centered = X[N] - X[N].mean(axis=0)
        U = np.linalg.svd(centered, full_matrices=False)[0][:, :d]
        e = np.ones((len(N), 1))
        if kind is affine_misfit:
            Q = np.hstack([e / np.sqrt(len(N)), U])
            block = np.eye(len(N)) - Q @ Q.T
        else:
            products = [U[:, a] * U[:, b] for a in range(d) for b in range(a, d)]
            q = np.linalg.qr(np.column_stack([e, U, *products]))[0][:, 1 + d :]
            block = q @ q.T
        M[np.ix_(N, N)] += block
    return M


@pytest.mark.parametrize("kind", [affine_misfit, hessian])
def test_the_matrix_equals_its_plain_twin(kind):
    X = np.random.default_rng(0).normal(size=(50, 3))
    members = knn(X, 9).idx
    np.testing.assert_allclose(
        alignment_matrix(X, members, 2, kind).toarray(), naive(X, members, 2, kind), atol=1e-9
    )


@pytest.mark.parametrize("kind", [affine_misfit, hessian])
def test_affine_functions_on_a_flat_grid_have_no_misfit(kind, grid):
    u, X = grid
    M = alignment_matrix(X, knn(X, 12).idx, 2, kind)
    affine = np.column_stack([np.ones(len(u)), u, u @ [2.0, -3.0] + 5])
    np.testing.assert_allclose(M @ affine, 0, atol=1e-8)


def test_nothing_but_affine_functions_has_none(grid):
    _, X = grid
    values = np.linalg.eigvalsh(alignment_matrix(X, knn(X, 12).idx, 2, hessian).toarray())
    np.testing.assert_allclose(values[:3], 0, atol=1e-8)
    assert values[3] > 1e-4


def test_the_hessian_of_a_symmetric_neighborhood_does_not_see_a_cubic_and_ltsa_does():
    u = np.stack(np.meshgrid(np.arange(-2.0, 3), np.arange(-2.0, 3)), axis=-1).reshape(-1, 2)
    tangents = tangent_coordinates(u, np.arange(25)[None], 2)
    cubic = u[:, 0] ** 3
    assert cubic @ affine_misfit(tangents)[0] @ cubic > 1
    assert cubic @ hessian(tangents)[0] @ cubic < 1e-10


def test_neighborhoods_on_a_line_give_finite_matrices():
    X = np.column_stack([np.arange(30.0), np.zeros(30)])
    for kind in (affine_misfit, hessian):
        assert np.isfinite(alignment_matrix(X, knn(X, 8).idx, 2, kind).data).all()


def test_tangents_are_orthonormal_and_of_mean_0_even_where_points_coincide():
    X = np.vstack([np.zeros((6, 3)), np.eye(3)])
    tangents = tangent_coordinates(X, np.arange(9)[None, :6], 2)[0]
    np.testing.assert_allclose(tangents.T @ tangents, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(tangents.sum(axis=0), 0, atol=1e-12)


def test_the_map_of_a_plane_is_that_of_the_plane(grid):
    u, X = grid
    members = np.arange(20)[None]
    Q = X[55:56]
    shear = np.array([[2.0, 1], [0, 3]])
    np.testing.assert_allclose(tangent_map(X[members], u[members] @ shear, Q), u[55:56] @ shear)


def test_it_can_be_stopped(grid):
    with pytest.raises(Cancelled):
        alignment_matrix(
            grid[1], knn(grid[1], 12).idx, 2, hessian, monitor=Watch(stop=lambda: True)
        )
