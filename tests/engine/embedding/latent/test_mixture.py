"""Mixtures of factor analyzers: what EM promises, and special cases."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from emberscope.embedding.latent.mixture import Mixture, fit_mixture
from emberscope.embedding.latent.mofa import MixtureOfFactorAnalyzers
from emberscope.embedding.latent.responsibilities import perplexity, softmax, temperature
from emberscope.embedding.linear.pca import PCA

TWO = np.vstack([
    np.random.default_rng(0).normal(size=(80, 4)) * [3, 1, 0.2, 0.2],
    np.random.default_rng(2).normal(size=(80, 4)) * [0.2, 1, 3, 0.2] + 10,
])  # fmt: skip


def test_the_log_density_is_that_of_the_gaussians_written_out():
    rng = np.random.default_rng(1)
    loadings = rng.normal(size=(2, 3, 1))
    mixture = Mixture(
        np.array([0.3, 0.7]), rng.normal(size=(2, 3)), loadings, rng.uniform(0.1, 1, (2, 3))
    )
    X = rng.normal(size=(5, 3))
    for m in range(2):
        covariance = loadings[m] @ loadings[m].T + np.diag(mixture.noise[m])
        expected = np.log(mixture.weights[m]) + multivariate_normal(
            mixture.means[m], covariance
        ).logpdf(X)
        np.testing.assert_allclose(mixture.log_joint(X)[:, m], expected, rtol=1e-10)


@pytest.mark.parametrize("shared", [False, True])
def test_the_likelihood_rises_in_every_round(shared):
    history = fit_mixture(TWO, 5, 1, shared_noise=shared, n_starts=1, max_iter=10)[1]
    assert np.diff(history).min() > -1e-9


def test_one_model_has_the_likelihood_of_probabilistic_pca():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 5)) * [3, 2, 1, 0.5, 0.3]
    mixture, _ = fit_mixture(X, 1, 2, n_starts=1, max_iter=2000)
    values = np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1]
    s2 = values[2:].mean()
    expected = -0.5 * (5 * np.log(2 * np.pi) + np.log(values[:2]).sum() + 3 * np.log(s2) + 5)
    assert mixture.log_joint(X).mean() == pytest.approx(expected, abs=1e-3)


def test_with_one_model_the_picture_is_that_of_pca_up_to_the_scale_of_its_axes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 5)) * [9, 4, 1, 0.5, 0.3]
    Z = MixtureOfFactorAnalyzers(n_models=1).fit(X).embedding_
    P = PCA().fit(X).embedding_
    # Six other draws: 1.0
    assert np.abs([np.corrcoef(Z[:, i], P[:, i])[0, 1] for i in range(2)]).min() > 0.9999


def test_two_clouds_get_models_of_their_own_and_a_stranger_is_unlikely():
    est = MixtureOfFactorAnalyzers(n_components=1, n_models=2).fit(
        np.vstack([TWO, np.full((1, 4), 30.0)])
    )
    assert len(set(est.model_[:80])) == len(set(est.model_[80:160])) == 1
    assert est.model_[0] != est.model_[100]
    assert est.log_likelihood_.argmin() == 160


def test_more_models_than_instances_can_feed_are_dropped_and_noted():
    est = MixtureOfFactorAnalyzers(n_components=1, n_models=40).fit(TWO[:60])
    assert len(est.weights_) < 40
    assert any("local models" in note for note in est.notes_)


def test_memberships_are_softened_just_enough():
    rng = np.random.default_rng(1)
    logits = 50 * rng.normal(size=(200, 6))
    assert perplexity(softmax(logits)[0]) < 1.5  # six other draws: 1.04 to 1.09
    T = temperature(logits, 2.0)
    assert perplexity(softmax(logits / T)[0]) == pytest.approx(2.0, abs=0.05)
    assert temperature(np.zeros((5, 6)), 2.0) == 1.0


def test_softmax_gives_probabilities_and_log_sums():
    R, total = softmax(np.log([[1.0, 3.0]]) + 1000)
    np.testing.assert_allclose(R, [[0.25, 0.75]])
    np.testing.assert_allclose(total, [1000 + np.log(4)])
