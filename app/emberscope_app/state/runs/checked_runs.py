"""The runs that are checked, in the order in which they were: history, Compare and Evaluate show
the same ones."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from emberscope.findings.judged.plots import COLORS
from emberscope.project import Changes, Run
from emberscope_app.state.core.session import Session
from emberscope_app.words import counted

MOST = len(COLORS)  # runs side by side


class CheckedRuns(QObject):
    """places : id -> place of its color, which it keeps while others come and go, of at most `MOST`
    runs of the project. changed() : they are others."""

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.places: dict[int, int] = {}
        session.changed.connect(self._on_project)

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(self.places)

    @property
    def runs(self) -> list[Run]:
        runs = self._session.project.runs
        return [runs[number] for number in self.places if number in runs]

    def check(self, run_id: int, on: bool) -> None:
        """Check a run, or no longer; where that makes too many, say so and leave them."""
        if on and run_id not in self.places and len(self.places) >= MOST:
            self._session.say(f"{counted(MOST, 'run')} stand side by side, which is as many as "
                              "there is room for. Uncheck one first.")
            return
        others = [number for number in self.places if number != run_id]
        if on != (run_id in self.places):
            self.set([*others, run_id] if on else others)

    def set(self, ids: Iterable[int]) -> None:
        """Check these; of too many the last ones."""
        there = [number for number in dict.fromkeys(ids) if number in self._session.project.runs]
        found = there[-MOST:]
        if tuple(found) == self.ids:
            return
        kept = {number: self.places[number] for number in found if number in self.places}
        free = iter(sorted(set(range(MOST)) - set(kept.values())))
        self.places = {number: kept[number] if number in kept else next(free) for number in found}
        self.changed.emit()

    def _on_project(self, changes: Changes) -> None:
        if changes.everything:
            self.set(())
        elif changes.touch("runs"):
            self.set(self.ids)


def checked_runs(session: Session) -> CheckedRuns:
    """Those of a session."""
    return session.only(CheckedRuns)
