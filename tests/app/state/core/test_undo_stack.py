"""The undo stack does what Qt's does."""

import random
import sys
from dataclasses import dataclass

import pytest
from PySide6.QtGui import QUndoCommand, QUndoStack

from emberscope.project import Project
from emberscope_app.state.core.undo_stack import UndoStack

OFTEN = [*["push"] * 6, *["undo"] * 4, *["redo"] * 3, *["setClean"] * 2, "setIndex", "resetClean",
         "clear"]  # fmt: skip


@dataclass(eq=False)
class Step:
    """Adds a word to what was said, or takes it back; takes in the next one of the same merge."""

    said: list[str]
    text: str
    merge: str = ""

    def redo(self):
        self.said.append(f"+{self.text}")

    def undo(self):
        self.said.append(f"-{self.text}")

    def takes_in(self, other):
        if self.merge and self.merge == other.merge:
            self.text = other.text
            return True
        return False


class QtStep(QUndoCommand):
    """The same for the stack of Qt."""

    def __init__(self, step):
        super().__init__(step.text)
        self.step = step

    def redo(self):
        self.step.redo()

    def undo(self):
        self.step.undo()

    def id(self):
        return 1 if self.step.merge else -1

    def mergeWith(self, other):
        taken = self.step.takes_in(other.step)
        self.setText(self.step.text)
        return taken


def heard(stack):
    """All that the signals of a stack say from now on."""
    found = []
    stack.indexChanged.connect(lambda index: found.append(("index", index)))
    stack.cleanChanged.connect(lambda clean: found.append(("clean", clean)))
    return found


def state(stack):
    return {
        "texts": [stack.text(at) for at in range(stack.count())],
        "index": stack.index(),
        "saved": (stack.cleanIndex(), stack.isClean()),
        "undo": (stack.canUndo(), stack.undoText()),
        "redo": (stack.canRedo(), stack.redoText()),
    }


@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_done_the_stack_of_qt_does_the_same(qapp, seed):
    draw = random.Random(seed)
    mine, qt = UndoStack(), QUndoStack()
    told, told_by_qt = heard(mine), heard(qt)
    said, said_by_qt = [], []
    for number in range(200):
        what = draw.choice(OFTEN)
        if what == "push":
            merge = draw.choice(["", "nudge", "size"])
            mine.push(Step(said, f"{number}", merge))
            qt.push(QtStep(Step(said_by_qt, f"{number}", merge)))
        elif what == "setIndex":
            index = draw.randint(-1, mine.count() + 1)
            mine.setIndex(index)
            qt.setIndex(index)
        elif what != "clear" or mine.count():
            getattr(mine, what)()
            getattr(qt, what)()
        assert state(mine) == state(qt), f"step {number}, {what}"
    assert said == said_by_qt
    assert told == told_by_qt


def test_a_stack_without_a_step_is_that_of_a_saved_state_once_it_is_cleared(qapp):
    stack = UndoStack()
    stack.resetClean()
    told = heard(stack)
    stack.clear()
    assert (stack.isClean(), told) == (True, [("clean", True)])


class Wrong(Step):
    def redo(self):
        raise OSError

    undo = redo


@pytest.fixture
def told(monkeypatch):
    """Kinds of the errors that `sys.excepthook` was told."""
    kinds = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: kinds.append(kind))
    return kinds


def test_an_edit_that_goes_wrong_is_told_and_is_a_step_that_is_not_saved(qapp, told):
    stack = UndoStack()
    stack.push(Wrong([], "Move"))
    assert (told, state(stack)["texts"], stack.isClean()) == ([OSError], ["Move"], False)


def test_a_step_that_goes_wrong_on_the_way_back_stops_none_of_the_others(qapp, told):
    said, stack = [], UndoStack()
    for step in (Step(said, "one"), Wrong(said, "two"), Step(said, "three")):
        stack.push(step)
    stack.setIndex(0)
    assert (told, stack.index()) == ([OSError, OSError], 0)
    assert said == ["+one", "+three", "-three", "-one"]


def test_a_project_that_is_opened_after_recovered_work_has_nothing_to_save(session):
    session.replace(Project(), None)
    session.undo_stack.resetClean()  # as recovered work is shown
    assert session.dirty
    session.replace(Project(), None)
    assert not session.dirty
