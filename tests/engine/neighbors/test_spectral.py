"""The eigensolver that all spectral methods share."""

import numpy as np
import pytest
from scipy.sparse import block_diag, csr_array, diags_array, random_array
from scipy.sparse.linalg import ArpackNoConvergence

from emberscope.base.errors import Cancelled, DataError
from emberscope.base.monitor import Watch
from emberscope.embedding.spectral.modes import laplacian_modes
from emberscope.neighbors import spectral
from emberscope.neighbors.graph import affinity, knn, neighborhood_graph
from emberscope.neighbors.spectral import (
    bottom_eigenpairs,
    fix_signs,
    localized_axes,
    participation,
    rough_eigenpairs,
    top_eigenpairs,
)


def ring(n):
    W = diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[1, -1]).tolil()
    W[0, n - 1] = W[n - 1, 0] = 1
    return csr_array(W)


def symmetric(n):
    A = random_array(
        (n, n),
        density=0.05,
        rng=np.random.default_rng(0),
        data_sampler=np.random.default_rng(1).normal,
    )
    return csr_array(A + A.T)


@pytest.mark.parametrize("dense_limit", [2000, 0], ids=["dense", "iterated"])
def test_the_cycle_has_eigenvalues_2_minus_2cos(dense_limit):
    n = 60
    L = csr_array(diags_array(np.full(n, 2.0)) - ring(n))
    constant = np.full((n, 1), n**-0.5)
    found = top_eigenpairs(csr_array(-L), 4, deflate=constant, dense_limit=dense_limit)
    j = np.array([1, 1, 2, 2])
    np.testing.assert_allclose(-found.values, 2 - 2 * np.cos(2 * np.pi * j / n), atol=1e-10)


@pytest.mark.parametrize("dense_limit", [2000, 0], ids=["dense", "iterated"])
def test_top_pairs_equal_numpy(dense_limit):
    A = symmetric(150)
    found = top_eigenpairs(A, 5, dense_limit=dense_limit)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(A.toarray())[::-1][:5], atol=1e-9)
    assert found.residual < 1e-7
    assert found.orthogonality < 1e-10


@pytest.mark.parametrize("dense_limit", [2000, 0], ids=["dense", "iterated"])
def test_deflated_eigenvectors_are_not_found_again(dense_limit):
    A = symmetric(150)
    values, vectors = np.linalg.eigh(A.toarray())
    found = top_eigenpairs(A, 3, deflate=vectors[:, -2:], dense_limit=dense_limit)
    np.testing.assert_allclose(found.values, values[-5:-2][::-1], atol=1e-9)
    assert found.leakage < 1e-7


def test_all_remaining_pairs_can_be_had():
    found = top_eigenpairs(np.diag([3.0, 1.0, 2.0]), 2, deflate=np.eye(3)[:, :1])
    assert found.values.tolist() == [2.0, 1.0]


def test_more_pairs_than_there_are_is_refused():
    with pytest.raises(DataError, match="fewer dimensions"):
        top_eigenpairs(np.eye(3), 4)


def test_a_dense_matrix_goes_through_lanczos():
    A = symmetric(150).toarray()
    found = top_eigenpairs(A, 5, dense_limit=0)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(A)[::-1][:5], atol=1e-9)


def test_where_lanczos_fails_the_dense_solver_takes_over(monkeypatch):
    monkeypatch.setattr(spectral, "_filtered", lambda *args: None)
    monkeypatch.setattr(spectral, "_lanczos", lanczos_that_fails)
    found = top_eigenpairs(symmetric(150), 2, dense_limit=0)
    np.testing.assert_allclose(found.values, top_eigenpairs(symmetric(150), 2).values)


def test_where_both_are_out_of_reach_it_says_what_to_change(monkeypatch):
    monkeypatch.setattr(spectral, "_filtered", lambda *args: None)
    monkeypatch.setattr(spectral, "_lanczos", lanczos_that_fails)
    monkeypatch.setattr(spectral, "_RESCUE_LIMIT", 100)
    with pytest.raises(DataError, match="more neighbors"):
        top_eigenpairs(symmetric(150), 2, dense_limit=0)


def lanczos_that_fails(*args):
    raise ArpackNoConvergence("no", np.empty(0), np.empty((0, 0)))


@pytest.mark.parametrize("kind", [csr_array.toarray, csr_array], ids=["lanczos", "filtered"])
def test_it_can_be_stopped_between_steps(kind):
    calls = iter([False] + [True] * 1000)
    with pytest.raises(Cancelled):
        top_eigenpairs(
            kind(symmetric(300)), 3, dense_limit=0, monitor=Watch(stop=lambda: next(calls))
        )


def test_the_largest_entry_of_every_column_becomes_positive():
    V = np.array([[0.1, -0.9], [-0.8, 0.2]])
    assert fix_signs(V).tolist() == [[-0.1, 0.9], [0.8, -0.2]]


def test_rounding_does_not_decide_between_equal_entries():
    V = np.array([[-1.0], [1.0 + 1e-15]])
    assert fix_signs(V)[0, 0] == 1.0


def path(n):
    """The Laplacian of a path; eigenvalues 2 - 2 cos(pi j / n)."""
    W = diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[1, -1])
    return csr_array(diags_array(W.sum(axis=1)) - W)


def clouds(n):
    """The Laplacian of a random graph: a wide gap at the bottom, and envelope nearly full."""
    rng = np.random.default_rng(0)
    W = random_array((n, n), density=12 / n, rng=rng)
    W = csr_array(W + W.T)
    return csr_array(diags_array(W.sum(axis=1)) - W)


@pytest.mark.parametrize("dense_limit", [2000, 0], ids=["dense", "iterated"])
def test_the_path_has_its_smallest_eigenvalues_exactly(dense_limit):
    n = 300
    found = bottom_eigenpairs(path(n), 3, deflate=np.full((n, 1), n**-0.5), dense_limit=dense_limit)
    np.testing.assert_allclose(
        found.values, 2 - 2 * np.cos(np.pi * np.arange(1, 4) / n), atol=1e-10
    )
    assert found.converged
    assert found.residual < 1e-6 * found.values[2]
    assert found.orthogonality < 1e-10
    assert found.leakage < 1e-10


@pytest.mark.parametrize("few", [0, 10**9], ids=["filtered", "inverse"])
def test_both_ways_to_the_bottom_agree_with_numpy(few, monkeypatch):
    monkeypatch.setattr(spectral, "_FEW_PRODUCTS", few)
    L = clouds(400)
    found = bottom_eigenpairs(L, 4, deflate=np.full((400, 1), 0.05), dense_limit=0)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(L.toarray())[1:5], rtol=1e-9)


def test_where_the_filter_does_not_converge_the_inverse_takes_over(monkeypatch):
    monkeypatch.setattr(spectral, "_FEW_PRODUCTS", 0)
    monkeypatch.setattr(spectral, "_MOST_PRODUCTS", 50)
    found = bottom_eigenpairs(path(500), 2, deflate=np.full((500, 1), 500**-0.5), dense_limit=0)
    np.testing.assert_allclose(
        found.values, 2 - 2 * np.cos(np.pi * np.arange(1, 3) / 500), atol=1e-10
    )


def test_what_neither_can_reach_is_returned_as_not_converged(monkeypatch):
    monkeypatch.setattr(spectral, "_FEW_PRODUCTS", 0)
    monkeypatch.setattr(spectral, "_MOST_PRODUCTS", 50)
    monkeypatch.setattr(spectral, "_MOST_FLOPS", 0)
    found = bottom_eigenpairs(path(500), 2, deflate=np.full((500, 1), 500**-0.5), dense_limit=0)
    assert not found.converged


def test_a_null_space_of_several_vectors_is_found():
    L = block_diag([path(100), path(80), path(70)], format="csr")
    found = bottom_eigenpairs(csr_array(L), 2, deflate=np.full((250, 1), 250**-0.5), dense_limit=0)
    np.testing.assert_allclose(found.values, 0, atol=1e-12)
    assert len(np.unique(found.vectors.round(6), axis=0)) == 3


@pytest.mark.parametrize("step", [1, 5])
def test_factorizing_can_be_stopped(step):
    calls = iter([False] * step + [True] * 1000)
    with pytest.raises(Cancelled):
        bottom_eigenpairs(path(1500), 2, dense_limit=0, monitor=Watch(stop=lambda: next(calls)))


@pytest.mark.parametrize("coarsen_above", [10_000, 2000], ids=["at once", "by way of groups"])
def test_the_rough_start_lies_near_the_exact_modes(coarsen_above, monkeypatch):
    monkeypatch.setattr(spectral, "_COARSEN_ABOVE", coarsen_above)
    monkeypatch.setattr(spectral, "DENSE_LIMIT", 100)
    x = np.random.default_rng(0).uniform(size=(3000, 2)) * [3, 1]
    neighbors = knn(x, 10)
    W = affinity(neighborhood_graph(x, neighbors), neighbors)
    exact = laplacian_modes(W, 2)
    degree = np.asarray(W.sum(axis=1)).ravel()
    values, Z = rough_eigenpairs(W, 2)
    correlation = np.abs((Z * degree[:, None]).T @ exact.vectors) / degree.sum()
    assert Z.dtype == np.float32
    np.testing.assert_allclose(np.diag(correlation), 1, atol=0.03)
    np.testing.assert_allclose(values, exact.values, rtol=0.1)


def test_participation_is_the_share_of_rows_that_carry_a_column():
    Z = np.column_stack([np.ones(40), np.arange(40) == 3, np.arange(40) < 10, np.zeros(40)])
    np.testing.assert_allclose(participation(Z), [1, 1 / 40, 1 / 4, 0])


def test_axes_of_few_instances_are_named_in_one_sentence():
    Z = np.column_stack([np.arange(40) == 3, np.ones(40), np.arange(40) == 5])
    assert localized_axes(Z.astype(float), "try more") == [
        "Axes 1, 3 are each carried by less than 5% of the instances; try more."
    ]
    assert localized_axes(np.ones((40, 2)), "try more") == []
