"""Frames with their labels drawn in."""

import numpy as np

from emberscope.figures.canvas import SCALE
from emberscope.labels import (
    Box,
    Ellipse,
    FrameLabel,
    Ignore,
    Polygon,
    Polyline,
    Scribble,
    Spot,
)
from emberscope.labels.model import FARTHEST
from emberscope.report.frame_images import draw_frame, labeled_frame

FRAME = np.random.default_rng(0).integers(0, 4000, (64, 96), np.uint16)
RED = {1: "#FF0000"}
PLACE = {"id": 1, "source": 1, "frame": 0}


def is_red(image, x, y):
    r, g, b = image.getpixel((round(x * SCALE), round(y * SCALE)))
    return r > 200 and max(g, b) < 60


def test_a_tight_box_is_a_whole_line_and_a_relaxed_one_is_dashed():
    tight = draw_frame(FRAME, [Box(**PLACE, x0=10, y0=10, x1=60, y1=40)], RED)
    loose = draw_frame(FRAME, [Box(**PLACE, x0=10, y0=10, x1=60, y1=40, looseness=1.0)], RED)
    along = np.arange(11, 59)
    assert all(is_red(tight, x, 10) for x in along)
    assert 10 < sum(is_red(loose, x, 10) for x in along) < 38


def test_every_kind_of_label_leaves_its_mark():
    plain = draw_frame(FRAME, [], RED)
    assert plain.size == (96 * SCALE, 64 * SCALE)
    for label in (
        Spot(**PLACE, x=30, y=30),
        Scribble(**PLACE, points=((10, 10), (30, 30))),
        Box(**PLACE, x0=10, y0=10, x1=60, y1=40, looseness=1.0, core=(20, 20, 30, 30)),
        Polygon(**PLACE, points=((10, 10), (30, 10), (10, 40))),
        Ellipse(**PLACE, x0=10, y0=10, x1=60, y1=40),
        FrameLabel(**PLACE),
        Ignore(**PLACE, x0=5, y0=5, x1=20, y1=20),
    ):
        assert draw_frame(FRAME, [label], RED).tobytes() != plain.tobytes(), label


def test_a_line_leaves_what_lies_beside_it_in_sight():
    plain = draw_frame(FRAME, [], RED)
    found = draw_frame(FRAME, [Polyline(**PLACE, points=((10, 30), (60, 30)), width=20)], RED)
    assert is_red(found, 30, 30)
    above = round(30 * SCALE), round(24 * SCALE)
    assert found.getpixel(above) == plain.getpixel(above)


def test_a_dashed_box_far_beyond_the_frame_is_drawn_as_far_as_the_frame_goes():
    image = draw_frame(
        FRAME, [Box(**PLACE, x0=10, y0=10, x1=FARTHEST, y1=FARTHEST, looseness=1.0)], RED
    )
    assert sum(is_red(image, x, 10) for x in range(11, 95)) > 20


def test_one_frame_per_source_and_none_of_a_source_that_is_gone(project, tmp_path):
    names = [words for _, words in labeled_frame(project, count=2)]
    assert names == ["day.npy, frame 0", "night.npy, frame 0"]
    (tmp_path / "day.npy").unlink()
    assert [words for _, words in labeled_frame(project, count=2)] == ["night.npy, frame 0"]
