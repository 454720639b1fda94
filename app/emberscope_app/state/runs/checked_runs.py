"""The runs that are checked to be compared, in the order in which they were checked."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from emberscope.project import Changes, Run
from emberscope_app.state.core.session import Session

MOST = 4


class CheckedRuns(QObject):
    """`ids` : at most `MOST` runs of the project. changed() : they are others."""

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.ids: tuple[int, ...] = ()
        session.changed.connect(self._on_project)

    @property
    def runs(self) -> list[Run]:
        return [self._session.project.runs[number] for number in self.ids]

    def check(self, run_id: int, on: bool) -> None:
        """Check a run, or no longer; where that makes too many, the first that was goes."""
        others = [number for number in self.ids if number != run_id]
        self.set([*others, run_id] if on else others)

    def set(self, ids: Iterable[int]) -> None:
        """Check these; of too many the last ones."""
        there = [number for number in dict.fromkeys(ids) if number in self._session.project.runs]
        found = tuple(there[-MOST:])
        if found != self.ids:
            self.ids = found
            self.changed.emit()

    def _on_project(self, changes: Changes) -> None:
        if changes.everything and self.ids:
            self.ids = ()
            self.changed.emit()
        elif changes.touch("runs"):
            self.set(self.ids)


def checked_runs(session: Session) -> CheckedRuns:
    """Those of a session."""
    return session.only(CheckedRuns)
