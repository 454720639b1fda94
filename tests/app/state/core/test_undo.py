"""Steps back and forward are seen: the frame they act on is on show, and the list of edits names
it."""

import pytest

from emberscope.labels.model import Box
from emberscope.project import PutLabels
from emberscope.project.model.project import Project
from emberscope_app.docks.edits.panel import UndoHistoryPanel
from emberscope_app.words import frames_words


def texts(panel, row):
    return panel.view.delegate.texts(panel.model.index(row, 0))


def box(session, frame, *, place=0):
    """A box that is to be the first, second ... of one operation."""
    return Box(
        id=session.project.next_label + place, source=10, frame=frame, x0=1, y0=2, x1=30, y1=40
    )


def test_undo_goes_to_the_frame_it_acts_on_and_so_does_redo(session):
    session.go(frame=2)
    session.do(PutLabels(title="Add", after=[box(session, 2)]))
    session.go(frame=5)
    session.undo_stack.undo()
    assert session.focus.frame == 2
    session.go(frame=0)
    session.undo_stack.redo()
    assert session.focus.frame == 2


def test_undo_stays_where_the_frame_on_show_changes_too(session):
    session.do(PutLabels(title="Add", after=[box(session, frame) for frame in range(4)]))
    session.go(frame=3)
    session.undo_stack.undo()
    assert session.focus.frame == 3


def test_doing_something_to_other_frames_stays_here(session):
    session.do(PutLabels(title="Add", after=[box(session, 4)]))
    assert session.focus.frame == 0


@pytest.mark.parametrize(("frames", "words"), [([2], "frame 3"), ([2, 3, 5], "frames 3 to 6")])
def test_the_list_of_edits_says_which_frames(session, qtbot, frames, words):
    session.do(PutLabels(title="Add box", after=[box(session, frame) for frame in frames]))
    panel = UndoHistoryPanel(session)
    qtbot.addWidget(panel)
    assert texts(panel, 1) == ["Add box", words]
    assert texts(panel, 0) == ["As opened", "saved"]


def test_several_clips_are_counted():
    assert frames_words(Project(), [(1, 0), (2, 4)]) == "2 clips"


def test_an_undo_that_removes_many_labels_says_so_and_offers_them_back(session):
    received = []
    session.message.connect(received.append)
    session.do(PutLabels(title="Add", after=[box(session, 2, place=k) for k in range(19)]))
    session.undo_stack.undo()
    assert received == []
    before = len(session.project.labels)
    session.do(PutLabels(title="Import", after=[box(session, 2, place=k) for k in range(25)]))
    session.undo_stack.undo()
    message, = received
    assert (message.words, message.action) == ("Undo removed 25 labels.", "Redo")
    message.on_action()
    assert len(session.project.labels) == before + 25
