"""Lines of very many points, on the screen and under the hand."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF

from emberscope.labels import Scribble
from emberscope_app.frame_view.canvas.screen_lines import line_on_screen, path_of
from emberscope_app.frame_view.layers.handles import handles_of, is_fixed, moved
from emberscope_app.frame_view.tools.erase import rubbed


class View:
    """Frame pixels twice as large."""

    zoom, origin, size, target = 2.0, QPointF(10, 20), QSizeF(400, 400), QRectF()


def spiral(n):
    t = np.arange(n) / 50
    return tuple(map(tuple, np.c_[80 + t * np.cos(t), 60 + t * np.sin(t)].tolist()))


def scribble(n):
    return Scribble(id=1, source=1, frame=0, points=spiral(n))


def test_a_short_line_is_drawn_by_all_its_points():
    assert line_on_screen(View, ((1.0, 2.0), (3.0, 4.0))).tolist() == [[12, 24], [16, 28]]


def test_points_on_one_pixel_are_drawn_as_one():
    assert len(line_on_screen(View, ((1.0, 1.0), (1.01, 1.0)) * 400)) == 1


def test_a_long_line_is_drawn_by_a_bounded_number_of_corners_and_both_ends():
    points = spiral(20_000)
    found = line_on_screen(View, points)
    assert len(found) == 3000
    np.testing.assert_allclose(
        found[[0, -1]], 2 * np.array([points[0], points[-1]]) + (10, 20), atol=0.5
    )
    assert path_of(found[None]).elementCount() == 3000


def test_a_long_line_has_a_bounded_number_of_handles():
    assert 100 < len(handles_of(scribble(20_000), cols=200)) <= 202


def test_a_line_too_long_for_the_hand_stays_where_it_is():
    line = scribble(20_001)
    assert is_fixed(line)
    assert handles_of(line, cols=200) == []
    assert moved(line, 5.0, 5.0, frame_shape=(100, 100)) is line


def test_a_line_from_far_away_is_cut_near_the_ring_only():
    left, right = rubbed(((0.0, 0.0), (1e7, 0.0)), (500.0, 0.0), (500.0, 0.0), 5.0)
    assert left[0] == (0.0, 0.0)
    assert right[-1] == (1e7, 0.0)
    assert left[-1][0] < 495 < 505 < right[0][0]
    assert len(left) + len(right) < 20
