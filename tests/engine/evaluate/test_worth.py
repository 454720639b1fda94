"""How many independent entries those of groups are worth."""

import numpy as np
import pytest

from emberscope.evaluate.worth import worth

POSITIVE = np.tile([True, True, False, False], 6)
GROUP = np.arange(24) // 4
ONE_CLIP = np.zeros(24, int)


def test_copies_in_a_group_are_worth_one():
    score = np.repeat(np.random.default_rng(0).normal(size=12), 2)
    assert worth(POSITIVE, score, GROUP, ONE_CLIP)[0].max() == pytest.approx(6.0)


def test_entries_that_are_no_more_alike_in_a_group_than_elsewhere_are_worth_themselves():
    apart = np.repeat(np.arange(6), 4) * np.tile([1, -1, 1, -1], 6)
    score = np.tile([0.0, 5.0, 1.0, 6.0], 6) + 0.1 * apart
    np.testing.assert_allclose(worth(POSITIVE, score, GROUP, ONE_CLIP), [[12.0, 12.0]])


def test_nothing_changes_when_a_positive_and_a_negative_change_places():
    score = np.random.default_rng(1).permutation(24).astype(float)
    before, changed = worth(POSITIVE, score, GROUP, ONE_CLIP), 0
    for place in range(23):
        pair = [int(np.flatnonzero(score == at)[0]) for at in (place, place + 1)]
        if POSITIVE[pair[0]] != POSITIVE[pair[1]]:
            other = score.copy()
            other[pair] = score[pair[::-1]]
            np.testing.assert_array_equal(worth(POSITIVE, other, GROUP, ONE_CLIP), before)
            changed += 1
    assert changed > 5


def test_groups_in_which_positives_are_low_where_negatives_are_high_are_worth_less():
    of_group = np.repeat(np.random.default_rng(2).normal(size=6), 4)
    noise = np.random.default_rng(3).normal(size=24)
    together, against = (
        worth(POSITIVE, noise + 2 * of_group * np.where(POSITIVE, 1, sign), GROUP, ONE_CLIP)
        for sign in (1, -1)
    )
    assert (against < 0.8 * together).all()


def test_equal_scores_tell_nothing_so_that_groups_count():
    np.testing.assert_allclose(
        worth(POSITIVE, POSITIVE.astype(float), GROUP, ONE_CLIP), [[6.0, 6.0]]
    )


def test_a_clip_without_a_class_is_worth_nothing_of_it():
    clip = GROUP // 3
    found = worth(POSITIVE & (clip == 0), np.arange(24.0), GROUP, clip)
    assert found[1, 0] == 0.0 < found[0].min()
