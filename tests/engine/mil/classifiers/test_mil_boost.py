"""MIL-Boost: its likelihood, its gradient, bags of one, and bags too large for a noisy-or in plain
numbers."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from emberscope.bags.model import Bags
from emberscope.base.errors import TooLarge
from emberscope.evaluate.bag_validation import Model, validate_bags
from emberscope.mil.classifiers import mil_boost
from emberscope.mil.classifiers.mil_boost import MILBoost, likelihood_gradient, log_likelihood


def sigmoid(h):
    return 1 / (1 + np.exp(-h))


def planted(seed=0, n_bags=60, size=6, shift=2.5):
    """Two informative features, 3 and 4 of 6; every positive bag holds one or two targets."""
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(n_bags) % 2, 1, -1)
    X = rng.normal(size=(n_bags * size, 6))
    truth = np.zeros(len(X), bool)
    for k in np.flatnonzero(labels > 0):
        truth[size * k + rng.permutation(size)[: 1 + k % 3 // 2]] = True
    X[np.ix_(truth, [3, 4])] += shift
    return X, Bags.from_column(np.repeat(np.arange(n_bags), size), labels), truth


def test_the_likelihood_is_that_of_a_noisy_or():
    _, bags, _ = planted(n_bags=8)
    h = np.random.default_rng(0).normal(size=48)
    expected = 0.0
    for k in range(8):
        p = 1 - np.prod(1 - sigmoid(h[bags.of(k)]))
        expected += np.log(p) if bags.labels[k] > 0 else np.log(1 - p)
    assert log_likelihood(h, bags) == pytest.approx(expected)


def test_the_gradient_is_that_of_finite_differences():
    rng = np.random.default_rng(0)
    # Instances 1, 2 and 4 in two bags
    bags = Bags.from_lists([[0, 1, 2], [2, 3], [4], [4, 5, 1]], [1, -1, 1, -1])
    h = rng.normal(size=6)
    ahead, back = (
        [log_likelihood(h + step * (np.arange(6) == i), bags) for i in range(6)]
        for step in (1e-6, -1e-6)
    )
    np.testing.assert_allclose(
        likelihood_gradient(h, bags), (np.array(ahead) - back) / 2e-6, atol=1e-7
    )


def test_the_gradient_is_the_weight_of_the_algorithm():
    bags = Bags.from_lists([[0, 1, 2], [3, 4]], [1, -1])
    p = sigmoid(np.array([0.3, -1.0, 2.0, 0.5, -0.2]))
    p_bag = 1 - np.prod(1 - p[:3])
    expected = np.append(p[:3] * (1 - p_bag) / p_bag, -p[3:])
    np.testing.assert_allclose(likelihood_gradient(np.log(p / (1 - p)), bags), expected)


@pytest.mark.parametrize("shrinkage", [0.1, 1.0])
def test_the_likelihood_never_falls(shrinkage):
    X, bags, _ = planted(shift=1.0)
    est = MILBoost(n_rounds=40, shrinkage=shrinkage).fit(X, bags=bags)
    assert len(est.log_likelihood_) > 10
    assert (np.diff(est.log_likelihood_) > 0).all()


def test_the_likelihood_kept_is_that_of_the_scores():
    X, bags, _ = planted()
    est = MILBoost(n_rounds=5).fit(X, bags=bags)
    assert log_likelihood(est.score_, bags) == pytest.approx(est.log_likelihood_[-1])


def test_bags_of_one_are_boosting_with_the_logistic_loss():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=50) > 0, 1, -1)
    cuts = [np.where(X[:, j] > cut, 1.0, -1.0) for j in range(3) for cut in np.sort(X[:, j])]
    stumps = [sign * stump for stump in [np.ones(50), *cuts] for sign in (-1, 1)]
    h = np.zeros(50)
    for _ in range(6):
        weight = y * sigmoid(-y * h)  # the gradient of -log(1 + exp(-y h))
        says = max(stumps, key=lambda stump, weight=weight: round(weight @ stump, 9))

        def loss(vote, h=h, says=says):
            return np.logaddexp(0, -y * (h + vote * says)).sum()

        h = (
            h
            + says
            * minimize_scalar(loss, bounds=(0, 10), method="bounded", options={"xatol": 1e-5}).x
        )
    est = MILBoost(n_rounds=6).fit(X, y)
    np.testing.assert_allclose(est.score_, h, atol=1e-4)


def test_a_bag_scores_as_the_log_odds_of_its_noisy_or():
    X, bags, _ = planted(n_bags=10)
    est = MILBoost(n_rounds=3).fit(X, bags=bags)
    p = 1 - np.array([np.prod(1 - sigmoid(est.score_[bags.of(k)])) for k in range(10)])
    np.testing.assert_allclose(est.score_bags(X, bags), np.log(p / (1 - p)), rtol=1e-8)


def test_an_instance_scores_as_a_bag_of_it_alone():
    X, bags, _ = planted(n_bags=10)
    est = MILBoost(n_rounds=3).fit(X, bags=bags)
    alone = Bags.from_column(np.arange(60), np.zeros(60))
    np.testing.assert_allclose(est.score_bags(X, alone), est.score_instances(X), atol=1e-9)


def test_planted_targets_are_found_in_bags_it_has_not_seen():
    X, bags, _ = planted()
    Q, new, truth = planted(seed=1)
    est = MILBoost().fit(X, bags=bags)
    # Of this draw; six others: 0.85 to 0.93
    assert (est.predict(Q, new) == new.labels).mean() > 0.85
    assert est.score_instances(Q)[truth].mean() > est.score_instances(Q)[~truth].mean() + 2


def test_the_votes_tell_which_features_count():
    X, bags, _ = planted()
    share = MILBoost(n_rounds=10).fit(X, bags=bags).feature_importance_
    assert share.sum() == pytest.approx(1)
    assert set(np.argsort(share)[-2:]) == {3, 4}


def test_any_rising_scale_of_a_feature_gives_the_same_scores():
    X, bags, _ = planted(n_bags=20)
    est = MILBoost(n_rounds=10).fit(X, bags=bags)
    np.testing.assert_allclose(MILBoost(n_rounds=10).fit(np.exp(X), bags=bags).score_, est.score_)


def test_bags_of_a_hundred_thousand_instances_do_not_saturate():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400_000, 1))
    X[:30] += 12.0
    X[200_000:200_030] += 12.0
    bags = Bags.from_column(np.repeat(np.arange(4), 100_000), [1, -1, 1, -1])
    est = MILBoost(n_rounds=5).fit(X, bags=bags)
    assert np.array_equal(est.predict(X, bags), bags.labels)
    assert est.threshold_[0] > 4


def test_hopeless_scores_leave_a_finite_likelihood_and_gradient():
    bags = Bags.from_lists([[0, 1], [2, 3]], [1, -1])
    h = np.array([-1000.0, -1000.0, 1000.0, 1000.0])
    assert np.isfinite(log_likelihood(h, bags))
    assert np.isfinite(likelihood_gradient(h, bags)).all()


def test_contradictory_bags_end_undecided():
    bags = Bags.from_lists([[0, 1], [2, 3]], [1, -1])
    est = MILBoost().fit(np.array([[0.0], [1.0], [0.0], [1.0]]), bags=bags)
    np.testing.assert_allclose(
        est.score_bags(np.array([[0.0], [1.0], [0.0], [1.0]]), bags), 0, atol=1e-3
    )


def test_features_that_cannot_be_sorted_in_memory_are_refused(monkeypatch):
    monkeypatch.setattr(mil_boost, "_BYTES", 100)
    X, bags, _ = planted(n_bags=4)
    with pytest.raises(TooLarge, match="sorted features of 24 instances"):
        MILBoost().fit(X, bags=bags)


def test_the_musks_are_told_from_other_molecules(shared_data):
    with (shared_data / "mil" / "musk1" / "musk1.data").open() as file:
        rows = [line.rstrip(".\n").split(",") for line in file]
    names, bag = np.unique([row[0] for row in rows], return_inverse=True)
    labels = np.zeros(len(names), int)
    labels[bag] = [1 if float(row[-1]) else -1 for row in rows]
    X = np.array([row[2:-1] for row in rows], float)
    found = validate_bags(Model(MILBoost, {}, {}), X, Bags.from_column(bag, labels), folds=10)
    assert X.shape == (476, 166)
    # Of this draw; six others: 0.68 to 0.77
    assert ((found.bag_score > 0) == (labels > 0)).mean() >= 0.70
