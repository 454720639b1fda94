"""What is to know about sources besides their frames: whether files changed, what is odd about how
frames look.

Both are requests of the frame service, after everything that is on screen.
"""

import contextlib
from collections.abc import Iterable
from functools import partial
from typing import cast

from PySide6.QtCore import QObject, Signal

from emberscope.base.errors import EmberscopeError
from emberscope.frames.quality import Finding
from emberscope.frames.source import FrameSource
from emberscope.project import Changes, SourceRef
from emberscope_app.pixels.frame_service import Frames, Priority, frame_service
from emberscope_app.pixels.read_errors import READ_ERRORS
from emberscope_app.state.core.session import Session


def source_checks(session: Session) -> "SourceChecks":
    """The one SourceChecks of a session. Ask for it before listening to `session.changed`: it then
    knows first."""
    return session.only(SourceChecks)


class SourceChecks(QObject):
    """`changed`: ids of sources with other content than labels were drawn on; `findings` of those
    looked at so far.

    updated(): an answer came, one of the two may be another. compared(refs): `changed` is known for
    these now.
    """

    updated = Signal()
    compared = Signal(object)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session, self._frames = session, frame_service(session)
        self.changed: set[int] = set()
        self.findings: dict[int, list[Finding]] = {}
        self._looked_at: dict[int, SourceRef] = {}  # by id; asked for or answered
        self._warned: list[SourceRef] = []   # of a file that changed while it was open
        session.changed.connect(self._on_project)
        self._frames.file_changed.connect(self._on_file)

    def compare(self, refs: Iterable[SourceRef]) -> None:
        """Find out which of these files are no longer what they were: 0.2 ms each."""
        refs = list(refs)
        if refs:
            take = partial(self._take_compared, refs)
            self._frames.ask(self, None, partial(_changed, refs), priority=Priority.FILE, take=take)

    def look_at(self, ref: SourceRef) -> None:
        """Find out what is odd about the frames of a source, once: 0.1 s for a clip of 640 x
        512."""
        if self._looked_at.get(ref.id) is not ref:
            self._looked_at[ref.id] = ref
            take = partial(self._take_findings, ref)
            # Of a source that cannot be read the thumbnail of its row says why.
            self._frames.ask(
                self, ref, _findings, priority=Priority.QUALITY, take=take, fail=lambda _: take([])
            )

    def _on_project(self, changes: Changes) -> None:
        """Sources that are other files now, or gone, are no longer known; new ones are compared."""
        if changes.everything:
            self._warned.clear()
            self._forget(set(self._looked_at) | self.changed)
        elif changes.sources:
            self._forget(changes.sources)
            sources = self._session.project.sources
            self.compare(sources[key] for key in changes.sources & sources.keys())

    def _on_file(self, ref: SourceRef) -> None:
        """Say once that a file changed while it was open; what its row says follows."""
        if not any(known is ref for known in self._warned):
            self._warned.append(ref)
            stay = (
                "Labels are those of the file as it was."
                if self._session.project.of_points
                else "Labels stay where they were in its frames."
            )
            words = f"{ref.name} changed on disk while it was open. {stay}"
            self._session.say(
                words,
                level="warn",
                action="Read it again",
                on_action=partial(self._read_again, ref),
            )
        self.compare([ref])

    def _read_again(self, ref: SourceRef) -> None:
        from emberscope.project.exchange.sources import relocate

        if self._session.project.sources.get(ref.id) is not ref:
            return
        try:
            self._session.do(relocate(self._session.project, ref.id, ref.path))
        except EmberscopeError as error:
            self._session.say(str(error), level="err")

    def _forget(self, source_ids: Iterable[int]) -> None:
        for key in source_ids:
            self.changed.discard(key)
            self.findings.pop(key, None)
            self._looked_at.pop(key, None)

    def _take_compared(self, refs: list[SourceRef], changed: set[int]) -> None:
        sources = self._session.project.sources
        refs = [ref for ref in refs if sources.get(ref.id) is ref]
        for ref in refs:
            (self.changed.add if ref.id in changed else self.changed.discard)(ref.id)
        self.updated.emit()
        self.compared.emit(refs)

    def _take_findings(self, ref: SourceRef, findings: list[Finding]) -> None:
        self.findings[ref.id] = findings
        self.updated.emit()


def _changed(refs: list[SourceRef], frames: Frames) -> set[int]:
    from emberscope.frames.readers.folder import looking_once
    from emberscope.project.exchange.sources import has_changed

    changed = set()
    with looking_once():
        for ref in refs:
            frames.pause()
            with contextlib.suppress(*READ_ERRORS):  # of a file that cannot be read it is not known
                if has_changed(ref):
                    changed.add(ref.id)
    return changed


def _findings(frames: Frames) -> list[Finding]:
    from emberscope.frames.quality import assess

    # Of a source it takes the number of frames, and frames
    return assess(cast(FrameSource, frames)).findings
