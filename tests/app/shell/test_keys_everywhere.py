"""Keys of the window act wherever the keyboard is, but where a text is being edited and the key
edits it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit, QWidget

from emberscope.tasks.methods import DescribeMethods
from emberscope_app.shell import actions
from emberscope_app.shell.actions import ACTIONS, WINDOW

ROWS = [row for row in ACTIONS if row.keys and row.scope == WINDOW]
# A text that is being edited takes its own last letters back: there these keys are rightly not the
# window's.
OF_AN_EDITOR = {"Ctrl+Z", "Ctrl+Shift+Z"}


@pytest.fixture
def done(used_window, worker, methods, monkeypatch):
    """Ids of the actions that were triggered, which then do nothing; every action may run."""
    found = []
    worker.answers[DescribeMethods] = lambda request: methods
    monkeypatch.setattr(actions.Action, "do", lambda row, window: found.append(row.id))
    monkeypatch.setattr(actions, "why_not", lambda row, session: "")
    used_window.actions_by_id.refresh()
    return found


def press(widget, keys):
    """As a person would."""
    combination = QKeySequence(keys)[0]
    QTest.keyClick(widget, combination.key(), combination.keyboardModifiers())


def dead(widget, done):
    """Keys of the window that do nothing, or something else too, while a widget has the
    keyboard."""
    edits = isinstance(widget, QLineEdit | QAbstractSpinBox) or (
        isinstance(widget, QComboBox) and widget.isEditable()
    )
    own = OF_AN_EDITOR if edits else set()
    found = []
    for row in ROWS:
        done.clear()
        widget.setFocus()
        press(widget, row.keys)
        if done != ([] if row.keys in own else [row.id]):
            found.append(row.keys)
    return found


def one_of_each(root):
    """Of the widgets on screen that take the keyboard, one of each kind."""
    found = {
        type(widget).__name__: widget
        for widget in root.findChildren(QWidget)
        if widget.isVisible()
        and widget.isEnabled()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
    }
    return list(found.values())


def dead_in(root, done):
    """(kind of widget, keys that are dead there), for every kind below `root`."""
    QApplication.processEvents()
    return [
        (type(widget).__name__, keys)
        for widget in one_of_each(root)
        if (keys := dead(widget, done))
    ]


DOCKS = [
    (workspace, name)
    for workspace, names in {
        "label": (
            "sources",
            "frame",
            "timeline",
            "labels",
            "bags",
            "map2d",
            "map3d",
            "chips",
            "jobs",
            "log",
            "undo",
        ),
        "explore": (
            "run",
            "map2d",
            "map3d",
            "frame",
            "chips",
            "inspector",
            "concepts",
            "preview",
            "side",
        ),
    }.items()
    for name in names
]


@pytest.mark.parametrize(("workspace", "dock"), DOCKS)
def test_every_key_of_the_window_acts_from_every_kind_of_widget_of(
    used_window, done, qtbot, workspace, dock
):
    session = used_window.session
    session.selection.select(session.run.ids[:3])
    used_window.show_workspace(workspace)
    panel = used_window.panel(dock)
    if dock == "run":
        qtbot.waitUntil(lambda: not panel.loading.isVisible())
    assert dead_in(panel, done) == []


@pytest.mark.parametrize(
    "action",
    [
        "file.import-truth",
        "file.export",
        "label.add-class",
        "run.methods",
        "run.believe",
        "run.learned",
        "help.first",
        "help.published",
        "help.cache",
        "help.shortcuts",
        "help.self-test",
    ],
)
def test_every_key_of_the_window_acts_from_every_kind_of_widget_of_the_sheet(
    used_window, done, action
):
    next(row for row in ACTIONS if row.id == action).run(used_window)
    assert dead_in(used_window.sheet, done) == []


def test_every_key_of_the_window_acts_from_the_popover_of_frame_labels(used_window, done):
    canvas = used_window.panels["frame"].canvas
    canvas.setFocus()
    press(canvas, "I")
    popover = QApplication.focusWidget()
    assert type(popover).__name__ == "FramePopover"
    popover.focusOutEvent = lambda event: None  # it stays while all keys are tried
    assert dead(popover, done) == []


def test_every_key_of_the_window_acts_from_the_start_page(window, monkeypatch):
    found = []
    monkeypatch.setattr(actions.Action, "do", lambda row, host: found.append(row.id))
    monkeypatch.setattr(actions, "why_not", lambda row, session: "")
    window.actions_by_id.refresh()
    assert dead_in(window.start_page, found) == []


def test_letters_and_digits_typed_into_a_spin_box_are_text(used_window):
    next(row for row in ACTIONS if row.id == "help.cache").run(used_window)
    focus = used_window.session.focus
    before = focus.tool, focus.class_id
    box = used_window.sheet.findChild(QAbstractSpinBox)
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, "r2")
    assert box.lineEdit().text().startswith("2")
    assert (focus.tool, focus.class_id) == before


@pytest.mark.parametrize("letter", ["v", "g"])
def test_letters_of_the_map_take_no_tool_of_the_frame_beside_it(used_window, letter):
    used_window.show_workspace("explore")
    used_window.panel("frame")
    used_window.session.focus.set(tool="box")
    used_window.panel("map3d").surface.canvas.setFocus()
    QTest.keyClick(QApplication.focusWidget(), letter)
    assert used_window.session.focus.tool == "box"
