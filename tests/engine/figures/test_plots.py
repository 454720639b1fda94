"""Plots on a page."""

import numpy as np
import pytest

from emberscope.evaluate.faithfulness import faithfulness
from emberscope.figures.canvas import SCALE, Pixels, says
from emberscope.figures.ink import Ink, Shape
from emberscope.figures.plots import CURVE, PAINTERS, SIZE, dashed, paint_plot, plot_image
from emberscope.findings.diagrams import agreement_curve, shepard_map
from emberscope.findings.plot import (
    Axis,
    Callout,
    Cells,
    Curve,
    Dots,
    Legend,
    LineKey,
    Mark,
    Note,
    Plot,
    Rule,
)

X = np.random.default_rng(0).normal(size=(200, 5))
EVEN = Axis(0.0, 1.0)
HALF = np.array([0.5])
MARKS = [Curve(np.array([0.2, 0.8]), np.array([0.2, 0.8])), Rule((0.1, 0.1), (0.9, 0.9)),
         Note((0.5, 0.5), "kept"), Dots(HALF, HALF), Callout((0.5, 0.5), "Threshold 0", "90 %"),
         Cells((("near", np.ones((1, 1))),))]  # fmt: skip


def red_rows(image):
    """Of every column that has the color of the curve, its lowest row from the top."""
    red = np.abs(np.asarray(image).astype(int) - CURVE).sum(axis=2) < 30
    return red.argmax(axis=0)[red.any(axis=0)]


def test_the_curve_of_a_perfect_picture_runs_along_the_top():
    found = (agreement_curve(faithfulness(X, Z).arrays()) for Z in (X, X[:, :1]))
    perfect, poor = map(plot_image, found)
    assert perfect.size == (SIZE[0] * SCALE, SIZE[1] * SCALE)
    assert np.ptp(red_rows(perfect)) <= 2 * SCALE
    assert red_rows(perfect).max() < red_rows(poor).max()


def test_a_picture_that_is_the_data_scaled_is_a_line_in_the_diagram():
    found = (shepard_map(faithfulness(X, Z).arrays()) for Z in (3 * X, X[:, :1]))
    line, cloud = (np.asarray(plot_image(plot)) for plot in found)
    inked = [(np.ptp(pixels.reshape(-1, 3), axis=1) > 5).mean() for pixels in (line, cloud)]
    assert inked[0] < 0.5 * inked[1]


@pytest.mark.parametrize("mark", MARKS, ids=lambda mark: type(mark).__name__)
def test_every_kind_of_mark_is_painted(mark):
    bare, marked = (plot_image(Plot("", EVEN, EVEN, marks)) for marks in ((), (mark,)))
    assert np.any(np.asarray(bare) != np.asarray(marked))


def test_long_numbers_beside_a_plot_end_before_the_page_does():
    page = np.asarray(plot_image(Plot("", EVEN, Axis(0.0, 3.0, ((2.0, "2.44e+06"),)), ())))
    assert (page[:, :SCALE] == 255).all()


def test_every_kind_of_mark_has_a_painter():
    assert set(PAINTERS) == set(Mark.__args__)


def test_a_dash_between_two_numbers_is_one_that_the_face_has(monkeypatch):
    said = []
    monkeypatch.setattr(Pixels, "text", lambda _canvas, at, words, **_rest: said.append(words))
    says(Pixels((10, 10), (255, 255, 255)), (0, 0), "0.8 \N{EN DASH} 0.9", px=11, color=(0, 0, 0))
    assert said == ["0.8 - 0.9"]


def test_a_dash_goes_on_around_the_corners_of_a_line():
    strokes = dashed([(0.0, 0.0), (3.0, 0.0), (3.0, 3.0)], (2.0, 2.0))
    assert strokes == [[(0.0, 0.0), (2.0, 0.0)], [(3.0, 1.0), (3.0, 3.0)]]


def test_runs_are_told_apart_by_their_strokes_on_paper_too():
    x = np.array([0.0, 1.0])
    axis = Axis(0.0, 1.0)

    def lines_of(dash):
        plot = Plot("ROC", axis, axis, (Curve(x, x, dash=dash),
                                        Legend((LineKey("ink", dash, "7", "0.9"),))))
        ink = Ink((1000, 720), (255, 255, 255))
        paint_plot(ink, plot)
        return sum(isinstance(item, Shape) and item.stroke is not None for item in ink.items)

    assert lines_of((6.0, 3.0)) > lines_of(()) + 20


def test_places_that_are_not_known_are_left_out_of_a_curve():
    x, y = np.array([0.0, 0.5, 1.0]), np.array([np.nan, 0.5, 1.0])
    ink = Ink((1000, 720), (255, 255, 255))
    paint_plot(ink, Plot("P", Axis(0.0, 1.0), Axis(0.0, 1.0), (Curve(x, y),)))
    assert not any(np.isnan(item.corners).any() for item in ink.items if isinstance(item, Shape))
