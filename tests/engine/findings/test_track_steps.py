"""The tracks of a run: what it was made of, what is known of its instances, or its frames in
order."""

import msgspec
import numpy as np

from emberscope.findings.track_steps import track_steps
from emberscope.labels.side_info import Actions

from ..project.builders import a_run


def a_track(n=8, **fields):
    """One instance on each of n frames of one source, in an order of its own."""
    run = a_run(n=n)
    return msgspec.structs.replace(
        run, source=np.full(n, 3), frame=np.arange(n, dtype=np.int32)[::-1].copy(), **fields
    )


def rows(steps):
    return list(zip(steps.before.tolist(), steps.after.tolist(), strict=True))


def test_without_actions_it_goes_from_frame_to_frame():
    found = track_steps(a_track(4), [])
    assert rows(found) == [(3, 2), (2, 1), (1, 0)]
    assert found.action.tolist() == [-1, -1, -1]


def test_a_run_with_two_instances_on_a_frame_is_no_track():
    run = a_track(4)
    assert not len(track_steps(msgspec.structs.replace(run, frame=np.zeros(4, np.int32)), []))


def test_two_frames_are_no_track():
    assert not len(track_steps(a_track(2), []))


def test_actions_of_its_instances_are_its_steps():
    run = a_track(4)
    record = Actions(id=1, instances=tuple(run.ids[[3, 2, 1]].tolist()), actions=("left", ""))
    found = track_steps(run, [record])
    assert (rows(found), found.action.tolist(), found.names) == (
        [(3, 2), (2, 1)],
        [0, -1],
        ("left",),
    )


def test_what_the_run_was_made_of_comes_first():
    state = {
        "before_": np.array([0]),
        "after_": np.array([1]),
        "action_": np.array([0]),
        "actions_": ["go"],
    }
    found = track_steps(a_track(4, state=state), [])
    assert (rows(found), found.names, found.made_of) == ([(0, 1)], ("go",), True)
