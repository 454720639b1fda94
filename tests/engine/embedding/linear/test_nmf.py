"""NMF: planted parts, exact coordinates, losses that never rise."""

import numpy as np
import pytest
from scipy.optimize import nnls

from emberscope.base.errors import DataError
from emberscope.embedding.linear.nmf import NMF
from emberscope.embedding.linear.nonnegative import kullback_leibler, least_squares


def planted(rng, n=300, noise=0.0):
    """Three parts on features of their own and on shared ones; some instances are made of one part
    only."""
    parts = np.zeros((3, 12))
    for k in range(3):
        parts[k, 3 * k : 3 * k + 3] = rng.uniform(1, 3, 3)
        parts[k, 9:] = rng.uniform(0.2, 1, 3)
    Z = rng.exponential(size=(n, 3)) * (rng.random((n, 3)) < 0.6)
    return Z @ parts + noise * rng.random((n, 12)), Z, parts


X, COORDINATES, PARTS = planted(np.random.default_rng(0))


@pytest.mark.parametrize("loss", ["squares", "kullback-leibler"])
def test_planted_parts_are_found(loss):
    est = NMF(n_components=3, loss=loss, n_iter=3000, tol=1e-7).fit(X)
    found = est.parts_ / np.linalg.norm(est.parts_, axis=1, keepdims=True)
    match = found @ (PARTS / np.linalg.norm(PARTS, axis=1, keepdims=True)).T
    assert (match.max(axis=1) > 0.99).all()
    assert set(match.argmax(axis=1)) == {0, 1, 2}
    assert np.linalg.norm(est.inverse_transform(est.embedding_) - X) < 1e-3 * np.linalg.norm(X)


def test_parts_have_unit_sum_and_nothing_is_negative():
    est = NMF(n_components=3).fit(X)
    np.testing.assert_allclose(est.parts_.sum(axis=1), 1)
    assert est.parts_.min() >= 0
    assert est.embedding_.min() >= 0


def test_the_part_that_adds_most_comes_first():
    amount = NMF(n_components=3).fit(X).embedding_.sum(axis=0)
    assert (np.diff(amount) < 0).all()


@pytest.mark.parametrize("loss", ["squares", "kullback-leibler"])
def test_the_loss_never_rises(loss):
    data = planted(np.random.default_rng(1), noise=0.5)[0]
    est = NMF(n_components=3, loss=loss, tol=1e-8).fit(data)
    assert np.diff(est.history_).max() <= 1e-12 * est.history_[0]


def test_the_objective_is_that_of_the_coordinates():
    est = NMF(n_components=2).fit(X)
    rest = X - est.inverse_transform(est.embedding_)
    np.testing.assert_allclose(est.reconstruction_error_, np.square(rest).sum(axis=1), atol=1e-12)
    assert est.objective_ == pytest.approx(0.5 * np.square(rest).sum())


def test_the_divergence_is_bounded_by_zero_and_counts_both_last_terms():
    est = NMF(n_components=2, loss="kullback-leibler").fit(X)
    fit = est.inverse_transform(est.embedding_)
    terms = np.where(X > 0, X * np.log(np.where(X > 0, X, 1) / np.maximum(fit, 1e-12)), 0) - X + fit
    np.testing.assert_allclose(est.reconstruction_error_, terms.sum(axis=1), atol=1e-9)
    assert est.reconstruction_error_.min() >= -1e-12


def test_more_starts_are_never_worse():
    data = np.random.default_rng(2).random((40, 15))
    losses = [NMF(n_components=5, n_starts=n).fit(data).objective_ for n in (1, 4)]
    assert losses[1] <= losses[0]


def test_coordinates_are_the_exact_nonnegative_least_squares():
    rng = np.random.default_rng(3)
    V, parts = rng.normal(size=(200, 9)) + 0.3, rng.random((6, 9))
    expected = np.array([nnls(parts.T, row)[0] for row in V])
    np.testing.assert_allclose(least_squares(V, parts), expected, atol=1e-9)


def test_parts_that_are_alike_still_have_coordinates():
    parts = np.array([[1.0, 2, 3], [1, 2, 3], [0, 0, 0]])
    Z = least_squares(np.array([[2.0, 4, 6], [0, 0, 0]]), parts)
    np.testing.assert_allclose(Z @ parts, [[2, 4, 6], [0, 0, 0]], atol=1e-6)


def test_coordinates_of_the_divergence_cannot_be_improved():
    rng = np.random.default_rng(4)
    V, parts = rng.random((20, 9)), rng.random((3, 9))
    Z = kullback_leibler(V, parts)
    slope = parts.sum(axis=1) - (V / (Z @ parts)) @ parts.T
    assert np.abs(slope * Z).max() < 1e-5
    assert slope.min() > -1e-4


def test_negative_features_are_raised_and_noted():
    est = NMF().fit(X - 1.0)
    low = np.minimum((X - 1.0).min(axis=0), 0)
    np.testing.assert_allclose(est.offset_, low)
    assert "of 12 features hold negative values" in est.notes_[0]
    np.testing.assert_allclose(NMF().fit(X - 1.0 - low).embedding_, est.embedding_)


def test_negative_features_are_refused_where_wanted():
    with pytest.raises(DataError, match="features hold negative values, first feature 0"):
        NMF(negative="refuse").fit(X - 5)


def test_new_values_below_the_offset_count_as_zero():
    est = NMF().fit(X - 1)
    np.testing.assert_allclose(est.transform(np.full((1, 12), -50.0)), 0)


def test_equal_instances_have_no_parts():
    with pytest.raises(DataError, match="all instances are the same"):
        NMF().fit(np.ones((5, 3)))
