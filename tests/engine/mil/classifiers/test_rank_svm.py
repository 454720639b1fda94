"""Ranking SVM: its optimum against LIBLINEAR's, preferences it has not seen, pairs of bags."""

import numpy as np
import pytest
from scipy.stats import kendalltau
from sklearn.svm import LinearSVC

from emberscope.bags.model import Bags
from emberscope.mil.classifiers.rank_svm import RankSVM, bag_pairs, drawn_members, ranking_direction


def rng():
    return np.random.default_rng(0)


def linear_preferences(seed, n, noise=0.3):
    """Items of 5 features, pairs of them, ordered by a noisy linear utility."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, 5))
    utility = A @ np.array([2.0, -1.0, 0.5, 0.0, 0.0])
    pairs = rng.integers(n, size=(4 * n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    first = (utility[pairs] + noise * rng.normal(size=pairs.shape)) @ [1, -1] > 0
    return A, utility, np.where(first, *pairs.T), np.where(first, *pairs[:, ::-1].T)


def ranges(sizes, labels):
    return Bags.from_column(np.repeat(np.arange(len(sizes)), sizes), labels)


@pytest.mark.parametrize("limit", [0.001, 0.1])
def test_the_direction_is_that_of_a_linear_svm_on_difference_vectors(limit):
    A, _, better, worse = linear_preferences(0, 40)
    D = A[better] - A[worse]
    # A pair told the other way round is the same preference
    flip = np.where(np.arange(len(D)) % 2, 1, -1)
    svc = LinearSVC(C=limit, loss="hinge", fit_intercept=False, tol=1e-8, max_iter=1_000_000)
    expected = svc.fit(D * flip[:, None], flip).coef_[0]
    found = ranking_direction(A, better, worse, limit, rng=rng(), tolerance=1e-7)
    np.testing.assert_allclose(found.w, expected, atol=1e-4)


def test_inner_products_of_few_items_give_the_direction_of_the_features(monkeypatch):
    A = np.random.default_rng(0).normal(size=(30, 6))
    better, worse = np.repeat(np.arange(10), 20), np.tile(np.arange(10, 30), 10)
    few = ranking_direction(A, better, worse, 0.05, rng=rng())
    monkeypatch.setattr("emberscope.mil.classifiers.rank_svm._ITEMS", 0)
    np.testing.assert_allclose(
        few.w, ranking_direction(A, better, worse, 0.05, rng=rng()).w, rtol=1e-9
    )


def test_the_features_of_few_items_are_read_once_whatever_the_number_of_rounds(monkeypatch):
    monkeypatch.setattr("emberscope.mil.classifiers.rank_svm._descend", None)
    A = np.random.default_rng(0).normal(size=(30, 6))
    assert ranking_direction(A, np.arange(10), np.arange(10, 20), 0.05, rng=rng()).settled


def test_the_multipliers_give_the_direction_within_their_bounds():
    A, _, better, worse = linear_preferences(0, 40)
    found = ranking_direction(A, better, worse, 0.05, rng=rng())
    assert found.alpha.min() >= 0
    assert found.alpha.max() <= 0.05
    np.testing.assert_allclose(found.alpha @ (A[better] - A[worse]), found.w, atol=1e-9)


def test_starting_from_the_multipliers_of_the_end_changes_nothing():
    A, _, better, worse = linear_preferences(0, 40)
    end = ranking_direction(A, better, worse, 0.05, rng=rng(), tolerance=1e-8)
    again = ranking_direction(A, better, worse, 0.05, rng=rng(), alpha=end.alpha, tolerance=1e-6)
    np.testing.assert_allclose(again.w, end.w, atol=1e-6)


def test_preferences_it_has_not_seen_are_ordered():
    A, _, better, worse = linear_preferences(0, 80)
    Q, utility, _, _ = linear_preferences(1, 80)
    w = ranking_direction(A, better, worse, 0.1, rng=rng()).w
    assert kendalltau(Q @ w, utility).statistic > 0.8  # six other draws: 0.91 to 0.98


def test_labels_alone_order_instances_it_has_not_seen():
    A, utility, _, _ = linear_preferences(0, 200)
    Q, held_out, _, _ = linear_preferences(1, 80)
    est = RankSVM().fit(A, np.where(utility > 0, 1, -1))
    # Six other draws: 0.96 to 0.98
    assert kendalltau(est.score_instances(Q), held_out).statistic > 0.8


def test_equal_items_are_no_obstacle():
    found = ranking_direction(np.ones((4, 2)), np.array([0, 1]), np.array([2, 3]), 1.0, rng=rng())
    assert found.settled
    assert np.array_equal(found.w, [0, 0])


def test_every_pair_of_a_positive_and_a_negative_bag_is_a_preference():
    better, worse = bag_pairs(ranges([1] * 5, [1, -1, 1, -1, -1]), rng())
    assert set(zip(better, worse, strict=True)) == {(m, n) for m in (0, 2) for n in (1, 3, 4)}


def test_of_too_many_pairs_different_ones_are_drawn():
    better, worse = bag_pairs(ranges([1] * 40, np.where(np.arange(40) % 2, 1, -1)), rng(), most=100)
    assert len(set(zip(better, worse, strict=True))) == 100
    assert (better % 2 == 1).all()
    assert (worse % 2 == 0).all()


def test_an_instance_drawn_lies_in_its_bag():
    bags = ranges([3, 1, 5], [1, -1, 1])
    rows = drawn_members(bags, np.repeat([0, 1, 2], 20), rng())
    assert np.array_equal(np.digitize(rows, [3, 4]), np.repeat([0, 1, 2], 20))


def test_bags_of_one_are_ranked_as_means_or_as_instances_alike():
    A, utility, _, _ = linear_preferences(0, 40)
    y = np.where(utility > 0, 1, -1)
    means, instances = (RankSVM(items=items).fit(A, y) for items in ("means", "instances"))
    np.testing.assert_allclose(
        means.score_, instances.score_, atol=0.05 * np.abs(means.score_).max()
    )


def test_the_strength_of_the_penalty_does_not_depend_on_the_number_of_pairs(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(200) % 2, 1, -1)
    X = rng.normal(size=(200, 3)) + 0.7 * y[:, None]
    all_pairs = RankSVM().fit(X, y)
    monkeypatch.setattr(
        "emberscope.mil.classifiers.rank_svm.bag_pairs.__kwdefaults__", {"most": 1000}
    )
    some = RankSVM().fit(X, y)
    assert (all_pairs.n_pairs_, some.n_pairs_) == (10_000, 1000)
    assert np.linalg.norm(some.weights_) == pytest.approx(
        np.linalg.norm(all_pairs.weights_), rel=0.15
    )


def test_the_mean_of_a_bag_is_judged():
    rng = np.random.default_rng(0)
    bags = ranges([4] * 20, np.where(np.arange(20) % 2, 1, -1))
    X = rng.normal(size=(80, 3)) + (bags.labels[bags.bag_of_member] > 0)[:, None]
    est = RankSVM().fit(X, bags=bags)
    np.testing.assert_allclose(est.score_bags(X, bags), est.score_.reshape(20, 4).mean(axis=1))


def test_the_weights_are_the_loadings_of_the_scaled_features():
    A, utility, _, _ = linear_preferences(0, 60)
    X = A * [1, 10, 100, 1, 1] + 5
    est = RankSVM().fit(X, np.where(utility > 0, 1, -1))
    np.testing.assert_allclose(
        est.score_, (X - est.mean_) / est.scale_ @ est.weights_ - est.threshold_, atol=1e-9
    )
    assert np.argmax(np.abs(est.weights_)) == 0


def test_a_penalty_that_keeps_it_moving_is_noted(monkeypatch):
    monkeypatch.setattr("emberscope.mil.classifiers.rank_svm._MAX_ROUNDS", 1)
    A, utility, _, _ = linear_preferences(0, 40)
    est = RankSVM(penalty=1e3).fit(A, np.where(utility + np.sin(9 * A[:, 3]) > 0, 1, -1))
    assert "still moved" in est.notes_[0]
