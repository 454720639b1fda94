"""Agreement of pairs with a map, learned with and without them."""

import numpy as np
import pytest

from emberscope.metric.agreement import agreement, held_out_agreement, metric_of, of_shares
from emberscope.metric.pairs import Pairs


def pairs(rows, same):
    return Pairs(np.array(rows), np.array(same, bool), np.ones(len(rows)))


def test_near_pairs_alike_and_far_pairs_different_agree_wholly():
    Z = np.array([[0.0], [0.1], [5.0], [5.1]])
    assert (
        agreement(pairs([(0, 1), (2, 3), (0, 2)], [True, True, False]), 4, metric_of(Z)).share
        == 1.0
    )


def test_both_kinds_count_alike_however_many_there_are():
    right, same = np.array([True] * 90 + [False] * 10), np.array([True] * 90 + [False] * 10)
    assert of_shares(right, same).share == 0.5


def test_the_interval_of_one_kind_is_that_of_wilson():
    """8 of 10: 0.490 to 0.943 (Brown, Cai and DasGupta 2001)."""
    right = np.arange(10) < 8
    np.testing.assert_allclose(
        of_shares(right, np.ones(10, bool)).interval, [0.490, 0.943], atol=5e-4
    )


def test_pairs_alike_alone_are_measured_against_usual_distances():
    Z = np.arange(100.0)[:, None]
    near = [(2 * i, 2 * i + 1) for i in range(10)]
    assert agreement(pairs(near, [True] * 10), 100, metric_of(Z)).share == 1.0
    far = [(i, 90 + i) for i in range(10)]
    assert agreement(pairs(far, [True] * 10), 100, metric_of(Z)).share == 0.0


def test_whoever_is_learned_from_takes_no_part_in_what_is_judged():
    rows = np.random.default_rng(0).integers(0, 30, (60, 2))
    rows = rows[rows[:, 0] != rows[:, 1]]
    all_pairs = pairs(rows, np.arange(len(rows)) % 2)
    seen = []

    def learn(some):
        seen.append(set(some.rows.ravel().tolist()))
        return metric_of(np.zeros((30, 1)))

    found = held_out_agreement(all_pairs, 30, learn)
    assert 1 <= len(seen) <= 5
    strange = sum(not known & set(pair) for known in seen for pair in rows.tolist())
    assert 0 < found.tested <= strange


def test_separate_pairs_are_all_judged():
    rows = np.arange(40).reshape(20, 2)
    found = held_out_agreement(
        pairs(rows, np.arange(20) % 2), 40, lambda some: metric_of(np.arange(40.0)[:, None])
    )
    assert found.tested == 20


def test_where_nothing_can_be_held_out_the_share_is_unknown():
    star = pairs([(0, 1), (0, 2), (0, 3)], [True, False, True])
    found = held_out_agreement(star, 4, lambda some: metric_of(np.zeros((4, 1))))
    assert np.isnan(found.share)
    assert np.isnan(found.interval).all()


@pytest.mark.parametrize("n", [2, 3])
def test_a_handful_of_instances_raises_nothing(n):
    found = held_out_agreement(
        pairs([(0, 1), (1, 0)], [True, True]), n, lambda some: metric_of(np.zeros((n, 1)))
    )
    assert np.isnan(found.share)
