"""The motions that actions are on the map of a run."""

import msgspec
import numpy as np
import pytest

from emberscope.findings.track_model import TrackModel
from emberscope.findings.track_steps import TrackSteps, track_steps
from emberscope.labels.side_info import Actions
from emberscope.pipeline.motions import motions

from ..project.builders import a_run


def a_track(n, Z):
    """One instance on each of n frames of one source, the last frame first."""
    run = a_run(n=n)
    return msgspec.structs.replace(
        run, source=np.full(n, 3), frame=np.arange(n, dtype=np.int32)[::-1].copy(), Z=Z
    )


def circle(n, degrees):
    angle = np.deg2rad(degrees * np.arange(n))
    return np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)


def test_motions_say_turn_period_and_what_comes_next():
    run = a_track(13, circle(13, 30.0)[::-1].copy())  # row 12 is frame 0, at 0 degrees
    record = Actions(id=1, instances=tuple(run.ids[::-1].tolist()), actions=("on",) * 8 + ("",) * 4)
    found = motions(run.Z, track_steps(run, [record]), row=12 - 9)
    (on,) = found.actions
    assert (round(on.degrees, 3), round(on.period, 3), on.count) == (30, 12, 8)
    assert on.residual < 1e-3
    (after,) = found.next
    assert after.row == 12 - 10
    assert after.miss < 1e-3


def test_an_action_that_undoes_another_is_named():
    x = np.concatenate([np.arange(5.0), np.arange(3.5, -0.5, -1)])[::-1, None].astype(np.float32)
    run = a_track(9, np.hstack([x, 0.1 * x]))
    record = Actions(
        id=1, instances=tuple(run.ids[::-1].tolist()), actions=("up",) * 4 + ("down",) * 4
    )
    found = motions(run.Z, track_steps(run, [record]))
    assert found.inverses == (("down", "up"),)
    assert [round(action.degrees) for action in found.actions] == [0, 0]
    assert found.next == ()


def test_an_action_taken_once_is_a_shift():
    run = a_track(4, circle(4, 10.0))
    record = Actions(id=1, instances=tuple(run.ids[[3, 2]].tolist()), actions=("on",))
    found = motions(run.Z, track_steps(run, [record]), row=1)
    assert [(action.count, action.degrees) for action in found.actions] == [(1, 0.0)]
    assert np.isfinite(found.next[0].miss)


def test_a_zigzag_is_a_mirror_image_step_by_step():
    Z = np.stack([np.arange(9.0), 0.4 * (-1) ** np.arange(9)], axis=1)[::-1].astype(np.float32)
    run = a_track(9, Z)
    record = Actions(id=1, instances=tuple(run.ids[::-1].tolist()), actions=("on",) * 8)
    found = motions(run.Z, track_steps(run, [record]), row=8 - 3)
    (on,) = found.actions
    assert (on.mirrors, on.degrees) == (True, 0.0)
    assert on.residual < 1e-3
    assert found.next[0].row == 8 - 4


def test_of_very_many_actions_those_taken_most_often_are_asked_about():
    n = 100
    action = np.append(np.arange(n), [n - 1, n - 1])  # the last one three times
    steps = TrackSteps(
        np.arange(n + 2), np.arange(1, n + 3), action, tuple(f"a{k}" for k in range(n))
    )
    Z = np.random.default_rng(3).normal(size=(n + 3, 2))
    names = [found.name for found in motions(Z, steps).actions]
    assert names == [*(f"a{k}" for k in range(63)), f"a{n - 1}"]


def test_a_way_between_two_rows_has_its_actions_and_places():
    Z = np.stack([np.arange(9.0), np.zeros(9)], axis=1)
    steps = TrackSteps(np.arange(6), np.arange(1, 7), np.zeros(6, int), ("ahead",))
    found = motions(Z, steps, ends=(1, 4)).way
    assert (found.actions, found.row) == (("ahead",) * 3, 4)
    assert found.words == "ahead x3, 0.00 steps off"
    assert [place[0] for place in found.Z] == pytest.approx([1, 2, 3, 4])
    assert motions(Z, steps, ends=(4, 1)).way.words == "No way by these actions was found"
    assert motions(Z, steps).way is None


def test_motions_are_found_in_the_model_and_shown_on_the_map():
    # A helix: on the map of its first axis alone steps forward lead back as well
    t = np.arange(12)
    places = np.stack([np.cos(t), np.sin(t), 0.5 * t], axis=1)
    steps = TrackSteps(t[:-1], t[1:], np.zeros(11, np.int64), ("on",))
    model = TrackModel(np.hstack([places, np.zeros((12, 1))]), 3)
    turned = places[:, :2] @ np.array([[0.0, 1.0], [-1.0, 0.0]])  # as a map may be, later
    found = motions(turned, steps, model, row=3, ends=(2, 9))
    assert found.way is not None
    assert found.way.actions == ("on",) * 7
    np.testing.assert_allclose(found.way.Z[-1], turned[9], atol=1e-3)
    assert found.next[0].row == 4
    np.testing.assert_allclose(found.next[0].Z, turned[4], atol=1e-3)
    assert len(found.actions[0].way) == 2
