"""Very many labels are made in a thread; what happens meanwhile is not lost."""

import threading

import pytest

from emberscope.labels import Spot
from emberscope.project import Project, PutLabels
from emberscope_app.state.labels.large_edit import large_edit


def spots(first: int, count: int) -> list[Spot]:
    return [Spot(id=first + k, source=10, frame=2, x=k, y=1) for k in range(count)]


@pytest.fixture
def make():
    """Makes two labels in the thread it is called in once `go` is set."""
    def made(there, first):
        made.thread = threading.current_thread()
        made.go.wait(60)
        return PutLabels(title="Copy", after=spots(first, 2))

    made.go = threading.Event()
    yield made
    made.go.set()


def test_the_labels_are_one_step_and_are_made_beside_the_window(session, make, qtbot):
    count, steps = len(session.project.labels), session.undo_stack.count()
    large_edit(session).start(make, words="Copied.")
    make.go.set()
    qtbot.waitUntil(lambda: len(session.project.labels) == count + 2)
    assert make.thread is not threading.current_thread()
    assert session.undo_stack.count() == steps + 1
    session.undo_stack.undo()
    assert len(session.project.labels) == count


def test_an_edit_meanwhile_stays_and_no_id_is_given_twice(session, make, qtbot):
    count = len(session.project.labels)
    large_edit(session).start(make, words="Copied.")
    drawn = spots(session.project.new_label_ids()[0], 1)
    session.do(PutLabels(title="Draw", after=drawn))
    make.go.set()
    qtbot.waitUntil(lambda: len(session.project.labels) == count + 3)
    assert session.project.labels[drawn[0].id] == drawn[0]


def test_another_project_gets_none_of_them(session, make, qtbot):
    edit, ended = large_edit(session), []
    edit._ended.connect(lambda *_: ended.append(1))
    edit.start(make, words="Copied.")
    session.replace(Project(), None)
    make.go.set()
    qtbot.waitUntil(lambda: ended == [1])
    assert len(session.project.labels) == 0


def test_a_second_one_waits_for_nobody_and_does_nothing(session, make, qtbot):
    count, edit = len(session.project.labels), large_edit(session)
    edit.start(make, words="Copied.")
    edit.start(make, words="Copied.")
    make.go.set()
    qtbot.waitUntil(lambda: not edit.busy)
    assert len(session.project.labels) == count + 2
