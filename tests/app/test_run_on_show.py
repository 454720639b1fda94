"""Which run is on show after a run came, was taken back, came again, was deleted."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from emberscope.project import PutRuns

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def session(used_window):
    """The small project with runs 11, 12 and 13; run 11 is on show, nothing can be undone yet."""
    session = used_window.session
    for number in (12, 13):
        session.project.apply(PutRuns(after=[msgspec.structs.replace(session.run, id=number)]))
    session.replace(session.project, None)
    session.focus.set(run=11)
    return session


def _add(session, number):
    run = msgspec.structs.replace(session.run, id=number)
    session.do(PutRuns(title=f"Run {number}", after=[run]))


def _undo(window):
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL)


def _redo(window):
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL | SHIFT)


def test_a_new_run_is_on_show(session):
    _add(session, 14)
    assert session.run.id == 14


def test_undo_of_a_run_shows_the_one_before_not_the_newest(used_window, session):
    _add(session, 14)
    _undo(used_window)
    assert session.run.id == 11


def test_redo_shows_the_run_that_came_back(used_window, session):
    _add(session, 14)
    _undo(used_window)
    _redo(used_window)
    assert session.run.id == 14


def test_undo_leaves_another_run_on_show_alone(used_window, session):
    _add(session, 14)
    session.focus.set(run=12)
    _undo(used_window)
    assert session.run.id == 12


def test_a_deleted_run_that_comes_back_is_on_show(used_window, session):
    session.do(PutRuns(title="Delete run 12", before=[session.project.runs[12]]))
    assert session.run.id == 11
    _undo(used_window)
    assert session.run.id == 12


def test_the_history_marks_the_run_that_came_back_and_the_maps_hear_of_it(used_window, session):
    _add(session, 14)
    _undo(used_window)
    drawn = []
    session.focus.changed.connect(
        lambda names: drawn.append(session.run.id) if "run" in names else None
    )
    _redo(used_window)
    assert drawn == [14]
    assert used_window.panel("run").history.model.runs[0] is session.run
