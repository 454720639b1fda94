"""Each kind of label, made in the whole window by mouse and keys, and taken back."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from emberscope.labels import Box, Ellipse, FrameLabel, Ignore, Polygon, Polyline, Scribble, Spot
from emberscope.project import PutLabels, PutRuns
from emberscope_app.frame_view.layers.handles import handles_of

LEFT, RIGHT, NONE = (
    Qt.MouseButton.LeftButton,
    Qt.MouseButton.RightButton,
    Qt.KeyboardModifier.NoModifier,
)
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
EMPTY = 5  # frame shown: its labels lie left of x = 150


@pytest.fixture
def canvas(used_window):
    """The canvas in the window, without a run, on the last frame."""
    project = used_window.session.project
    used_window.session.do(PutRuns(title="Delete run 11", before=list(project.runs.values())))
    used_window.session.go(frame=EMPTY)
    found = used_window.panels["frame"].canvas
    found.setFocus()
    return found


def place(canvas, x: float, y: float) -> QPoint:
    return canvas.view.to_screen(x, y).toPoint()


def drag(canvas, *points, button=LEFT) -> None:
    QTest.mousePress(canvas, button, NONE, place(canvas, *points[0]))
    for point in points[1:]:
        QTest.mouseMove(canvas, place(canvas, *point))
    QTest.mouseRelease(canvas, button, NONE, place(canvas, *points[-1]))


def drawn(canvas, kind: type) -> list:
    return [label for label in canvas.place.labels() if isinstance(label, kind) and label.id > 118]


@pytest.mark.parametrize(
    ("key", "kind", "step"),
    [
        (Qt.Key.Key_B, Box, "Draw box"),
        (Qt.Key.Key_R, Box, "Draw relaxed box"),
        (Qt.Key.Key_O, Ellipse, "Draw ellipse"),
        (Qt.Key.Key_T, Polyline, "Draw line"),
        (Qt.Key.Key_S, Scribble, "Draw scribble"),
        (Qt.Key.Key_P, Spot, "Draw spot"),
        (Qt.Key.Key_G, Ignore, "Ignore region"),
    ],
)
def test_a_letter_and_a_drag_make_a_label_that_one_undo_takes_back(
    used_window, canvas, key, kind, step
):
    QTest.keyClick(canvas, key)
    drag(canvas, (150, 20), (165, 30), (180, 50))
    (label,) = drawn(canvas, kind)
    assert used_window.session.undo_stack.undoText() == step
    assert (label.source, label.frame) == (10, EMPTY)
    assert used_window.session.focus.labels == (label.id,)
    assert used_window.panels["labels"].list.rows.total == 4
    QTest.keyClick(used_window, Qt.Key.Key_Z, CTRL)
    assert drawn(canvas, kind) == []
    QTest.keyClick(used_window, Qt.Key.Key_Z, CTRL | SHIFT)
    assert drawn(canvas, kind) == [label]


def test_a_polygon_is_drawn_corner_by_corner_and_one_undo_takes_it_back(
    used_window, canvas, screenshot
):
    QTest.keyClick(canvas, Qt.Key.Key_N)
    for point in ((150, 20), (180, 25), (186, 50)):
        QTest.mouseMove(canvas, place(canvas, *point))
        QTest.mouseClick(canvas, LEFT, NONE, place(canvas, *point))
    QTest.mouseMove(canvas, place(canvas, 155, 60))
    screenshot(used_window, "polygon-begun")
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    (polygon,) = drawn(canvas, Polygon)
    assert len(polygon.points) == 3
    screenshot(used_window, "polygon-drawn")
    QTest.keyClick(used_window, Qt.Key.Key_Z, CTRL)
    assert drawn(canvas, Polygon) == []


def test_an_outline_that_is_selected_has_its_handles(used_window, canvas, screenshot):
    shapes = [
        Polygon(id=900, source=10, frame=EMPTY, points=((152, 20), (180, 25), (186, 50))),
        Ellipse(id=901, source=10, frame=EMPTY, class_id=2, x0=60, y0=100, x1=95, y1=125),
        Polyline(id=902, source=10, frame=EMPTY, points=((152, 70), (175, 60), (194, 75)), width=6),
    ]
    used_window.session.do(PutLabels(title="Draw", after=shapes))
    used_window.session.focus.set(labels=(900, 901, 902), tool="select")
    grips = {name for label in shapes for name, _, _ in handles_of(label, cols=200)}
    assert grips >= {"p0", "m0", "m2", "nw", "s"}
    screenshot(used_window, "outlines-selected")


def test_the_frame_label_is_said_in_its_popover_and_taken_back(used_window, canvas):
    QTest.keyClick(canvas, Qt.Key.Key_I)
    popover = canvas.controller.popover
    assert popover.isVisible()
    QTest.mouseClick(popover, LEFT, NONE, QPoint(60, 40))  # the first line: contains Target
    (label,) = drawn(canvas, FrameLabel)
    assert (label.says, label.class_id) == ("contains", 1)
    QTest.keyClick(popover, Qt.Key.Key_Escape)
    assert canvas.hasFocus()
    QTest.keyClick(used_window, Qt.Key.Key_Z, CTRL)
    assert drawn(canvas, FrameLabel) == []


def test_the_eraser_cuts_a_scribble_and_deletes_a_shape_each_taken_back(used_window, canvas):
    QTest.keyClick(canvas, Qt.Key.Key_S)
    drag(canvas, (130, 10), (150, 10), (190, 10))
    QTest.keyClick(canvas, Qt.Key.Key_B)
    drag(canvas, (150, 60), (170, 70), (180, 80))
    QTest.keyClick(canvas, Qt.Key.Key_E)
    drag(canvas, (160, 4), (160, 12), (160, 18))
    assert len(drawn(canvas, Scribble)) == 2
    QTest.mouseClick(canvas, LEFT, NONE, place(canvas, 165, 70))
    assert drawn(canvas, Box) == []
    QTest.keyClick(used_window, Qt.Key.Key_Z, CTRL)
    QTest.keyClick(used_window, Qt.Key.Key_Z, CTRL)
    assert len(drawn(canvas, Scribble)) == len(drawn(canvas, Box)) == 1


def test_a_right_drag_with_the_scribble_erases_scribbles_and_spares_shapes(used_window, canvas):
    QTest.keyClick(canvas, Qt.Key.Key_B)
    drag(canvas, (150, 4), (160, 20), (170, 30))
    QTest.keyClick(canvas, Qt.Key.Key_S)
    drag(canvas, (130, 10), (150, 10), (190, 10))
    drag(canvas, (160, 4), (160, 12), (160, 18), button=RIGHT)
    assert len(drawn(canvas, Scribble)) == 2
    assert len(drawn(canvas, Box)) == 1
    assert used_window.session.undo_stack.undoText() == "Erase part of scribble"


def test_boxes_of_several_classes_are_drawn_in_a_row(used_window, canvas):
    QTest.keyClick(canvas, Qt.Key.Key_B)
    for key, y in ((Qt.Key.Key_1, 10), (Qt.Key.Key_2, 50), (Qt.Key.Key_1, 90)):
        QTest.keyClick(canvas, key)
        drag(canvas, (150, y), (165, y + 10), (180, y + 20))
    assert [box.class_id for box in drawn(canvas, Box)] == [1, 2, 1]
    assert used_window.session.undo_stack.undoText() == "Draw box"


def test_with_select_in_hand_a_digit_is_about_the_selected_label(used_window, canvas):
    QTest.keyClick(canvas, Qt.Key.Key_B)
    drag(canvas, (150, 10), (165, 20), (180, 30))
    QTest.keyClick(canvas, Qt.Key.Key_V)
    QTest.keyClick(canvas, Qt.Key.Key_2)
    assert [box.class_id for box in drawn(canvas, Box)] == [2]
    assert used_window.session.focus.tool == "select"


def test_the_status_bar_says_what_a_drag_would_make(used_window, canvas):
    hint = used_window.status.parts["hint"]
    QTest.keyClick(canvas, Qt.Key.Key_R)
    QTest.mousePress(canvas, LEFT, NONE, place(canvas, 100, 40))
    QTest.mouseMove(canvas, place(canvas, 180, 120))
    assert "80 × 80 px" in hint.text()
    assert "25 instances" in hint.text()  # 5 x 5 centers of patches of 32 px, 16 px apart
    QTest.mouseRelease(canvas, LEFT, NONE, place(canvas, 180, 120))
    assert hint.text() == ""
