"""Where targets of bags lie, by what several sizes of patches agree about."""

from dataclasses import replace

import numpy as np
import pytest

from emberscope.evaluate.places import NEAR, Look, agreed_places, filled, smoothed, standing_out


def grid(side, step):
    """(n, 2) centers of patches over a square of `side` px."""
    at = np.arange(step / 2, side, step)
    return np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2).astype(float)


def look(step, peak, *, n_bags=6, noise=0.0, seed=0):
    """Bags of 96 px whose scores fall with the distance from `peak` (2,)."""
    rng, one = np.random.default_rng(seed), grid(96, step)
    score = np.concatenate(
        [-np.hypot(*(one - peak).T) + noise * rng.normal(size=len(one)) for _ in range(n_bags)]
    )
    bags = {100 + k: np.arange(k * len(one), (k + 1) * len(one)) for k in range(n_bags)}
    return Look(np.tile(one, (n_bags, 1)), score, float(step), bags, rng.normal(-60, 5, 200))


def test_the_place_is_where_the_other_sizes_have_their_peak():
    places = agreed_places([look(12, (30, 60)), look(16, (30, 60)), look(24, (80, 10))])
    for own in places[2].values():  # of the odd one out
        assert np.abs(own - [30, 60]).max() <= NEAR


def test_a_size_does_not_judge_itself():
    alone = agreed_places([look(16, (20, 20)), look(16, (76, 76))])
    assert np.abs(alone[0][100] - [76, 76]).max() <= NEAR
    assert np.abs(alone[1][100] - [20, 20]).max() <= NEAR


def test_bags_that_one_size_does_not_have_get_no_place():
    assert set(agreed_places([look(16, (20, 20), n_bags=6), look(24, (20, 20), n_bags=4)])[0]) == {
        100,
        101,
        102,
        103,
    }


def test_scores_that_peak_at_the_places_stand_out_and_others_do_not():
    places = {100 + k: np.array([30.0, 60.0]) for k in range(6)}
    assert standing_out(look(12, (30, 60)), places) > 0.95
    assert standing_out(look(12, (90, 0)), places) < 0.6


def test_it_is_the_share_of_pairs_of_target_and_ground_in_the_right_order():
    own = look(16, (30, 60), noise=30.0)
    places = {100 + k: np.array([30.0, 60.0]) for k in range(6)}
    target, ground = [], []
    for bag, rows in own.bags.items():
        away = [max(abs(own.at[row] - places[bag])) for row in rows]
        for row, gap in zip(rows, away, strict=True):
            (target if gap <= NEAR or gap == min(away) else ground).append(own.score[row])
    pairs = [(a > b) + (a == b) / 2 for a in target for b in ground]
    assert standing_out(own, places) == pytest.approx(np.mean(pairs), abs=1e-12)


def test_a_target_that_fills_its_bags_leaves_nothing_like_background_in_them():
    places = {100 + k: np.array([30.0, 60.0]) for k in range(6)}
    own = look(12, (30, 60))
    rest = np.concatenate([own.score[rows][np.abs(own.at[rows] - [30, 60]).max(axis=1) > NEAR]
                           for rows in own.bags.values()])
    pairs = [(a > b) + (a == b) / 2 for a in rest for b in own.background]
    assert filled(own, places) == pytest.approx(np.mean(pairs), abs=1e-12)
    assert filled(replace(own, background=own.background - 200), places) == 1.0


def test_only_the_bags_asked_for_count():
    places = {100 + k: np.array([30.0, 60.0]) for k in range(6)}
    places[105] = np.array([90.0, 0.0])
    some = standing_out(look(12, (30, 60)), places, only=range(100, 105))
    assert some > standing_out(look(12, (30, 60)), places)


def test_bags_of_nothing_but_targets_tell_nothing():
    tiny = Look(
        np.zeros((6, 2)), np.arange(6.0), 16.0, {k: np.array([k]) for k in range(6)}, np.zeros(3)
    )
    assert np.isnan(standing_out(tiny, {k: np.zeros(2) for k in range(6)}))


def test_neighboring_sizes_share_their_values_and_unknown_ones_take_no_part():
    out = smoothed(np.array([0.4, np.nan, 0.8, 0.4]))
    np.testing.assert_allclose(out, [0.5, np.nan, 0.6, 0.5])
