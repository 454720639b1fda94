"""MIForest: trees without scikit-learn's objects, labels that cool down, bags drawn whole."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from emberscope.bags.model import Bags
from emberscope.mil.classifiers import mi_forest
from emberscope.mil.classifiers.mi_forest import MIForest, drawn_targets, tempered
from emberscope.mil.trees import drawn_bags, grown_tree, joined, mean_value


def rng():
    return np.random.default_rng(0)


def planted(seed=0, n_bags=60, size=6):
    """One or two targets, 2.5 away in features 0 to 2 of 6, in every positive bag of six
    instances."""
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(n_bags) % 2, 1, -1)
    X = rng.normal(size=(n_bags * size, 6))
    truth = np.zeros(len(X), bool)
    for k in np.flatnonzero(labels > 0):
        truth[size * k + rng.permutation(size)[: 1 + k % 3 // 2]] = True
    X[np.ix_(truth, [0, 1, 2])] += 2.5
    return X, Bags.from_column(np.repeat(np.arange(n_bags), size), labels), truth


def test_a_tree_in_arrays_answers_as_the_tree_itself():
    X = rng().normal(size=(80, 4)).astype(np.float32)
    y = X[:, 0] * X[:, 1] > 0
    tree = grown_tree(X, y, np.ones(80, int), 5, seed=3)
    weight = 80 / np.where(y, y.sum(), (~y).sum())
    own = DecisionTreeClassifier(max_features="sqrt", min_samples_leaf=5, random_state=3).fit(
        X, y, weight
    )
    Q = rng().normal(size=(50, 4)).astype(np.float32)
    np.testing.assert_allclose(mean_value(Q, tree), own.predict_proba(Q)[:, 1])


def test_a_forest_answers_with_the_mean_of_its_trees():
    X = rng().normal(size=(60, 4)).astype(np.float32)
    trees = [grown_tree(X, X[:, j] > 0, np.ones(60, int), 1, seed=j) for j in range(3)]
    np.testing.assert_allclose(
        mean_value(X, joined(trees)), np.mean([mean_value(X, tree) for tree in trees], axis=0)
    )


def test_a_tree_of_one_class_knows_only_that():
    X = rng().normal(size=(10, 2)).astype(np.float32)
    assert np.array_equal(
        mean_value(X, grown_tree(X, np.zeros(10, bool), np.ones(10, int), 1, 0)), np.zeros(10)
    )
    assert np.array_equal(
        mean_value(X, grown_tree(X, np.ones(10, bool), np.ones(10, int), 1, 0)), np.ones(10)
    )


def test_labels_are_free_when_hot_and_settled_when_cold():
    p = np.array([0.0, 0.4, 0.5, 0.9, 1.0])
    np.testing.assert_allclose(tempered(p, 1.0), p)
    np.testing.assert_allclose(tempered(p, 1e6)[1:4], 0.5, atol=1e-5)
    np.testing.assert_allclose(tempered(p, 1e-3), [0, 0, 0.5, 1, 1], atol=1e-9)


def test_the_tempered_label_has_the_least_annealed_loss():
    p, T, q = 0.3, 0.5, np.linspace(1e-4, 1 - 1e-4, 9999)
    loss = -q * np.log(p) - (1 - q) * np.log(1 - p) + T * (q * np.log(q) + (1 - q) * np.log(1 - q))
    assert q[np.argmin(loss)] == pytest.approx(tempered(np.array([p]), T)[0], abs=1e-4)


def test_every_positive_bag_keeps_its_best_instance_as_a_target():
    bags = Bags.from_lists([[0, 1, 2], [3, 4], [4, 5]], [1, -1, 1])
    p = np.array([0.1, 0.3, 0.2, 0.9, 0.1, 0.4])
    assert np.array_equal(np.flatnonzero(drawn_targets(np.zeros(6), p, bags, rng())), [1, 5])


def test_bags_are_drawn_whole_and_as_many_of_either_label():
    bags = Bags.from_column(np.repeat(np.arange(10), 3), np.where(np.arange(10) < 3, 1, -1))
    count = drawn_bags(bags, 30, rng()).reshape(10, 3)
    assert (count == count[:, :1]).all()
    assert (count[:3, 0].sum(), count[3:, 0].sum()) == (3, 7)


def test_planted_targets_are_found_in_bags_it_has_not_seen():
    X, bags, _ = planted()
    Q, new, truth = planted(seed=1)
    est = MIForest().fit(X, bags=bags)
    # Of this draw; six others: 0.85 to 0.95
    assert (est.predict(Q, new) == new.labels).mean() > 0.85
    assert (est.score_instances(Q)[truth] > 0).mean() > 0.6  # four other draws: 0.88 to 1.0
    assert (est.score_instances(Q)[~truth] > 0).mean() < 0.1  # four other draws: 6.3e-3 to 0.02


def test_annealing_tells_targets_from_their_neighbors_in_the_bag():
    X, bags, truth = planted()
    candidate = bags.instance_labels(len(X)) > 0

    def apart(est):
        score = est.fit(X, bags=bags).score_
        return (score[truth][:, None] > score[candidate & ~truth]).mean()

    assert apart(MIForest(n_rounds=10)) > max(apart(MIForest(n_rounds=0)), 0.9)


def test_the_round_that_ranks_bags_best_is_kept():
    X, bags, _ = planted(n_bags=20)
    est = MIForest(n_trees=20, n_rounds=4).fit(X, bags=bags)
    assert (
        mi_forest._ranked(bags.labels, est.score_.reshape(20, 6).max(axis=1)) == est.history_.max()
    )


def test_another_seed_grows_another_forest():
    X, bags, _ = planted(n_bags=20)
    a, b = (
        MIForest(n_trees=5, n_rounds=1, random_state=seed).fit(X, bags=bags).score_
        for seed in (0, 1)
    )
    assert not np.array_equal(a, b)


def test_a_single_bag_of_either_label_is_enough():
    X = np.r_[rng().normal(size=(10, 2)), rng().normal(size=(10, 2)) + 5]
    bags = Bags.from_column(np.repeat([0, 1], 10), [-1, 1])
    est = MIForest(n_trees=10, n_rounds=2).fit(X, bags=bags)
    assert np.array_equal(est.predict(X, bags), bags.labels)


def test_large_bags_are_thinned_and_that_is_noted():
    X = rng().normal(size=(120_000, 2))
    X[:40_000] += 4.0
    bags = Bags.from_column(np.r_[np.zeros(60_000, int), np.ones(60_000, int)], [1, -1])
    est = MIForest(n_trees=3, n_rounds=1, aggregate="mean").fit(X, bags=bags)
    assert est.notes_ == ["Every tree sees at most 10000 of 120000 instances."]
    assert np.array_equal(est.predict(X, bags), bags.labels)
