"""Actions of a track from recorded angles, and from how the scenery moves."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from emberscope.base.errors import DataError
from emberscope.labels.track_actions import actions_of_motion, actions_of_values

IDS = (11, 12, 13, 14, 15)


def named(values, **options):
    return actions_of_values(values, range(len(values)), id=1, **options).actions


def test_equal_changes_of_a_number_are_one_action():
    found = actions_of_values([0, 5, 10, 5, 5], IDS, id=7)
    assert found.actions == ("azimuth +5°", "azimuth +5°", "azimuth -5°", "stay")
    assert (found.id, found.instances, found.origin) == (7, IDS, "imported")


def test_small_errors_do_not_make_another_action():
    assert named([0, 5.1, 10, 14.9, 25], name="range", unit=" m", step=5) == (
        "range +5 m", "range +5 m", "range +5 m", "range +10 m")


def test_a_change_between_two_steps_and_a_missing_number_are_unknown():
    assert named([0, 5, 12.5, np.nan, 20], step=5) == ("azimuth +5°", "", "", "")


def test_an_angle_goes_on_over_north():
    assert named([350, 355, 0, 5, 0], turn=360) == ("azimuth +5°",) * 3 + ("azimuth -5°",)


def test_a_number_that_never_changes_has_no_step():
    with pytest.raises(DataError, match="nothing changes"):
        named([3, 3, 3])
    assert named([3, 3, 3], step=1) == ("stay", "stay")


@pytest.mark.parametrize(("values", "step", "words"), [
    ([1, 2], None, "2 values for 5 instances"), ([1, 2, 3, 4, 5], 0, "a step of 0 is none"),
    ([1, 2, 3, 4, 5], np.nan, "a step of nan is none")])
def test_what_does_not_fit_is_refused_in_words(values, step, words):
    with pytest.raises(DataError, match=words):
        actions_of_values(values, IDS, id=1, step=step)


@pytest.fixture(scope="module")
def scenery():
    return gaussian_filter(np.random.default_rng(0).normal(size=(240, 320)), 2)


def seen(scenery, *corners):
    """A reader of windows of 128 x 160 of a larger scenery."""
    return lambda frame: scenery[corners[frame][0] :, corners[frame][1] :][:128, :160]


def test_scenery_that_moves_names_the_actions(scenery):
    read = seen(scenery, (40, 40), (40, 32), (40, 24), (48, 24), (48, 24))
    found = actions_of_motion(read, range(5), IDS, id=3)
    assert found.actions == ("1 right", "1 right", "1 up", "stay")
    assert found == actions_of_motion(read, range(5), IDS, id=3)


def test_scenery_that_moves_two_ways_at_once_says_both(scenery):
    read = seen(scenery, (40, 40), (32, 40), (24, 24))
    assert actions_of_motion(read, range(3), IDS[:3], id=3, step=8).actions == (
        "1 down",
        "2 right 1 down",
    )


def test_frames_that_have_nothing_in_common_are_unknown(scenery):
    read = [
        scenery[:128, :160],
        np.random.default_rng(1).normal(size=(128, 160)),
        scenery[:128, :160],
    ].__getitem__
    assert actions_of_motion(read, range(3), IDS[:3], id=3, step=8).actions == ("", "")


def test_frames_and_instances_must_be_as_many(scenery):
    with pytest.raises(DataError, match="2 frames for 5 instances"):
        actions_of_motion(seen(scenery, (0, 0), (0, 8)), range(2), IDS, id=1)
