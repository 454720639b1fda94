"""Invented sessions: after any edit, undo, redo, save, load and crash, the list of edits predicts
the project."""

import os
import tempfile
from pathlib import Path
from unittest.mock import patch

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from emberscope.labels import BACKGROUND, Box, Spot
from emberscope.project import (
    Project,
    PutClasses,
    PutLabels,
    PutRuns,
    PutSelection,
    PutSettings,
    PutSide,
    PutSources,
    Together,
    from_record,
    mark,
    remove_sources,
    to_record,
)
from emberscope.project.model.compare import differences
from emberscope.project.store.file import load, save
from emberscope.project.store.lock import Owner
from emberscope.project.store.open_project import OpenProject

from .builders import a_run, a_source, side_information


class Session(RuleBasedStateMachine):
    """The project under test beside the list of operations that should have made it."""

    @initialize()
    def start(self):
        self.project = Project()
        self.done, self.undone = [], []
        self.folder = tempfile.TemporaryDirectory()

    def do(self, operation):
        self.project.apply(operation)
        self.done.append(operation)
        self.undone.clear()

    @rule()
    def add_source(self):
        new_id = self.project.new_ids()[0]
        self.do(PutSources(after=[a_source(new_id, f"/frames/{new_id}.arf")]))

    @precondition(lambda self: self.project.sources)
    @rule(data=st.data(), x=st.floats(-1e6, 1e6), frame=st.integers(0, 2))
    def draw(self, data, x, frame):
        source = data.draw(st.sampled_from(sorted(self.project.sources)))
        first, second = self.project.new_label_ids(2)
        spot = Spot(id=first, source=source, frame=frame, x=x, y=0)
        box = Box(id=second, source=source, frame=frame, x0=0, y0=0, x1=8, y1=8, looseness=1.0)
        self.do(Together(steps=[PutLabels(after=[spot]), PutLabels(after=[box])]))

    @precondition(lambda self: len(self.project.labels))
    @rule(data=st.data())
    def edit(self, data):
        old = data.draw(st.sampled_from(list(self.project.labels)))
        self.do(
            PutLabels(
                before=[old],
                after=[Spot(id=old.id, source=old.source, frame=old.frame + 1, x=0, y=1)],
            )
        )

    @precondition(lambda self: self.project.sources)
    @rule(data=st.data())
    def remove_source(self, data):
        self.do(
            remove_sources(self.project, [data.draw(st.sampled_from(sorted(self.project.sources)))])
        )

    @rule(
        ids=st.lists(st.integers(1, 5), unique=True),
        class_id=st.sampled_from([None, 0, 1, BACKGROUND]),
    )
    def relabel(self, ids, class_id):
        self.do(mark(self.project, ids, class_id))

    @rule(kind=st.integers(0, 3))
    def say_what_is_known(self, kind):
        self.do(PutSide(after=[replace(side_information()[kind], id=self.project.new_ids()[0])]))

    @precondition(lambda self: self.project.side)
    @rule(data=st.data())
    def take_back_what_is_known(self, data):
        self.do(PutSide(before=[data.draw(st.sampled_from(list(self.project.side.values())))]))

    @rule(n=st.integers(0, 4))
    def finish_run(self, n):
        self.do(PutRuns(after=[a_run(self.project.next_run, n)]))

    @rule(name=st.text(max_size=3), ids=st.none() | st.lists(st.integers(1, 5)))
    def keep_selection(self, name, ids):
        before = self.project.selections.get(name)
        self.do(
            PutSelection(name=name, before=None if before is None else before.tolist(), after=ids)
        )

    @rule(
        value=st.none()
        | st.integers(-(2**63), 2**63 - 1)
        | st.text(max_size=3)
        | st.lists(st.floats())
    )
    def set_setting(self, value):
        self.do(PutSettings(before={"key": self.project.settings.get("key")}, after={"key": value}))

    @rule(data=st.data())
    def rename_class(self, data):
        old = data.draw(st.sampled_from(list(self.project.classes.values())))
        self.do(PutClasses(before=[old], after=[replace(old, name=old.name + "s")]))

    @precondition(lambda self: self.done)
    @rule()
    def undo(self):
        self.undone.append(self.done.pop())
        self.project.revert(self.undone[-1])

    @precondition(lambda self: self.undone)
    @rule()
    def redo(self):
        self.done.append(self.undone.pop())
        self.project.apply(self.done[-1])

    @rule()
    def save_and_load(self):
        path = Path(self.folder.name) / "a.ember"
        save(self.project, path)
        self.project = load(path)

    @rule()
    def travel(self):
        self.done = [from_record(to_record(operation)) for operation in self.done]

    @invariant()
    def is_what_the_list_predicts(self):
        expected = Project()
        for operation in self.done:
            expected.apply(operation)
        assert set(differences(self.project, expected)) <= {"next_ids"}
        assert self.project.next_id >= expected.next_id
        assert self.project.next_label >= expected.next_label
        assert self.project.next_run >= expected.next_run

    def teardown(self):
        self.folder.cleanup()


class SessionWithCrashes(Session):
    """The same with a project that is open for work: lock, journal and saves."""

    @initialize()
    def start(self):
        self.done, self.undone = [], []
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "a.ember"
        # one process plays those that crash and those that come after
        self.patches = [patch.object(Owner, "is_gone", lambda owner: True),
                        # Journals are folded
                        patch("emberscope.project.store.journal_writer._LONG", 4),
                        patch.dict(os.environ, {"EMBERSCOPE_STATE": self.folder.name})]
        for change in self.patches:
            change.start()
        save(Project(), self.path)
        self.opened = OpenProject.at(self.path)

    @property
    def project(self):
        return self.opened.project

    def do(self, operation):
        super().do(operation)
        self.opened.did(operation)

    @precondition(lambda self: self.done)
    @rule()
    def undo(self):
        super().undo()
        self.opened.undid(self.undone[-1])

    @precondition(lambda self: self.undone)
    @rule()
    def redo(self):
        super().redo()
        self.opened.redid(self.done[-1])

    @rule()
    def save_and_load(self):
        self.opened.save(self.project, self.opened.position)

    @rule()
    def open_in_another_window(self):
        with patch.object(Owner, "is_gone", lambda owner: False):
            other = OpenProject.at(self.path)
        assert other.held_by is not None
        other.close()

    @rule()
    def crash(self):
        assert self.opened.flush()
        self.opened._journal.close(keep=True)
        self.opened = OpenProject.at(self.path)
        if self.opened.recoverable:
            self.opened.recover()

    @rule()
    def close_and_open(self):
        """A window that is closed without an answer about its unsaved work keeps the journal, as a
        crash does."""
        self.opened.close()
        self.opened = OpenProject.at(self.path)
        if self.opened.recoverable:
            self.opened.recover()

    def teardown(self):
        self.opened.close()
        for change in self.patches:
            change.stop()
        super().teardown()


TestSession = Session.TestCase
TestSession.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
TestSessionWithCrashes = SessionWithCrashes.TestCase
TestSessionWithCrashes.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
