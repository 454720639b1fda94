"""Detections lie apart from each other."""

import numpy as np

from emberscope.scoring.detections import MOST, Detections


def detections(*at, side=10):
    """Detections of (frame, x, y, score), boxes of `side` px."""
    frame, x, y, score = np.array(at, float).T
    box = np.stack([x, y, x + side, y + side], axis=1).astype(np.float32)
    return Detections(
        frame.astype(np.int32), box, np.ones(len(box), np.int64), score.astype(np.float32)
    )


def test_of_two_that_are_nearer_than_six_tenths_of_a_patch_the_higher_one_stays():
    assert detections((0, 0, 0, 0.5), (0, 5, 0, 0.7), (0, 30, 0, 0.1)).apart().tolist() == [1, 2]


def test_neighbors_on_another_frame_take_nothing_away():
    assert detections((1, 0, 0, 0.5), (0, 1, 0, 0.7)).apart().tolist() == [1, 0]


def test_two_targets_side_by_side_both_stay():
    assert detections((0, 0, 0, 0.5), (0, 0, 7, 0.7)).apart().tolist() == [1, 0]


def test_a_frame_has_no_more_than_the_highest_fifty():
    many = detections(*((0, 20 * n, 0, n / 100) for n in range(60)))
    assert many.apart().tolist() == list(range(59, 59 - MOST, -1))


def test_a_larger_patch_around_a_higher_small_one_is_no_second_hit():
    small, large = detections((0, 14, 14, 0.9), side=10), detections((0, 0, 0, 0.5), side=40)
    assert Detections.joined([small, large]).apart().tolist() == [0]
