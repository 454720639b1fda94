"""Block iteration: its kernel against numpy, its result against dense eigenvectors."""

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array, random_array

from emberscope.neighbors import chebyshev
from emberscope.neighbors.chebyshev import block_width, filtered_eigenpairs, orthonormal


def symmetric(n, density=0.05):
    A = random_array((n, n), density=density, rng=np.random.default_rng(0))
    return csr_array(A + A.T)


@pytest.mark.parametrize("width", [8, 24])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_step_equals_its_plain_twin(dtype, width):
    A = symmetric(40)
    rng = np.random.default_rng(1)
    block, out = (rng.normal(size=(40, width)).astype(dtype) for _ in range(2))
    expected = 2 * (A @ block) + 0.5 * block - 3 * out
    expected[:10] = out[:10]
    factors = dtype(2), dtype(0.5), dtype(3)
    indices = A.indices.astype(np.uint32)
    chebyshev._block_step(
        A.indptr.astype(np.int64), indices, A.data.astype(dtype), block, out, *factors, 10, 40
    )
    assert out.dtype == dtype
    np.testing.assert_allclose(
        out, expected, rtol=1e-4 if dtype == np.float32 else 1e-12, atol=1e-5
    )


def test_threads_and_order_of_rows_do_not_change_the_result(monkeypatch):
    A = symmetric(300)
    plain = filtered_eigenpairs(A, 3, tol=1e-10)
    monkeypatch.setattr(chebyshev, "_THREADS_ABOVE", 0)
    threaded = filtered_eigenpairs(A, 3, tol=1e-10)
    assert np.array_equal(threaded.vectors, plain.vectors)
    monkeypatch.setattr(chebyshev, "_REORDER_ABOVE", 0)
    reordered = filtered_eigenpairs(A, 3, tol=1e-10)
    np.testing.assert_allclose(reordered.values, plain.values, atol=1e-9)
    np.testing.assert_allclose(
        np.abs(np.sum(reordered.vectors * plain.vectors, axis=0)), 1, atol=1e-9
    )


def test_single_precision_finds_the_same_to_single_precision():
    A = symmetric(300)
    single, double = (filtered_eigenpairs(A, 2, tol=1e-5, single=s) for s in (True, False))
    np.testing.assert_allclose(single.values, double.values, rtol=1e-5)


def test_it_gives_up_when_it_foresees_that_the_budget_will_not_do():
    n = 2000
    path = csr_array(diags_array([np.full(n - 1, 0.5), np.full(n - 1, 0.5)], offsets=[1, -1]))
    found = filtered_eigenpairs(path, 2, tol=1e-12, max_degree=2000)
    assert not found.converged
    assert found.degree < 1000


def test_a_block_of_very_unequal_columns_becomes_orthonormal_and_clear_of_known_vectors():
    rng = np.random.default_rng(0)
    known = np.linalg.qr(rng.normal(size=(50, 2)))[0]
    block = orthonormal(rng.normal(size=(50, 8)) * 10.0 ** -np.arange(8), known)
    np.testing.assert_allclose(block.T @ block, np.eye(8), atol=1e-10)
    np.testing.assert_allclose(known.T @ block, 0, atol=1e-10)


def test_blocks_are_multiples_of_8_with_room_to_spare():
    assert [block_width(m) for m in (1, 4, 5, 12, 13)] == [8, 8, 16, 16, 24]
