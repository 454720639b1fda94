"""Axes that show where frames were taken: made so that the answer is known."""

import numpy as np
import pytest

from emberscope.evaluate.axis_places import told_by_axes, told_by_picture

N = 400


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def scene(rng, *, share=(0.5, 0.5)):
    """Clips 10 and 11, frames 0 .. 39, and sign +1 in a share of the instances of each clip."""
    source = np.repeat([10, 11], N // 2)
    frame = np.tile(np.arange(40), N // 40)
    sign = np.where(rng.random(N) < np.repeat(share, N // 2), 1, -1)
    return source, frame, sign


def test_an_axis_of_the_clip_is_the_place_and_an_axis_of_targets_is_not(rng):
    source, frame, sign = scene(rng)
    Z = np.column_stack([sign, source - 10.5]) + rng.normal(0, 0.3, (N, 2))
    targets, place = told_by_axes(Z, source, frame, sign)
    assert (targets.is_place, place.is_place) == (False, True)
    assert place.clips > 0.7
    assert targets.targets > 0.9
    assert targets.clips < 0.2


def test_a_clip_with_more_targets_does_not_make_their_axis_a_place(rng):
    source, frame, sign = scene(rng, share=(0.9, 0.1))
    Z = (sign + rng.normal(0, 0.3, N))[:, None]
    (found,) = told_by_axes(Z, source, frame, sign)
    assert not found.is_place
    assert found.clips < 0.3


def test_a_clip_with_more_targets_does_not_make_its_axis_one_of_targets(rng):
    source, frame, sign = scene(rng, share=(0.9, 0.1))
    Z = (source + rng.normal(0, 0.3, N))[:, None]
    (found,) = told_by_axes(Z, source, frame, sign)
    assert found.is_place
    assert found.targets < 0.3


def test_an_axis_that_goes_with_time_is_the_place_of_one_clip(rng):
    frame, sign = np.tile(np.arange(40), N // 40), rng.choice([-1, 1], N)
    Z = np.column_stack([frame / 40 + rng.normal(0, 0.1, N), rng.normal(size=N)])
    along, noise = told_by_axes(Z, np.full(N, 10), frame, sign)
    assert (along.is_place, noise.is_place) == (True, False)
    assert along.clips == 0


def test_noise_tells_nothing(rng):
    found = told_by_picture(rng.normal(size=(N, 3)), *scene(rng))
    assert max(found) < 0.3


def test_a_split_along_no_axis_is_found_in_the_picture(rng):
    source, frame, sign = scene(rng)
    Z = np.column_stack([source - 10.5, 0.3 * sign]) + rng.normal(0, 0.25, (N, 2))
    turned = Z @ np.array([[1, -1], [1, 1]]) / np.sqrt(2)
    assert told_by_picture(turned, source, frame, sign).clips == pytest.approx(
        told_by_picture(Z, source, frame, sign).clips, abs=0.02)
    assert told_by_picture(turned, source, frame, sign).is_place


def test_two_clips_apart_in_opposite_ways_for_targets_and_ground_are_no_place(rng):
    source, frame, sign = scene(rng)
    Z = ((source - 10.5) * sign + rng.normal(0, 0.1, N))[:, None]
    (found,) = told_by_axes(Z, source, frame, sign)
    assert found.clips < 0.2


def crowd(rng, *, frames=6, bags=4, each=10):
    """One clip, all targets: bags of each frame, whose instances lie close together."""
    frame = np.repeat(np.arange(frames), bags * each)
    bag = np.repeat(np.arange(frames * bags), each)
    own = rng.normal(0, 1, frames * bags)[bag] + rng.normal(0, 0.2, len(bag))
    return frame, bag, own


def test_frames_that_lie_apart_in_no_order_are_a_place(rng):
    frame, bag, own = crowd(rng)
    Z = (own + 6.0 * np.isin(frame, [1, 4]))[:, None]
    where = np.full(len(frame), 10), frame, np.ones(len(frame), int)
    (found,) = told_by_axes(Z, *where, bag)
    assert found.frames < 0.3
    assert found.single > 0.7
    assert found.is_place
    assert told_by_picture(np.column_stack([own, Z[:, 0] + own]), *where, bag).is_place


def test_bags_that_are_alike_in_themselves_set_no_frames_apart():
    """Patches of a bag overlap; in 40 draws chance alone is ahead of 999 others once at most."""
    told = []
    for draw in range(40):
        frame, bag, own = crowd(np.random.default_rng(draw))
        where = np.full(len(frame), 10), frame, np.ones(len(frame), int)
        told += told_by_axes(own[:, None], *where, bag)
    assert sum(found.single > 0 for found in told) <= 1


def test_one_bag_a_frame_says_nothing_of_frames(rng):
    frame, _, _ = crowd(rng)
    where = np.full(len(frame), 10), frame, np.ones(len(frame), int)
    (found,) = told_by_axes(np.isin(frame, [1, 4]).astype(float)[:, None], *where, frame)
    assert found.single == 0


@pytest.mark.parametrize("n", [0, 1, 3])
def test_too_few_instances_tell_nothing(n):
    found = told_by_axes(np.zeros((n, 2)), np.arange(n), np.zeros(n, int), np.ones(n, int))
    assert all(told == (0, 0, 0, 0) for told in found)


def test_instances_of_no_sign_take_part_in_places_only(rng):
    source, frame, _ = scene(rng)
    Z = (source + rng.normal(0, 0.3, N))[:, None]
    (found,) = told_by_axes(Z, source, frame, np.zeros(N, int))
    assert found.targets == 0
    assert found.is_place
