"""ID-APR: the three steps on boxes that can be checked by eye, and a naive twin of the growing."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Silent
from emberscope.datasets.planted import planted_bags
from emberscope.evaluate.bag_validation import Model, validate_bags
from emberscope.evaluate.scores import auc
from emberscope.mil.classifiers.apr import APR, discriminating, expanded, grow


def size(rows):
    return np.ptp(rows, axis=0).sum()


def naive_grow(P, starts, seed):
    bags = np.split(np.arange(len(P)), starts[1:])
    chosen = {next(k for k, rows in enumerate(bags) if seed in rows): seed}
    while len(chosen) < len(bags):
        have = P[list(chosen.values())]
        every = [
            (size(np.vstack([have, P[r]])), k, r)
            for k, rows in enumerate(bags)
            if k not in chosen
            for r in rows
        ]
        _, bag, row = min(every)
        chosen[bag] = row
        for _ in range(10):
            changed = False
            for k in sorted(chosen):
                others = P[[chosen[j] for j in chosen if j != k]]
                best = min(
                    bags[k], key=lambda r, others=others: (size(np.vstack([others, P[r]])), r)
                )
                if (
                    size(np.vstack([others, P[best]]))
                    < size(np.vstack([others, P[chosen[k]]])) - 1e-12
                ):
                    chosen[k], changed = best, True
            if not changed:
                break
    return [chosen[k] for k in range(len(bags))]


def planted(seed, n_bags=40):
    """Six features, two of which tell: one instance of every positive bag lies about (4, -4) in
    these."""
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(n_bags) % 2, 1, -1)
    X, truth = rng.normal(size=(n_bags * 5, 6)), np.zeros(n_bags * 5, bool)
    truth[[5 * k + rng.integers(5) for k in range(1, n_bags, 2)]] = True
    X[np.ix_(truth, [1, 4])] = [4, -4] + 0.3 * rng.normal(size=(truth.sum(), 2))
    return X, Bags.from_column(np.repeat(np.arange(n_bags), 5), labels), truth


@pytest.mark.parametrize("seed", range(6))
def test_growing_equals_its_naive_twin(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, 9)
    P, starts = rng.normal(size=(sizes.sum(), 3)), np.concatenate([[0], np.cumsum(sizes)[:-1]])
    first = int(rng.integers(len(P)))
    np.testing.assert_array_equal(grow(P, starts, first, Silent()), naive_grow(P, starts, first))


def test_a_box_holds_one_instance_of_every_bag():
    P = np.array([[0.0], [5.0], [0.3], [9.0], [0.2], [-7.0]])
    np.testing.assert_array_equal(grow(P, np.array([0, 2, 4]), 0, Silent()), [0, 2, 4])


def test_earlier_choices_are_made_again_when_better_ones_have_come_up():
    # From 0 on 1.0 is near, but the last bag lies at 10.2
    P = np.array([[0.0], [10.0], [1.0], [9.9], [10.2]])
    np.testing.assert_array_equal(grow(P, np.array([0, 2, 4]), 0, Silent()), [1, 3, 4])


def test_features_are_kept_until_every_negative_is_told_from_the_box():
    N = np.array([[3.0, 0, 0], [0, 3, 0], [3, 0, 0]])
    np.testing.assert_array_equal(discriminating(N, -np.ones(3), np.ones(3), 1.0), [0, 1])


def test_a_negative_a_little_outside_is_told_by_the_feature_in_which_it_is_farthest():
    N = np.array([[1.2, 1.5, 0.0]])
    np.testing.assert_array_equal(discriminating(N, -np.ones(3), np.ones(3), 1.0), [1])


def test_a_box_that_no_negative_contradicts_keeps_its_features():
    np.testing.assert_array_equal(
        discriminating(np.zeros((2, 3)), -np.ones(3), np.ones(3), 1.0), [0, 1, 2]
    )


def test_the_expanded_box_leaves_epsilon_of_the_kernel_estimate_outside():
    values = np.random.default_rng(0).normal(size=(200, 2)) * [3, 30]
    low, high = expanded(values, 0.6, 0.3)
    sigma = np.ptp(values, axis=0) / (2 * norm.ppf(0.8))
    np.testing.assert_allclose(norm.cdf((low - values) / sigma).mean(axis=0), 0.15, atol=1e-9)
    np.testing.assert_allclose(norm.sf((high - values) / sigma).mean(axis=0), 0.15, atol=1e-9)


def test_the_expanded_box_holds_the_box_it_came_from():
    values = np.random.default_rng(1).normal(size=(5000, 2))
    low, high = expanded(values, 0.99, 0.5)
    np.testing.assert_array_equal([low, high], [values.min(axis=0), values.max(axis=0)])


def test_one_positive_instance_gives_a_box_with_an_inside():
    low, high = expanded(np.zeros((1, 2)), 0.99, 0.01)
    np.testing.assert_allclose(high, 0.1 * norm.ppf(0.995) * np.ones(2), rtol=1e-6)
    np.testing.assert_allclose(low, -high)


@pytest.mark.parametrize("seed", range(3))
def test_planted_targets_and_the_features_that_tell_them_are_found(seed):
    X, bags, truth = planted(seed)
    est = APR().fit(X, bags=bags)
    assert set(est.features_) & {1, 4}
    assert truth[est.prototype_[est.prototype_ >= 0]].all()
    assert (est.score_[truth] > 0).mean() > 0.9  # six other draws: 1.0
    assert (est.score_[~truth] > 0).mean() < 0.05  # six other draws: 0.0 to 5.6e-3


def test_the_score_is_the_distance_to_the_nearest_wall():
    X, bags, _ = planted(3)
    est = APR().fit(X, bags=bags)
    est.features_, est.low_, est.high_ = (
        np.array([0, 2]),
        np.array([-1.0, 0.0]),
        np.array([1.0, 4.0]),
    )
    A = np.zeros((3, 6))
    A[:, 0], A[:, 2] = [0.5, 4.0, 0.0], [1.0, 8.0, 0.0]
    np.testing.assert_allclose(
        est.score_instances(A * est.scale_ + est.mean_), [0.5, -5.0, 0.0], atol=1e-9
    )


def test_prototypes_are_rows_of_their_positive_bags():
    X, bags, _ = planted(4)
    est = APR().fit(X, bags=bags)
    assert all((est.prototype_[k] in bags.of(k)) == (bags.labels[k] > 0) for k in range(len(bags)))


def test_doubled_instances_and_any_order_give_the_same_box():
    X, bags, _ = planted(5, 20)
    X = np.round(X)  # many ties
    rows, order = (
        np.random.default_rng(0).permutation(100),
        np.random.default_rng(1).permutation(20),
    )
    moved = Bags.from_lists([np.argsort(rows)[bags.of(k)[::-1]] for k in order], bags.labels[order])
    est, again = APR().fit(X, bags=bags), APR().fit(X[rows], bags=moved)
    np.testing.assert_array_equal(again.features_, est.features_)
    np.testing.assert_allclose([again.low_, again.high_], [est.low_, est.high_], atol=1e-9)


def test_of_a_large_smallest_bag_some_instances_are_seeds_and_that_is_noted():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(2000, 3))
    X[:1000:50] += 6
    bags = Bags.from_column(np.repeat([0, 1, 2, 3], 500), [1, 1, -1, -1])
    est = APR().fit(X, bags=bags)
    assert "30 instances of the smallest positive bag" in est.notes_[-1]
    np.testing.assert_array_equal(est.predict(X, bags), bags.labels)


def test_constant_features_only_are_refused():
    with pytest.raises(DataError, match="are the same"):
        APR().fit(np.ones((4, 2)), bags=Bags.from_column(np.repeat([0, 1], 2), [1, -1]))


def test_more_than_five_sixths_of_musk1_whose_features_are_lengths_are_told_right(musk):
    X, bags = musk
    score = validate_bags(Model(APR, {"standardize": False}, {}), X, bags, folds=10).bag_score
    assert ((score > 0) == (bags.labels > 0)).mean() > 5 / 6


def without_targets():
    """40 bags of 8 instances of pure background: whatever box holds the positive bags holds the
    negative ones too."""
    bags = Bags.from_column(np.repeat(np.arange(40), 8), np.where(np.arange(40) % 2, 1, -1))
    return np.random.default_rng(1).normal(size=(320, 6)), bags


def test_a_box_among_background_is_refused_with_a_note():
    X, bags = without_targets()
    assert any("No box tells" in note for note in APR().fit(X, bags=bags).notes_)


def test_where_no_box_tells_the_bags_apart_nothing_is_ranked():
    X, bags = without_targets()
    est = APR().fit(X, bags=bags)
    assert not est.features_.size
    assert (est.prototype_ == -1).all()
    np.testing.assert_array_equal(est.score_, 0.0)
    np.testing.assert_array_equal(est.score_bags(X, bags), 0.0)


@pytest.mark.parametrize(("n_positive", "label"), [(30, 1), (18, -1)])
def test_where_no_box_tells_the_bags_apart_all_get_the_label_of_most(n_positive, label):
    X, bags = without_targets()
    most = replace(bags, labels=np.where(np.arange(40) < n_positive, 1, -1))
    est = APR().fit(X, bags=most)
    assert not est.features_.size
    np.testing.assert_array_equal(est.predict(X, most), label)
    assert any(
        f"taken for {'positive, as 75%' if label > 0 else 'negative, as 55%'}" in note
        for note in est.notes_
    )


def test_targets_outside_the_background_among_noise_are_not_ranked_last():
    rng = np.random.default_rng(0)
    X, truth = rng.normal(size=(480, 30)), np.zeros(480, bool)
    truth[[8 * k + rng.integers(8) for k in range(1, 60, 2)]] = True
    # 3 of 30 features tell: the boxes grow in the background
    X[truth, :3] = 2.5 + 0.3 * rng.normal(size=(30, 3))
    bags = Bags.from_column(np.repeat(np.arange(60), 8), np.where(np.arange(60) % 2, 1, -1))
    score = APR().fit(X, bags=bags).score_
    assert auc(np.where(truth, 1, -1), score) >= 0.5


def test_the_unit_of_a_feature_is_the_spread_of_the_background():
    X = np.array([[0.0, 0.0], [2.0, 20.0], [100.0, 10.0], [110.0, 12.0]])
    est = APR().fit(X, bags=Bags.from_column([0, 0, 1, 1], [-1, 1]))
    # No less than a tenth of the spread of all
    np.testing.assert_allclose(est.scale_, [0.1 * X[:, 0].std(), 10.0])


def test_without_standardizing_all_features_share_one_unit():
    X = np.array([[0.0, 0.0], [2.0, 20.0], [1.0, 10.0], [3.0, 12.0]])
    est = APR(standardize=False).fit(X, bags=Bags.from_column([0, 0, 1, 1], [-1, 1]))
    np.testing.assert_allclose(est.scale_, np.sqrt((1.0 + 100.0) / 2))


def test_targets_far_outside_among_noise_that_varies_more_are_found():
    # 2 of 32 features tell; the others vary more than twice as much
    X, bags, truth = planted_bags(seed=0)
    est = APR().fit(X, bags=bags)
    assert auc(np.where(truth, 1, -1), est.score_) > 0.95


def around_one_concept(n_irrelevant, seed):
    """60 bags of 2 to 10 in a square, half of them with an instance near one place in the first two
    features; the others are noise."""
    rng = np.random.default_rng(seed)
    sizes, positive = rng.integers(2, 11, 60), np.arange(60) % 2 == 0
    X = rng.uniform(0, 2, (sizes.sum(), 2 + n_irrelevant))
    first = (np.cumsum(sizes) - sizes)[positive]
    X[first, :2] = np.array([0.4, 0.5]) + 0.1 * rng.normal(size=(30, 2))
    return X, Bags.from_column(np.repeat(np.arange(60), sizes), np.where(positive, 1, -1))


@pytest.mark.parametrize("n_irrelevant", [16, 32])
def test_the_features_that_tell_are_found_among_irrelevant_ones_in_five_of_six_draws(n_irrelevant):
    fits = [APR().fit(X, bags=bags)
            for X, bags in (around_one_concept(n_irrelevant, seed) for seed in range(6))]
    assert sum(set(est.features_) == {0, 1} for est in fits) >= 5


def test_bags_not_seen_are_ranked_among_irrelevant_features():
    X, bags = around_one_concept(32, 0)
    other, unseen = around_one_concept(32, 99)
    assert auc(unseen.labels, APR().fit(X, bags=bags).score_bags(other, unseen)) > 0.85


def test_a_box_that_ranks_held_out_bags_is_kept_though_half_of_the_negative_ones_reach_it():
    # A wide box around all targets: instances of most negative bags lie at its rim
    for seed in (4, 5):
        X, bags = around_one_concept(8, seed)
        other, unseen = around_one_concept(8, 100 + seed)
        score = APR().fit(X, bags=bags).score_bags(other, unseen)
        assert auc(unseen.labels, score) > 0.8  # these draws: 0.91 and 0.94
