"""Shares of endmembers."""

import numpy as np
import pytest
from scipy.optimize import nnls

from emberscope.mil.classifiers.signatures.unmixing import left_over, unmixed


def test_shares_are_those_of_least_squares_under_the_same_constraints():
    rng = np.random.default_rng(0)
    E, X = rng.normal(size=(5, 8)), 2 * rng.normal(size=(200, 8))
    # A heavy row of ones makes the sum 1
    heavy = np.vstack([E.T, 1e4 * np.ones(5)])
    wanted = [nnls(heavy, np.append(x, 1e4))[0] for x in X]
    np.testing.assert_allclose(unmixed(X, E), wanted, atol=1e-6)


def test_mixtures_without_noise_are_unmixed():
    rng = np.random.default_rng(1)
    E, P = rng.normal(size=(4, 9)), rng.dirichlet(np.ones(4), size=50)
    np.testing.assert_allclose(unmixed(P @ E, E), P, atol=1e-6)
    np.testing.assert_allclose(left_over(P @ E, E, P), 0, atol=1e-20)


@pytest.mark.parametrize("E", [np.ones((1, 3)), np.ones((3, 3)), np.zeros((2, 3))])
def test_endmembers_that_are_one_or_the_same_have_shares_of_sum_one(E):
    P = unmixed(np.random.default_rng(2).normal(size=(20, 3)), E)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert P.min() >= 0
