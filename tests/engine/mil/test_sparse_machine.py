"""The sparse linear machine against liblinear, and where it stops."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.mil import sparse_machine
from emberscope.mil.sparse_machine import sparse_weights
from emberscope.mil.support_vectors import balanced


def many_features(n=60, m=40):
    """Two classes that differ in the first two of 40 features."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) % 3, -1, 1)
    F = rng.normal(size=(n, m))
    F[:, :2] += y[:, None]
    return F, y


def objective(w, b, F, y, cost):
    return np.abs(w).sum() + abs(b) / 10 + cost @ np.maximum(1 - y * (F @ w + b), 0) ** 2


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_it_reaches_what_liblinear_reaches(C):
    F, y = many_features()
    cost = balanced(C, y)
    w, b, settled = sparse_weights(F, y, cost)
    plain = LinearSVC(penalty="l1", dual=False, C=C, class_weight="balanced", tol=1e-6, max_iter=100_000,
                      random_state=0, intercept_scaling=10.0).fit(F, y)
    assert settled
    least = objective(plain.coef_[0], plain.intercept_[0], F, y, cost)
    assert objective(w, b, F, y, cost) == pytest.approx(least, rel=1e-3)


def test_features_that_tell_nothing_have_no_weight():
    F, y = many_features()
    w = sparse_weights(F, y, balanced(0.1, y))[0]
    assert (w[:2] > 0).all()
    assert (w[2:] == 0).sum() >= 30


def test_weights_that_have_not_settled_are_told(monkeypatch):
    F, y = many_features()
    monkeypatch.setattr(sparse_machine, "_MOST", 1)
    assert not sparse_weights(F, y, balanced(10.0, y))[2]


def test_it_can_be_stopped_within_a_round(monkeypatch):
    F, y = many_features()
    monkeypatch.setattr(sparse_machine, "_VALUES", 1)
    looks = iter(range(5))
    with pytest.raises(Cancelled):
        sparse_weights(F, y, balanced(1.0, y), monitor=Watch(stop=lambda: next(looks) == 4))
