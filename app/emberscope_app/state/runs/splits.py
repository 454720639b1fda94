"""What is said of the splits of runs, found once for each: views say it many times."""

import weakref

from PySide6.QtCore import QObject

from emberscope.findings.split_sides import Split, split_of
from emberscope.project import Run
from emberscope_app.state.core.session import Session


class Splits(QObject):
    """`session.only(Splits)`."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._kept: dict[int, tuple[weakref.ref, Split]] = {}

    def of(self, run: Run) -> Split:
        """Of a run, whichever had its number before."""
        kept = self._kept.get(run.id)
        if kept is None or kept[0]() is not run.Z:
            kept = self._kept[run.id] = weakref.ref(run.Z), split_of(run)
        return kept[1]
