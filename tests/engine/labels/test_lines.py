"""Long polylines, run by run: the answers are those of all segments at once, and take little
memory."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.labels import Scribble, model
from emberscope.labels.geometry import (
    comes_near,
    distance_to_line,
    line_meets_boxes,
    line_near_boxes,
    part_in_box,
)
from emberscope.labels.lines import SHORT, Line, bounds_of_line, line_of

from ..peaks import peak_bytes

BOXES = np.array([(x, y, x + 16.0, y + 16.0) for y in range(0, 240, 8) for x in range(0, 320, 8)])


def walk(n, seed=0):
    steps = np.random.default_rng(seed).normal(0, 0.5, (n, 2))
    return tuple(map(tuple, (np.cumsum(steps, axis=0) + np.array([160, 120])).tolist()))


def whole(points):
    """The same line as one run."""
    line = line_of(list(points))
    found = Line(line.points, np.array([line.bounds]))
    object.__setattr__(found, "run", lambda k: (line.points[:-1], np.diff(line.points, axis=0)))
    return found


def test_a_long_line_meets_the_same_boxes_as_all_its_segments_at_once():
    line = walk(1500)
    np.testing.assert_array_equal(
        line_meets_boxes(line, BOXES), line_meets_boxes(whole(line), BOXES)
    )


def test_a_long_line_is_near_the_same_boxes_as_all_its_segments_at_once():
    line = walk(1500)
    np.testing.assert_array_equal(
        line_near_boxes(line, 5.0, BOXES), line_near_boxes(whole(line), 5.0, BOXES)
    )


@pytest.mark.parametrize("reach", [0.0, 3.0, 30.0])
def test_a_point_comes_near_a_long_line_where_its_distance_says_so(reach):
    line = walk(1500)
    for point in np.random.default_rng(1).uniform(0, 240, (40, 2)):
        assert comes_near([point], line, reach) == (distance_to_line([point], line)[0] <= reach)


def test_two_long_lines_come_near_each_other_at_their_last_points():
    first, second = (
        np.c_[np.arange(1000.0), np.zeros(1000)],
        np.c_[np.arange(999.0, 1999.0), np.full(1000, 2.0)],
    )
    assert comes_near(first, second, 2.0)
    assert not comes_near(first, second, 1.9)


def test_boxes_of_a_long_line_are_asked_for_in_little_memory():
    line = walk(20_000)
    assert peak_bytes(lambda: line_meets_boxes(line, BOXES)) < 32 << 20


def test_the_arrays_of_a_long_line_are_made_once():
    points = walk(SHORT)
    assert line_of(points) is line_of(points)


@pytest.mark.parametrize("n", [3, SHORT])
def test_a_line_with_a_point_that_is_none_is_refused(n):
    with pytest.raises(DataError, match="not finite"):
        Scribble(id=1, source=1, frame=0, points=(*walk(n), (float("nan"), 1.0)))


@pytest.mark.parametrize("n", [1, 3, SHORT, 1025])
def test_the_bounds_of_a_line_enclose_all_its_points(n):
    points = walk(n)
    assert bounds_of_line(points) == (
        *np.min(points, axis=0).tolist(),
        *np.max(points, axis=0).tolist(),
    )


def test_a_line_of_more_points_than_any_is_refused(monkeypatch):
    monkeypatch.setattr(model, "MAX_POINTS", 4)
    with pytest.raises(DataError, match=r"a line of more than 4 points\. Split it"):
        Scribble(id=1, source=1, frame=0, points=walk(5))


def test_the_part_of_a_segment_in_a_box_is_told_as_shares():
    enter, leave = part_in_box(
        np.array([[-10.0, 5.0], [0.0, 50.0]]), np.array([[40.0, 0], [1.0, 0]]), (0, 0, 10, 10)
    )
    np.testing.assert_allclose([enter[0], leave[0]], [0.25, 0.5], atol=1e-6)
    assert enter[1] == leave[1]
