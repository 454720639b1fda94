"""The co-ranking curves, beside a plain twin."""

import numpy as np
import pytest

from emberscope.evaluate.coranking import Tally
from emberscope.evaluate.ranks import Space, counted_ranks

X = np.random.default_rng(0).normal(size=(50, 5))
Z = X[:, :2] + 0.1 * np.random.default_rng(2).normal(size=(50, 2))


def ranks(data):
    return counted_ranks(Space(data, exact=True), np.arange(len(data)), settle=True)


def curves(X, Z, seen=10, k=5):
    in_X, in_Z = ranks(X), ranks(Z)
    tally = Tally(
        np.argsort(in_X, axis=1)[:, 1 : seen + 1], np.argsort(in_Z, axis=1)[:, 1 : seen + 1], k
    )
    tally.add(in_X, in_Z)
    return tally.curves(), tally


def naive(X, Z):
    """Q, R, B for K = 1 .. N - 2 from sets of neighbors."""
    in_X, in_Z, n = ranks(X), ranks(Z), len(X)
    Q, B = np.zeros(n - 2), np.zeros(n - 2)
    for K in range(1, n - 1):
        both = (in_X <= K) & (in_Z <= K) & ~np.eye(n, dtype=bool)
        Q[K - 1] = both.sum() / (n * K)
        B[K - 1] = ((both & (in_X > in_Z)).sum() - (both & (in_X < in_Z)).sum()) / (n * K)
    k = np.arange(1, n - 1)
    return Q, ((n - 1) * Q - k) / (n - 1 - k), B


@pytest.mark.parametrize("seen", [1, 10, 49])
def test_curves_are_those_of_sets_of_neighbors(seen):
    found, _ = curves(X, Z, seen)
    Q, R, B = naive(X, Z)
    assert found.k.tolist() == list(range(1, 49))
    np.testing.assert_allclose(found.q_nx, Q)
    np.testing.assert_allclose(found.r_nx, R, atol=1e-12)
    np.testing.assert_allclose(found.b_nx, B, atol=1e-12)
    np.testing.assert_allclose(found.lcmc, Q - found.k / 49)
    assert found.auc == pytest.approx((R / found.k).sum() / (1 / found.k).sum())


def test_what_each_row_adds_to_the_area_makes_the_area():
    found, tally = curves(X, Z, seen=1)
    in_X, in_Z = ranks(X), ranks(Z)
    near = (
        sum(tally._worth[1] for i in range(50) if in_X[i].argsort()[1] == in_Z[i].argsort()[1]) / 50
    )
    chance = (1 / (49.0 - found.k)).sum() / (1 / found.k).sum()
    assert near + np.concatenate(tally._sums).mean() - chance == pytest.approx(found.auc)


def test_preserved_neighbors_are_counted_per_row():
    _, tally = curves(X, Z, k=5)
    in_X, in_Z = np.argsort(ranks(X), axis=1)[:, 1:6], np.argsort(ranks(Z), axis=1)[:, 1:6]
    assert tally.preserved.tolist() == [len(np.intersect1d(a, b)) for a, b in zip(in_X, in_Z)]


def test_what_intrudes_one_way_extrudes_the_other_way():
    there, back = curves(X, Z)[0], curves(Z, X)[0]
    assert np.abs(there.b_nx).max() > 0.05  # six other draws: 0.09 to 0.13
    np.testing.assert_allclose(there.b_nx, -back.b_nx, atol=1e-12)
    np.testing.assert_allclose(there.q_nx, back.q_nx)


def test_a_long_curve_keeps_every_small_k_and_some_large_ones():
    idx = np.tile(np.arange(1, 33), (5000, 1))
    found = Tally(idx, idx, 15).curves()
    assert found.k[:32].tolist() == list(range(1, 33))
    assert (found.k[-1], found.at(15)) == (4998, 14)
    assert len(found.k) < 200
