"""The support vector machine on a given kernel against libsvm, and where it stops."""

import numpy as np
import pytest
from sklearn.svm import SVC

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.mil import support_vectors as room
from emberscope.mil.support_vectors import balanced, support_vectors


def overlapping(n=120):
    """Two classes that overlap, one a third of the other, and a Gaussian kernel between them."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) % 4, -1, 1)
    X = rng.normal(size=(n, 3)) + 1.2 * (y > 0)[:, None]
    return np.exp(-0.3 * np.square(X[:, None] - X).sum(axis=2)), y


@pytest.mark.parametrize("C", [0.1, 10.0, 1000.0])
def test_it_decides_as_libsvm_does(C):
    gram, y = overlapping()
    dual, intercept = support_vectors(gram, y, balanced(C, y), tolerance=1e-8)
    plain = SVC(C=C, kernel="precomputed", class_weight="balanced", tol=1e-8).fit(gram, y).decision_function(gram)
    np.testing.assert_allclose(gram @ dual + intercept, plain, atol=2e-3)  # libsvm keeps its kernel in single precision


def test_duals_lie_within_their_costs_and_cancel():
    gram, y = overlapping()
    dual, _ = support_vectors(gram, y, balanced(10.0, y), tolerance=1e-8)
    assert (y * dual >= 0).all()
    assert (y * dual <= balanced(10.0, y)).all()
    assert dual.sum() == pytest.approx(0, abs=1e-9)


def test_rows_held_at_their_limits_are_looked_at_again(monkeypatch):
    gram, y = overlapping()
    at_once = support_vectors(gram, y, balanced(10.0, y), tolerance=1e-8)[0]
    monkeypatch.setattr(room, "_VALUES", 8 * len(y))  # eight pairs between two looks
    np.testing.assert_allclose(support_vectors(gram, y, balanced(10.0, y), tolerance=1e-8)[0], at_once, atol=1e-5)


def test_two_equal_rows_of_opposite_labels_are_undecided():
    dual, intercept = support_vectors(np.ones((2, 2)), np.array([1, -1]), np.ones(2), tolerance=1e-8)
    assert np.abs(np.ones((2, 2)) @ dual + intercept).max() == pytest.approx(0)


def test_it_can_be_stopped_between_pairs(monkeypatch):
    gram, y = overlapping()
    monkeypatch.setattr(room, "_VALUES", 1)
    looks = iter(range(6))
    with pytest.raises(Cancelled):
        support_vectors(gram, y, balanced(10.0, y), tolerance=1e-8, monitor=Watch(stop=lambda: next(looks) == 5))


def test_the_machine_separates_what_can_be_separated():
    x = np.array([-3.0, -2.0, 2.0, 5.0])
    dual, intercept = support_vectors(np.outer(x, x), np.array([-1, -1, 1, 1]), np.full(4, 1e6), tolerance=1e-9)
    np.testing.assert_allclose(np.outer(x, x) @ dual + intercept, [-1.5, -1, 1, 2.5], atol=1e-6)
