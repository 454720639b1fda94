"""The session: open project, selection, focus, jobs. Views read it and re-read on its signals; it
holds no widget."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QObject, Signal

from emberscope.base.plain_text import plain, showable
from emberscope.project import EVERYTHING, Changes, Operation, Project, Run, mark
from emberscope.project.store.open_project import OpenProject
from emberscope_app.state.core.focus import Focus, FocusValues
from emberscope_app.state.core.layers_on import LayersOn
from emberscope_app.state.core.message import Message
from emberscope_app.state.core.player import Player
from emberscope_app.state.core.selection import Selection
from emberscope_app.state.core.undo import OperationCommand
from emberscope_app.state.core.undo_stack import UndoStack
from emberscope_app.state.reading.contrasts import Contrasts
from emberscope_app.state.reading.readers import Readers
from emberscope_app.state.runs.jobs import Jobs
from emberscope_app.state.runs.runs_controller import Runs
from emberscope_app.when.turns import MANY, MANY_LABELS, VERY_MANY, Turns
from emberscope_app.words import in_sentence

T = TypeVar("T", bound=QObject)
_LETTING_GO = 1.0  # seconds that a disk may take to let go of a project


class Session(QObject):
    """Everything open, in one place.

    changed(Changes): the project changed - the one signal for project data.
    saved(): path or clean state changed. message(Message): something to tell the user.
    hinted(str): what a gesture or a task in progress does, "" at its end. closing(): threads must
    end now. settled(Message): what it was about is over, nobody needs to read it any more.
    refused(): an edit was not made, because the project is open elsewhere. frame_wanted(): a person
    asks to see the frame in focus: its dock has to come to the front. learned_wanted(): a person
    asks what the run in focus learned. figure_wanted(figures.Wanted): a person asks for a file of
    what is on show.
    """

    changed = Signal(object)
    saved = Signal()
    message = Signal(object)
    hinted = Signal(str)
    log_wanted = Signal()
    settled = Signal(object)
    closing = Signal()
    refused = Signal()
    frame_wanted = Signal()
    learned_wanted = Signal()
    figure_wanted = Signal(object)

    def __init__(self, *, jobs: Jobs | None = None) -> None:
        super().__init__()
        self.project = Project()
        self.path: Path | None = None
        self.opened = OpenProject()  # the journal and the lock of the project
        self._left_at: dict[int, int] = {}  # the frame on which a clip was left
        self.turns = Turns(self, self._much, too_much=self._too_much)
        self.selection = Selection()
        self.focus = Focus()
        self.layers = LayersOn()
        self.contrast = Contrasts()
        self.player = Player(self)
        self.readers = Readers()
        self.undo_stack = UndoStack(self)
        self.jobs = jobs if jobs is not None else Jobs()
        self.runs = Runs(self)
        self._only: dict[type[QObject], QObject] = {}
        self.changed.connect(self.runs.follow_project)
        # Signal to signal: safe while the stack dies
        self.undo_stack.cleanChanged.connect(self.saved)

    def only(self, kind: type[T]) -> T:
        """The one object of a class that belongs to this session, made of it when it is first asked
        for.

        For what stands above the session and is one for all views: the points on show, chips,
        frames that are read.
        """
        if kind not in self._only:
            self._only[kind] = kind(self)
        found = self._only[kind]
        assert isinstance(found, kind)
        return found

    # --- the project

    def do(
        self, operation: Operation, *, merge: str = "", focus: FocusValues | None = None
    ) -> bool:
        """Apply an operation as one undo step; steps in a row with one `merge` key become one
        (nudging, sliders).

        False where the project is read-only here: then nothing happens, and `refused` says so.

        focus : what to show with it, e.g. ``{"labels": (7,)}``: set after the project changed and
        before anybody hears of it, so that views read once.
        """
        if not self.may_edit():
            return False
        self.undo_stack.push(OperationCommand(self, operation, merge=merge, focus=focus))
        return True

    def may_edit(self) -> bool:
        """Whether the project takes edits here; where it does not, `refused` says so. Ask before a
        long job for one."""
        if self.read_only:
            self.refused.emit()
        return not self.read_only

    def publish(
        self, changes: Changes, *, focus: FocusValues, earlier_run: int | None = None
    ) -> None:
        """Set the focus, then tell everybody what changed, once (called by the undo command only).

        A run that came is on show from then on; where the one on show went, `earlier_run` is, else
        the newest. `focus` wins over both.
        """
        self.readers.follow(self.project.sources)
        self.contrast.read_otherwise(changes.sources)
        came = changes.runs & self.project.runs.keys()
        run: FocusValues = {"run": max(came)} if came else {}
        values: FocusValues = {**self._kept_focus(earlier_run), **run, **focus}
        self.focus.set(**values)
        if changes:
            self.changed.emit(changes)

    def mark_selection(self, class_id: int | None) -> None:
        """Say of every selected instance which class it is (0 = ignore, None = take the mark
        back)."""
        ids = self.selection.ids
        if not len(ids):
            return
        name = {None: "unmarked", 0: "ignored"}.get(class_id)
        name = name or in_sentence(self.project.classes[int(class_id or 0)].name)
        self.do(mark(self.project, ids, class_id, title=f"Mark {len(ids)} as {name}"))

    def replace(
        self, project: Project, path: Path | None, *, opened: OpenProject | None = None
    ) -> None:
        """Another project is open now. Jobs of the old one are stopped: their results mean nothing
        here.

        What was not saved of the old one goes, journal and all: who asks for this asked the person
        before.
        opened : what keeps the work on a project that was read from a file or recovered; may be the
        one that is open.

        All state is new before anybody hears of it: a view that hears of one part while another is
        still of the old project would keep, under an id both projects have, what is of the old one.
        Views drop what they keep of a project at `Changes.everything`.
        """
        self.player.stop()
        self.jobs.abandon()
        self.turns.forget()
        if opened is not self.opened:
            self.opened.close(discard=True, seconds=_LETTING_GO)
        self.opened = opened if opened is not None else OpenProject()
        self.project, self.path = project, path
        self._left_at.clear()
        self.readers.follow(project.sources)
        self.undo_stack.clear()
        self.selection.forget()
        self.contrast.forget()
        self.focus.forget(
            source=min(project.sources, default=None),
            run=max(project.runs, default=None),
            class_id=min(project.classes, default=1),
        )
        self.changed.emit(EVERYTHING)
        for part in (self.focus, self.selection, self.contrast):
            part.announce()
        self.saved.emit()

    @property
    def closed(self) -> bool:
        """Whether it has let go of everything."""
        return self.turns.ended

    @property
    def dirty(self) -> bool:
        return not self.undo_stack.isClean()

    @property
    def read_only(self) -> bool:
        """Whether somebody else has the project open."""
        return self.opened.held_by is not None

    def bring_back(self, operation: Operation) -> None:
        """Redo up to an operation that was undone, as long as no other edit came after."""
        stack = self.undo_stack
        for at in range(stack.count()):
            if stack.command(at).operation is operation:
                stack.setIndex(max(at + 1, stack.index()))
                return
        self.say("It cannot be brought back: there was another edit since.", level="warn")

    @property
    def name(self) -> str:
        return showable(self.path.stem) if self.path else "Untitled"

    # --- frames

    def go(self, source: int | None = None, frame: int | None = None) -> None:
        """Show a frame; of another clip, where none is named, the one on which that was left."""
        target = self.focus.source if source is None else source
        if target is None or target not in self.project.sources:
            return
        last = self.project.sources[target].n_frames - 1
        if self.focus.source is not None:
            self._left_at[self.focus.source] = self.focus.frame
        wanted = self._left_at.get(target, 0) if frame is None else frame
        labels = (
            self.focus.labels if (target, wanted) == (self.focus.source, self.focus.frame) else ()
        )
        self.focus.set(source=target, frame=int(min(max(wanted, 0), max(last, 0))), labels=labels)

    def select_labels(self) -> None:
        """Select the labels of the frame in focus that are drawn."""
        focus = self.focus
        if focus.source is not None:
            here = self.project.labels.on_frame(focus.source, focus.frame)
            focus.set(labels=tuple(label.id for label in here if focus.shows(label)))

    def show_frame(self, source: int, frame: int) -> None:
        """Show a frame, with its dock in front."""
        self.go(source, frame)
        self.frame_wanted.emit()

    # --- runs

    @property
    def run(self) -> Run | None:
        """The run on show."""
        return self.project.runs.get(self.focus.run) if self.focus.run is not None else None

    def go_to_instance(self, instance: int) -> None:
        """Show the frame an instance of the run on show lies in."""
        run = self.run
        if run is None:
            return
        rows = np.flatnonzero(run.ids == instance)
        if len(rows):
            self.go(int(run.source[rows[0]]), int(run.frame[rows[0]]))

    def show_instance(self, instance: int) -> None:
        """Show the frame an instance of the run on show lies in, with its dock in front."""
        self.go_to_instance(instance)
        self.frame_wanted.emit()

    # --- words

    def say(
        self,
        words: str,
        *,
        level: str = "info",
        action: str = "",
        on_action: Callable[[], object] | None = None,
        stays: bool = False,
        details: str = "",
    ) -> None:
        self.message.emit(Message(plain(words), level, action, on_action, stays, plain(details)))

    def close(self, *, keep_work: bool = False) -> None:
        """Let go of files and worker; nobody hears the undo stack die. As in `replace`, what was
        not saved goes.

        keep_work : it stays in the journal, to be offered at the next start, because nobody could
        be asked.
        """
        self.undo_stack.blockSignals(True)
        self.turns.end()
        self.closing.emit()
        self.player.stop()
        self.readers.close()
        self.jobs.close()
        self.opened.close(discard=not keep_work, seconds=_LETTING_GO)

    def _much(self) -> bool:
        """Whether every view takes so long to read the project that each gets a turn of its own."""
        return self._instances() >= MANY or len(self.project.labels) >= MANY_LABELS

    def _too_much(self) -> bool:
        """Whether one view alone would keep the window too long."""
        return self._instances() >= VERY_MANY

    def _instances(self) -> int:
        """Of the run on show, or of the layout of one that is being made."""
        job = self.jobs.making_run
        live = len(job.partial) if job is not None and job.partial is not None else 0
        return max(live, len(self.run.ids) if self.run is not None else 0)

    def _kept_focus(self, earlier_run: int | None) -> FocusValues:
        """What of the focus has to change, so that it never points at something that is gone."""
        project, focus = self.project, self.focus
        values: FocusValues = {}
        if focus.source not in project.sources:
            values["source"], values["frame"] = min(project.sources, default=None), 0
        if focus.run not in project.runs:
            there = earlier_run in project.runs
            values["run"] = earlier_run if there else max(project.runs, default=None)
        if focus.class_id not in project.classes:
            values["class_id"] = min(project.classes, default=1)
        if any(label not in project.labels for label in focus.labels):
            values["labels"] = tuple(label for label in focus.labels if label in project.labels)
        return values
