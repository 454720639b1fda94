"""MI-ACE and MI-SMF: the planted signature, a rising objective, and invariances of the two
detectors."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, TooLarge
from emberscope.mil.classifiers.signatures.mi_ace import MIACE
from emberscope.mil.classifiers.signatures.mi_smf import MISMF

BOTH = pytest.mark.parametrize("cls", [MIACE, MISMF])


def planted(seed, *, n_bags=80, size=10, targets=2, d=12):
    """Correlated background, and in the positive bags 2 of 10 instances with the signature added,
    about 8 strong."""
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(d, d)) / np.sqrt(d) + np.eye(d)
    signature = rng.normal(size=d)
    signature /= np.linalg.norm(signature)
    X = rng.normal(size=(n_bags * size, d)) @ mix + 5 * rng.normal(size=d)
    truth = np.zeros(len(X), bool)
    for k in range(0, n_bags, 2):
        truth[k * size + rng.permutation(size)[:targets]] = True
    X[truth] += signature * rng.uniform(6, 10, (truth.sum(), 1))
    labels = np.where(np.arange(n_bags) % 2, -1, 1)
    return X, Bags.from_column(np.repeat(np.arange(n_bags), size), labels), truth, signature


def objective(est, X, bags):
    """As it is defined, from the answers of all instances."""
    answer = est.score_instances(X) + est.threshold_
    best = [answer[bags.of(k)].max() for k in range(len(bags)) if bags.labels[k] > 0]
    mean = [answer[bags.of(k)].mean() for k in range(len(bags)) if bags.labels[k] < 0]
    return np.mean(best) - np.mean(mean)


@BOTH
@pytest.mark.parametrize("seed", range(5))
def test_a_planted_signature_is_found_where_one_instance_in_five_has_it(cls, seed):
    X, bags, truth, signature = planted(seed)
    est = cls().fit(X, bags=bags)
    assert est.signature_ @ signature > 0.95
    assert est.score_[truth].min() > np.quantile(est.score_[~truth], 0.99)


@BOTH
def test_the_objective_never_falls(cls):
    for seed in range(20):
        X, bags, _, _ = planted(seed, n_bags=12, size=4, targets=1)
        history = cls(regularization=0.1).fit(X, bags=bags).history_
        assert (np.diff(history) > -1e-12).all()


@BOTH
def test_the_objective_is_that_of_its_definition(cls):
    X, bags, _, _ = planted(0, n_bags=12)
    est = cls().fit(X, bags=bags)
    assert est.history_[-1] == pytest.approx(objective(est, X, bags))


@BOTH
def test_no_other_direction_nearby_is_better(cls):
    X, bags, _, _ = planted(1, n_bags=20)
    est = cls().fit(X, bags=bags)
    best, s = objective(est, X, bags), est.direction_
    for step in 0.05 * np.random.default_rng(0).normal(size=(20, len(s))):
        est.direction_ = (s + step) / np.linalg.norm(s + step)
        assert objective(est, X, bags) <= best + 1e-12


@BOTH
def test_it_settles_on_the_instances_it_was_made_of(cls):
    X, bags, _, _ = planted(2, n_bags=20)
    est = cls().fit(X, bags=bags)
    Z = est._scaled(est._whitened(X))
    answer = Z @ est.direction_
    best = [bags.of(k)[answer[bags.of(k)].argmax()] for k in range(20) if bags.labels[k] > 0]
    means = [Z[bags.of(k)].mean(axis=0) for k in range(20) if bags.labels[k] < 0]
    t = Z[best].mean(axis=0) - np.mean(means, axis=0)
    np.testing.assert_allclose(est.direction_, t / np.linalg.norm(t), atol=1e-12)


@BOTH
def test_the_background_is_white(cls):
    X, bags, _, _ = planted(3)
    est = cls(regularization=1e-9).fit(X, bags=bags)
    W = est._whitened(X[bags.labels[bags.bag_of_member] < 0])
    np.testing.assert_allclose(W.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(W.T @ W / len(W), np.eye(12), atol=1e-6)


def test_the_cosine_does_not_change_with_contrast_and_lies_within_one():
    X, bags, _, _ = planted(4)
    est = MIACE().fit(X, bags=bags)
    faint = est.background_ + 0.01 * (X - est.background_)
    np.testing.assert_allclose(est.score_instances(faint), est.score_, atol=1e-9)
    assert np.abs(est.score_ + est.threshold_).max() <= 1 + 1e-12


def test_the_matched_filter_grows_with_contrast():
    X, bags, _, _ = planted(5)
    est = MISMF().fit(X, bags=bags)
    strong = est.background_ + 2 * (X - est.background_)
    answer = est.score_ + est.threshold_
    np.testing.assert_allclose(est.score_instances(strong) + est.threshold_, 2 * answer, atol=1e-9)


@BOTH
def test_features_in_other_units_change_nothing(cls):
    X, bags, _, _ = planted(6)
    units = np.logspace(-3, 3, 12)
    np.testing.assert_allclose(
        cls().fit(X * units, bags=bags).score_, cls().fit(X, bags=bags).score_, atol=1e-8
    )


@BOTH
def test_an_instance_at_the_background_mean_answers_nothing(cls):
    X, bags, _, _ = planted(7)
    est = cls().fit(X, bags=bags)
    assert est.score_instances(est.background_[None])[0] == -est.threshold_


@BOTH
def test_of_very_many_instances_only_those_far_from_the_background_are_starts(cls, monkeypatch):
    monkeypatch.setattr("emberscope.mil.classifiers.signatures.mi_ace._STARTS", 30)
    X, bags, _, signature = planted(8)
    est = cls().fit(X, bags=bags)
    assert "30 were tried" in est.notes_[-1]
    assert est.signature_ @ signature > 0.95


@BOTH
def test_instances_without_a_target_direction_are_refused(cls):
    with pytest.raises(DataError, match="all the same"):
        cls().fit(np.ones((4, 2)), bags=Bags.from_column(np.repeat([0, 1], 2), [1, -1]))


@BOTH
def test_too_many_features_for_a_covariance_are_refused_with_the_alternative(cls):
    with pytest.raises(TooLarge, match="PCA"):
        cls().fit(np.zeros((2, 6001)), np.array([-1, 1]))
