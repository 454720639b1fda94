"""Selected labels: handles, the r rail, keys; one gesture is one undo step."""

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from emberscope.labels import Box, Ignore, Scribble
from emberscope.labels.model import About
from emberscope.project import PutLabels
from emberscope_app.frame_view.canvas.canvas_menu import canvas_menu
from emberscope_app.frame_view.layers.looseness import core_of, rail
from emberscope_app.frame_view.tool_strip import ToolStrip

SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)


@pytest.fixture
def tight(session) -> Box:
    """A tight box on free ground, selected, the select tool in hand."""
    box = Box(
        id=session.project.new_label_ids()[0], source=10, frame=0, x0=120, y0=20, x1=150, y1=50
    )
    session.do(PutLabels(title="Draw box", after=[box]))
    session.focus.set(labels=(box.id,), tool="select")
    return box


def corners(box: Box) -> tuple[float, float, float, float]:
    return box.x0, box.y0, box.x1, box.y1


def test_a_click_selects_the_smallest_label_and_its_instances_in_all_views(session, hand):
    hand.click(22, 60)
    assert session.focus.labels == (100,)
    assert len(session.selection) == 16


def test_dragging_inside_moves_the_label_as_one_step(session, hand, tight):
    steps = session.undo_stack.count()
    hand.drag((130, 30), (134, 33), (140, 36))
    assert corners(session.project.labels[tight.id]) == (130, 26, 160, 56)
    assert session.undo_stack.count() == steps + 1
    session.undo_stack.undo()
    assert corners(session.project.labels[tight.id]) == (120, 20, 150, 50)


def test_a_corner_handle_resizes(session, hand, tight):
    hand.drag((150, 50), (155, 55), (162, 58))
    assert corners(session.project.labels[tight.id]) == (120, 20, 162, 58)


def test_a_box_never_gets_smaller_than_3_px(session, hand, tight):
    hand.drag((150, 35), (110, 35))
    assert session.project.labels[tight.id].x1 == 123


def test_with_ctrl_handles_are_at_hand_while_a_drawing_tool_is(session, hand, tight):
    session.focus.set(tool="box")
    hand.drag((120, 35), (110, 35), keys=CTRL)
    assert corners(session.project.labels[tight.id]) == (110, 20, 150, 50)


@pytest.mark.parametrize("tool", ["box", "relaxed", "ignore", "scribble", "spot"])
def test_a_label_begun_on_a_handle_of_the_one_just_drawn_is_drawn(session, hand, new_labels, tool):
    session.focus.set(tool=tool)
    hand.drag((110, 20), (130, 40), (150, 60))
    (first,) = new_labels()
    # Corners, an edge, the cross: handles of a box
    for x, y in ((150, 60), (110, 20), (150, 40), (130, 40)):
        hand.drag((x, y), (x + 15, y + 12), (x + 30, y + 25))
    assert len(new_labels()) == 5
    assert session.project.labels[first.id] == first


def test_a_spot_begun_on_the_ring_of_the_one_just_drawn_is_drawn(session, hand, new_labels):
    session.focus.set(tool="spot")
    hand.drag((130, 40), (140, 40), (150, 40))
    hand.click(150, 40)
    first, second = new_labels()
    assert (first.x, first.rho, second.x) == (130, 20, 150)


def test_handles_are_hollow_where_a_press_would_draw_and_full_while_ctrl_is_held(
    session, canvas, tight, qtbot
):
    session.focus.set(tool="box")
    assert not canvas.scene().handles_act
    qtbot.keyPress(canvas, Qt.Key.Key_Control)
    assert canvas.scene().handles_act
    qtbot.keyRelease(canvas, Qt.Key.Key_Control)
    assert not canvas.scene().handles_act
    session.focus.set(tool="select")
    assert canvas.scene().handles_act


def test_dragging_the_diamond_sets_r_and_the_core_stays(session, canvas, hand, tight):
    session.focus.set(tool="relaxed")
    y, start, step = rail(tight, cols=200)
    hand.drag((start, y), (start + 0.6 * step, y), (start + 1.2 * step, y), keys=CTRL)
    box = session.project.labels[tight.id]
    assert box.looseness == 1.2
    assert box.core == corners(tight)
    assert box.x0 == pytest.approx(120 - 12)
    assert session.undo_stack.undoText() == "Relax box"


def test_alt_up_and_down_change_r_in_one_step(session, hand, tight):
    steps = session.undo_stack.count()
    for _ in range(3):
        hand.key(Qt.Key.Key_Up, ALT)
    assert session.project.labels[tight.id].looseness == 0.15
    assert session.undo_stack.count() == steps + 1
    for _ in range(3):
        hand.key(Qt.Key.Key_Down, ALT)
    assert corners(session.project.labels[tight.id]) == pytest.approx(corners(tight))


def test_the_cross_shifts_the_outer_edge_over_its_core(session, hand, tight):
    session.focus.set(tool="relaxed")
    for _ in range(20):
        hand.key(Qt.Key.Key_Up, ALT)
    box = session.project.labels[tight.id]
    hand.drag((135, 35), (138, 35), (141, 35), keys=CTRL)
    moved = session.project.labels[tight.id]
    assert moved.x0 == pytest.approx(box.x0 + 6)
    assert moved.core == pytest.approx(core_of(box))


def test_arrows_nudge_the_label_and_not_the_frame(session, hand, tight):
    steps = session.undo_stack.count()
    for _ in range(4):
        hand.key(Qt.Key.Key_Right)
    hand.key(Qt.Key.Key_Down, SHIFT)
    assert corners(session.project.labels[tight.id]) == (124, 30, 154, 60)
    assert session.focus.frame == 0
    assert session.undo_stack.count() == steps + 1
    session.undo_stack.undo()
    assert corners(session.project.labels[tight.id]) == corners(tight)


def test_the_right_arrow_after_drawing_steps_to_the_next_frame(session, hand, new_labels):
    session.focus.set(tool="box")
    hand.drag((120, 20), (140, 40), (150, 50))
    (drawn,) = new_labels()
    hand.key(Qt.Key.Key_Right)
    assert session.focus.frame == 1
    assert session.project.labels[drawn.id] == drawn


def test_k_on_the_canvas_plays(session, hand):
    hand.key(Qt.Key.Key_K)
    assert session.player.playing


def test_ctrl_and_arrows_resize(session, hand, tight):
    hand.key(Qt.Key.Key_Right, CTRL)
    assert corners(session.project.labels[tight.id]) == (120, 20, 151, 50)


def test_arrows_move_through_frames_when_nothing_is_selected(session, hand):
    hand.key(Qt.Key.Key_Right)
    hand.key(Qt.Key.Key_D)
    assert session.focus.frame == 2
    hand.key(Qt.Key.Key_Home)
    assert session.focus.frame == 0


def test_delete_removes_the_selected_labels_as_one_step(session, hand, tight):
    session.focus.set(labels=(tight.id, 100))
    hand.key(Qt.Key.Key_Delete)
    assert tight.id not in session.project.labels
    assert 100 not in session.project.labels
    assert session.undo_stack.undoText() == "Delete 2 labels"
    session.undo_stack.undo()
    assert tight.id in session.project.labels


def test_a_digit_sets_the_class_of_the_selected_label(session, hand, tight):
    hand.key(Qt.Key.Key_2)
    assert session.project.labels[tight.id].class_id == 2
    assert session.focus.class_id == 2
    assert session.undo_stack.undoText() == "Mark box as background"


def test_a_digit_leaves_a_region_without_a_class(session, hand):
    region = Ignore(id=session.project.new_label_ids()[0], source=10, frame=0)
    session.do(PutLabels(title="Ignore frame", after=[region]))
    session.focus.set(labels=(region.id,), tool="select")
    hand.key(Qt.Key.Key_2)
    assert session.focus.class_id == 2
    assert session.undo_stack.undoText() == "Ignore frame"


def test_m_copies_to_the_next_frames_as_one_step(session, canvas, hand, tight):
    canvas.settings.set("copies", 3)
    steps = session.undo_stack.count()
    hand.key(Qt.Key.Key_M)
    copies = [label for label in session.project.labels if label.origin == "propagated"]
    assert [label.frame for label in copies] == [1, 2, 3]
    assert {corners(label) for label in copies} == {corners(tight)}
    assert session.undo_stack.count() == steps + 1
    hand.key(Qt.Key.Key_M)  # what is there already is not copied again
    assert session.undo_stack.count() == steps + 1


def test_erase_cuts_a_scribble_in_two(session, canvas, hand, new_labels):
    line = Scribble(id=900, source=10, frame=0, points=((110, 20), (190, 20)))
    session.do(PutLabels(title="Draw scribble", after=[line]))
    session.focus.set(tool="erase")
    canvas.settings.set("brush", 5.0)
    hand.drag((150, 10), (150, 30))
    left, right = new_labels()
    assert left.points[0] == (110, 20)
    assert left.points[-1][0] == pytest.approx(144, abs=1)
    assert right.points[0][0] == pytest.approx(156, abs=1)
    session.undo_stack.undo()
    assert new_labels() == [line]


def test_erase_deletes_a_shape_with_a_click(session, hand, tight):
    session.focus.set(tool="erase")
    hand.click(130, 30)
    assert tight.id not in session.project.labels


def test_alt_click_takes_the_instance_below_a_label(session, hand):
    hand.click(22, 26, keys=ALT)
    assert session.selection.ids.tolist() == [session.run.ids[0]]
    assert session.focus.labels == ()


def test_clicking_the_selected_label_again_goes_down_to_the_instance(session, hand):
    hand.click(22, 26)
    hand.click(22, 26)
    assert session.selection.ids.tolist() == [session.run.ids[0]]
    assert session.focus.labels == ()


def test_a_rubber_band_takes_labels_and_instances_inside(session, hand):
    hand.drag((5, 95), (30, 120), (60, 150))
    assert session.focus.labels == (102,)
    assert len(session.selection) == 16


def test_a_click_on_bare_ground_clears(session, hand):
    hand.click(22, 60)
    hand.click(190, 150)
    assert session.focus.labels == ()
    assert len(session.selection) == 0


def test_the_pointer_hovers_the_instance_below_it_everywhere(session, canvas, qtbot):
    qtbot.mouseMove(canvas, QPoint(22 * 4, 26 * 4))
    assert session.selection.hover == session.run.ids[0]


def test_a_hidden_class_is_not_picked(session, hand):
    session.focus.set(hidden=frozenset({1}))
    hand.click(22, 60)
    assert session.focus.labels == ()


def test_a_tool_key_held_down_gives_the_tool_back_after_use(
    session, hand, canvas, monkeypatch, qtbot
):
    monkeypatch.setattr("emberscope_app.frame_view.canvas.tool_controller._HOLD_MS", -1)
    qtbot.keyPress(canvas, Qt.Key.Key_P)
    hand.click(170, 30)
    qtbot.keyRelease(canvas, Qt.Key.Key_P)
    assert session.focus.tool == "select"
    assert session.undo_stack.undoText() == "Draw spot"


def test_a_tool_key_struck_keeps_the_tool(session, hand):
    hand.key(Qt.Key.Key_P)
    assert session.focus.tool == "spot"


def test_h_hides_the_labels_while_held(canvas, qtbot):
    qtbot.keyPress(canvas, Qt.Key.Key_H)
    assert canvas.scene().labels == []
    qtbot.keyRelease(canvas, Qt.Key.Key_H)
    assert len(canvas.scene().labels) == 4


def test_the_menu_of_a_label_sets_its_class_and_deletes_it(session, canvas, tight):
    menu = canvas_menu(canvas, canvas)
    classes = menu.actions()[0].menu().actions()
    classes[1].trigger()
    assert session.project.labels[tight.id].class_id == 2
    menu.actions()[-1].trigger()
    assert tight.id not in session.project.labels


def test_the_menu_of_the_frame_ignores_it_and_takes_it_back(session, canvas, new_labels):
    canvas_menu(canvas, canvas).actions()[1].trigger()
    (whole,) = new_labels()
    assert whole.x0 is None
    session.focus.set(labels=())
    canvas_menu(canvas, canvas).actions()[1].trigger()
    assert new_labels() == []


def test_the_strip_says_how_to_change_a_label_with_a_drawing_tool_in_hand(
    session, canvas, tight, qtbot
):
    strip = ToolStrip(session, canvas)
    qtbot.addWidget(strip)
    strip.resize(1400, strip.height())
    strip.show()
    session.focus.set(tool="box")
    assert (
        strip.hint.text()
        == "Drag around a target. Ctrl+drag a handle to change the selected label."
    )
    session.focus.set(labels=())
    assert strip.hint.text() == "Drag around a target."


def test_the_menu_beside_copy_says_how_many_frames_and_copies_nothing(
    session, canvas, tight, qtbot
):
    strip = ToolStrip(session, canvas)
    qtbot.addWidget(strip)
    steps = session.undo_stack.count()
    strip._choose_copies()
    (menu,) = strip.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert [action.text() for action in menu.actions()] == [
        "How many frames M copies to",
        "1 frame",
        "5 frames",
        "10 frames",
        "25 frames",
        "50 frames",
        "100 frames",
    ]
    assert [action.text() for action in menu.actions() if action.isChecked()] == ["10 frames"]
    menu.actions()[5].trigger()
    menu.close()
    assert strip.copy.text() == " Copy to next 50"
    assert session.undo_stack.count() == steps


def test_a_copy_is_of_the_same_track_and_nobody_has_checked_it(session, canvas, hand, tight):
    known = msgspec.structs.replace(tight, about=About(track=7, checked=True, note="far"))
    session.do(PutLabels(before=[tight], after=[known]))
    canvas.settings.set("copies", 1)
    hand.key(Qt.Key.Key_M)
    (copy,) = [label for label in session.project.labels if label.origin == "propagated"]
    assert copy.about == About(track=7)


def test_a_label_whose_copy_got_a_note_is_not_copied_again(session, canvas, hand, tight):
    canvas.settings.set("copies", 1)
    hand.key(Qt.Key.Key_M)
    (copy,) = [label for label in session.project.labels if label.origin == "propagated"]
    session.do(
        PutLabels(before=[copy], after=[msgspec.structs.replace(copy, about=About(note="far"))])
    )
    steps = session.undo_stack.count()
    hand.key(Qt.Key.Key_M)
    assert session.undo_stack.count() == steps
