"""The row of actions under the timeline: painted by a drag, chosen, changed, imported."""

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from emberscope.labels.side_info import Actions
from emberscope.project import PutLabels, PutRuns
from emberscope.project.model.action_order import action_order
from emberscope.project.model.action_track import Stretch
from emberscope_app.frame_view.timeline.action_row import _apart
from emberscope_app.frame_view.timeline.timeline_panel import TimelinePanel
from emberscope_app.state.labels.actions import action_color, action_colors

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(session, qtbot) -> TimelinePanel:
    found = TimelinePanel(session)
    qtbot.addWidget(found)
    found.resize(900, 260)
    found.show()
    return found


def place(panel, frame):
    return QPoint(
        round(panel.view.x_of(frame)), round(panel.view._top(1 + len(panel.view.marks.tracks))) + 14
    )


def paint(panel, first, last, action):
    panel.tools.paint.setChecked(True)
    panel.tools.action.setEditText(action)
    QTest.mousePress(panel.view, LEFT, pos=place(panel, first))
    QTest.mouseMove(panel.view, place(panel, last))
    QTest.mouseRelease(panel.view, LEFT, pos=place(panel, last))


def shown(panel):
    return [(found.action, found.first, found.last) for found in panel.view.action_row.stretches]


def test_the_row_comes_with_the_tool_and_stays_with_actions(panel):
    height = panel.view.sizeHint().height()
    panel.tools.paint.setChecked(True)
    assert panel.view.sizeHint().height() == height + 28
    paint(panel, 0, 3, "left")
    panel.tools.paint.setChecked(False)
    assert panel.view.sizeHint().height() == height + 28


def test_a_drag_paints_an_action_in_one_step(panel, session):
    before = len(session.project.side)
    paint(panel, 1, 4, "orbit +5°")
    assert shown(panel) == [("orbit +5°", 1, 4)]
    session.undo_stack.undo()
    assert (shown(panel), len(session.project.side)) == ([], before)


def test_painting_does_not_move_the_playhead(panel, session):
    session.go(frame=5)
    paint(panel, 1, 3, "left")
    assert session.focus.frame == 5


def test_the_track_is_the_likeliest_target_of_each_frame(panel, session):
    paint(panel, 0, 5, "left")
    record = next(r for r in session.project.side.values() if isinstance(r, Actions))
    run = session.run
    rows = [int((run.ids == chip).nonzero()[0][0]) for chip in record.instances]
    assert [int(run.frame[row]) for row in rows] == list(range(6))
    assert all(run.y[row] >= 0 for row in rows)


def test_without_a_run_labels_give_the_chips(panel, session):
    session.do(PutRuns(before=[session.run]))
    paint(panel, 0, 5, "left")
    assert shown(panel) == [("left", 0, 5)]


def test_a_stretch_is_chosen_and_removed(panel):
    paint(panel, 0, 2, "left")
    paint(panel, 2, 5, "right")
    panel.tools.paint.setChecked(False)
    QTest.mouseClick(panel.view, LEFT, pos=place(panel, 1))
    assert panel.view.action_row.chosen.action == "left"
    QTest.keyClick(panel.view, Qt.Key.Key_Delete)
    assert shown(panel) == [("right", 2, 5)]


def test_no_action_takes_an_action_away(panel):
    paint(panel, 0, 5, "left")
    paint(panel, 2, 4, "no action")
    assert shown(panel) == [("left", 0, 2), ("left", 4, 5)]


def test_a_stretch_can_be_another_action(panel):
    paint(panel, 0, 2, "left")
    paint(panel, 2, 5, "right")
    menu = panel.view.menu(place(panel, 1))
    change = next(action.menu() for action in menu.actions() if action.text() == "Change to")
    next(action for action in change.actions() if action.text() == "right").trigger()
    assert shown(panel) == [("right", 0, 5)]


def test_a_double_click_selects_the_chips_of_an_action(panel, session):
    paint(panel, 1, 3, "left")
    panel.tools.paint.setChecked(False)
    QTest.mouseDClick(panel.view, LEFT, pos=place(panel, 2))
    assert len(session.selection) == 3
    assert session.focus.frame == 1


def test_frames_without_a_chip_make_no_action(panel, session, qtbot):
    session.do(PutLabels(title="Remove all", before=list(session.project.labels)))
    session.do(PutRuns(before=[session.run]))
    with qtbot.waitSignal(session.message) as said:
        paint(panel, 1, 3, "left")
    assert said.args[0].words.startswith("no frame of the span has a chip")
    assert shown(panel) == []


def test_a_table_of_actions_is_imported_in_one_step(panel, session, tmp_path, monkeypatch):
    path = tmp_path / "platform.csv"
    path.write_text("frame,azimuth\n0,0\n1,5\n2,10\n3,5\n")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a, **k: (str(path), ""))
    panel.tools.choose_file()
    assert shown(panel) == [("azimuth +5°", 0, 2), ("azimuth -5°", 2, 3)]
    session.undo_stack.undo()
    assert shown(panel) == []


def test_a_file_that_is_no_table_is_said(panel, session, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "notes.csv"
    path.write_text("hello\n")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a, **k: (str(path), ""))
    with qtbot.waitSignal(session.message) as said:
        panel.tools.choose_file()
    assert "no column frame" in said.args[0].words


def test_a_project_open_elsewhere_is_not_painted_on(panel, session, monkeypatch):
    monkeypatch.setattr(type(session), "read_only", property(lambda _: True))
    paint(panel, 1, 3, "left")
    assert shown(panel) == []


def test_an_added_action_leaves_the_colors_of_the_others(panel, session):
    paint(panel, 1, 3, "right")
    before = action_color("right", session.project)
    paint(panel, 3, 5, "left")
    assert shown(panel) == [("right", 1, 3), ("left", 3, 5)]
    assert action_color("right", session.project) == before
    assert action_color("left", session.project) != before
    session.undo_stack.undo()
    assert action_order(session.project) == ["right"]


def one_step(k):
    return Stretch(record=1, action=f"a{k}", first=k, last=k + 1, steps=(k, k))


def test_no_more_stretches_are_painted_than_there_are_pixels():
    stretches = [one_step(k) for k in range(10_000)]
    assert len(list(_apart(stretches, QRectF(0, 0, 100, 20), lambda frame: frame / 100))) <= 202


def test_stretches_beside_the_area_are_not_painted():
    found = _apart(
        [one_step(k) for k in range(50)], QRectF(100, 0, 50, 20), lambda frame: 10.0 * frame
    )
    assert [one.first for one in found] == [9, 10, 11, 12, 13, 14, 15]


def test_many_colors_are_those_that_each_action_has(session):
    names = ["left", "right", "stay"]
    assert action_colors(names, session.project, names) == [
        action_color(n, session.project, names) for n in names
    ]
