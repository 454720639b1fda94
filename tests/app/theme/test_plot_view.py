"""The widget that shows a plot."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest

from emberscope.findings.plot import Axis, Callout, Cells, Curve, Dots, Mark, Note, Plot, Rule
from emberscope_app.theme import tokens
from emberscope_app.theme.look import font
from emberscope_app.theme.plot_view import PAINTERS, PlotView

EVEN = Axis(0.0, 4.0)
HALF = np.array([2.0])
MARKS = [
    Curve(np.array([0.5, 3.0]), np.array([0.5, 3.0])),
    Rule((0.1, 0.1), (3.9, 3.9)),
    Note((2, 2), "kept"),
    Dots(HALF, HALF),
    Callout((2, 2), "Threshold 0", "90 %"),
    Cells((("near", np.ones((1, 1))),)),
]


@pytest.fixture
def view(qtbot):
    found = PlotView(200, clicks=True)
    qtbot.addWidget(found)
    found.resize(300, 200)
    with qtbot.waitExposed(found):
        found.show()
    return found


def test_values_rise_to_the_right_and_up(view):
    view.show_plot(Plot("", EVEN, EVEN, ()))
    assert view.at(0, 0).x() < view.at(4, 0).x()
    assert view.at(0, 4).y() < view.at(0, 0).y()


def test_every_kind_of_mark_has_a_painter():
    assert set(PAINTERS) == set(Mark.__args__)


@pytest.mark.parametrize("mark", MARKS, ids=lambda mark: type(mark).__name__)
def test_a_mark_is_painted(view, mark):
    view.show_plot(Plot("", EVEN, EVEN, ()))
    bare = view.grab().toImage()
    view.show_plot(Plot("", EVEN, EVEN, (mark,)))
    assert view.grab().toImage() != bare


def test_a_curve_with_readings_is_read_off_where_somebody_points(view, qtbot):
    curve = Curve(np.array([1.0, 3.0]), np.array([1.0, 3.0]), readings=("first", "second"))
    view.show_plot(Plot("", EVEN, EVEN, (curve,)))
    plain = view.grab().toImage()
    QTest.mouseMove(view, view.at(3, 2).toPoint() + QPoint(2, 0))
    qtbot.waitUntil(lambda: view.grab().toImage() != plain)


def test_a_click_says_the_value_that_lies_there(view):
    found = []
    view.chosen.connect(found.append)
    view.show_plot(Plot("", EVEN, EVEN, ()))
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.at(3, 1).toPoint())
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(299, 100))
    assert found == pytest.approx([3.0, 4.0], abs=0.02)


def test_where_there_is_no_plot_a_click_says_nothing(view):
    found = []
    view.chosen.connect(found.append)
    assert not view.show_plot(None)
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(150, 100))
    assert found == []


def test_long_numbers_beside_a_plot_have_room(view):
    view.show_plot(Plot("", EVEN, Axis(0.0, 3e6, ((2.44e6, "2.44e+06"),)), ()))
    metrics = QFontMetrics(font(tokens.PX_SMALL))
    assert view.area.left() - 6 >= metrics.horizontalAdvance("2.44e+06")
    view.show_plot(Plot("", EVEN, Axis(0.0, 1.0, ((0.5, "0.5"),)), ()))
    assert view.area.left() == 34


def test_it_is_read_out(view):
    assert view.show_plot(Plot("", EVEN, EVEN, (), spoken="Labels changed: 5 %"))
    assert view.accessibleName() == "Labels changed: 5 %"
