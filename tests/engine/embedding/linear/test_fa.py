"""FA: planted loadings, scikit-learn's likelihood, and that it never falls."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from scipy.stats import multivariate_normal
from sklearn.decomposition import FactorAnalysis as Oracle

from emberscope.base.errors import DataError
from emberscope.embedding.linear.fa import FA, best_loadings, covariance_factor
from emberscope.embedding.linear.pca import PCA


def planted(n=5000, dim=12):
    """Two factors under noise that differs ten times between features."""
    rng = np.random.default_rng(0)
    W = rng.normal(size=(dim, 2))
    return rng.normal(size=(n, 2)) @ W.T + rng.normal(size=(n, dim)) * np.linspace(
        0.3, 3, dim
    ) + 4, W


X, LOADINGS = planted()


def test_planted_loadings_are_found_up_to_rotation():
    est = FA().fit(X)
    assert np.degrees(subspace_angles(est.loadings_, LOADINGS)).max() < 3
    np.testing.assert_allclose(np.sqrt(est.noise_variance_), np.linspace(0.3, 3, 12), rtol=0.05)


def test_pca_is_misled_by_the_noise_of_single_features():
    assert np.degrees(subspace_angles(PCA().fit(X).components_, LOADINGS)).max() > 20


def test_it_equals_scikit_learn():
    est, oracle = (
        FA(tol=1e-13).fit(X[:500]),
        Oracle(2, svd_method="lapack", tol=1e-10, max_iter=5000).fit(X[:500]),
    )
    np.testing.assert_allclose(est.noise_variance_, oracle.noise_variance_, rtol=1e-4)
    np.testing.assert_allclose(np.abs(est.embedding_), np.abs(oracle.transform(X[:500])), atol=1e-3)
    np.testing.assert_allclose(est.log_likelihood_, oracle.score_samples(X[:500]), rtol=1e-4)


def test_the_likelihood_is_that_of_the_model_covariance():
    est = FA().fit(X[:200])
    C = est.loadings_ @ est.loadings_.T + np.diag(est.noise_variance_)
    np.testing.assert_allclose(
        est.log_likelihood_, multivariate_normal(est.mean_, C).logpdf(X[:200])
    )
    assert est.log_likelihood_.mean() == pytest.approx(est.history_[-1])
    np.testing.assert_allclose(est.score_samples(X[:3]), est.log_likelihood_[:3])


def test_the_likelihood_never_falls():
    assert np.diff(FA(n_components=3).fit(X[:100]).history_).min() > -1e-10


def test_coordinates_are_posterior_means():
    est = FA().fit(X)
    W, psi = est.loadings_, est.noise_variance_
    expected = (X - est.mean_) @ np.linalg.inv(W @ W.T + np.diag(psi)) @ W
    np.testing.assert_allclose(est.embedding_, expected, atol=1e-10)
    np.testing.assert_allclose(
        est.posterior_covariance_, np.linalg.inv(np.eye(2) + W.T @ (W / psi[:, None]))
    )


def test_the_scale_of_a_feature_does_not_matter():
    scale = np.geomspace(0.1, 10, 12)
    np.testing.assert_allclose(FA().fit(X * scale).embedding_, FA().fit(X).embedding_, atol=1e-4)


def test_fewer_instances_than_features_go_by_the_gram_matrix():
    data = np.hstack([X[:12], X[:12] ** 2])
    R = covariance_factor(data, data.mean(axis=0))
    np.testing.assert_allclose(R.T @ R, np.cov(data.T, bias=True), atol=1e-10)
    assert np.isfinite(FA().fit(data).log_likelihood_).all()


def test_noise_has_a_floor_where_a_feature_is_a_factor():
    data = X[:300].copy()
    data[:, 1] = data[:, 0] * 2
    est = FA().fit(data)
    assert (est.noise_variance_ > 0).all()
    assert "explained completely" in est.notes_[-1]


def test_loadings_of_known_noise_are_the_best_ones():
    R = covariance_factor(X, X.mean(axis=0))
    noise = np.linspace(0.3, 3, 12) ** 2
    W, likelihood = best_loadings(R, noise, 2)
    C = W @ W.T + np.diag(noise)
    direct = multivariate_normal(X.mean(axis=0), C).logpdf(X).mean()
    assert likelihood == pytest.approx(direct)
    worse = W + 0.05
    assert (
        multivariate_normal(X.mean(axis=0), worse @ worse.T + np.diag(noise)).logpdf(X).mean()
        < direct
    )


def test_a_constant_feature_takes_no_part():
    more = np.hstack([X[:300], np.full((300, 1), 3.0)])
    est, plain = FA().fit(more), FA().fit(X[:300])
    np.testing.assert_allclose(est.embedding_, plain.embedding_, atol=1e-8)
    np.testing.assert_allclose(est.log_likelihood_, plain.log_likelihood_)
    np.testing.assert_allclose(est.inverse_transform(est.embedding_[:2])[:, 12], 3)


def test_equal_instances_are_refused():
    with pytest.raises(DataError, match="all instances are the same"):
        FA().fit(np.ones((10, 3)))
