"""Each label kind drawn with the mouse becomes one operation, in frame pixels."""

import pytest
from PySide6.QtCore import Qt

from emberscope.labels import Box, FrameLabel, Ignore, Scribble, Spot

SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier


def test_a_drag_with_the_box_tool_is_a_tight_box(session, hand, new_labels):
    session.focus.set(tool="box", class_id=2)
    hand.drag((150, 20), (170, 30), (190, 45))
    (box,) = new_labels()
    assert (box.x0, box.y0, box.x1, box.y1, box.looseness) == (150, 20, 190, 45, 0)
    assert (box.source, box.frame, box.class_id) == (10, 0, 2)
    assert session.undo_stack.undoText() == "Draw box"


def test_a_drawn_label_goes_with_undo_and_comes_back_with_redo(session, hand, new_labels):
    session.focus.set(tool="box")
    hand.drag((150, 20), (190, 45))
    drawn = new_labels()
    session.undo_stack.undo()
    assert new_labels() == []
    session.undo_stack.redo()
    assert new_labels() == drawn


def test_shift_draws_a_square_and_alt_from_the_center(session, hand, new_labels):
    session.focus.set(tool="box")
    hand.drag((150, 20), (160, 50), keys=SHIFT)
    hand.drag((160, 100), (170, 120), keys=ALT)
    square, centered = new_labels()
    assert (square.x0, square.y0, square.x1, square.y1) == (150, 20, 180, 50)
    assert (centered.x0, centered.y0, centered.x1, centered.y1) == (150, 80, 170, 120)


def test_a_box_under_3_px_is_a_click_that_selects(session, hand, new_labels):
    session.focus.set(tool="box")
    hand.drag((22, 60), (24, 61))
    assert new_labels() == []
    assert session.focus.labels == (100,)


def test_a_box_dragged_out_of_the_frame_ends_at_its_border(session, canvas, hand, new_labels):
    canvas.view.zoom_to(2.0)
    session.focus.set(tool="box")
    x0, y0 = canvas.view.to_screen(150, 100).toTuple()
    hand.drag((x0 / 4, y0 / 4), (790 / 4, 630 / 4))
    (box,) = new_labels()
    assert (box.x1, box.y1) == (200, 160)


def test_the_relaxed_box_tool_takes_its_looseness_from_the_strip(session, canvas, hand, new_labels):
    session.focus.set(tool="relaxed")
    canvas.settings.set("looseness", 1.5)
    hand.drag((150, 20), (190, 45))
    (box,) = new_labels()
    assert isinstance(box, Box)
    assert (box.looseness, box.core) == (1.5, None)
    assert session.undo_stack.undoText() == "Draw relaxed box"


def test_a_scribble_keeps_the_path_of_the_mouse(session, canvas, hand, new_labels):
    session.focus.set(tool="scribble", class_id=2)
    canvas.settings.set("rho", 3.0)
    hand.drag((150, 20), (160, 25), (170, 20), (180, 30))
    (scribble,) = new_labels()
    assert isinstance(scribble, Scribble)
    assert scribble.points == ((150, 20), (160, 25), (170, 20), (180, 30))
    assert (scribble.rho, scribble.certain) == (3.0, True)


def test_shift_click_goes_on_with_the_selected_scribble(session, hand, new_labels):
    session.focus.set(tool="scribble")
    hand.drag((150, 20), (160, 20))
    hand.click(180, 40, keys=SHIFT)
    (scribble,) = new_labels()
    assert scribble.points[-1] == (180, 40)


def test_a_click_with_the_spot_tool_is_a_spot_of_the_set_uncertainty(
    session, canvas, hand, new_labels
):
    session.focus.set(tool="spot")
    canvas.settings.set("rho", 7.5)
    hand.click(170, 30)
    (spot,) = new_labels()
    assert isinstance(spot, Spot)
    assert (spot.x, spot.y, spot.rho) == (170, 30, 7.5)


def test_dragging_outward_sets_the_uncertainty_of_a_spot(session, hand, new_labels):
    session.focus.set(tool="spot")
    hand.drag((170, 30), (175, 30), (182, 30))
    assert new_labels()[0].rho == 12.0


def test_ignore_takes_a_region_or_the_whole_frame(session, canvas, hand, new_labels):
    session.focus.set(tool="ignore")
    hand.drag((150, 20), (190, 45))
    canvas.settings.set("whole_frame", True)
    hand.click(100, 10)
    region, whole = new_labels()
    assert isinstance(region, Ignore)
    assert (region.x0, region.y1) == (150, 45)
    assert whole.x0 is None
    hand.click(100, 10)  # again: take it back
    assert new_labels() == [region]


def test_escape_drops_the_draft(session, canvas, hand, new_labels):
    session.focus.set(tool="box")
    hand.press(150, 20)
    hand.move(180, 40)
    assert canvas.controller.gesture is not None
    hand.key(Qt.Key.Key_Escape)
    hand.release(190, 45)
    assert new_labels() == []


def test_keys_in_the_frame_label_popover_toggle_what_the_frame_contains(
    session, canvas, hand, new_labels, qtbot
):
    hand.key(Qt.Key.Key_I)
    assert canvas.controller.popover.isVisible()
    qtbot.keyClick(canvas.controller.popover, Qt.Key.Key_1)
    qtbot.keyClick(canvas.controller.popover, Qt.Key.Key_C)
    assert [(label.says, label.class_id) for label in new_labels()] == [
        ("contains", 1),
        ("complete", 2),
    ]
    assert canvas.plates.frame_words() == "Frame contains Target, complete"
    qtbot.keyClick(canvas.controller.popover, Qt.Key.Key_Escape)
    assert not canvas.controller.popover.isVisible()
    assert session.focus.tool == "select"


def test_an_empty_frame_contains_nothing(session, hand, new_labels, canvas, qtbot):
    hand.key(Qt.Key.Key_I)
    qtbot.keyClick(canvas.controller.popover, Qt.Key.Key_1)
    qtbot.keyClick(canvas.controller.popover, Qt.Key.Key_0)
    assert [label.says for label in new_labels()] == ["empty"]
    session.undo_stack.undo()
    assert [label.says for label in new_labels()] == ["contains"]


def test_shift_says_it_of_the_whole_clip_in_one_step(session, canvas, hand, new_labels, qtbot):
    hand.key(Qt.Key.Key_I)
    popover = canvas.controller.popover
    qtbot.mouseClick(popover, Qt.MouseButton.LeftButton, SHIFT, popover.rect().center())
    found = new_labels()
    assert {label.frame for label in found} == set(range(6))
    assert all(isinstance(label, FrameLabel) for label in found)
    assert session.undo_stack.count() == 1


@pytest.mark.parametrize(
    ("key", "tool"), [(Qt.Key.Key_B, "box"), (Qt.Key.Key_R, "relaxed"), (Qt.Key.Key_E, "erase")]
)
def test_a_letter_takes_a_tool(session, hand, key, tool):
    hand.key(key)
    assert session.focus.tool == tool


def test_the_area_of_a_polygon_is_written_as_other_large_numbers_are(session, canvas, hand):
    session.focus.set(tool="polygon")
    for corner in ((10, 10), (190, 10), (190, 150)):
        hand.click(*corner)
    hand.move(10, 150)
    assert canvas.controller.gesture.words == "3 corners, 25\u2009200 px\u00b2"
