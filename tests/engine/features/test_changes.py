"""What is new at its place on other frames."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from emberscope.bags.model import Instances
from emberscope.base.errors import Cancelled, FormatError
from emberscope.base.monitor import Watch
from emberscope.features.changes import LAGS, NAMES, _largest, changes

GROUND = gaussian_filter(np.random.default_rng(0).normal(0, 1, (160, 260)), 3) * 600
TARGET = [64, 44, 88, 68]
ELSEWHERE = [20, 20, 44, 44]
FAINT = 0.1  # arcsinh: noise
NOW = 20  # the frame that is looked at, of 41


def clip(*, drift=0, step=2, heat=2000.0):
    """Frames of a camera that drifts over ground, and a target of 8 x 8 px that moves over the
    frame by `step`."""
    out = []
    for number in range(2 * NOW + 1):
        noise = np.random.default_rng(number).normal(0, 5, (120, 160))
        frame = GROUND[10:130, 20 + drift * number : 180 + drift * number] + noise
        x = 72 + step * (number - NOW)
        frame[52:60, x : x + 8] += heat
        out.append(frame)
    return out


def seen(source, boxes=(TARGET, ELSEWHERE), frame=NOW):
    X = changes(Instances.at([0] * len(boxes), [frame] * len(boxes), boxes), lambda _: source)
    return dict(zip(NAMES, X.T.tolist(), strict=True))


def test_a_hot_target_that_moves_over_ground_is_hotter_than_its_place_was(memory_source):
    target, ground = seen(memory_source(clip()))["hotter than at most times"]
    assert target > 1
    assert ground < FAINT


def test_a_cold_target_is_colder_than_its_place_was(memory_source):
    target, ground = seen(memory_source(clip(heat=-2000.0)))["colder than at most times"]
    assert target > 1
    assert ground < FAINT


def test_a_hot_thing_that_stays_is_nothing_new(memory_source):
    assert seen(memory_source(clip(step=0)))["hotter than at most times"][0] < FAINT


def test_ground_that_the_camera_passes_over_is_nothing_new(memory_source):
    target, ground = seen(memory_source(clip(drift=2, step=-2)))["hotter than 15 frames away"]
    assert target > 0.5
    assert ground < FAINT


def test_without_other_frames_nothing_is_new(memory_source):
    assert not any(map(any, seen(memory_source(clip()[:1]), frame=0).values()))


def test_frames_beyond_the_ends_of_the_clip_say_nothing(memory_source):
    assert LAGS[-1] > NOW
    assert seen(memory_source(clip()))[f"hotter than {LAGS[-1]} frames away"] == [0, 0]


def test_a_support_outside_of_the_frame_has_nothing_new(memory_source):
    assert not any(map(any, seen(memory_source(clip()), boxes=([-50, -50, -20, -20],)).values()))


def test_neighbors_that_cannot_be_read_are_left_out(memory_source):
    class Damaged(memory_source):
        def read(self, index):
            if index < NOW:
                raise FormatError("memory", index, "cut short", "")
            return super().read(index)

    assert seen(Damaged(clip()))["hotter than at most times"][0] > 1


def test_values_that_are_no_number_do_not_spread(memory_source):
    frames = clip()
    for frame in frames:
        frame[:5] = np.nan
    target, ground = seen(memory_source(frames))["hotter than at most times"]
    assert target > 1
    assert ground < FAINT


def test_each_frame_is_read_once(memory_source):
    source, frames = memory_source(clip()), [NOW - 4, NOW, NOW + 4]
    changes(Instances.at([0] * 3, frames, [TARGET] * 3), lambda _: source)
    assert set(source.reads.values()) == {1}


def test_a_row_does_not_depend_on_the_others(memory_source):
    many = Instances.at([0] * 4, [3, NOW, NOW, 40], [TARGET, ELSEWHERE, TARGET, TARGET])
    X = changes(many, lambda _: memory_source(clip()))
    for i in range(len(many)):
        np.testing.assert_array_equal(
            changes(many.take(np.array([i])), lambda _: memory_source(clip()))[0], X[i]
        )


def test_cancelling_is_heard(memory_source):
    with pytest.raises(Cancelled):
        changes(
            Instances.at([0], [NOW], [TARGET]),
            lambda _: memory_source(clip()),
            monitor=Watch(stop=lambda: True),
        )


def test_code_for_one_frame_beside_does_for_many(memory_source):
    seen(memory_source(clip()[: LAGS[0] + 1]), frame=0)
    seen(memory_source(clip()))
    assert len(_largest.signatures) == 1
