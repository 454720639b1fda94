"""Areas, distances and hit tests, against shapes one can check by eye."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberscope.labels.geometry import (
    area,
    bounds,
    disc_meets_boxes,
    distance_to_boxes,
    distance_to_line,
    hit,
    inside,
    intersection,
    line_meets_boxes,
    line_near_boxes,
    points_in_box,
)
from emberscope.labels.model import Box, FrameLabel, Ignore, Scribble, Spot

UNIT = [0, 0, 10, 10]
place = st.integers(-3, 13).map(float)


def test_areas_of_boxes_and_of_a_box_inside_out():
    assert area([UNIT, [3, 3, 2, 9]]).tolist() == [100, 0]


def test_overlap_is_counted_for_every_pair():
    assert intersection([UNIT, [20, 0, 30, 10]], [[5, 5, 25, 8]]).tolist() == [[15], [15]]


def test_boxes_that_only_touch_do_not_overlap():
    assert intersection(UNIT, [10, 0, 20, 10]).tolist() == [[0]]


def test_a_box_owns_its_left_edge_and_not_its_right_one():
    assert points_in_box([[0, 0], [10, 5], [9.99, 9.99]], UNIT).tolist() == [True, False, True]


def test_the_distance_to_a_box_is_zero_inside_and_euclidean_off_a_corner():
    assert distance_to_boxes([[5, 5], [13, 14], [-2, 5]], [UNIT]).tolist() == [[0], [5], [2]]


def test_a_disc_that_only_touches_a_box_does_not_meet_it():
    assert disc_meets_boxes(13, 14, 5.0, [UNIT]).tolist() == [False]
    assert disc_meets_boxes(13, 14, 5.1, [UNIT]).tolist() == [True]


def test_the_distance_to_a_polyline_is_to_its_nearest_segment_or_end():
    assert distance_to_line([[5, 3], [14, 3]], [[0, 0], [10, 0], [10, -5]]).tolist() == [3, 5]


def test_a_line_of_one_point_is_that_point():
    assert distance_to_line([[3, 4]], [[0, 0]]).tolist() == [5]
    assert line_meets_boxes([[5, 5]], [UNIT, [20, 20, 30, 30]]).tolist() == [True, False]


def test_a_line_crosses_a_box_without_a_vertex_inside():
    assert line_meets_boxes([[-5, 5], [15, 5]], [UNIT]).tolist() == [True]


def test_a_line_along_a_shared_edge_belongs_to_the_right_hand_box():
    assert line_meets_boxes([[10, 1], [10, 9]], [UNIT, [10, 0, 20, 10]]).tolist() == [False, True]


@given(st.lists(st.tuples(place, place), min_size=1, max_size=4))
def test_line_meets_box_agrees_with_a_dense_walk_along_the_line(line):
    dots = [np.array(line[:1])]
    for start, stop in pairwise(line):
        dots.append(np.linspace(start, stop, 4001))
    walked = points_in_box(np.concatenate(dots), UNIT).any()
    # a walk may step over a corner that the line clips by a hair, never the other way round
    grown = points_in_box(np.concatenate(dots), [-0.02, -0.02, 10.02, 10.02]).any()
    met = line_meets_boxes(line, [UNIT])[0]
    assert walked <= met <= grown


@given(st.lists(st.tuples(place, place), min_size=1, max_size=4), st.floats(0.1, 5))
def test_line_near_box_agrees_with_a_dense_walk_along_the_line(line, rho):
    dots = [np.array(line[:1])]
    for start, stop in pairwise(line):
        dots.append(np.linspace(start, stop, 2001))
    gap = distance_to_boxes(np.concatenate(dots), [UNIT]).min()
    if abs(gap - rho) > 0.02:
        assert line_near_boxes(line, rho, [UNIT])[0] == (gap < rho)


def test_bounds_hold_the_uncertainty_of_a_label():
    assert bounds(Spot(id=1, source=1, frame=0, x=5, y=6, rho=2)) == (3, 4, 7, 8)
    assert bounds(Scribble(id=1, source=1, frame=0, points=((0, 0), (4, 2)))) == (0, 0, 4, 2)
    assert bounds(
        Scribble(id=1, source=1, frame=0, points=((0, 0), (4, 2)), certain=False, rho=1)
    ) == (-1, -1, 5, 3)
    assert bounds(FrameLabel(id=1, source=1, frame=0)) is None
    assert bounds(Ignore(id=1, source=1, frame=0)) is None


def test_a_box_is_cut_to_the_frame_and_none_is_left_outside():
    assert inside([-5, 5, 15, 50], (20, 30)) == (0, 5, 15, 20)
    assert inside([30, 0, 40, 10], (20, 30)) is None


LABELS = [
    Box(id=1, source=1, frame=0, x0=0, y0=0, x1=100, y1=100, looseness=1),
    Box(id=2, source=1, frame=0, x0=10, y0=10, x1=40, y1=40),
    Spot(id=3, source=1, frame=0, x=20, y=20, rho=3),
    Scribble(id=4, source=1, frame=0, points=((60, 60), (80, 60))),
    FrameLabel(id=5, source=1, frame=0),
    Ignore(id=6, source=1, frame=0, x0=60, y0=0, x1=100, y1=50),
    Ignore(id=7, source=1, frame=0),
]


@pytest.mark.parametrize(
    ("x", "y", "tolerance", "ids"),
    [
        (20, 20, 0, [3, 2, 1]),
        (30, 30, 0, [2, 1]),
        (70, 62, 0, [1]),
        (70, 62, 3, [4, 1]),
        (70, 10, 0, [6, 1]),
        (200, 200, 5, []),
        (103, 90, 5, [1]),
    ],
)
def test_the_smallest_label_under_the_pointer_comes_first(x, y, tolerance, ids):
    assert [label.id for label in hit(LABELS, x, y, tolerance=tolerance)] == ids


def test_of_two_equal_boxes_the_newer_one_is_on_top():
    twins = [Box(id=key, source=1, frame=0, x0=0, y0=0, x1=9, y1=9) for key in (1, 2)]
    assert [label.id for label in hit(twins, 4, 4)] == [2, 1]
