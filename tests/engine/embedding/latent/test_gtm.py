"""GTM: a bent sheet with a probability."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from emberscope.embedding.latent.gtm import GTM, _log_joint, functions, grid
from emberscope.embedding.latent.responsibilities import softmax
from emberscope.embedding.linear.pca import PCA

T = np.random.default_rng(0).uniform(-1, 1, 300)
PARABOLA = np.column_stack([T, T**2]) + 0.02 * np.random.default_rng(2).normal(size=(300, 2))


@pytest.fixture(scope="module")
def bent():
    return GTM(n_components=1).fit(PARABOLA)


def test_a_line_of_nodes_recovers_the_order_along_a_parabola(bent):
    assert abs(spearmanr(bent.embedding_[:, 0], T)[0]) > 0.99  # six other draws: 0.9993 to 0.9995


def test_the_noise_is_found(bent):
    assert np.sqrt(bent.noise_) * bent.scale_ == pytest.approx(0.02, rel=0.3)


def test_the_penalized_likelihood_never_falls(bent):
    assert np.diff(bent.history_).min() > -1e-9


def test_a_stiff_sheet_is_the_principal_plane():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4)) * [4, 2, 0.5, 0.2]
    est = GTM(smoothness=1e10, n_nodes=10).fit(X)
    sheet = np.linalg.qr(est.weights_[1:3].T)[0]
    # Six other draws: 1.0
    assert np.linalg.svd(sheet.T @ PCA().fit(X).components_)[1].min() > 0.999


def test_a_point_of_the_map_gives_features_on_the_curve(bent):
    X = bent.inverse_transform(np.linspace(-0.9, 0.9, 20)[:, None])
    assert np.abs(X[:, 1] - X[:, 0] ** 2).max() < 0.08  # six other draws: 0.01 to 0.03


def test_between_two_halves_of_a_ring_the_place_is_unsure():
    rng = np.random.default_rng(1)
    angle = rng.uniform(0, 2 * np.pi, 400)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.02 * rng.normal(size=(400, 2))
    est = GTM(n_components=1, overlap=1).fit(ring)
    assert est.spread_.max() > 5 * np.median(est.spread_)


def test_the_likelihood_is_the_mixture_of_gaussians_written_out():
    X = PARABOLA[:20]
    est = GTM(n_components=1, n_nodes=5, max_iter=5).fit(X)
    Y = functions(est.nodes_, est.bases_, 2 / 19) @ est.weights_ * est.scale_ + est.mean_
    s2 = est.noise_ * est.scale_**2
    density = np.exp(-np.square(X[:, None] - Y).sum(axis=2) / (2 * s2)) / (2 * np.pi * s2)
    np.testing.assert_allclose(est.log_likelihood_, np.log(density.mean(axis=1)), rtol=1e-6)


def test_the_sheet_is_stretched_where_the_curve_is_steep(bent):
    slope = np.sqrt(1 + 4 * bent.inverse_transform(bent.nodes_)[:, 0] ** 2)
    # Of this draw; six others: 0.11 to 0.44
    assert np.corrcoef(bent.magnification_[10:-10], slope[10:-10])[0, 1] > 0.3


def test_a_grid_covers_the_square():
    assert grid(3, 2).shape == (9, 2)
    assert np.abs(grid(3, 2)).max() == 1


def test_an_independent_implementation_has_the_same_responsibilities_and_is_no_more_likely():
    ugtm = pytest.importorskip("ugtm")
    X = np.random.default_rng(3).normal(size=(120, 3)) * [3, 1.5, 0.2]
    X = (X - X.mean(axis=0)) / X.std(axis=0)  # as it does itself
    theirs = ugtm.runGTM(X, k=10, m=4, s=1.0, regul=1e-3, niter=500)
    R, density = softmax(_log_joint(X, np.asarray(theirs.matY).T, theirs.betaInv))
    np.testing.assert_allclose(R, theirs.matR, atol=0.02)  # one step of EM apart
    ours = GTM(n_nodes=10, n_bases=4, overlap=1, max_iter=500).fit(X)
    assert ours.log_likelihood_.mean() > density.mean() - 0.02
