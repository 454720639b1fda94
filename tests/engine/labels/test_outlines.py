"""Polygons, ellipses and lines: what they hold, meet and are hit by."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberscope.base.errors import DataError
from emberscope.labels.geometry import (
    area,
    bounds,
    hit,
    intersection,
    outline_holds,
    outline_holds_boxes,
    outline_meets_boxes,
)
from emberscope.labels.model import Box, Ellipse, Polygon, Polyline, kind, tight_box
from emberscope.labels.outlines import clipped, ellipse_outline, inside_polygon, polygon_area
from emberscope.labels.table import ELLIPSE, LINE, POLYGON, LabelTable

PLACE = {"id": 1, "source": 1, "frame": 0}
TRIANGLE = Polygon(points=((0, 0), (20, 0), (0, 20)), **PLACE)
CIRCLE = Ellipse(x0=0, y0=0, x1=20, y1=20, **PLACE)
LINE_4 = Polyline(points=((0, 10), (30, 10)), width=4, **PLACE)
place = st.integers(0, 24).map(float)


def test_each_names_the_tool_that_draws_it():
    assert [kind(label) for label in (TRIANGLE, CIRCLE, LINE_4)] == ["polygon", "ellipse", "line"]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Polygon(points=((0, 0), (1, 1)), **PLACE),
        lambda: Polyline(points=((0, 0),), **PLACE),
        lambda: Polygon(points=((0, 0), (1, 1), (math.nan, 2)), **PLACE),
        lambda: Ellipse(x0=0, y0=0, x1=math.inf, y1=1, **PLACE),
        lambda: Polyline(points=((0, 0), (1, 1)), width=math.nan, **PLACE),
    ],
)
def test_what_has_too_few_points_or_one_that_is_none_is_no_label(wrong):
    with pytest.raises(DataError, match="label 1 "):
        wrong()


def test_the_box_around_each_has_the_width_of_a_line():
    assert [bounds(label) for label in (TRIANGLE, CIRCLE, LINE_4)] == [
        (0, 0, 20, 20), (0, 0, 20, 20), (-2, 8, 32, 12),
    ]  # fmt: skip


def test_an_outline_knows_its_target_and_a_line_does_not():
    assert tight_box(TRIANGLE) == tight_box(CIRCLE) == (0, 0, 20, 20)
    assert tight_box(LINE_4) is None


def test_columns_know_their_kinds_and_targets():
    table = LabelTable.of([TRIANGLE, CIRCLE, LINE_4])
    assert table.kinds.tolist() == [POLYGON, ELLIPSE, LINE]
    assert table.tight[:2].tolist() == [[0, 0, 20, 20]] * 2
    assert np.isnan(table.tight[2]).all()


def test_a_polygon_is_hit_inside_and_near_its_edge_not_in_the_rest_of_its_box():
    assert hit([TRIANGLE], 5, 5) == [TRIANGLE]
    assert hit([TRIANGLE], 15, 15) == []
    assert hit([TRIANGLE], 11, 11, tolerance=2) == [TRIANGLE]


def test_an_ellipse_is_hit_inside_not_in_the_corners_of_its_box():
    assert hit([CIRCLE], 10, 1) == [CIRCLE]
    assert hit([CIRCLE], 1, 1) == []


def test_a_line_is_hit_on_its_width():
    assert hit([LINE_4], 15, 11.5) == [LINE_4]
    assert hit([LINE_4], 15, 13) == []


def test_the_smaller_outline_is_hit_first():
    around = Box(id=2, source=1, frame=0, x0=0, y0=0, x1=20, y1=20)
    assert hit([around, TRIANGLE, CIRCLE], 6, 6) == [TRIANGLE, CIRCLE, around]


def test_a_box_that_only_touches_an_outline_does_not_meet_it():
    boxes = [[20, 0, 30, 10], [0, 20, 10, 30], [15, 15, 25, 25], [2, 2, 4, 4], [-5, -5, 30, 30]]
    assert outline_meets_boxes(TRIANGLE, boxes).tolist() == [False, False, False, True, True]
    corner = [[17.5, 17.5, 20, 20], [15, 15, 20, 20]]
    assert outline_meets_boxes(CIRCLE, corner).tolist() == [False, True]


def test_a_box_is_held_where_all_of_it_lies_inside():
    assert outline_holds_boxes(TRIANGLE, [[2, 2, 6, 6], [8, 8, 14, 14]]).tolist() == [True, False]
    assert outline_holds_boxes(CIRCLE, [[5, 5, 15, 15], [1, 1, 19, 19]]).tolist() == [True, False]


def test_a_polygon_with_a_bay_does_not_hold_what_lies_in_the_bay():
    bay = Polygon(points=((0, 0), (30, 0), (30, 30), (15, 5), (0, 30)), **PLACE)
    assert outline_meets_boxes(bay, [[14, 20, 16, 25]]).tolist() == [False]
    assert outline_holds(bay, [[15, 20], [3, 20]]).tolist() == [False, True]


@given(st.tuples(place, place, place, place), st.tuples(place, place, place, place))
def test_a_polygon_that_is_a_box_meets_and_holds_as_the_box_does(one, other):
    x0, x1, y0, y1 = *sorted(one[:2]), *sorted(one[2:])
    a = np.array([min(other[:2]), min(other[2:]), max(other[:2]) + 1, max(other[2:]) + 1])
    if x0 == x1 or y0 == y1:
        return
    polygon = Polygon(points=((x0, y0), (x1, y0), (x1, y1), (x0, y1)), **PLACE)
    common = float(intersection([x0, y0, x1, y1], a)[0, 0])
    assert outline_meets_boxes(polygon, [a])[0] == (common > 0)
    assert outline_holds_boxes(polygon, [a])[0] == (common == float(area(a)[0]))


def test_a_polygon_of_very_many_corners_is_asked_part_by_part():
    ring = ellipse_outline((0, 0, 100, 100), count=1000)
    assert inside_polygon([[50, 50], [1, 1], [99, 50]], ring).tolist() == [True, False, True]
    assert polygon_area(ring) == pytest.approx(np.pi * 2500, rel=1e-4)


def test_an_ellipse_is_turned_clockwise():
    (x, y), *_ = ellipse_outline((-10, -2, 10, 2), degrees=90, count=4)
    assert (x, y) == pytest.approx((0, 10))


def test_what_lies_beyond_the_frame_is_cut_off_a_polygon():
    wide, cut = ((5, 5), (15, 5), (15, 8), (5, 8)), ((5, 5), (10, 5), (10, 8), (5, 8))
    assert clipped(wide, (20, 10)) == cut
    inside = ((1.25, 1), (5, 2), (3, 7))
    assert clipped(inside, (20, 10)) == inside
    assert clipped(((15, 1), (18, 1), (18, 4)), (20, 10)) == ()
