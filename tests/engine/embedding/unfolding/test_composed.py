"""Motions made of motions, on a planted group of turns and shifts with noise."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.embedding.unfolding.composed import composed, step_length, undone, way_to
from emberscope.embedding.unfolding.operators import operators
from emberscope.embedding.unfolding.tracks import Steps

NAMES = ("turn", "ahead", "left")
EIGHTH = np.pi / 4
AHEAD, LEFT = np.eye(2)


def planted(seed, noise=0.03):
    """A walk of 300 steps in the plane by turns of 45 degrees about the origin and shifts of 1,
    seen with noise; the places without it, and the steps."""
    rng = np.random.default_rng(seed)
    turn = np.array([[np.cos(EIGHTH), np.sin(EIGHTH)], [-np.sin(EIGHTH), np.cos(EIGHTH)]])
    moves = {0: lambda z: z @ turn, 1: lambda z: z + AHEAD, 2: lambda z: z + LEFT}
    places, taken = [np.zeros(2)], []
    for _ in range(300):
        far = places[-1]
        may = [0, *([1] if far[0] < 3 else []), *([2] if far[1] < 3 else [])]
        taken.append(may[rng.integers(len(may))])
        places.append(moves[taken[-1]](far))
    Z = np.array(places)
    steps = Steps(np.arange(300), np.arange(1, 301), np.array(taken))
    return Z + noise * rng.normal(size=Z.shape), Z, steps, moves


@pytest.mark.parametrize("seed", range(3))
def test_several_actions_in_turn_are_the_one_motion_that_was_planted(seed):
    seen, _, steps, moves = planted(seed)
    motions = operators(seen, steps, NAMES)
    found = composed(motions, ["turn", "ahead", "turn", "left"])
    wanted = moves[2](moves[0](moves[1](moves[0](np.array([1.0, 2.0])))))
    np.testing.assert_allclose(found(np.array([1.0, 2.0])), wanted, atol=0.1)
    np.testing.assert_allclose(found.angles, [90], atol=2)


def test_eight_turns_and_no_action_at_all_lead_nowhere():
    seen, _, steps, _ = planted(0)
    motions = operators(seen, steps, NAMES)
    for names in ([], ["turn"] * 8):
        np.testing.assert_allclose(composed(motions, names).turn, np.eye(2), atol=0.1)
        np.testing.assert_allclose(composed(motions, names).shift, 0, atol=0.15)


def test_an_action_and_its_way_back_cancel():
    seen, _, steps, _ = planted(0)
    turn = operators(seen, steps, NAMES)[0]
    np.testing.assert_allclose(undone(turn)(turn(seen)), seen, atol=1e-9)


def test_an_action_that_was_never_taken_cannot_be_composed():
    seen, _, steps, _ = planted(0)
    motions = operators(seen, steps, (*NAMES, "jump"))
    with pytest.raises(DataError, match=r"'jump'\. Choose turn, ahead, left"):
        composed(motions, ["turn", "jump"])


@pytest.mark.parametrize("seed", range(3))
def test_the_way_that_is_planned_in_noise_reaches_the_wanted_view(seed):
    seen, places, steps, moves = planted(seed)
    motions = operators(seen, steps, NAMES)
    step = step_length(seen, steps)
    rng = np.random.default_rng(seed)
    for start, goal in rng.integers(0, 301, (10, 2)).tolist():
        found = way_to(seen, motions, step, (start, goal))
        there = places[start]
        for name in found.actions:
            there = moves[NAMES.index(name)](there)
        assert np.linalg.norm(there - places[goal]) < 0.75 * step
        assert np.linalg.norm(seen[found.row] - seen[goal]) < step
        assert found.miss <= 0.5


def test_where_no_actions_lead_there_is_no_way():
    seen = np.arange(5.0)[:, None]
    steps = Steps(np.arange(3), np.arange(1, 4), np.zeros(3, int))
    motions = operators(seen, steps, ["ahead"])
    assert way_to(seen, motions, 1.0, (3, 0), most=5) is None
    with pytest.raises(DataError, match="row 9 of 5"):
        way_to(seen, motions, 1.0, (0, 9))
