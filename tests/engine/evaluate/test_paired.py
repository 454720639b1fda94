"""Whether one of two scores is better, or chance."""

import numpy as np
import pytest
from scipy import stats

from emberscope.evaluate.paired import area_difference, corrected_mean, mcnemar


def test_verdicts_on_which_both_agree_say_nothing():
    right = np.array([True, False, True])
    assert mcnemar(right, right) == (0, 0, 1.0)


def test_ten_more_right_and_none_wrong_is_no_chance():
    first = np.array([False] * 10 + [True] * 10)
    found = mcnemar(first, np.ones(20, bool))
    assert (found.only_first, found.only_second) == (0, 10)
    assert found.chance == 2 / 2**10


def test_a_score_is_no_better_than_itself():
    rng = np.random.default_rng(0)
    target, score = rng.random(100) < 0.5, rng.normal(size=100)
    assert area_difference(target, score, score, np.arange(100)) == (0.0, 0.0, 0.0, 1.0)


def test_a_clearly_better_score_leaves_zero_outside():
    rng = np.random.default_rng(1)
    target = rng.random(300) < 0.5
    found = area_difference(target, rng.normal(size=300), rng.normal(size=300) + 3 * target,
                            np.arange(300) // 10)
    assert found.low > 0.2


def test_of_two_scores_as_good_the_interval_mostly_holds_zero():
    hits, rng = [], np.random.default_rng(2)
    for _ in range(80):
        target, group = rng.random(200) < 0.5, np.arange(200) // 10
        both = [rng.normal(size=200) + 0.4 * rng.normal(size=20)[group] + target for _ in range(2)]
        found = area_difference(target, *both, group, draws=100)
        hits.append(found.low <= 0 <= found.high)
    assert 0.90 <= np.mean(hits) <= 0.99


def test_folds_that_learn_from_the_same_widen_the_interval():
    values = np.array([0.01, 0.02, 0.03, 0.02, 0.02])
    few, many = corrected_mean(values, 0.05), corrected_mean(values, 0.5)
    assert few.value == many.value
    assert many.high - many.low > few.high - few.low


def test_one_fold_says_nothing():
    assert corrected_mean(np.array([0.1, np.nan]), 0.2)[1:3] == (-1.0, 1.0)


def test_the_corrected_test_is_that_of_nadeau_and_bengio():
    values = np.array([0.01, 0.03, 0.02, 0.05, -0.01])
    t = values.mean() / np.sqrt((1 / 5 + 0.2 / 0.8) * values.var(ddof=1))
    assert corrected_mean(values, 0.2).chance == pytest.approx(2 * stats.t.sf(t, 4))


def test_an_interval_that_ends_at_zero_goes_with_a_p_of_a_twentieth():
    values = np.array([0.1, 0.0, 0.2, 0.15, 0.05])
    half = values.mean() - corrected_mean(values, 0.2).low
    assert corrected_mean(values - values.mean() + half, 0.2).chance == pytest.approx(0.05)


def test_p_falls_below_a_twentieth_where_the_interval_leaves_zero_out():
    rng = np.random.default_rng(3)
    noise = rng.normal(0, 0.02, 10)
    away, there = (corrected_mean(noise - noise.mean() + shift, 0.1) for shift in (0.05, 0.005))
    assert away.low > 0
    assert away.chance < 0.05
    assert there.low < 0
    assert there.chance > 0.05
