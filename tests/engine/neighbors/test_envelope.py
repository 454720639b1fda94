"""Cholesky within the envelope against numpy."""

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array, random_array

from emberscope.base.monitor import Silent
from emberscope.neighbors.envelope import Envelope


def positive(n, density):
    A = random_array((n, n), density=density, rng=np.random.default_rng(0))
    return csr_array(A @ A.T + 0.1 * diags_array(np.ones(n)))


@pytest.mark.parametrize(("n", "density"), [(1, 1.0), (40, 0.05), (600, 0.002), (600, 0.05)])
def test_it_solves_what_numpy_solves(n, density):
    A = positive(n, density)
    B = np.random.default_rng(1).normal(size=(n, 3))
    envelope = Envelope(A)
    assert envelope.factor(0.5, Silent())
    expected = np.linalg.solve(A.toarray() + 0.5 * np.eye(n), B)
    np.testing.assert_allclose(envelope.solve(B, Silent()), expected, rtol=1e-8)


def test_a_matrix_that_is_not_positive_definite_is_reported():
    assert not Envelope(csr_array(diags_array([1.0, -1.0, 2.0]))).factor(0.0, Silent())


def test_a_band_costs_far_less_than_a_full_matrix():
    n = 3000
    band = Envelope(
        csr_array(
            diags_array([np.full(n, 2.0), np.ones(n - 1), np.ones(n - 1)], offsets=[0, 1, -1])
        )
    )
    assert band.flops < 0.05 * n**3
    assert band.bytes < 0.2 * 8 * n**2
