"""Letters of the frame view act wherever no text is being edited."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QScrollArea

from emberscope.labels.model import FrameLabel
from emberscope.labels.side_info import Invariance, Pair
from emberscope.project import PutSide
from emberscope.project.model.done import done_of
from emberscope_app.frame_view.canvas.canvas_keys import LETTERS, press_key
from emberscope_app.frame_view.tools.frame_label import sentence

LEFT = Qt.MouseButton.LeftButton


def click_row(view, row):
    QTest.mouseClick(
        view.viewport(), LEFT, pos=view.visualRect(view.model().index(row, 0)).center()
    )


CLICKS = {
    "a clip": lambda w: click_row(w.panel("sources").view, 0),
    "a class row": lambda w: click_row(w.panel("labels").list, 1),
    "a tool button": lambda w: QTest.mouseClick(w.rail.buttons["spot"], LEFT),
    "a bag": lambda w: click_row(w.panel("bags").table, 0),
}


def type_key(letter):
    """As a person would: to whatever has the keyboard."""
    QTest.keyClick(QApplication.focusWidget(), letter)


@pytest.mark.parametrize("what", CLICKS)
def test_r_takes_the_relaxed_box_after_a_click_on(used_window, what):
    CLICKS[what](used_window)
    type_key("r")
    assert used_window.session.focus.tool == "relaxed"


def test_r_takes_the_relaxed_box_while_a_list_of_the_run_panel_has_the_keyboard(used_window):
    used_window.session.focus.set(tool="select")
    used_window.panel("frame")
    used_window.show_workspace("explore")
    used_window.panel("frame")
    used_window.panel("run").findChild(QComboBox).setFocus()
    type_key("r")
    assert used_window.session.focus.tool == "relaxed"


def test_letters_typed_into_a_field_are_text(used_window):
    field = used_window.panel("sources").field
    field.setFocus()
    type_key("r")
    assert field.text() == "r"
    assert used_window.session.focus.tool == "select"


def test_g_in_the_chips_ignores_instances_and_takes_no_tool(used_window):
    grid = used_window.panel("chips").grid
    grid.setFocus()
    type_key("g")
    assert used_window.session.focus.tool == "select"


def test_a_letter_gives_the_frame_the_keyboard_so_that_holding_it_works_too(used_window):
    CLICKS["a clip"](used_window)
    canvas = used_window.panels["frame"].canvas
    QTest.keyPress(QApplication.focusWidget(), Qt.Key.Key_H)
    assert canvas.labels_hidden
    QTest.keyRelease(QApplication.focusWidget(), Qt.Key.Key_H)
    assert not canvas.labels_hidden


def test_every_letter_means_something_to_the_frame(used_window):
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent

    canvas = used_window.panels["frame"].canvas
    for key in LETTERS:
        assert press_key(
            canvas, QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier)
        ), key


PAIRED = {
    "the chips": lambda w: w.panel("chips").grid,
    "the 2-D map": lambda w: w.panel("map2d").surface,
    "the 3-D map": lambda w: w.panel("map3d").surface.canvas,
    "the list of pairs": lambda w: w.panel("side").table,
    "the inspector": lambda w: read(w.panel("inspector")).findChild(QScrollArea),
}


def read(panel):
    panel.read()
    return panel


@pytest.mark.parametrize("where", PAIRED)
def test_s_and_d_pair_the_selected_chips_in(used_window, where):
    session = used_window.session
    # The list is there
    session.do(PutSide(after=[Invariance(id=900, family="gain", step=1.1, reach=1.5)]))
    used_window.panel("frame")  # whose letters S and D are elsewhere
    session.selection.select(session.run.ids[[0, 5]])
    widget = PAIRED[where](used_window)
    widget.setFocus()
    type_key("s")
    assert [r.same for r in session.project.side.values() if isinstance(r, Pair)] == [True]
    type_key("d")
    assert [r.same for r in session.project.side.values() if isinstance(r, Pair)] == [False]
    assert session.focus.tool == "select"


# --- the popover of frame labels


def test_frame_after_frame_gets_its_frame_label_while_the_popover_stays(used_window):
    session, canvas = used_window.session, used_window.panels["frame"].canvas
    canvas.setFocus()
    for key in "i1d1":
        type_key(key)
    assert canvas.controller.popover.isVisible()
    assert session.focus.tool == "frame"
    found = [label for label in session.project.labels if isinstance(label, FrameLabel)]
    assert [(label.frame, label.says, label.class_id) for label in found] == [
        (0, "contains", 1),
        (1, "contains", 1),
    ]
    type_key("a")
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Right)
    assert session.focus.frame == 1
    type_key("i")
    assert not canvas.controller.popover.isVisible()


# --- Ctrl+A selects all of what has the keyboard


def ctrl_a(widget):
    widget.setFocus()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)


@pytest.mark.parametrize("where", ["the frame", "the timeline", "the labels"])
def test_ctrl_a_selects_the_labels_of_the_frame_on(used_window, where):
    session = used_window.session
    session.go(frame=2)
    ctrl_a(
        {
            "the frame": used_window.panels["frame"].canvas,
            "the timeline": used_window.panel("timeline").view,
            "the labels": used_window.panel("labels").list,
        }[where]
    )
    assert session.focus.frame == 2
    assert [session.project.labels[key].frame for key in session.focus.labels] == [2, 2, 2]


@pytest.mark.parametrize("name", ["map2d", "map3d"])
def test_ctrl_a_selects_all_points_of_the_map_that_are_shown(used_window, name):
    panel = used_window.panel(name)
    panel.cloud.hide(frozenset({2}))
    ctrl_a(panel.surface.canvas)
    assert len(used_window.session.selection) == 192
    panel.cloud.hide(frozenset())


def test_ctrl_a_selects_all_bags(used_window):
    ctrl_a(used_window.panel("bags").table)
    assert len(used_window.session.selection) == 288


# --- done


def test_ctrl_d_says_that_the_frame_is_done_and_takes_it_back(used_window):
    session, canvas = used_window.session, used_window.panels["frame"].canvas
    session.go(frame=2)
    canvas.setFocus()
    for done in (True, False):
        QTest.keyClick(canvas, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
        assert done_of(session.project, 10).has(2) is done
        assert sentence(canvas.place) == ("Done" if done else "")
        assert used_window.actions_by_id["label.done-frame"].isChecked() is done
    assert session.focus.frame == 2


def test_n_goes_to_the_next_bag_while_the_bags_have_the_keyboard_else_takes_the_polygon(
    used_window,
):
    session = used_window.session
    click_row(used_window.panel("bags").table, 0)
    first = session.selection.ids.tolist()
    type_key("n")
    assert session.focus.tool == "select"
    assert session.selection.ids.tolist() != first
    click_row(used_window.panel("sources").view, 0)
    type_key("n")
    assert session.focus.tool == "polygon"
