"""Support vector machines on kernels and features that are given: optimality, not a second solver,
is the witness."""

import numpy as np
import pytest

from emberscope.mil import support_vectors as room
from emberscope.mil.support_vectors import balanced, sparse_weights, support_vectors


def overlapping(n=120):
    """Two classes that overlap, one a third of the other, and a Gaussian kernel between them."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) % 4, -1, 1)
    X = rng.normal(size=(n, 3)) + 1.2 * (y > 0)[:, None]
    return np.exp(-0.3 * np.square(X[:, None] - X).sum(axis=2)), y


def many_features(n=60, m=40):
    """Two classes that differ in the first two of 40 features."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) % 3, -1, 1)
    F = rng.normal(size=(n, m))
    F[:, :2] += y[:, None]
    return F, y


def test_both_classes_cost_the_same_in_sum():
    np.testing.assert_allclose(balanced(2.0, np.array([1, -1, -1, -1])), [4, 4 / 3, 4 / 3, 4 / 3])


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_no_machine_near_the_one_found_loses_less(C):
    gram, y = overlapping()
    cost = balanced(C, y)
    dual, b, _ = support_vectors(gram, y, cost, tolerance=1e-8)

    def objective(dual, b):
        f = gram @ dual
        return dual @ f / 2 + cost @ np.maximum(0, 1 - y * (f + b))

    rng = np.random.default_rng(1)
    least = objective(dual, b)
    assert all(
        objective(dual + 1e-3 * rng.normal(size=len(y)), b + 1e-3 * rng.normal()) >= least
        for _ in range(50)
    )


def test_duals_lie_within_their_costs_and_cancel():
    gram, y = overlapping()
    cost = balanced(10.0, y)
    dual, _, _ = support_vectors(gram, y, cost, tolerance=1e-8)
    assert (y * dual >= 0).all()
    assert (y * dual <= cost * (1 + 1e-12)).all()
    assert dual.sum() == pytest.approx(0, abs=1e-9)


def test_the_machine_separates_what_can_be_separated():
    x = np.array([-3.0, -2.0, 2.0, 5.0])
    dual, b, _ = support_vectors(
        np.outer(x, x), np.array([-1, -1, 1, 1]), np.full(4, 1e6), tolerance=1e-9
    )
    np.testing.assert_allclose(np.outer(x, x) @ dual + b, [-1.5, -1, 1, 2.5], atol=1e-6)


def test_features_that_tell_nothing_have_no_weight():
    F, y = many_features()
    w = sparse_weights(F, y, balanced(0.1, y))[0]
    assert (w[:2] > 0).all()
    assert (w[2:] == 0).sum() >= 30


def test_no_sparse_machine_near_the_one_found_loses_less():
    F, y = many_features()
    cost = balanced(1.0, y)
    w, b, settled = sparse_weights(F, y, cost)

    def objective(w, b):
        return np.abs(w).sum() + abs(b) / 10 + cost @ np.maximum(0, 1 - y * (F @ w + b)) ** 2

    rng = np.random.default_rng(1)
    least = objective(w, b)
    assert settled
    assert all(
        objective(w + 0.05 * rng.normal(size=len(w)), b + 0.05 * rng.normal()) >= least
        for _ in range(50)
    )


def test_weights_that_have_not_settled_are_told(monkeypatch):
    F, y = many_features()
    monkeypatch.setattr(room, "_MOST_ROUNDS", 1)
    assert not sparse_weights(F, y, balanced(10.0, y))[2]
