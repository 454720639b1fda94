"""Curves of scores against truth, and whether their bands cover what they say."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.evaluate.curves import ALARMS, RECALLS, SHARES, curves, drawn_areas
from emberscope.evaluate.scores import auc

TARGET, GROUND = True, False


def sample(rng, *, groups=20, per=10, gap=1.5, alike=0.2):
    """Scores of targets `gap` above those of ground; members of a group have something in
    common."""
    group = np.repeat(np.arange(groups), per)
    positive = rng.random(groups * per) < 0.5
    score = np.sqrt(1 - alike) * rng.normal(size=len(group))
    return positive, score + np.sqrt(alike) * rng.normal(size=groups)[group] + gap * positive, group


def test_a_perfect_ranking_finds_all_before_the_first_mistake():
    found = curves(
        np.array([TARGET, TARGET, GROUND, GROUND]), np.array([4.0, 3, 2, 1]), np.arange(4)
    )
    assert found.found.y.tolist() == [1.0] * len(SHARES)
    assert found.precision.y.tolist() == [1.0] * len(RECALLS)
    assert (found.area.value, found.partial.value, found.average_precision.value) == (1.0, 1.0, 1.0)


def test_the_area_is_that_of_the_room_of_scores():
    positive, score, group = sample(np.random.default_rng(0))
    assert curves(positive, score, group).area.value == pytest.approx(
        auc(np.where(positive, 1, -1), score))


def test_average_precision_is_the_mean_precision_at_each_target():
    found = curves(
        np.array([TARGET, GROUND, TARGET, GROUND]), np.array([4.0, 3, 2, 1]), np.arange(4)
    )
    assert found.average_precision.value == pytest.approx((1 + 2 / 3) / 2)


def test_equal_scores_are_crossed_at_once():
    found = curves(np.array([TARGET, GROUND, GROUND, TARGET]), np.ones(4), np.arange(4))
    assert found.area.value == 0.5
    assert found.found.y[SHARES == 1.0] == 1.0


def test_false_alarms_are_counted_per_frame():
    positive = np.array([TARGET, GROUND, TARGET, GROUND])
    found = curves(positive, np.array([4.0, 3, 2, 1]), np.array([0, 0, 1, 1]),
                   frames=np.array([1.0, 1.0]))
    assert found.found.y[ALARMS < 0.4].max() == pytest.approx(0.5)
    assert found.found.y[ALARMS >= 0.51].min() == 1.0
    assert np.isnan(found.area.value)


def test_a_target_that_is_never_found_stays_missing():
    found = curves(np.array([TARGET, TARGET, GROUND]), np.array([1.0, -np.inf, 0.5]), np.arange(3))
    assert found.found.y.max() == 0.5


def test_a_perfect_ranking_of_few_is_not_certain():
    found = curves(np.array([TARGET] * 5 + [GROUND] * 5), np.arange(10)[::-1], np.arange(10))
    assert found.found.low[SHARES == 0.5] < 0.7
    assert found.average_precision.low < 0.8


def test_draws_of_the_same_groups_are_the_same():
    positive, score, group = sample(np.random.default_rng(1))
    assert np.array_equal(drawn_areas(positive, score, group), drawn_areas(positive, score, group))


@pytest.mark.parametrize("positive", [[True, True], [False, False]])
def test_one_kind_alone_is_refused(positive):
    with pytest.raises(DataError, match="needs targets and ground"):
        curves(np.array(positive), np.arange(2.0), np.arange(2))


def test_a_score_that_is_no_number_is_refused():
    with pytest.raises(DataError, match="NaN"):
        curves(np.array([True, False]), np.array([np.nan, 1.0]), np.arange(2))


@pytest.mark.parametrize(("groups", "alike"), [(20, 0.0), (12, 0.3)])
def test_bands_cover_what_a_very_large_sample_shows(groups, alike):
    rng, draws = np.random.default_rng(2), 60
    truth = curves(*sample(rng, groups=4000, alike=alike), draws=2)
    hits = {name: [] for name in ("found", "precision", "area", "average_precision")}
    for _ in range(draws):
        got = curves(*sample(rng, groups=groups, alike=alike), draws=100)
        for name, own in hits.items():
            band, whole = getattr(got, name), getattr(truth, name)
            value = getattr(whole, "y", getattr(whole, "value", None))
            own.append((band.low <= value) & (value <= band.high))
    for name, own in hits.items():
        assert np.mean(own) >= 0.90, name


def test_false_alarms_are_drawn_with_the_frames_of_their_own_group():
    group = np.repeat(np.arange(1, 40, 2), 11)  # every other group has no entry, and no frame
    positive = np.tile([TARGET, *[GROUND] * 10], 20)
    found = curves(positive, np.where(positive, 1.0, 2.0), group, frames=np.tile([0.0, 10.0], 20))
    assert found.found.low[(ALARMS > 1.1) & (ALARMS < 1.5)].min() > 0.7
