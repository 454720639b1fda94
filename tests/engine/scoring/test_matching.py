"""Detections are hits or false alarms, by truth."""

import numpy as np
import pytest

from emberscope.labels.truth_objects import TruthBox
from emberscope.scoring.matching import FALSE_ALARM, HIT, NEITHER, match

from .test_detections import detections


def target(frame, x, y, side=10, **more):
    return TruthBox(frame, x, y, x + side, y + side, **more)


def test_a_detection_on_a_target_is_a_hit_and_one_beside_it_a_false_alarm():
    told = match(detections((0, 0, 0, 0.9), (0, 40, 0, 0.5)), [target(0, 2, 2)], [0])
    assert told.outcome.tolist() == [HIT, FALSE_ALARM]
    assert told.target.tolist() == [0, -1]


def test_a_target_is_hit_once_by_the_highest_and_the_second_one_says_nothing():
    told = match(detections((0, 4, 0, 0.3), (0, 0, 0, 0.9)), [target(0, 0, 0)], [0])
    assert told.outcome.tolist() == [NEITHER, HIT]


def test_two_targets_beside_each_other_are_hit_by_two_detections():
    found = detections((0, 3, 0, 0.9), (0, 9, 0, 0.8))
    told = match(found, [target(0, 0, 0), target(0, 10, 0)], [0])
    assert told.target.tolist() == [0, 1]


def test_a_middle_may_lie_as_far_outside_the_box_as_reach_says():
    found = detections((0, 12, 0, 0.9))  # middle at 17, the box ends at 10
    assert match(found, [target(0, 0, 0)], [0]).outcome.tolist() == [HIT]
    assert match(found, [target(0, 0, 0)], [0], reach=6).outcome.tolist() == [FALSE_ALARM]


def test_what_lies_in_a_region_to_be_left_out_says_nothing_and_is_no_target():
    told = match(detections((0, 0, 0, 0.9)), [target(0, 0, 0, ignore=True)], [0])
    assert told.outcome.tolist() == [NEITHER]
    assert len(told.targets) == 0


def test_detections_on_frames_without_truth_are_counted_and_left_out():
    found = detections((0, 0, 0, 0.9), (1, 40, 0, 0.8), (2, 40, 0, 0.7))
    told = match(found, [target(0, 0, 0), target(1, 0, 0)], [0, 2])
    assert told.outcome.tolist() == [HIT, NEITHER, FALSE_ALARM]
    assert (told.skipped, told.n_frames, len(told.targets)) == (1, 2, 1)


def test_the_curve_goes_from_the_highest_score_down():
    found = detections((0, 0, 0, 0.9), (0, 40, 0, 0.8), (1, 0, 0, 0.7), (1, 40, 0, 0.7))
    alarms, share, threshold = match(found, [target(0, 0, 0), target(1, 0, 0)], [0, 1]).curve()
    assert alarms.tolist() == [0, 0, 0.5, 1]
    assert share.tolist() == [0, 0.5, 0.5, 1]
    np.testing.assert_allclose(threshold, [np.inf, 0.9, 0.8, 0.7])


@pytest.mark.parametrize(("alarms", "share"), [(0, 0.5), (0.9, 0.5), (1, 1.0), (7, 1.0)])
def test_found_at_a_number_of_false_alarms_per_frame(alarms, share):
    found = detections((0, 0, 0, 0.9), (0, 40, 0, 0.8), (1, 0, 0, 0.7), (1, 40, 0, 0.7))
    told = match(found, [target(0, 0, 0), target(1, 0, 0)], [0, 1])
    assert told.found_at(alarms)[0] == share


def test_without_a_target_the_share_found_is_not_a_number():
    assert np.isnan(match(detections((0, 0, 0, 0.9)), [], [0]).found_at(1)[0])


def test_without_a_detection_nothing_is_found():
    none = detections((0, 0, 0, 0.9)).take(np.array([], int))
    assert match(none, [target(0, 0, 0)], [0]).found_at(1) == (0.0, np.inf)


def test_the_interval_of_what_is_found_holds_it_and_is_narrower_of_more_frames():
    def widths(n):
        found = detections(*((frame, 0 if frame % 2 else 40, 0, 0.9) for frame in range(n)))
        told = match(found, [target(frame, 0, 0) for frame in range(n)], range(n))
        low, high = told.found_within(1)
        assert low <= told.found_at(1)[0] == 0.5 <= high
        return high - low

    assert widths(400) < 0.5 * widths(20)


def test_that_all_of_few_targets_are_found_is_no_certainty():
    found = detections(*((frame, 0, 0, 0.9) for frame in range(12)))
    low, high = match(found, [target(frame, 0, 0) for frame in range(12)],
                      range(12)).found_within(1)
    assert 0.3 < low < 0.74  # the end for 12 that do not depend on each other (Clopper and Pearson)
    assert high == 1


def test_that_none_of_few_targets_are_found_is_no_certainty():
    found = detections(*((frame, 90, 0, 0.9) for frame in range(12)))
    low, high = match(found, [target(frame, 0, 0) for frame in range(12)],
                      range(12)).found_within(1)
    assert low == 0
    assert 0.26 < high < 0.7


def test_of_no_target_the_interval_is_not_a_number():
    assert np.isnan(match(detections((0, 0, 0, 0.9)), [], [0]).found_within(1)).all()
