"""PPCA: scikit-learn's likelihood, posterior means, EM over what is there, dead pixels."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from sklearn.decomposition import PCA as Oracle

from emberscope.base.errors import DataError, TooLarge
from emberscope.embedding.linear import linear
from emberscope.embedding.linear.pca import PCA
from emberscope.embedding.linear.ppca import PPCA, closed_form, em_step, posterior

X = np.random.default_rng(0).normal(size=(200, 6)) * [5, 4, 1, 1, 1, 0.5] + 10


def planted(rng, n=400, dim=8, noise=0.1):
    frame = np.linalg.qr(rng.normal(size=(dim, 2)))[0] * [3, 2]
    return rng.normal(size=(n, 2)) @ frame.T + noise * rng.normal(size=(n, dim)) + 5, frame


def with_holes(X, rng, share=0.2):
    return np.where(rng.random(X.shape) < share, np.nan, X)


def test_the_likelihood_equals_scikit_learns():
    est, oracle = PPCA(n_components=2).fit(X), Oracle(2, svd_solver="full").fit(X)
    assert est.noise_variance_ == pytest.approx(oracle.noise_variance_, rel=1e-10)
    np.testing.assert_allclose(est.log_likelihood_, oracle.score_samples(X), rtol=1e-10)
    np.testing.assert_allclose(
        est.score_samples(X[:5] + 1), oracle.score_samples(X[:5] + 1), rtol=1e-10
    )


def test_coordinates_are_posterior_means_nearer_to_zero_than_the_review_prints():
    est = PPCA().fit(X)
    W, C = est.loadings_, X - X.mean(axis=0)
    gain = W.T @ np.linalg.inv(W @ W.T + est.noise_variance_ * np.eye(6))
    np.testing.assert_allclose(est.embedding_, C @ gain.T, atol=1e-10)
    np.testing.assert_allclose(est.posterior_covariance_, np.eye(2) - gain @ W, atol=1e-12)


def test_axes_are_those_of_pca():
    assert subspace_angles(PPCA().fit(X).loadings_, PCA().fit(X).components_).max() < 1e-7


def test_without_noise_it_gives_the_instances_back():
    data, _ = planted(np.random.default_rng(1), noise=0.0)
    est = PPCA().fit(data)
    np.testing.assert_allclose(est.inverse_transform(est.embedding_), data, atol=1e-6)


def test_em_on_complete_data_stays_at_the_closed_form():
    mean = X.mean(axis=0)
    W, noise = closed_form(X, mean, 2)
    # EM is the maximum likelihood with N, the closed form divides by N - 1
    share = np.sqrt(199 / 200)
    (again, loadings, variance), _ = em_step(X, mean, W * share, noise * share**2)
    np.testing.assert_allclose(again, mean)
    np.testing.assert_allclose(loadings, W * share, atol=1e-10)
    assert variance == pytest.approx(noise * share**2)


def test_em_never_lowers_the_likelihood():
    rng = np.random.default_rng(2)
    holes = with_holes(planted(rng)[0], rng)
    state, history = (np.nanmean(holes, axis=0), rng.normal(size=(8, 2)), 1.0), []
    for _ in range(30):
        state, likelihood = em_step(holes, *state)
        history.append(likelihood)
    assert np.diff(history).min() > -1e-12
    assert np.diff(PPCA().fit(holes).history_).min() > -1e-12


def test_the_posterior_with_holes_is_that_of_the_features_there():
    rng = np.random.default_rng(3)
    W, x = rng.normal(size=(5, 2)), rng.normal(size=5)
    seen = np.array([True, False, True, True, False])
    Z, covariance, likelihood = posterior(np.where(seen, x, np.nan)[None], W, 0.3)
    own, alone, same = posterior(x[None, seen], W[seen], 0.3)
    np.testing.assert_allclose(Z, own)
    np.testing.assert_allclose(covariance[0], alone)
    np.testing.assert_allclose(likelihood, same)


def test_dead_pixels_are_filled_from_the_live_ones():
    rng = np.random.default_rng(4)
    data, frame = planted(rng)
    holes = with_holes(data, rng)
    est = PPCA().fit(holes)
    assert np.degrees(subspace_angles(est.loadings_, frame)).max() < 2
    guess = est.inverse_transform(est.embedding_)
    dead = np.isnan(holes)
    assert np.sqrt(np.mean((guess - data)[dead] ** 2)) < 0.2  # six other draws: 0.12 to 0.15
    assert est.noise_variance_ == pytest.approx(0.01, rel=0.1)
    assert "of 400 instances miss values" in est.notes_[0]


def test_new_instances_may_miss_values_too():
    data, _ = planted(np.random.default_rng(5), noise=0.01)
    est = PPCA().fit(data)
    dead = data[:5].copy()
    dead[:, 3] = np.nan
    np.testing.assert_allclose(est.transform(dead), est.transform(data[:5]), atol=0.05)


def test_an_instance_without_any_value_lies_at_zero():
    holes = X.copy()
    holes[7] = np.nan
    est = PPCA().fit(holes)
    assert (est.embedding_[7] == 0).all()
    assert est.log_likelihood_[7] == 0
    assert "1 instances have no value" in est.notes_[1]
    np.testing.assert_allclose(est.transform(np.full((1, 6), np.nan)), 0)


def test_a_feature_without_any_value_is_refused():
    with pytest.raises(DataError, match="feature 2 contains only NaN"):
        PPCA().fit(np.where(np.arange(6) == 2, np.nan, X))


def test_infinite_values_are_still_refused():
    with pytest.raises(DataError, match="inf, first in row 0, feature 3"):
        PPCA().fit(np.where(np.arange(6) == 3, np.inf, with_holes(X, np.random.default_rng(6))))


def test_blocks_of_rows_do_not_change_the_result(monkeypatch):
    holes = with_holes(X, np.random.default_rng(7))
    whole = PPCA().fit(holes).embedding_
    monkeypatch.setattr("emberscope.embedding.linear.ppca.BLOCK", 100)
    monkeypatch.setattr(linear, "BLOCK", 100)
    np.testing.assert_allclose(PPCA().fit(holes).embedding_, whole, atol=1e-8)


def test_an_unusual_instance_is_the_least_likely():
    stranger = X.mean(axis=0)
    stranger[5] += 9
    odd = np.vstack([X, stranger])
    assert PPCA().fit(odd).log_likelihood_.argmin() == 200


def test_missing_values_in_many_dimensions_are_refused_before_memory_runs_out(monkeypatch):
    monkeypatch.setattr("emberscope.embedding.linear.ppca._LARGEST", 20)
    with pytest.raises(TooLarge, match="Choose fewer dimensions"):
        PPCA().fit(with_holes(X, np.random.default_rng(8)))


def test_equal_instances_have_no_likelihood():
    with pytest.raises(DataError, match="all instances are the same"):
        PPCA().fit(np.ones((10, 3)))
