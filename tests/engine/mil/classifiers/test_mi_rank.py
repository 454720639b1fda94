"""MI ranking: witnesses and direction together."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.bags.reduce import REDUCTIONS
from emberscope.mil.classifiers.mi_rank import MIRank
from emberscope.mil.classifiers.rank_svm import RankSVM


def planted(seed=0, n_bags=40, size=8):
    """One target, 2.5 further along features 0 and 1, in every positive bag of eight instances."""
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(n_bags) % 2, 1, -1)
    X = rng.normal(size=(n_bags * size, 6))
    truth = np.zeros(len(X), bool)
    truth[size * np.flatnonzero(labels > 0) + rng.integers(size, size=n_bags // 2)] = True
    X[np.ix_(truth, [0, 1])] += 2.5
    return X, Bags.from_column(np.repeat(np.arange(n_bags), size), labels), truth


def objective(est, X, bags, penalty=1.0):
    value = REDUCTIONS[est.aggregate](est.score_instances(X), bags)
    positive, negative = value[bags.labels > 0], value[bags.labels < 0]
    broken = np.maximum(1 - positive[:, None] + negative, 0)
    return est.weights_ @ est.weights_ / 2 + penalty * len(bags) * broken.mean()


@pytest.mark.parametrize("aggregate", ["max", "mean", "softmax"])
def test_the_direction_kept_has_the_least_objective_of_all_rounds(aggregate):
    X, bags, _ = planted()
    est = MIRank(aggregate=aggregate).fit(X, bags=bags)
    assert objective(est, X, bags) == pytest.approx(est.history_.min())


@pytest.mark.parametrize("aggregate", ["max", "softmax"])
def test_choosing_witnesses_lowers_the_objective_far_below_that_of_bag_means(aggregate):
    X, bags, _ = planted()
    history = MIRank(aggregate=aggregate).fit(X, bags=bags).history_
    assert history.min() < 0.5 * history[0]


def test_no_small_turn_of_the_direction_is_much_better():
    X, bags, _ = planted()
    est = MIRank().fit(X, bags=bags)
    least, w = objective(est, X, bags), est.weights_
    rng = np.random.default_rng(0)
    for _ in range(100):
        est.weights_ = w + 0.05 * np.linalg.norm(w) * rng.normal(size=6)
        assert objective(est, X, bags) > 0.97 * least


def test_the_best_instance_of_a_positive_bag_is_the_planted_one():
    X, bags, truth = planted()
    est = MIRank().fit(X, bags=bags)
    best = [est.witnesses(X, bags, k)[0][0] for k in np.flatnonzero(bags.labels > 0)]
    assert truth[best].mean() > 0.8  # six other draws: 0.90 to 1.0


def test_it_ranks_bags_it_has_not_seen_better_than_their_means_do():
    X, bags, _ = planted()
    Q, new, _ = planted(seed=1)

    def right(est):
        score = est.fit(X, bags=bags).score_bags(Q, new)
        return (score[new.labels > 0][:, None] > score[new.labels < 0]).mean()

    assert right(MIRank()) > max(right(RankSVM()), 0.8)


def test_the_mean_is_the_ranking_svm_of_bag_means():
    X, bags, _ = planted()
    a, b = MIRank(aggregate="mean").fit(X, bags=bags), RankSVM().fit(X, bags=bags)
    np.testing.assert_allclose(a.weights_, b.weights_, atol=0.05 * np.abs(b.weights_).max())


@pytest.mark.parametrize("aggregate", ["max", "softmax"])
def test_bags_of_one_are_the_plain_ranking_svm(aggregate):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(60) % 2, 1, -1)
    X = rng.normal(size=(60, 3)) + 0.8 * y[:, None]
    a, b = MIRank(aggregate=aggregate).fit(X, y), RankSVM().fit(X, y)
    np.testing.assert_allclose(a.weights_, b.weights_, atol=0.05 * np.abs(b.weights_).max())
    assert len(a.history_) == 1


def test_a_bag_of_a_hundred_thousand_instances_is_ranked():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_030, 2))
    X[0] += 20.0
    bags = Bags.from_column(np.r_[np.zeros(100_000, int), np.repeat([1, 2, 3], 10)], [1, -1, 1, -1])
    X[100_010] += 20.0
    est = MIRank(max_iter=5).fit(X, bags=bags)
    assert np.array_equal(est.predict(X, bags), bags.labels)
