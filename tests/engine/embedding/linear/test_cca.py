"""Canonical correlations: analytic values, naive twins, many features that say nothing."""

import numpy as np
import pytest
from scipy.linalg import inv, sqrtm
from sklearn.cross_decomposition import CCA as Oracle

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.embedding.linear.cca import CanonicalCorrelation, Moments, folds_of


def shared(seed, n, *, strength=1.5, irrelevant=0, dtype=np.float64):
    """Two views of one hidden number: four features each, and as many again that say nothing."""
    rng = np.random.default_rng(seed)
    s = rng.normal(size=n)
    views = []
    for _ in range(2):
        own = strength * s[:, None] * np.array([0.5, -0.5, 0.5, 0.5]) + rng.normal(size=(n, 4))
        views.append(np.hstack([own, rng.normal(size=(n, irrelevant))]))
    return np.hstack(views).astype(dtype), s


def printed(A, B, ridge):
    """Singular values of Saa^-1/2 Sab Sbb^-1/2 of standardized features."""
    n = len(A)
    Saa = A.T @ A / n + ridge * np.eye(A.shape[1])
    Sbb = B.T @ B / n + ridge * np.eye(B.shape[1])
    return np.linalg.svd(inv(sqrtm(Saa).real) @ (A.T @ B / n) @ inv(sqrtm(Sbb).real))[1]


@pytest.mark.parametrize("strength", [0.7, 1.5, 3.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_correlation_is_the_analytic_one(seed, strength):
    X, _ = shared(seed, 8000, strength=strength)
    found = CanonicalCorrelation(n_components=1, ridge=1e-3).fit(X).correlations_[0]
    # both views see s with a signal of strength² against noise of 1 along its direction
    assert found == pytest.approx(strength**2 / (1 + strength**2), abs=0.02)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("ridge", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_is_the_printed_formula(seed, ridge, dtype):
    X, _ = shared(seed, 60, irrelevant=3, dtype=dtype)
    A, B = ((V - V.mean(axis=0)) / V.std(axis=0) for V in (X[:, :7], X[:, 7:]))
    found = Moments.of(A, B).axes(ridge, 5)[0]
    np.testing.assert_allclose(found, printed(A.astype(float), B.astype(float), ridge)[:5],
                               atol=1e-5)


def test_without_a_ridge_it_is_that_of_scikit_learn():
    X, _ = shared(0, 300)
    oracle = Oracle(n_components=1, max_iter=5000, tol=1e-12).fit(X[:, :4], X[:, 4:])
    u, v = oracle.transform(X[:, :4], X[:, 4:])
    assert CanonicalCorrelation(n_components=1, ridge=0.0).fit(X).correlations_[0] == pytest.approx(
        np.corrcoef(u[:, 0], v[:, 0])[0, 1], abs=1e-6)


@pytest.mark.parametrize("irrelevant", [0, 20, 60])
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_new_instances_find_the_hidden_number_among_features_that_say_nothing(seed, irrelevant):
    X, s = shared(seed, 400, strength=2.0, irrelevant=irrelevant)
    Z = CanonicalCorrelation(n_components=1).fit(X[:200]).transform(X[200:])
    assert abs(np.corrcoef(Z[:, 0], s[200:])[0, 1]) > 0.85


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_with_more_features_than_instances_the_chosen_ridge_finds_more_than_hardly_any(seed):
    X, s = shared(seed, 260, strength=2.0, irrelevant=60)

    def on_new(**how):
        Z = CanonicalCorrelation(n_components=1, **how).fit(X[:60]).transform(X[60:])
        return abs(np.corrcoef(Z[:, 0], s[60:])[0, 1])

    assert on_new() > on_new(ridge=1e-3)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_views_that_have_nothing_in_common_say_so(seed):
    X = np.random.default_rng(seed).normal(size=(60, 80))
    est = CanonicalCorrelation(n_components=1, ridge=1e-3).fit(X)
    assert est.correlations_[0] > 0.95
    assert abs(est.held_out_[0]) < 0.45  # five folds of 12: three standard errors of 60 rows
    assert "instances left out by" in est.notes_[0]


@pytest.mark.parametrize("ridge", [0.0, 10.0])
def test_coordinates_are_the_mean_of_both_views(ridge):
    X, _ = shared(0, 100)
    est = CanonicalCorrelation(ridge=ridge).fit(X)
    A, B = (X - est.mean_)[:, :4], (X - est.mean_)[:, 4:]
    u, v = 2 * A @ est.components_[:4], 2 * B @ est.components_[4:]
    np.testing.assert_allclose(u.std(axis=0), 1, rtol=1e-9)
    np.testing.assert_allclose(est.embedding_, (u + v) / 2, atol=1e-12)
    np.testing.assert_allclose((u * v).mean(axis=0), est.correlations_, rtol=1e-9)


def test_units_of_features_do_not_matter():
    X, _ = shared(0, 100, irrelevant=5)
    Z = CanonicalCorrelation().fit(X).embedding_
    other = CanonicalCorrelation().fit(X * np.linspace(1, 50, X.shape[1]) + 3).embedding_
    np.testing.assert_allclose(other, Z, atol=1e-8)


def test_the_first_view_is_as_large_as_one_says():
    X, _ = shared(0, 2000)
    rng = np.random.default_rng(1)
    wide = np.hstack([X[:, :4], X[:, 4:], rng.normal(size=(2000, 6))])
    assert CanonicalCorrelation(n_components=1, first=4).fit(wide).correlations_[0] > 0.6
    assert CanonicalCorrelation(n_components=1, first=8).fit(wide).correlations_[0] < 0.2


def test_a_first_view_of_all_features_is_refused():
    with pytest.raises(DataError, match="first view takes 8 features"):
        CanonicalCorrelation(first=8).fit(shared(0, 30)[0])


def test_a_view_that_does_not_vary_is_refused():
    X, _ = shared(0, 30)
    X[:, :4] = 1.0
    with pytest.raises(DataError, match="the same in a view"):
        CanonicalCorrelation(first=4).fit(X)


def test_more_axes_than_the_smaller_view_has_are_0_and_noted():
    est = CanonicalCorrelation(n_components=4, first=2).fit(shared(0, 50)[0])
    assert not est.embedding_[:, 2:].any()
    assert any("2 directions only" in note for note in est.notes_)


def test_bags_are_left_out_whole():
    X, _ = shared(0, 40)
    bags = Bags.from_lists([np.arange(k, k + 4) for k in range(0, 40, 4)], np.zeros(10))
    fold = folds_of(X, bags).reshape(10, 4)
    assert (fold == fold[:, :1]).all()
    assert len(np.unique(fold)) == 5


def test_folds_do_not_depend_on_the_order_of_rows():
    X, _ = shared(0, 40)
    order = np.random.default_rng(1).permutation(40)
    np.testing.assert_array_equal(folds_of(X[order], None), folds_of(X, None)[order])
