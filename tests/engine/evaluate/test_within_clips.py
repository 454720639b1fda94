"""Areas inside clips, and their mean."""

import numpy as np
import pytest

from emberscope.evaluate.scores import auc, grouped_auc_interval
from emberscope.evaluate.within_clips import within_clips

LABELS = np.array([1, 1, -1, -1, 1, 1, -1, -1])
DAY, NIGHT = 0, 1
CLIPS = np.repeat([DAY, NIGHT], 4)
BLOCKS = np.array([0, 1, 0, 1, 0, 1, 0, 1])  # of each clip, numbered anew


def test_pairs_are_compared_inside_a_clip_and_clips_count_alike():
    score = np.array([0.2, 0.4, 0.3, 0.1, 9.2, 9.4, 9.1, 9.0])
    found = within_clips(LABELS, score, BLOCKS, CLIPS)
    assert [value.value for value in found.each] == [0.75, 1.0]
    assert found.mean.value == 0.875
    assert not found.pooled


def test_what_only_tells_clips_apart_is_chance_inside_them():
    score = np.where(CLIPS == NIGHT, 1.0, 0.0)
    of_night = np.array([1, -1, -1, -1, 1, 1, 1, -1])
    assert auc(of_night, score) == 0.75
    assert within_clips(of_night, score, BLOCKS, CLIPS).mean.value == 0.5


def test_a_clip_of_one_kind_of_bags_is_there_and_not_judged():
    labels = np.array([1, 1, -1, -1, 1, 1, 1, 1])
    found = within_clips(labels, np.arange(8.0), BLOCKS, CLIPS)
    assert found.judged.tolist() == [True, False]
    assert (found.positives.tolist(), found.negatives.tolist()) == ([2, 4], [2, 0])
    assert found.mean.value == found.each[0].value == 0.0
    assert np.isnan(found.each[1].value)


def test_areas_are_pooled_and_say_so_where_no_clip_can_be_judged():
    found = within_clips(np.array([1, 1, 1, 1, -1, -1, -1, -1]), np.arange(8.0), BLOCKS, CLIPS)
    assert found.pooled
    assert found.mean.value == 0.0
    assert found.mean.high > 0.5  # two clips are two entries


def test_one_kind_of_bags_alone_has_no_area():
    found = within_clips(np.ones(8, int), np.arange(8.0), BLOCKS, CLIPS)
    assert np.isnan(found.mean.value)
    assert not found.pooled


def test_the_interval_of_one_clip_is_that_of_its_groups():
    score = np.array([0.2, 0.4, 0.3, 0.1])
    found = within_clips(LABELS[:4], score, BLOCKS[:4], CLIPS[:4]).mean
    assert (found.low, found.high) == grouped_auc_interval(LABELS[:4], score, BLOCKS[:4])


def test_more_clips_of_the_same_area_are_more_certain():
    score = np.array([0.2, 0.4, 0.3, 0.1])
    one, four = (within_clips(*(np.tile(column, n) for column in (LABELS[:4], score, BLOCKS[:4])),
                              np.arange(4 * n) // 4).mean for n in (1, 4))
    assert one.low < four.low < four.value == one.value < four.high < one.high


@pytest.mark.parametrize("place", range(8))
def test_no_end_rises_when_the_score_of_a_positive_falls_below_one_negative_more(place):
    rng = np.random.default_rng(place)
    score = rng.permutation(8).astype(float)
    before = within_clips(LABELS, score, BLOCKS, CLIPS).mean
    own = np.flatnonzero(CLIPS[place] == CLIPS)
    below = [row for row in own if LABELS[row] < 0 < LABELS[place] and score[row] < score[place]]
    for row in below:
        between = [k for k in own if score[row] < score[k] < score[place]]
        if not between:  # next to each other in their clip
            worse = score.copy()
            worse[[row, place]] = score[[place, row]]
            assert all(
                np.less_equal(
                    within_clips(LABELS, worse, BLOCKS, CLIPS).mean, np.add(before, 1e-12)
                )
            )


@pytest.mark.parametrize("apart", [(0.0, 2.0), (1.0, 1.0, 1.0, 1.0, 3.0, 99.0), (99.0,) * 3])
def test_the_interval_covers_the_mean_of_areas_that_differ_between_clips(apart):
    rng = np.random.default_rng(1)
    labels, clips = np.tile([1, -1, -1], 6 * len(apart)), np.arange(18 * len(apart)) // 18
    blocks = np.arange(len(labels)) // 3 % 6
    of_block = clips * 6 + blocks
    draws = []
    for _ in range(100):
        own = rng.normal(size=len(labels)) + rng.normal(size=of_block.max() + 1)[of_block]
        draws.append(
            within_clips(labels, own + np.array(apart)[clips] * (labels > 0), blocks, clips).mean
        )
    found, low, high = np.array(draws).T
    # Six other draws: 0.99 to 1.00
    assert np.mean((low <= found.mean()) & (found.mean() <= high)) >= 0.92
