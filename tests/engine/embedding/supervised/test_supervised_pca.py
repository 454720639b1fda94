"""Supervised PCA: its bound, its posterior spelled out, PPCA as a special case, weak labels,
evidence."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import subspace_angles
from scipy.special import expit
from scipy.stats import multivariate_normal, norm
from sklearn.linear_model import LogisticRegression

from emberscope.base.errors import MissingLabels
from emberscope.base.monitor import Silent
from emberscope.embedding.linear import linear
from emberscope.embedding.linear.pca import PCA
from emberscope.embedding.linear.ppca import PPCA
from emberscope.embedding.supervised.supervised_pca import (
    Model,
    Posterior,
    SupervisedPCA,
    em_step,
    logistic,
)

Y = np.where(np.random.default_rng(0).random(300) < 0.5, 1, -1)
FRAME = np.linalg.qr(np.random.default_rng(2).normal(size=(8, 2)))[0]
X = np.random.default_rng(3).normal(size=(300, 1)) * 3 @ FRAME[:, :1].T + Y[:, None] * FRAME[:, 1]
X += 0.5 * np.random.default_rng(4).normal(size=(300, 8))


def model(rng, dim=6, d=3, k=2):
    return Model(
        np.zeros(dim), rng.normal(size=(dim, d)), 0.7, rng.normal(size=(d, k)), rng.normal(size=k)
    )


def test_a_direction_that_varies_little_but_tells_the_classes_apart_is_the_first_axis():
    axis = SupervisedPCA().fit(X, Y).components_[:, 0]
    assert abs(axis @ FRAME[:, 1]) / np.linalg.norm(axis) > 0.98
    # Six other draws: 7.2e-3 to 0.04
    assert abs(PCA(n_components=1).fit(X).components_[:, 0] @ FRAME[:, 1]) < 0.3


def test_without_label_weight_it_is_probabilistic_pca():
    est = SupervisedPCA(weight=0.0, tol=1e-12, n_iter=3000).fit(X, Y)
    plain = PPCA().fit(X)
    assert np.degrees(subspace_angles(est.loadings_, plain.loadings_)).max() < 0.1
    assert est.noise_variance_ == pytest.approx(plain.noise_variance_, rel=0.01)


@pytest.mark.parametrize("weight", [1.0, 80.0, 1000.0])
def test_the_bound_never_falls(weight):
    y = np.where(np.arange(300) % 3, Y * 0.7, 0.0)
    assert (
        np.diff(SupervisedPCA(weight=weight, tol=0.0, n_iter=60).fit(X, y).history_).min() > -1e-9
    )


def test_the_posterior_of_many_is_that_of_each():
    rng = np.random.default_rng(1)
    m, x = model(rng), rng.normal(size=(5, 6))
    targets, strength, reach = (
        np.sign(rng.normal(size=(5, 2))),
        rng.random(5) * 3,
        rng.random((5, 2)) + 0.1,
    )
    post = Posterior(x @ m.W, np.square(x).sum(axis=1), targets, strength, reach, m, 6)
    summed = np.zeros((3, 3))
    for n in range(5):
        c = strength[n] * np.tanh(reach[n] / 2) / (2 * reach[n])
        covariance = np.linalg.inv(np.eye(3) + m.W.T @ m.W / m.noise + (m.V * c) @ m.V.T)
        right = m.W.T @ x[n] / m.noise + m.V @ (strength[n] * targets[n] / 2 - c * m.b)
        np.testing.assert_allclose(post.mean[n], covariance @ right)
        score = m.V.T @ post.mean[n] + m.b
        np.testing.assert_allclose(post.reach[n] ** 2, score**2 + np.diag(m.V.T @ covariance @ m.V))
        summed += covariance
    np.testing.assert_allclose(post.summed_covariance(np.ones((5, 1)))[0], summed)


def test_the_bound_lies_below_the_likelihood_and_near_it():
    rng = np.random.default_rng(2)
    m, x = model(rng, dim=3, d=1, k=1), rng.normal(size=(1, 3))

    def joint(z):
        seen = norm.pdf(z) * multivariate_normal(m.W[:, 0] * z, m.noise * np.eye(3)).pdf(x[0])
        return seen * expit(m.V[0, 0] * z + m.b[0])

    exact = np.log(quad(joint, -12, 12)[0])
    reach = np.ones((1, 1))
    for _ in range(20):
        post = Posterior(
            x @ m.W, np.square(x).sum(axis=1), np.ones((1, 1)), np.ones(1), reach, m, 3
        )
        reach = post.reach
    assert exact - 0.1 < post.bound < exact


def test_a_half_label_counts_half():
    half = SupervisedPCA(weight=40.0).fit(X, Y * 0.5)
    np.testing.assert_allclose(
        half.components_, SupervisedPCA(weight=20.0).fit(X, Y).components_, atol=1e-10
    )


def test_unlabeled_instances_help_to_find_the_axes():
    y = np.where(np.arange(300) < 16, Y, 0)
    few = SupervisedPCA(n_components=2).fit(X[:16], Y[:16])
    both = SupervisedPCA(n_components=2).fit(X, y)
    errors = [np.degrees(subspace_angles(est.loadings_, FRAME)).max() for est in (both, few)]
    assert errors[0] < errors[1]


def test_evidence_rises_with_the_class_and_is_calibrated():
    est = SupervisedPCA().fit(X, Y)
    np.testing.assert_allclose(est.evidence_.sum(axis=1), 1)
    assert ((est.evidence_[:, 1] > 0.5) == (Y > 0)).mean() > 0.9  # six other draws: 0.97 to 0.99
    assert est.evidence_[:, 1].mean() == pytest.approx((Y > 0).mean(), abs=1e-3)
    np.testing.assert_allclose(est.evidence(X[:4]), est.evidence_[:4])


def test_swapped_labels_give_the_same_picture_and_swapped_evidence():
    est, swapped = SupervisedPCA().fit(X, Y), SupervisedPCA().fit(X, -Y)
    np.testing.assert_allclose(swapped.embedding_, est.embedding_, atol=1e-9)
    np.testing.assert_allclose(swapped.evidence_, est.evidence_[:, ::-1], atol=1e-9)


def test_three_classes_have_an_evidence_each():
    rng = np.random.default_rng(3)
    y = np.repeat([1, 2, 3], 60)
    data = rng.normal(size=(180, 6)) + np.eye(6)[y] * 4
    est = SupervisedPCA().fit(data, y)
    assert est.evidence_.shape == (180, 3)
    # Six other draws: 0.99 to 1.0
    assert (est.classes_[est.evidence_.argmax(axis=1)] == y).mean() > 0.9


def test_the_logistic_regression_is_scikit_learns():
    rng = np.random.default_rng(1)
    weights = rng.random(300)
    v, b = logistic(X, Y[:, None].astype(float), weights)
    oracle = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(v[:, 0], oracle.coef_[0], atol=1e-4)
    np.testing.assert_allclose(b, oracle.intercept_, atol=1e-4)


def test_blocks_of_rows_do_not_change_a_step(monkeypatch):
    m = model(np.random.default_rng(4), dim=8, d=2, k=1)
    arguments = (X, Y[:, None].astype(float), np.ones(300), m, np.ones((300, 1)))
    whole = em_step(*arguments, watch=Silent())
    monkeypatch.setattr(linear, "BLOCK", 100)
    parts = em_step(*arguments, watch=Silent())
    np.testing.assert_allclose(parts[0].W, whole[0].W)
    assert parts[2] == pytest.approx(whole[2])


def test_one_class_is_refused():
    with pytest.raises(MissingLabels):
        SupervisedPCA().fit(X, np.full(300, 0.5))
