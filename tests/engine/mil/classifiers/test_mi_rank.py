"""MI ranking: witnesses and direction together."""

from dataclasses import replace

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.bags.reduce import REDUCTIONS
from emberscope.base.errors import DataError
from emberscope.course.classification import first_of_groups
from emberscope.mil.classifiers.mi_rank import MIRank
from emberscope.mil.classifiers.rank_svm import RankSVM, group_pairs


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


def in_groups(seed, *, count=40, size=4):
    """Four bags of four instances a group, one bag of which holds a target, 2 further along
    features 0 and 1. All instances of a group share an offset of feature 0; six features say
    nothing."""
    rng = np.random.default_rng(seed)
    labels = np.full((count, 4), -1)
    labels[np.arange(count), rng.integers(4, size=count)] = 1
    X = rng.normal(size=(count, 4, size, 8))
    X[labels > 0, 0, :2] += 2
    X[..., 0] += 8 * rng.normal(size=(count, 1, 1))
    bags = Bags.from_column(np.repeat(np.arange(4 * count), size), labels.reshape(-1))
    return X.reshape(-1, 8), replace(bags, groups=np.repeat(np.arange(count), 4))


def test_within_groups_the_preferred_bag_is_found_whatever_a_group_has_in_common():
    first = []
    for seed in range(4):
        X, bags = in_groups(seed)
        new, of = in_groups(seed + 100)
        scores = [MIRank(pairs=pairs).fit(X, bags=bags).score_bags(new, of)
                  for pairs in ("all", "within groups")]
        first.append([first_of_groups(of, score)["group_first"] for score in scores])
    everywhere, within = np.mean(first, axis=0)
    assert within > everywhere + 0.05
    assert within > 0.7  # chance is 0.25


def test_only_bags_of_one_group_are_compared():
    X, bags = in_groups(0, count=5)
    assert MIRank(pairs="within groups").fit(X, bags=bags).n_pairs_ == 5 * 3


def test_more_pairs_than_are_used_are_drawn():
    _, bags = in_groups(0, count=5)
    better, worse = group_pairs(bags, np.random.default_rng(0), most=7)
    assert len(better) == 7
    assert (bags.groups[better] == bags.groups[worse]).all()


def test_groups_without_both_kinds_of_bags_are_refused():
    X, bags, _ = planted()
    with pytest.raises(DataError, match="no group holds a positive and a negative bag"):
        MIRank(pairs="within groups").fit(X, bags=bags)
