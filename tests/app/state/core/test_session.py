"""The session: one changed signal, undo, focus that never points at nothing."""

import threading

import msgspec
import pytest
from PySide6.QtCore import QObject

from emberscope.labels.model import Box, TargetClass
from emberscope.project import PutClasses, PutLabels, PutRuns, PutSources, mark
from emberscope.project.store import journal_writer
from emberscope.project.store.journal import read_journal
from emberscope.project.store.recovery import Recoverable, recover
from emberscope_app.state.core.session import Session


def test_the_small_project_has_a_run_whose_rows_fit_together(session):
    run = session.run
    assert len(run.ids) == len(run.Z) == len(run.y) == 288
    assert len(set(run.ids.tolist())) == 288
    assert run.bags.sizes.tolist() == [16] * 18


def test_a_label_is_put_and_taken_back_with_one_undo(session, qtbot):
    label = Box(id=session.project.new_label_ids()[0], source=10, frame=2, x0=1, y0=2, x1=30, y1=40)
    with qtbot.waitSignal(session.changed) as came:
        session.do(PutLabels(title="Add box", after=[label]))
    assert came.args[0].frames == {(10, 2)}
    assert session.dirty
    session.undo_stack.undo()
    assert label.id not in session.project.labels
    assert not session.dirty


def test_marking_a_selection_is_one_step_with_a_name(session):
    session.selection.select(session.run.ids[:87])
    session.mark_selection(2)
    assert session.undo_stack.undoText() == "Mark 87 as background"
    assert len(session.project.marks) == 87


def test_going_beyond_the_last_frame_stops_at_it(session):
    session.go(frame=99)
    assert session.focus.frame == 5


# --- one operation, one notification


@pytest.fixture
def heard(session):
    """What the session and its focus tell, in order: ("focus", names) and ("project", changes)."""
    received = []
    session.focus.changed.connect(lambda names: received.append(("focus", names)))
    session.changed.connect(lambda changes: received.append(("project", changes)))
    return received


def new_box(session):
    return Box(id=session.project.new_label_ids()[0], source=10, frame=0, x0=1, y0=2, x1=30, y1=40)


OPERATIONS = {
    "add a label": lambda s, build_run: s.do(PutLabels(title="Add", after=[new_box(s)])),
    "remove a selected label": lambda s, build_run: s.do(
        PutLabels(title="Remove", before=[s.project.labels[100]])
    ),
    "add a class": lambda s, build_run: s.do(
        PutClasses(after=[TargetClass(id=70, name="Boat", role=1, slot=3)])
    ),
    "mark instances": lambda s, build_run: s.do(
        mark(s.project, s.run.ids[:3].tolist(), 2, title="Mark")
    ),
    "add a run": lambda s, build_run: s.do(PutRuns(after=[build_run(run_id=12)])),
    "remove the run on show": lambda s, build_run: s.do(PutRuns(before=[s.run])),
    "remove the source on show": lambda s, build_run: s.do(
        PutSources(before=[s.project.sources[10]])
    ),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_and_its_undo_tell_the_views_once_and_the_focus_before(
    session, heard, build_run, name
):
    session.focus.set(labels=(100,))
    heard.clear()
    OPERATIONS[name](session, build_run)
    session.undo_stack.undo()
    assert [what for what, _ in heard if what == "project"] == ["project", "project"]
    done, undone = "".join(what[0] for what, _ in heard).split("p")[:2]
    assert done in ("", "f")
    assert undone in ("", "f")
    assert heard[-1][0] == "project"


def test_what_is_shown_with_an_operation_is_set_before_anybody_hears_of_it(session, heard):
    box = new_box(session)
    session.do(PutLabels(title="Add", after=[box]), focus={"labels": (box.id,)})
    assert [what for what, _ in heard] == ["focus", "project"]
    assert session.focus.labels == (box.id,)


def test_redo_leaves_the_selected_labels_as_they_are(session):
    box = new_box(session)
    session.do(PutLabels(title="Add", after=[box]), focus={"labels": (box.id,)})
    session.undo_stack.undo()
    session.undo_stack.redo()
    assert session.focus.labels == ()


def test_removing_run_1_while_another_is_shown_is_not_another_project(session, heard, build_run):
    first = build_run(run_id=1)
    session.do(PutRuns(after=[first]))
    session.focus.set(run=11)
    heard.clear()
    session.do(PutRuns(before=[first]))
    (_, changes), = heard
    assert not changes.everything
    assert changes.touch("runs")
    assert not changes.touch("labels", "sources")


def test_another_project_touches_everything_and_says_so_first(session, heard):
    session.replace(session.project, None)
    what, changes = heard[0]
    assert what == "project"
    assert changes.everything
    assert changes.touch("labels")


# --- what is kept of it


def test_steps_back_and_forward_are_written_down_as_they_happen(session, monkeypatch):
    received = []
    for what in ("did", "undid", "redid"):
        monkeypatch.setattr(
            session.opened,
            what,
            lambda operation, what=what: received.append((what, operation.title)),
        )
    session.do(PutLabels(title="Add", after=[new_box(session)]))
    session.undo_stack.undo()
    session.undo_stack.redo()
    assert received == [("did", "Add"), ("undid", "Add"), ("redid", "Add")]


def test_steps_that_became_one_are_taken_back_as_one_in_the_journal_too(empty_session):
    session = empty_session
    before = new_box(session)
    session.do(PutLabels(title="Add", after=[before]))
    for x1 in (31, 32):
        after = msgspec.structs.replace(before, x1=x1)
        session.do(PutLabels(title="Move", before=[before], after=[after]), merge="move")
        before = after
    session.undo_stack.undo()
    assert [label.x1 for label in session.project.labels] == [30]
    assert session.opened.flush()
    project, entries = recover(work_of(session))
    assert [entry.what for entry in entries] == ["do", "do", "do", "undo"]
    assert [label.x1 for label in project.labels] == [30]


def work_of(session):
    """What a crash would leave now."""
    journal = session.opened._journal.path
    return Recoverable(journal=journal, project=None, base=None, fingerprint="",
                       entries=read_journal(journal).entries, torn=False)


def test_an_operation_is_encoded_and_written_by_the_thread_of_the_journal(
    session, build_run, monkeypatch
):
    threads, frame = [], journal_writer.frame
    monkeypatch.setattr(journal_writer, "frame", lambda record, **aside: (
        threads.append(threading.current_thread().name), frame(record, **aside))[1])
    session.opened.did(PutRuns(after=[build_run(run_id=12)]))
    assert session.opened.flush()
    assert set(threads) == {"journal"}


# --- a run that was undone


@pytest.fixture
def messages(session):
    received = []
    session.message.connect(received.append)
    return received


def test_undo_that_removes_a_run_says_so_and_brings_it_back(session, messages, build_run):
    session.do(PutRuns(after=[build_run(run_id=12)]))
    session.undo_stack.undo()
    message, = messages
    assert (message.words, message.action) == ("Undo removed run 12.", "Redo")
    message.on_action()
    assert session.run.id == 12


def test_a_run_that_was_undone_comes_back_over_the_steps_between(session, messages, build_run):
    session.do(PutLabels(title="Add", after=[new_box(session)]))
    session.do(PutRuns(after=[build_run(run_id=12)]))
    session.undo_stack.setIndex(0)
    messages[0].on_action()
    assert session.undo_stack.index() == 2


def test_a_run_that_another_edit_made_final_says_so(session, messages, build_run):
    session.do(PutRuns(after=[build_run(run_id=12)]))
    session.undo_stack.undo()
    session.do(PutLabels(title="Add", after=[new_box(session)]))
    messages[0].on_action()
    assert messages[-1].words == "It cannot be brought back: there was another edit since."
    assert 12 not in session.project.runs


def test_undo_of_a_label_says_nothing(session, messages):
    session.do(PutLabels(title="Add", after=[new_box(session)]))
    session.undo_stack.undo()
    assert messages == []


class Part(QObject):
    """Something that a session has one of."""


def test_a_session_has_one_object_of_a_class_and_another_session_has_its_own(session):
    found = session.only(Part)
    assert session.only(Part) is found
    assert found.parent() is session
    assert Session().only(Part) is not found
