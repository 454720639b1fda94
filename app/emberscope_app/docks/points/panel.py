"""The Points dock: the instances of point sets in a table, in place of frames."""

from functools import partial

import msgspec
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from emberscope.labels.model import UNKNOWN
from emberscope.project import Changes, PutLabels
from emberscope_app.docks.points.rows import WIDTHS, PointModel, PointRows, rows_of
from emberscope_app.lists.table import Table
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.plain import menu_text
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.class_keys import in_order, set_class
from emberscope_app.state.labels.label_bags import label_bags
from emberscope_app.state.points.filter import filter_of
from emberscope_app.theme.controls import without_data
from emberscope_app.theme.panel import Panel
from emberscope_app.when.timers import Later
from emberscope_app.words import counted, spaced

_SETTLE_MS = 120  # after the last edit of labels, before their bags are made anew


class PointsPanel(Panel):
    """A click selects an instance in every view, and what is selected elsewhere is brought into
    sight. The menu says of bags and of single instances which class they are."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.model = PointModel(session, self)
        self.table = Table(self.model, "Points")
        self._set_columns()
        self.empty = without_data("No point set open.")
        self._pages = QStackedWidget(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.table)
        self.setFocusProxy(self.table)
        self._later = Later(self, self.read, _SETTLE_MS)
        self._connect()
        self.read()

    def _set_columns(self) -> None:
        self.table.set_columns(WIDTHS, stretched=0, by=2, order=Qt.SortOrder.AscendingOrder)

    def _connect(self) -> None:
        session, table = self.session, self.table
        table.selectionModel().selectionChanged.connect(self._on_rows)
        table.pointed.connect(self._point)
        table.menu_wanted.connect(self._open_menu)
        chip_cache(session).ready.connect(table.viewport().update)
        label_bags(session).came.connect(self.read)
        filter_of(session).changed.connect(lambda: self.in_sight(self.read))
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        session.selection.changed.connect(self._on_selection)
        session.selection.hovered.connect(lambda _origin: self._read_hover())

    # --- reading

    def read(self) -> None:
        """The instances of the labels as they are now, with the scores of the run on show."""
        self._later.stop()
        made = label_bags(self.session).made if self.session.project.of_points else None
        if made is None:  # a thread makes them, or there are none
            if not self.session.project.of_points:
                self.model.show_points(None)
                self._pages.setCurrentWidget(self.empty)
                self.set_count("")
            return
        points = rows_of(self.session.project, made, self.session.run)
        self.model.show_points(points, self._let_through(points))
        self._pages.setCurrentWidget(self.table)
        bags = counted(len(made.bags), "bag")
        shown, total = len(self.model.order), len(points)
        words = counted(total, "instance") if shown == total else (
            f"{spaced(shown)} of {counted(total, 'instance')}"
        )
        self.set_count(f"{words}, {bags}")
        self._read_selection()

    def _let_through(self, points: PointRows) -> NDArray[np.bool_] | None:
        """(N,) instances that pass the filter; None for all."""
        run = self.session.run
        kept = filter_of(self.session).rows(run)
        if kept is None or run is None:
            return None
        return points.index.flags(run.ids[kept])

    def _read_selection(self) -> None:
        points = self.model.points
        if points is not None:
            self.model.chosen = points.index.flags(self.session.selection.ids)
            self.table.viewport().update()

    def _read_hover(self) -> None:
        points = self.model.points
        if points is not None:
            self.model.pointed = points.index.row(self.session.selection.hover)
            self.table.viewport().update()

    # --- following the session

    def _on_project(self, changes: Changes) -> None:
        if changes.everything:
            self.model.show_points(None)
        if changes.touch("runs", "classes", "sources", "labels", "marks", "settings"):
            self._later.start()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names:
            self.in_sight(self.read)

    def _on_selection(self, origin: object) -> None:
        if origin is self:
            self._read_selection()
            return
        self.table.forget_chosen()
        self._read_selection()
        self._bring_into_sight()

    def _bring_into_sight(self) -> None:
        """The first of the selected ones in the order of the table."""
        found = np.flatnonzero(self.model.chosen[self.model.order])
        if len(found):
            index = self.model.index(int(found[0]), 0)
            self.table.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)

    # --- acting

    def _on_rows(self) -> None:
        """Rows chosen here: their instances everywhere, and the labels of their bags."""
        points = self.model.points
        if points is None:
            return
        rows = self.model.order[self.table.rows_chosen()]
        self.session.selection.select(points.ids[rows], origin=self)
        labels = dict.fromkeys(self.model.label_of(int(n)) for n in rows)
        self.session.focus.set(labels=tuple(labels))

    def _point(self, row: int) -> None:
        points = self.model.points
        if points is None or row < 0:
            self.session.selection.set_hover(None, origin=self)
        else:
            self.session.selection.set_hover(int(points.ids[self.model.order[row]]), origin=self)

    def _open_menu(self, where: QPoint) -> None:
        if len(self.session.selection):
            self.context_menu().popup(where)

    def context_menu(self) -> QMenu:
        """What can be said of the selected instances, and of the bags they are in."""
        session, menu = self.session, QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        labels = self._labels()
        of_bags = menu.addMenu(f"Label {counted(len(labels), 'bag')} as")
        of_bags.setEnabled(bool(labels))
        alone = menu.addMenu(f"Mark {counted(len(session.selection), 'instance')} as")
        for kind in in_order(session.project):
            title = menu_text(kind.name)
            of_bags.addAction(title, partial(self.label_bags_as, kind.id))
            alone.addAction(title, partial(session.mark_selection, kind.id))
        of_bags.addSeparator()
        of_bags.addAction("Unknown", lambda: self.label_bags_as(UNKNOWN))
        alone.addSeparator()
        alone.addAction("Ignored", lambda: session.mark_selection(0))
        alone.addAction("What its bag is", lambda: session.mark_selection(None))
        return menu

    def label_bags_as(self, class_id: int) -> None:
        """Say of the bags of the selected instances which class they are; 0 for unknown."""
        labels = self._labels()
        if class_id != UNKNOWN:
            self.session.focus.set(labels=tuple(labels))
            set_class(self.session, class_id)
            return
        before = [self.session.project.labels[key] for key in labels]
        after = [msgspec.structs.replace(label, class_id=UNKNOWN) for label in before]
        title = f"Mark {counted(len(before), 'bag')} as unknown"
        self.session.do(PutLabels(title=title, before=list(before), after=list(after)))

    def _labels(self) -> list[int]:
        """Ids of the labels of the bags of the selected instances."""
        points = self.model.points
        if points is None:
            return []
        rows = points.index.rows(self.session.selection.ids)
        known = self.session.project.labels
        return [key for key in dict.fromkeys(self.model.label_of(int(n)) for n in rows)
                if key in known]
