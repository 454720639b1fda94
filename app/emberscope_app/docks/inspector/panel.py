"""The Inspector dock: what is pointed at, else what is selected, and why."""

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from emberscope.project import Changes
from emberscope.project.coloring import class_slots, instance_classes
from emberscope.project.witness import witness_scores
from emberscope_app.docks.inspector.card import Card
from emberscope_app.docks.inspector.facts import facts, summary
from emberscope_app.state.concepts import concepts_edited
from emberscope_app.state.row_index import RowIndex
from emberscope_app.state.session import Session
from emberscope_app.state.side import PAIR_KEYS
from emberscope_app.theme.controls import Empty, IconButton, Scrolling
from emberscope_app.theme.panel import Panel
from emberscope_app.words import spaced

_WAIT_MS = 25  # hover moves faster than anybody reads


class InspectorPanel(Panel):
    """Follows the pointer and the selection until it is pinned."""

    letters = frozenset(PAIR_KEYS)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.pinned: int | None = None
        self._stale = False  # classes of the run on show changed since they were read
        self._read_run()
        self.card = Card(session)
        self.card.pointed.connect(self._point)
        self.card.taken.connect(self._take)
        self.pin = IconButton("pin", "Keep this instance", checkable=True, size=24)
        self.pin.toggled.connect(self._on_pin)
        self.pin.setParent(self)
        self.pin.hide()
        self.empty = Empty(
            "Point at a chip or a map point.", action="Show the most target-like instance", on_action=self._show_best
        )
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(Scrolling(self.card))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)
        self._timer = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._timer.timeout.connect(self.read)
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
        run = self.card.run
        return int(run.ids[self.card.facts.row]) if run is not None and self.card.facts is not None else None

    def read(self) -> None:
        """Show what is pinned, pointed at or selected."""
        self._timer.stop()
        if self._stale:
            self._read_run()
        run, project = self.session.run, self.session.project
        row = self._row()
        chosen = self._index.rows(self.session.selection.ids) if run is not None and row < 0 else np.empty(0, np.int64)
        one = facts(project, run, row, classes=self._classes) if run is not None and row >= 0 else None
        many = summary(project, run, chosen, classes=self._classes) if run is not None and len(chosen) else None
        self.card.show_facts(run, one, many, self._slots)
        something = row >= 0 or bool(len(chosen))
        self._pages.setCurrentIndex(1 if something else 0)
        if not something:
            self.empty.wait(self._best() < 0, self.empty.sentence.text())
        if self.card.facts is not None:
            self.set_count(f"instance {self.card.facts.name}")
        else:
            self.set_count(f"{spaced(len(chosen))} instances" if len(chosen) else "")
        self.pin.setEnabled(self.card.facts is not None or self.pinned is not None)

    def _read_run(self) -> None:
        """What does not change while the pointer moves."""
        self._stale = False
        run, project = self.session.run, self.session.project
        self._index = RowIndex(run)
        self._classes = instance_classes(project, run) if run is not None else np.empty(0, np.int64)
        self._slots = class_slots(project, self._classes)

    def _row(self) -> int:
        """The row of the one instance to show, -1 where it is none or many."""
        for instance in (self.pinned, self.session.selection.hover):
            row = self._index.row(instance)
            if row >= 0:
                return row
        ids = self.session.selection.ids
        return self._index.row(int(ids[0])) if len(ids) == 1 else -1

    def _best(self) -> int:
        """The row of a positive bag with the highest witness score; -1 where there is none."""
        run = self.session.run
        scores = witness_scores(self.session.project, run) if run is not None else None
        if run is None or scores is None or "witness" not in run.point_scores:
            return -1
        rows = np.unique(run.members[np.repeat(run.bag_labels > 0, np.diff(run.indptr))])
        rows = rows[np.isfinite(scores[rows])]
        return int(rows[np.argmax(scores[rows])]) if len(rows) else -1

    def _show_best(self) -> None:
        run, row = self.session.run, self._best()
        if run is not None and row >= 0:
            self.session.selection.select(run.ids[row : row + 1])

    def _on_hover(self, origin: object) -> None:
        if origin is not self:
            self._timer.start()

    def _on_pin(self, on: bool) -> None:
        self.pinned = self.shown if on else None
        self.read()

    def _point(self, row: int) -> None:
        """A chip of the page is pointed at: everywhere else, but the page stays."""
        run = self.card.run
        instance = int(run.ids[row]) if run is not None and row >= 0 else None
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
        if changes.touch("runs", "marks", "classes", "labels", "sources") or concepts_edited(changes):
            self._timer.start()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names:
            if self.session.run is not self._index.of:
                self._read_run()
            self.read()
