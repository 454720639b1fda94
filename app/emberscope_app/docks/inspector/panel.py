"""The Inspector dock: what is pointed at, else what is selected, and why."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from emberscope.findings.coloring import class_slots, instance_classes
from emberscope.project import Changes, Project, Run
from emberscope.project.model.witness import witness_scores
from emberscope_app.docks.inspector.card import Card
from emberscope_app.docks.inspector.facts import Facts, Summary, facts, summary
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import concepts_edited
from emberscope_app.state.labels.side import PAIR_KEYS
from emberscope_app.theme.controls import Empty, IconButton, Scrolling
from emberscope_app.theme.panel import Panel
from emberscope_app.when.timers import Later
from emberscope_app.words import counted

_WAIT_MS = 25  # hover moves faster than anybody reads
_NOBODY, _NO_SLOTS = np.empty(0, np.int64), np.empty(0, np.uint8)


class InspectorPanel(Panel):
    """Follows the pointer and the selection until it is pinned."""

    letters = frozenset(PAIR_KEYS)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.pinned: int | None = None
        self._stale = False  # classes of the run on show changed since they were read
        self._run: Run | None = None  # what is on show is of this one
        self._index, self._classes, self._slots = RowIndex(None), _NOBODY, _NO_SLOTS
        self._best = -1  # the row that is offered where nothing is on show
        self.card = Card(session)
        self.card.pointed.connect(self._point)
        self.card.asked.connect(self._take)
        self.pin = IconButton("pin", "Keep this instance", checkable=True, size=24)
        self.pin.toggled.connect(self._on_pin)
        self.pin.setParent(self)
        self.pin.hide()
        self.empty = Empty(
            "Point at a chip or a map point.",
            action="Show the most target-like instance",
            on_action=self._show_best,
        )
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(Scrolling(self.card))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)
        self._timer = Later(self, self.read, _WAIT_MS)
        session.selection.hovered.connect(self._on_hover)
        session.selection.changed.connect(lambda _origin: self._timer.start())
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        self.read()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """S and D pair the selected chips, as in the chips and the maps."""
        say = PAIR_KEYS.get(Qt.Key(event.key())) if not event.modifiers() else None
        if say is None:
            super().keyPressEvent(event)
        else:
            say(self.session)

    def icons(self) -> list[QWidget]:
        """The pin, for the title row."""
        return [self.pin]

    @property
    def shown(self) -> int | None:
        """The instance on show."""
        run, one = self.card.run, self.card.facts
        return int(run.ids[one.row]) if run is not None and one is not None else None

    def read(self) -> None:
        """Show what is pinned, pointed at or selected."""
        self._timer.stop()
        turns = self.session.turns
        turns.aside(self._look, self._show)
        # Nothing of the run before stays
        if self.session.run is not self._run and turns.waits(self._look):
            self._put(_Seen(None, RowIndex(None), _NOBODY, _NO_SLOTS))

    def _look(self) -> Callable[[], "_Seen"]:
        """What a thread finds out: classes do not change while the pointer moves."""
        session, run, project = (
            self.session,
            self.session.run,
            self.session.project.frozen(labels=False),
        )
        known = (self._classes, self._slots) if run is self._run and not self._stale else None
        self._stale = False
        points, ids = (self.pinned, session.selection.hover), session.selection.ids
        return lambda: _see(project, run, points, ids, known)

    def _show(self, seen: "_Seen") -> None:
        if seen.run is self.session.run:
            self._put(seen)

    def _put(self, seen: "_Seen") -> None:
        self._run, self._index, self._classes, self._slots = (
            seen.run,
            seen.index,
            seen.classes,
            seen.slots,
        )
        self.card.show_facts(seen.run, seen.one, seen.many, seen.slots)
        count = len(seen.many.rows) if seen.many is not None else 0
        something = seen.one is not None or bool(count)
        self._pages.setCurrentIndex(1 if something else 0)
        if not something:
            self._best = seen.best
            self.empty.wait(seen.best < 0, self.empty.sentence.text())
        if self.card.facts is not None:
            self.set_count(f"instance {self.card.facts.name}")
        else:
            self.set_count(counted(count, "instance") if count else "")
        self.pin.setEnabled(self.card.facts is not None or self.pinned is not None)

    def _show_best(self) -> None:
        if self._run is not None and self._best >= 0:
            self.session.selection.select(self._run.ids[self._best : self._best + 1])

    def _on_hover(self, origin: object) -> None:
        if origin is not self:
            self._timer.start()

    def _on_pin(self, on: bool) -> None:
        self.pinned = self.shown if on else None
        self.read()

    def _point(self, row: int | None) -> None:
        """A chip of the page is pointed at: everywhere else, but the page stays."""
        run = self.card.run
        instance = int(run.ids[row]) if run is not None and row is not None else None
        self.session.selection.set_hover(instance, origin=self)

    def _take(self, row: int) -> None:
        """Inspect this one."""
        run = self.card.run
        if run is None:
            return
        self.pinned = None
        self.pin.setChecked(False)
        self.session.selection.set_hover(None, origin=self)
        self.session.selection.select(run.ids[row : row + 1])
        self.read()

    def _on_project(self, changes: Changes) -> None:
        self._stale |= changes.touch("runs", "marks", "classes")
        if changes.touch("runs", "marks", "classes", "labels", "sources") or concepts_edited(
            changes
        ):
            self._timer.start()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names:
            self.read()


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is to be shown of a run: one instance, or many; `best`: the row to offer where it is
    neither."""

    run: Run | None
    index: RowIndex
    classes: NDArray[np.int64]
    slots: NDArray[np.uint8]
    one: Facts | None = None
    many: Summary | None = None
    best: int = -1


def _see(project: Project, run: Run | None, points: tuple[int | None, ...], ids: NDArray[np.int64],
         known: tuple[NDArray[np.int64], NDArray[np.uint8]] | None) -> _Seen:
    """points : instances that come before what is selected, `ids`. known : classes and slots of the
    run."""
    index = RowIndex(run)
    if run is None:
        return _Seen(run, index, _NOBODY, _NO_SLOTS)
    if known is None:
        classes = instance_classes(project, run)
        known = classes, class_slots(project, classes)
    row = next((row for row in map(index.row, points) if row >= 0), -1)
    chosen = index.rows(ids) if row < 0 else np.empty(0, np.int64)
    if len(ids) == 1 and len(chosen) == 1:
        row = int(chosen[0])
    if row >= 0:
        return _Seen(run, index, *known, one=facts(project, run, row, classes=known[0]))
    if len(chosen):
        return _Seen(run, index, *known, many=summary(project, run, chosen, classes=known[0]))
    return _Seen(run, index, *known, best=_best_of(project, run))


def _best_of(project: Project, run: Run) -> int:
    """The row of a positive bag with the highest witness score; -1 where there is none."""
    scores = witness_scores(project, run)
    if scores is None or "witness" not in run.point_scores:
        return -1
    inside = np.zeros(len(run.ids), bool)
    inside[run.members[np.repeat(run.bag_labels > 0, np.diff(run.indptr))]] = True
    rows = np.flatnonzero(inside & np.isfinite(scores))
    return int(rows[np.argmax(scores[rows])]) if len(rows) else -1
