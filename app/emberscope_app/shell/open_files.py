"""Files and folders become sources: a few at a time, so that the window goes on meanwhile."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from emberscope.base.errors import EmberscopeError
from emberscope.project import Project, PutSources, SourceRef
from emberscope_app.state.log_book import log_book
from emberscope_app.state.session import Session

_TURN = 0.04      # s of opening files before the window may draw again
_MOST_LINES = 3   # errors said one by one; more are counted, and stand in the log


@dataclass(slots=True, eq=False)
class _Batch:
    """Files on their way into a project; all that can be read come in together, as one undo step."""

    project: Project
    waiting: list[Any]  # SourceAt, frames.holdings
    total: int = 0
    found: list[SourceRef] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what a person should know about files that opened

    def hold(self, paths: Iterable[Path]) -> None:
        """Add all that paths hold to what waits."""
        from emberscope.frames.holdings import sources_at

        for path in paths:
            left_out: list[str] = []
            try:
                held = sources_at(path, notes=left_out)
            except EmberscopeError as error:
                self.errors.append(str(error))
                self.total += 1
                continue
            self.waiting += held
            self.total += len(held)
            self.notes += [f"{path.name}: {note}" for note in left_out]


class Opener(QObject):
    """Opens what it is given in turns of 40 ms. Says how far it is through `session.hinted`.

    log_wanted(): a person asks for what the log says of the files.
    """

    log_wanted = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._batch: _Batch | None = None

    def add(self, paths: Iterable[Path]) -> None:
        """Add files and folders as sources, one undo step; each that cannot be read says so in one line."""
        project = self._session.project
        if self._batch is not None and self._batch.project is project:
            self._batch.hold(paths)
            return
        self._batch = _Batch(project, [])
        self._batch.hold(paths)
        self._turn()

    def _turn(self) -> None:
        """Open files for a while; the last turn puts them into the project."""
        batch = self._batch
        if batch is None:
            return
        if batch.project is self._session.project:
            until = time.monotonic() + _TURN
            _open_one(batch)
            while batch.waiting and time.monotonic() < until:
                _open_one(batch)
            if batch.waiting:
                self._session.hinted.emit(f"Opening {batch.total - len(batch.waiting)} of {batch.total} files")
                QTimer.singleShot(0, self, self._turn)
                return
            self._put(batch)
        self._batch = None
        self._session.hinted.emit("")

    def _put(self, batch: _Batch) -> None:
        session, found = self._session, batch.found
        if found:
            first = not session.project.sources
            ids = session.project.new_ids(len(found))
            found = [msgspec.structs.replace(ref, id=key) for ref, key in zip(found, ids, strict=True)]
            title = f"Add {found[0].name}" if len(found) == 1 else f"Add {len(found)} sources"
            shown = {"source": found[0].id, "frame": 0, "labels": ()} if first or len(found) == 1 else {}
            session.do(PutSources(title=title, after=found), focus=shown)
        elif not batch.errors:
            session.say("These files are open already." if batch.total > 1 else "This file is open already.")
        self._say_each(batch.notes, "warn", f"{len(batch.notes)} remarks on {len(found)} files.")
        count = f"{len(batch.errors)} of {batch.total}"
        self._say_each(batch.errors, "err", f"{count} files cannot be opened.")

    def _say_each(self, lines: list[str], level: str, summary: str) -> None:
        if len(lines) <= _MOST_LINES:
            for words in lines:
                self._session.say(words, level=level)
            return
        for words in lines:
            log_book().add(words, level=level)
        self._session.say(summary, level=level, action="Show the log", on_action=self.log_wanted.emit)


def _open_one(batch: _Batch) -> None:
    from emberscope.project.sources import describe, known_as

    if not batch.waiting:
        return
    notes: list[str] = []
    try:
        place = batch.waiting.pop(0)
        ref = describe(place.path, options=place.options, notes=notes)
    except EmberscopeError as error:
        batch.errors.append(str(error))
        return
    if known_as(ref, (*batch.project.sources.values(), *batch.found)) is None:
        batch.found.append(ref)
        batch.notes += [f"{ref.name}: {note}" for note in notes]
