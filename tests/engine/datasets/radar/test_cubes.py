"""Generated radar alarms: the same for the same seed, and with what they say is in them."""

from itertools import islice

import numpy as np
import pytest

from emberscope.datasets.radar.cubes import (
    CHANNELS,
    CLUTTER,
    DEPTHS,
    SCANS,
    TARGETS,
    WINDOW,
    WINDOWS,
    alarms,
    windows,
    witnesses,
)


@pytest.fixture(scope="module")
def drawn():
    """One alarm of each kind."""
    return list(alarms(len(TARGETS), len(CLUTTER), seed=3))


def test_every_kind_of_target_and_clutter_comes_in_turn(drawn):
    assert [alarm.kind for alarm in drawn] == [*TARGETS, *CLUTTER]
    assert [alarm.target for alarm in drawn] == [True] * len(TARGETS) + [False] * len(CLUTTER)
    assert {alarm.echoes.shape for alarm in drawn} == {(DEPTHS, SCANS, CHANNELS)}


def test_the_same_seed_gives_the_same_to_the_bit_and_more_leave_the_others(drawn):
    again = next(iter(alarms(50, 0, seed=3)))
    np.testing.assert_array_equal(again.echoes, drawn[0].echoes)
    other = next(iter(alarms(1, 0, seed=4)))
    assert not np.array_equal(other.echoes, drawn[0].echoes)


def test_the_echo_of_a_target_begins_at_its_top_and_comes_later_aside():
    large = next(islice(alarms(1, 0, seed=0), 1))
    middle, aside = (large.echoes[:, 12, c].argmax() for c in (12, 22))
    assert middle == pytest.approx(large.top, abs=3)
    assert aside - middle > 8


def test_a_long_target_bends_across_the_track_alone(drawn):
    long = drawn[list(TARGETS).index("long down-track")]
    flat = long.echoes[:, :, 12].argmax(axis=0)
    bent = long.echoes[:, 12, :].argmax(axis=0)
    assert np.median(np.abs(flat - long.top)) < 3
    assert bent[[2, 22]].min() - long.top > 8


def test_windows_overlap_by_half_and_reach_from_end_to_end():
    first = windows()
    assert len(first) == WINDOWS
    assert (first[0], first[-1] + WINDOW) == (0, DEPTHS)
    assert set(np.diff(first)) <= {31, 32}


def test_a_window_that_holds_the_top_of_a_target_is_a_witness_and_clutter_has_none(drawn):
    for alarm in drawn:
        found = np.flatnonzero(witnesses(alarm))
        assert len(found) == (0 if not alarm.target else pytest.approx(1, abs=1))
        for window in windows()[found].tolist():
            assert window < alarm.top < window + WINDOW
