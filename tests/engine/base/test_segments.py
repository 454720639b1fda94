"""Values reduced segment by segment, where a segment may hold nothing."""

import numpy as np
import pytest

from emberscope.base.segments import segment_reduce

VALUES = np.array([3.0, 1.0, 4.0])


def test_each_segment_ends_where_the_next_one_starts():
    np.testing.assert_array_equal(segment_reduce(np.add, VALUES, np.array([0, 2])), [4, 4])


def test_the_last_segment_may_hold_nothing():
    np.testing.assert_array_equal(
        segment_reduce(np.maximum, VALUES, np.array([0, 3])), [4, -np.inf]
    )


def test_an_empty_segment_does_not_get_the_value_of_its_neighbor():
    np.testing.assert_array_equal(segment_reduce(np.add, VALUES, np.array([0, 1, 1])), [3, 0, 5])


def test_what_an_empty_segment_comes_to_can_be_said():
    np.testing.assert_array_equal(
        segment_reduce(np.add, VALUES, np.array([0, 3]), empty=np.nan), [8, np.nan]
    )


def test_the_least_of_no_whole_numbers_is_the_largest_of_their_type():
    found = segment_reduce(np.minimum, np.array([7, 5], np.int16), np.array([0, 2]))
    np.testing.assert_array_equal(found, [5, 32767])


@pytest.mark.parametrize("axis", [0, 1])
def test_segments_lie_along_the_axis_that_is_named(axis):
    values = np.ones((2, 2))
    assert segment_reduce(np.add, values, np.array([0, 0, 2, 2]), axis=axis).sum() == 4


def test_nothing_at_all_is_reduced_to_empty_segments():
    np.testing.assert_array_equal(segment_reduce(np.add, np.zeros(0), np.zeros(2, int)), [0, 0])


def test_no_segments_are_reduced_to_nothing():
    assert segment_reduce(np.add, VALUES, np.zeros(0, int)).shape == (0,)
