"""Actions as motions: turns and shifts found again, inverses, what comes next, what is shown."""

import numpy as np
import pytest

from emberscope.base.errors import ParamError
from emberscope.embedding.unfolding.operators import (
    answered,
    inverse_pairs,
    next_rows,
    operators,
    plan,
    preview,
)
from emberscope.embedding.unfolding.tracks import Steps

CIRCLE = np.stack(
    [np.cos(2 * np.pi * np.arange(16) / 16), np.sin(2 * np.pi * np.arange(16) / 16)], axis=1
)
LINE = np.arange(9.0)[:, None]


def steps(*taken):
    """Steps (before, after, action)."""
    before, after, action = np.array(taken).T
    return Steps(before, after, action)


def there_and_back(n):
    return steps(
        *[(i, i + 1, 0) for i in range(n - 1)], *[(i + 1, i, 1) for i in range(n // 2, n - 1)]
    )


def test_a_turn_is_found_with_its_angle_and_period():
    (turn,) = operators(CIRCLE, steps(*[(i, i + 1, 0) for i in range(10)]), ["turn"])
    np.testing.assert_allclose(turn.angles, [22.5], rtol=1e-5)
    assert turn.period == pytest.approx(16, rel=1e-5)
    np.testing.assert_allclose(turn(CIRCLE), np.roll(CIRCLE, -1, axis=0), atol=1e-5)
    assert turn.residual < 1e-5
    assert turn.count == 10


def test_an_action_taken_too_seldom_for_a_turn_is_a_shift():
    (turn,) = operators(CIRCLE, steps((0, 1, 0), (1, 2, 0)), ["turn"])
    assert np.array_equal(turn.turn, np.eye(2))
    assert np.isinf(turn.period)


def test_steps_along_a_line_turn_nothing_across_it():
    Z = np.hstack([LINE, 1e-9 * np.random.default_rng(0).normal(size=(9, 2))])
    (go, _) = operators(Z, there_and_back(9), ["go", "back"])
    np.testing.assert_allclose(go.turn, np.eye(3), atol=1e-6)
    np.testing.assert_allclose(go.shift, [1, 0, 0], atol=1e-6)


def test_a_mirror_image_is_a_motion_only_where_it_may_be():
    Z = np.array([[0, 0], [1, 0], [0, 1], [3, 3.0]])
    Z = np.vstack([Z, Z * [1, -1]])
    flips = steps(*[(i, i + 4, 0) for i in range(4)])
    assert np.linalg.det(operators(Z, flips, ["flip"], reflections=False)[0].turn) == pytest.approx(
        1
    )
    flip = operators(Z, flips, ["flip"], reflections=True)[0]
    np.testing.assert_allclose(flip(Z[:4]), Z[4:], atol=1e-5)


def test_a_mirror_image_is_taken_where_no_turn_comes_half_as_near():
    Z = np.array([[0, 0], [1, 0], [0, 1], [3, 3.0]])
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    taken = steps(*[(i, i + 4, 0) for i in range(4)])
    for after, sign in ((Z * [1, -1], -1), (Z @ turn, 1)):
        assert np.linalg.det(
            operators(np.vstack([Z, after]), taken, ["act"])[0].turn
        ) == pytest.approx(sign)


def test_an_action_never_taken_stays_where_it_is():
    other = operators(LINE, there_and_back(9), ["go", "back", "jump"])[2]
    assert other.count == 0
    assert np.array_equal(other(LINE), LINE)


def test_the_action_that_undoes_another_is_named():
    taken = there_and_back(9)
    (pair,) = inverse_pairs(LINE, taken, operators(LINE, taken, ["go", "back"]))
    assert (pair.first, pair.second) == ("go", "back")
    assert pair.way < 1e-5


def test_a_longer_way_back_undoes_nothing():
    taken = steps(*[(i, i + 1, 0) for i in range(8)], *[(i + 2, i, 1) for i in range(7)])
    assert inverse_pairs(LINE, taken, operators(LINE, taken, ["go", "back twice"])) == ()


def test_the_next_row_is_as_far_from_where_the_action_led_as_the_row_is_from_where_it_was_taken():
    taken = steps(*[(i, i + 1, 0) for i in range(8)], (8, 7, 1), (7, 6, 1))
    assert next_rows(LINE, taken, np.array([1, 2, 5]), 1).tolist() == [0, 1, 4]
    assert next_rows(LINE, taken, np.array([3]), 2).tolist() == [-1]


def test_of_near_fits_the_exact_one_is_found():
    Z = np.vstack([LINE, LINE + 1e-9])
    assert next_rows(Z * 1e3, there_and_back(9), np.array([5]), 1).tolist() == [4]


def test_questions_are_those_that_the_track_does_not_answer():
    result = np.stack([np.append(np.arange(1, 9), -1), np.append(-1, np.arange(8))], axis=1)
    asked = []

    def wrong_once(rows, action):
        asked.extend((row, action) for row in rows.tolist())
        return np.where(rows == 1, 7, result[rows, action])

    assert answered(there_and_back(9), np.arange(9), result, wrong_once) == 0.75
    assert asked == [(1, 1), (2, 1), (3, 1), (4, 1)]
    assert np.isnan(answered(there_and_back(9), np.arange(9), np.full((9, 2), -1), wrong_once))


def test_a_preview_shows_the_row_that_fits_or_a_mix_of_rows_around_the_target():
    taken = there_and_back(9)
    shown = preview(LINE, taken, operators(LINE, taken, ["go", "back"])[0], 3, (0, 4))
    assert shown.row == 4
    np.testing.assert_allclose(shown.Z, [4])
    assert shown.weights.sum() == pytest.approx(1)
    assert shown.weights.min() > 0
    assert shown.weights @ LINE[shown.rows, 0] == pytest.approx(4)
    assert shown.miss == pytest.approx(0, abs=1e-9)


def test_how_far_off_the_row_of_a_preview_is_counts_in_steps():
    taken = there_and_back(9)
    beyond = preview(LINE, taken, operators(LINE, taken, ["go", "back"])[0], len(LINE) - 1,
                     (0, len(LINE) - 1))
    assert beyond.miss == pytest.approx(1)


def test_a_plan_is_the_shortest_way():
    go, back = operators(LINE, there_and_back(9), ["go", "back"])
    assert plan([go, back], LINE[2], LINE[6], tolerance=0.4) == ("go",) * 4
    assert plan([go, back], LINE[6], LINE[5], tolerance=0.4) == ("back",)
    assert plan([go, back], LINE[3], LINE[3], tolerance=0.4) == ()


def test_a_plan_around_a_circle_turns_the_shorter_way():
    taken = steps(*[(i, i + 1, 0) for i in range(10)], *[(i + 1, i, 1) for i in range(10)])
    motions = operators(CIRCLE, taken, ["right", "left"])
    assert plan(motions, CIRCLE[0], CIRCLE[13], tolerance=0.1) == ("left",) * 3


def test_a_place_that_no_action_leads_to_has_no_plan():
    (go,) = operators(LINE, there_and_back(9), ["go"])
    assert plan([go], LINE[6], LINE[2], tolerance=0.4) is None
    with pytest.raises(ParamError, match="the tolerance is 0"):
        plan([go], LINE[6], LINE[2], tolerance=0)
