"""The hybrid estimator."""

import numpy as np
import pytest

from emberscope.base.monitor import Watch
from emberscope.evaluate.scores import auc
from emberscope.mil.classifiers.signatures.efumi import EFUMI
from emberscope.mil.classifiers.signatures.mi_he import MIHE
from emberscope.mil.classifiers.signatures.unmixing import left_over, unmixed


@pytest.mark.parametrize("seed", range(5))
def test_the_planted_target_is_found_from_mixtures_among_irrelevant_features(seed, mixtures):
    X, bags, truth, planted = mixtures(seed)
    est = MIHE().fit(X, bags=bags)
    assert est.signatures_[0] @ planted > 0.85  # twelve other draws: 0.94 to 1.0
    assert auc(np.where(truth, 1, -1), est.score_) > 0.98


@pytest.mark.parametrize("seed", range(3))
def test_targets_of_three_kinds_are_found_together(seed, kinds):
    X, bags, truth, planted = kinds(seed)
    est = MIHE(n_targets=3).fit(X, bags=bags)
    assert (est.signatures_ @ planted.T).max(axis=0).min() > 0.9
    assert auc(np.where(truth > 0, 1, -1), est.score_) > 0.99


@pytest.mark.parametrize("cls", [EFUMI, MIHE])
def test_the_bar_of_progress_never_goes_back(cls, mixtures, monkeypatch):
    monkeypatch.setattr("emberscope.mil.classifiers.signatures.multi_target._VALUES", 1)
    X, bags, _, _ = mixtures(0, n_bags=12, size=4)
    seen = []
    cls().fit(X, bags=bags, monitor=Watch(lambda fraction, _: seen.append(fraction)))
    assert (np.diff(seen) >= 0).all()


def test_the_objective_never_rises(mixtures):
    for seed in range(5):
        X, bags, _, _ = mixtures(seed, n_bags=12, size=4)
        assert (np.diff(MIHE().fit(X, bags=bags).history_) < 0).all()


def test_the_objective_is_that_of_its_definition(mixtures):
    X, bags, _, _ = mixtures(0, n_bags=12, size=4, irrelevant=0)
    est = MIHE(contrast=0.0, fidelity=0.5).fit(X, bags=bags)
    W = est._whitened(X)
    # 1 - r / rest is what it answers, and power is 2
    chance = np.exp(-X.shape[1] / 2 * (1 - est._answers(W)))
    bag = [np.log(np.sqrt(np.mean(chance[bags.of(k)] ** 2))) for k in range(0, 12, 2)]
    ground, negative = est.mixed_[1:], bags.labels[bags.bag_of_member] < 0
    Q = W[bags.members[negative]]
    rest = left_over(Q, ground, unmixed(Q, ground)).mean()
    assert est.history_[-1] == pytest.approx(-np.mean(bag) + 0.5 * rest)


def test_the_slope_is_that_of_the_objective(mixtures):
    X, bags, _, _ = mixtures(1, n_bags=12, size=4, irrelevant=0)
    est = MIHE(contrast=0.0, max_iter=1)
    found = est._begin(X, None, bags)
    est.n_targets_ = 1
    E = np.random.default_rng(0).normal(size=(4, X.shape[1]))
    P, starts = found.W[found.positive.members], found.positive.indptr[:-1]
    Q = found.W[found.background]
    now = est._state(E, P, starts, Q)
    step = est._step(now, P, starts, Q)
    for t in range(4):  # along the step of one endmember the objective falls at first
        nearer = E.copy()
        nearer[t] -= 1e-4 * step[t]
        assert est._state(nearer, P, starts, Q).objective < now.objective


def test_what_the_background_explains_scores_as_nothing(mixtures):
    X, bags, _, _ = mixtures(2)
    est = MIHE().fit(X, bags=bags)
    ground = est.endmembers_[1:]
    mixed = np.random.default_rng(0).dirichlet(np.ones(len(ground)), size=20) @ ground
    np.testing.assert_allclose(est.score_instances(mixed) + est.threshold_, 0, atol=1e-6)
