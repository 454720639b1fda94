"""Accuracy, intervals, ROC: worked by hand and against scikit-learn."""

from itertools import permutations
from statistics import NormalDist

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, roc_curve

from emberscope.base.errors import DataError
from emberscope.evaluate.scores import (
    accuracy,
    auc,
    auc_interval,
    grouped_auc_interval,
    majority_rate,
    roc,
)

Y = np.array([1, 1, -1, -1, 1, -1, -1])
SCORE = np.array([0.9, 0.4, 0.4, 0.1, 0.8, 0.8, 0.2])


def test_accuracy_counts_equal_entries():
    assert accuracy(np.array([1, -1, 1]), np.array([1, 1, 1])) == pytest.approx(2 / 3)
    assert np.isnan(accuracy(np.array([]), np.array([])))


def test_majority_says_the_most_frequent_label():
    assert majority_rate(Y) == 4 / 7


def test_auc_counts_pairs_with_ties_half():
    pairs = [(p > n) + 0.5 * (p == n) for p in SCORE[Y > 0] for n in SCORE[Y < 0]]
    assert auc(Y, SCORE) == pytest.approx(np.mean(pairs))
    assert auc(Y, SCORE) == pytest.approx(roc_auc_score(Y, SCORE))


def test_auc_of_one_class_is_not_a_number():
    assert np.isnan(auc(np.ones(3), np.arange(3.0)))


def test_auc_interval_holds_the_area_and_narrows_with_more_data():
    low, high = auc_interval(0.8, 30, 40)
    wide = auc_interval(0.8, 5, 5)
    assert wide[0] < low < 0.8 < high < wide[1]
    np.testing.assert_allclose(auc_interval(0.5, 10, 10), (0.2736, 0.7264), atol=2e-4)


def test_a_perfect_ranking_of_few_is_no_certainty():
    low, high = auc_interval(1.0, 10, 10)
    assert low == pytest.approx(0.8002, abs=1e-4)
    assert high == 1.0


def test_auc_interval_covers_the_true_area_as_often_as_it_says():
    rng = np.random.default_rng(0)
    labels, shift = np.repeat([1, -1], [10, 15]), 2.326  # an area of 0.95
    found = [auc(labels, rng.normal(size=25) + shift * (labels > 0)) for _ in range(400)]
    assert (
        np.mean([low <= 0.95 <= high for low, high in (auc_interval(a, 10, 15) for a in found)])
        > 0.93
    )


def test_auc_interval_of_a_reversed_ranking_is_reversed():
    low, high = auc_interval(0.9, 12, 30)
    np.testing.assert_allclose(auc_interval(1 - 0.9, 30, 12), (1 - high, 1 - low))


def test_copies_in_a_group_are_no_more_data():
    rng = np.random.default_rng(0)
    labels, group = np.repeat([1, -1], [40, 60]), np.arange(100)
    score = rng.normal(size=100) + 0.5 * labels
    once = grouped_auc_interval(labels, score, group)
    twelve = grouped_auc_interval(*(np.repeat(column, 12) for column in (labels, score, group)))
    np.testing.assert_allclose(twelve, once, atol=0.01)


def test_entries_alone_in_their_groups_have_about_the_interval_of_independent_ones():
    rng = np.random.default_rng(1)
    labels = np.repeat([1, -1], 200)
    score = rng.normal(size=400) + 0.7 * labels
    found = grouped_auc_interval(labels, score, np.arange(400))
    np.testing.assert_allclose(found, auc_interval(auc(labels, score), 200, 200), atol=0.01)


def test_a_perfect_ranking_of_many_instances_is_as_sure_as_one_of_their_bags():
    labels = np.tile([1, -1, -1, -1], 12)
    found = grouped_auc_interval(labels, labels.astype(float), np.arange(48) // 4)
    np.testing.assert_allclose(found, auc_interval(1.0, 12, 12))


def test_the_interval_of_groups_covers_the_true_area_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    labels, group = np.tile([1, 1, -1, -1, -1], 30), np.arange(150) // 5
    hits = []
    for _ in range(200):  # an area of 0.95; half of the variance is that of the group
        own = np.sqrt(0.5) * (rng.normal(size=30)[group] + rng.normal(size=150))
        low, high = grouped_auc_interval(labels, own + 2.326 * (labels > 0), group)
        hits.append(low <= 0.95 <= high)
    assert np.mean(hits) > 0.92


def test_roc_is_the_share_of_false_alarms_against_the_share_of_hits():
    fpr, tpr, threshold = roc(Y, SCORE)
    for x, h, t in zip(fpr, tpr, threshold):
        positive = t <= SCORE
        fp, tn = (positive & (Y < 0)).sum(), (~positive & (Y < 0)).sum()
        tp, fn = (positive & (Y > 0)).sum(), (~positive & (Y > 0)).sum()
        assert x == pytest.approx(fp / (fp + tn))
        assert h == pytest.approx(tp / (tp + fn))
    oracle = roc_curve(Y, SCORE, drop_intermediate=False)
    np.testing.assert_allclose(fpr, oracle[0])
    np.testing.assert_allclose(tpr, oracle[1])


def test_a_perfect_roc_goes_through_the_corner():
    fpr, tpr, _ = roc(np.array([-1, 1]), np.array([0.0, 1.0]))
    assert (0.0, 1.0) in list(zip(fpr, tpr))


@pytest.mark.parametrize(
    ("y", "score", "message"),
    [
        ([1, 1], [0, 1], "positives and negatives"),
        ([1, 0], [0, 1], "unknown"),
        ([1, -1], [0, np.nan], "NaN"),
    ],
)
def test_unusable_scores_are_refused(y, score, message):
    with pytest.raises(DataError, match=message):
        roc(np.array(y), np.array(score))


@pytest.mark.parametrize(
    "groups", [[0, 1, 2, 3, 4, 5], [0, 0, 1, 0, 1, 1], [0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 2, 0]]
)
def test_no_end_of_an_interval_rises_when_a_positive_falls_behind_a_negative(groups):
    labels, groups = np.array([1, 1, 1, -1, -1, -1]), np.array(groups)
    for order in permutations(range(6)):  # every ranking there is
        score = np.array(order, float)
        better = grouped_auc_interval(labels, score, groups)
        for place in range(5):
            lower, upper = (int(np.flatnonzero(score == at)[0]) for at in (place, place + 1))
            if labels[upper] > 0 > labels[lower]:
                worse = score.copy()
                worse[[lower, upper]] = score[[upper, lower]]
                assert all(
                    np.less_equal(
                        grouped_auc_interval(labels, worse, groups), np.add(better, 1e-12)
                    )
                )


def test_one_pair_out_of_order_makes_no_ranking_more_certain_than_a_perfect_one():
    rng = np.random.default_rng(0)
    labels, groups = np.repeat([1, -1], [60, 120]), np.arange(180) % 12
    score = rng.random(180) + 2 * labels
    swapped = score.copy()
    last, first = (
        np.argmin(np.where(labels > 0, score, 9)),
        np.argmax(np.where(labels < 0, score, -9)),
    )
    swapped[[last, first]] = score[[first, last]]
    assert auc(labels, score) == 1.0 > auc(labels, swapped) > 0.999
    assert (
        grouped_auc_interval(labels, score, groups)[0]
        >= grouped_auc_interval(labels, swapped, groups)[0]
    )


@pytest.mark.parametrize("area", [0.5, 0.75, 0.9, 0.99, 1.0])
@pytest.mark.parametrize(("n_groups", "shared"), [(5, 0.0), (5, 0.7), (20, 0.3), (20, 0.95)])
def test_intervals_cover_the_area_they_are_of_whatever_it_is(area, n_groups, shared):
    rng = np.random.default_rng(4)
    labels, group = np.tile([1, 1, 1, -1, -1, -1, -1], n_groups), np.arange(7 * n_groups) // 7
    apart = 2**0.5 * NormalDist().inv_cdf(area) if area < 1 else 99.0
    draws = []
    for _ in range(100):
        # Of each class its own
        of_groups = rng.normal(size=(2, n_groups))[(labels > 0).astype(int), group]
        score = (
            shared**0.5 * of_groups
            + (1 - shared) ** 0.5 * rng.normal(size=len(labels))
            + apart * (labels > 0)
        )
        draws.append((auc(labels, score), *grouped_auc_interval(labels, score, group)))
    found, low, high = np.array(draws).T
    # Six other draws: 0.91 to 1.00
    assert np.mean((low <= found.mean()) & (found.mean() <= high)) >= 0.9
