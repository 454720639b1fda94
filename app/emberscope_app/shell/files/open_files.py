"""Files and folders become sources: a thread opens them, so that the window goes on meanwhile."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, Signal

from emberscope.base.errors import Cancelled, EmberscopeError
from emberscope.project import Project, PutSources, SourceRef
from emberscope_app.state.core.focus import FocusValues
from emberscope_app.state.core.many_lines import say_lines
from emberscope_app.state.core.session import Session
from emberscope_app.state.reading.background import Aside
from emberscope_app.words import counted

if TYPE_CHECKING:
    from emberscope.frames.holdings import SourceAt


@dataclass(slots=True, eq=False)
class _Batch:
    """Files on their way into a project; all that can be read come in together, as one undo
    step."""

    project: Project
    known: set[tuple[str, bytes]]  # content of the sources of the project, and of those found
    total: int = 0
    found: list[SourceRef] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    # What a person should know about files that opened
    notes: list[str] = field(default_factory=list)
    # Files of raw binary, of which somebody must say how frames lie
    raw: list[Path] = field(default_factory=list)
    unwanted: bool = False  # a person canceled, or the window closes

    def open(self, paths: Sequence[Path], say: Callable[[str], object]) -> None:
        """Describe all that paths hold; in a thread. say : hears how far it is."""
        from emberscope.frames.readers.folder import looking_once

        with looking_once():
            waiting = [place for path in paths for place in self._held(path)]
            begun = len(self.found) + len(self.errors)
            for done, place in enumerate(waiting):
                if self.unwanted:
                    return
                if done:
                    say(f"Opening {begun + done} of {counted(self.total, 'file')}")
                self._open_one(place)

    def _held(self, path: Path) -> list["SourceAt"]:
        """Places of sources that a path holds."""
        from emberscope.frames.holdings import sources_at

        left_out: list[str] = []
        try:
            held = sources_at(path, notes=left_out)
        except EmberscopeError as error:
            self.errors.append(str(error))
            self.total += 1
            return []
        self.total += len(held)
        self.notes += [f"{path.name}: {note}" for note in left_out]
        return held

    def _open_one(self, place: "SourceAt") -> None:
        from emberscope.project.exchange.sources import content_of, describe

        notes: list[str] = []
        try:
            ref = describe(place.path, options=place.options, notes=notes)
        except EmberscopeError as error:
            if not self._is_raw(place):
                self.errors.append(str(error))
            return
        if content_of(ref) not in self.known:
            self.known.add(content_of(ref))
            self.found.append(ref)
            self.notes += [f"{ref.name}: {note}" for note in notes]


    def _is_raw(self, place: "SourceAt") -> bool:
        """Whether a file that cannot be opened waits for somebody to say how frames lie in it."""
        from emberscope.frames.registry import sniff

        try:
            waits = sniff(place.path) == "raw"
        except EmberscopeError:  # it is not even there
            waits = False
        self.raw += [place.path] if waits else []
        return waits


class Opener(QObject):
    """Opens what it is given in a thread, while the window goes on. Says how far it is through
    `session.hinted`.

    added(): new sources are in the project. layout_wanted(path): somebody must say how frames lie
    in a file of raw binary.
    """

    added = Signal()
    layout_wanted = Signal(object)
    _progressed = Signal(str)  # out of the thread

    def __init__(self, session: Session, aside: Aside) -> None:
        super().__init__()
        self._session, self._aside = session, aside
        self._waiting: list[Path] = []
        self._batch: _Batch | None = None
        self._progressed.connect(self._hint)

    @property
    def busy(self) -> bool:
        """Files are on their way into the project."""
        return self._batch is not None

    def add(self, paths: Iterable[Path]) -> None:
        """Add files and folders as sources, one undo step; each that cannot be read says so in one
        line.

        Those given while others are on their way come along with them.
        """
        given = list(paths)
        if self._aside.busy and self._batch is None:
            self._session.say(
                f"{given[0].name} was not opened: a project is being opened.", level="warn"
            )
            return
        self._waiting += given
        if self._batch is None:
            self._open()

    def _open(self) -> None:
        from emberscope.project.exchange.sources import content_of

        project = self._session.project
        batch = self._batch = _Batch(project, {content_of(ref) for ref in project.sources.values()})
        try:
            while self._waiting and batch.project is self._session.project:
                paths, self._waiting = self._waiting, []
                what = paths[0].name if len(paths) == 1 else counted(len(paths), "file")
                self._aside.wait(
                    partial(batch.open, paths, self._progressed.emit), words=f"Opening {what}"
                )
        except Cancelled:
            batch.unwanted = True
        finally:
            self._batch, self._waiting = None, []
            self._session.hinted.emit("")
        if not batch.unwanted and batch.project is self._session.project:
            self._put(batch)

    def _hint(self, words: str) -> None:
        if self._batch is not None:
            self._session.hinted.emit(words)

    def _put(self, batch: _Batch) -> None:
        session, found = self._session, batch.found
        if found:
            first = not session.project.sources
            ids = session.project.new_ids(len(found))
            found = [
                msgspec.structs.replace(ref, id=key) for ref, key in zip(found, ids, strict=True)
            ]
            title = (
                f"Add {found[0].name}"
                if len(found) == 1
                else f"Add {counted(len(found), 'source')}"
            )
            shown: FocusValues = {}
            if first or len(found) == 1:
                shown = {"source": found[0].id, "frame": 0, "labels": ()}
            if session.do(PutSources(title=title, after=found), focus=shown):
                self.added.emit()
        elif not (batch.errors or batch.raw):
            session.say(
                "These files are open already." if batch.total > 1 else "This file is open already."
            )
        for path in batch.raw[1:]:
            session.say(
                f"{path.name} waits: open it by itself to say how its frames lie.", level="warn"
            )
        if batch.raw:
            self.layout_wanted.emit(batch.raw[0])
        remarks = f"{counted(len(batch.notes), 'remark')} on {counted(len(found), 'file')}."
        say_lines(session, batch.notes, level="warn", summary=remarks)
        count = f"{len(batch.errors)} of {counted(batch.total, 'file')}"
        say_lines(session, batch.errors, level="err", summary=f"{count} cannot be opened.")
