"""The loss of SNE: its naive twin, its gradient, and where it is 0."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.spatial.distance import cdist

from emberscope.base.monitor import Silent
from emberscope.embedding.layout.gaussian_divergence import Wanted, divergence, wanted


def naive(D, Z, perplexity, joint):
    """Bisection on every width, then sums over pairs as they are printed."""
    n = len(D)
    P = np.zeros((n, n))
    for i in range(n):
        others = np.delete(np.arange(n), i)
        low, high = 1e-12, 1e12
        for _ in range(200):
            b = np.sqrt(low * high)
            p = np.exp(-b * (D[i, others] ** 2 - D[i, others].min() ** 2))
            p /= p.sum()
            entropy = -(p[p > 0] * np.log(p[p > 0])).sum()
            low, high = (b, high) if entropy > np.log(perplexity) else (low, b)
        P[i, others] = p
    Q = np.exp(-np.square(cdist(Z, Z)))
    np.fill_diagonal(Q, 0)
    if joint:
        P, Q = (P + P.T) / (2 * n), Q / Q.sum()
    else:
        Q /= Q.sum(axis=1, keepdims=True)
    known = P > 0
    return float((P[known] * np.log(P[known] / Q[known])).sum())


def data(seed, n=25, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = np.hstack([rng.normal(size=(n, 2)) * 3, rng.normal(size=(n, 4))]).astype(dtype)
    return cdist(X, X), rng


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_is_the_printed_sum(seed, joint, dtype):
    D, rng = data(seed, dtype=dtype)
    Z = rng.normal(size=(25, 2))
    found, _ = divergence(wanted(D, 6.0, joint=joint), Z, Silent())
    assert found == pytest.approx(naive(D, Z, 6.0, joint), rel=1e-4)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_gradient_is_that_of_finite_differences(seed, joint, d):
    D, rng = data(seed)
    want, Z = wanted(D, 6.0, joint=joint), rng.normal(size=(25, d))

    def loss(z):
        return divergence(want, z.reshape(25, d), Silent())[0]

    def slope(z):
        return divergence(want, z.reshape(25, d), Silent())[1].ravel()

    assert check_grad(loss, slope, Z.ravel()) < 1e-4 * np.linalg.norm(slope(Z.ravel()))


@pytest.mark.parametrize("joint", [False, True])
def test_neighborhoods_that_are_as_wanted_have_no_loss_and_no_force(joint):
    Z = np.random.default_rng(0).normal(size=(30, 2))
    Q = np.exp(-np.square(cdist(Z, Z)))
    np.fill_diagonal(Q, 0)
    P = Q / (Q.sum() if joint else Q.sum(axis=1, keepdims=True))
    known = P[P > 0]
    want = Wanted((P + P.T).astype(np.float32), float(known @ np.log(known)), joint)
    loss, slope = divergence(want, Z, Silent())
    assert abs(loss) < 1e-5
    assert np.abs(slope).max() < 1e-6


def test_every_row_has_the_perplexity_asked_for():
    D, _ = data(0)
    pull = wanted(D, 6.0, joint=False)
    assert np.exp(-pull.entropy / 25) == pytest.approx(6.0, rel=1e-4)


def test_an_instance_far_from_all_others_has_a_finite_loss():
    Z = np.vstack([np.random.default_rng(0).normal(size=(20, 2)), [[1e4, 0]]])
    loss, slope = divergence(wanted(cdist(Z, Z), 5.0, joint=False), Z, Silent())
    assert np.isfinite(loss)
    assert np.isfinite(slope).all()
