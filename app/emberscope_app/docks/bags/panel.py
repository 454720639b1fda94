"""The Bags dock: what the labels became, with what the run on show found in them."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QMenu, QStackedWidget, QVBoxLayout, QWidget

from emberscope.base.ids import label_of_bag
from emberscope.labels.columns import Column as Known
from emberscope.project import Changes, PutLabels, Run
from emberscope.project.columns import columns_of_bags
from emberscope.project.nouns import nouns_of
from emberscope.project.run_columns import NOVELTY, novelty_of_bags
from emberscope_app.docks.bags.rows import (
    LEFT_OUT,
    SMALL,
    WIDTHS,
    BagModel,
    BagRows,
    rows_of_labels,
    rows_of_run,
)
from emberscope_app.lists.table import Table
from emberscope_app.plain import menu_text
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.label_bags import label_bags
from emberscope_app.state.points.filter import color_columns, filter_of
from emberscope_app.theme.controls import Empty, IconButton, MessageBar, trigger
from emberscope_app.theme.panel import Panel
from emberscope_app.when.timers import Later
from emberscope_app.words import counted, spaced, verb

_SCROLL_BAR = 8  # px
_SETTLE_MS = 120  # after the last edit of labels, before their bags are made anew


class BagsPanel(Panel):
    """A click selects the instances of bags in every view; a double click goes to the frame of the
    witness."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.model = BagModel(self)
        self.table = Table(self.model, "Bags")
        self._set_columns()
        self.message = MessageBar()
        self.empty = Empty("A label becomes a bag.", action="Draw labels",
                           on_action=lambda: trigger(self, "view.label"))
        self._pages = QStackedWidget(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.message)
        column.addWidget(self._pages, 1)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.table)
        self.setFocusProxy(self.table)
        self._filter = ""
        self._warned = ""
        self._order = ""  # a column of what is known of bags; "": as the header says
        self._sort = IconButton("sort", "Order of the bags", size=24, parent=self)
        self._sort.clicked.connect(self._choose_order)
        self._sort.hide()
        self._run: Run | None = None
        self._later = Later(self, self.read, _SETTLE_MS)
        self._connect()
        self.read()

    def _set_columns(self) -> None:
        self.table.set_columns(WIDTHS, stretched=len(WIDTHS) - 1, by=1,
                               order=Qt.SortOrder.DescendingOrder)
        self.table.horizontalHeader().sectionClicked.connect(lambda _column: self._forget_order())

    def icons(self) -> list[QWidget]:
        return [self._sort]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        needed = sum(WIDTHS)
        for column in LEFT_OUT:
            self.table.setColumnHidden(column, self.width() - _SCROLL_BAR < needed)
            needed -= WIDTHS[column]

    def _connect(self) -> None:
        session, table = self.session, self.table
        table.selectionModel().selectionChanged.connect(self._on_rows)
        table.doubleClicked.connect(lambda index: self.go_to(int(self.model.order[index.row()])))
        table.activated.connect(lambda index: self.go_to(int(self.model.order[index.row()])))
        table.pointed.connect(self._point)
        table.menu_wanted.connect(self._open_menu)
        for keys, step in (("N", 1), ("Shift+N", -1)):
            shortcut = QShortcut(QKeySequence(keys), table)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda step=step: self.step(step))
        label_bags(session).came.connect(self._on_bags)
        filter_of(session).changed.connect(lambda: self.in_sight(self.read))
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        session.selection.changed.connect(self._on_selection)
        session.selection.hovered.connect(lambda _origin: self._read_hover())

    # --- reading

    def read(self) -> None:
        """The bags of the run on show; without a run, those of the labels."""
        self._later.stop()
        turns = self.session.turns
        turns.aside(self._gather, self._show)
        if self.session.run is not self._run and turns.waits(self._gather):
            self._wait_for_bags()

    def _gather(self) -> Callable[[], tuple[Run | None, BagRows | None]]:
        """What a thread makes of the run on show."""
        session, run = self.session, self.session.run
        if run is None:
            rows = rows_of_labels(session)
            return lambda: (None, rows)
        project = session.project.frozen(labels=False)
        return lambda: (run, rows_of_run(project, run))

    def _show(self, found: tuple[Run | None, BagRows | None]) -> None:
        run, rows = found
        if run is not self.session.run:
            return
        self._run = run
        if rows is None:
            self._wait_for_bags()
            return
        if self._filter and not self._wanted(rows).any():
            self._filter = ""
        passes = self._let_through(rows, run)
        self.model.show_bags(rows, passes)
        if self._order:
            self.set_order(self._order)
        self._pages.setCurrentWidget(self.table if len(rows) else self.empty)
        self.set_count(_counts(rows.bags.labels, passes))
        self._warn(rows)
        self._read_selection()

    def _wait_for_bags(self) -> None:
        """A thread makes them: nothing is shown that is not true any more."""
        self.model.show_bags(None)
        self._pages.setCurrentWidget(self.table)
        self.set_count("making bags")
        self.message.hide()
        self._warned = ""

    def _on_bags(self) -> None:
        if self.session.run is None:
            self.read()

    def _let_through(self, rows: BagRows, run: Run | None) -> NDArray[np.bool_] | None:
        """(K,) bags that are wanted, with an instance that passes the filter; None for all."""
        wanted = self._wanted(rows) if self._filter else None
        kept = filter_of(self.session).rows(run)
        if kept is None:
            return wanted
        passes = rows.some_of(kept)
        return passes if wanted is None else wanted & passes

    def _wanted(self, rows: BagRows) -> np.ndarray:
        return rows.conflicts > 0 if self._filter == "conflicts" else rows.small

    def _warn(self, rows: BagRows) -> None:
        """One bar: conflicts, else small bags; not again after it was dismissed, until it says
        something else."""
        conflicts, small = int((rows.conflicts > 0).sum()), int(rows.small.sum())
        words = ""
        if conflicts:
            words = (
                f"{counted(conflicts, 'bag')} {verb(conflicts, 'share')} instances with a bag "
                "of the other sign"
            )
        elif small:
            words = (
                f"{counted(small, 'bag')} {verb(small, 'have')} under {counted(SMALL, 'instance')}"
            )
        if words + self._filter == self._warned:
            return
        self._warned = words + self._filter
        if not words:
            self.message.hide()
        elif self._filter:
            self.message.show_message(
                words, action="Show all", on_action=lambda: self.show_only("")
            )
        else:
            kind = "conflicts" if conflicts else "small"
            self.message.show_message(words, action="Show", on_action=lambda: self.show_only(kind))

    def show_only(self, kind: str) -> None:
        """"conflicts", "small", or "" for all."""
        self._filter = kind
        self.read()

    def _read_selection(self) -> None:
        self.session.turns.aside(self._find_chosen, self._show_chosen)

    def _find_chosen(self) -> Callable[[], tuple[BagRows | None, NDArray[np.bool_]]]:
        rows, ids = self.model.bags, self.session.selection.ids
        return lambda: (rows, rows.wholly(ids) if rows is not None else np.zeros(0, bool))

    def _show_chosen(self, found: tuple[BagRows | None, NDArray[np.bool_]]) -> None:
        rows, chosen = found
        if rows is not None and rows is self.model.bags:
            self.model.chosen = chosen
            self.table.viewport().update()

    def _read_hover(self) -> None:
        rows = self.model.bags
        if rows is not None:
            self.model.pointed = rows.touched(self.session.selection.hover)
            self.table.viewport().update()

    # --- order

    def orders(self) -> list[tuple[str, str]]:
        """What the bags can be sorted by: the columns of the table, then what is known of them."""
        columns = filter_of(self.session).columns
        names = [name for name in color_columns(columns) if name != NOVELTY]
        new = [(NOVELTY, "Most novel first")] if NOVELTY in columns else []
        return [("", "As the header says"), *new,
                *((name, menu_text(f"By {name}")) for name in names)]

    def _choose_order(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for order, words in self.orders():
            action = menu.addAction(words, partial(self.set_order, order))
            action.setCheckable(True)
            action.setChecked(order == self._order)
        menu.popup(self._sort.mapToGlobal(self._sort.rect().bottomLeft()))

    def set_order(self, order: str) -> None:
        """Sort the bags by what is known of them, one of `orders`."""
        self._order = order
        self.table.horizontalHeader().setSortIndicatorShown(not order)
        if order:
            self.session.turns.aside(self._find_order, self._show_order)
        else:
            self.model.sort_by(None)

    def _forget_order(self) -> None:
        """The header was pressed: it says the order again."""
        self._order = ""
        self.table.horizontalHeader().setSortIndicatorShown(True)

    def _find_order(self) -> Callable[[], tuple[BagRows | None, Known | None]]:
        rows, name, project = self.model.bags, self._order, self.session.project.frozen()
        run = self._run
        if rows is None or not name:
            return lambda: (None, None)
        if name == NOVELTY and run is not None:
            return lambda: (rows, novelty_of_bags(run))
        return lambda: (rows, columns_of_bags(project, rows.bags.ids, filled=True).get(name))

    def _show_order(self, found: tuple[BagRows | None, Known | None]) -> None:
        rows, known = found
        if rows is not None and rows is self.model.bags and self._order:
            self.model.sort_by(known, highest_first=self._order == NOVELTY)

    # --- following the session

    def _on_project(self, changes: Changes) -> None:
        if changes.everything:
            self._filter = self._warned = ""
            self.model.show_bags(None)
        if changes.touch("runs", "classes") or (
            changes.touch("marks") and self.session.run is not None
        ):
            self.in_sight(self.read)
        elif self.session.run is None and changes.touch("labels", "marks", "sources"):
            self._later.start()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names and self.session.run is not self._run:
            self.in_sight(self.read)

    def _on_selection(self, origin: object) -> None:
        if origin is not self:
            self.table.forget_chosen()
        self._read_selection()

    # --- acting

    def _on_rows(self) -> None:
        """Rows chosen here: their instances everywhere, their labels on the frame."""
        rows, chosen = self.model.bags, self.table.rows_chosen()
        if rows is None:
            return
        bags = self.model.order[chosen]
        self.session.selection.select(rows.ids_of(bags), origin=self)
        labels = [label_of_bag(int(rows.bags.ids[k])) for k in bags[:100]]
        here = (self.session.focus.source, self.session.focus.frame)
        known = self.session.project.labels
        on_frame = [
            key for key in labels if key in known and (known[key].source, known[key].frame) == here
        ]
        self.session.focus.set(labels=tuple(dict.fromkeys(on_frame)))

    def step(self, by: int) -> None:
        """The next or previous bag."""
        count = self.model.rowCount()
        if count:
            chosen = self.table.rows_chosen()
            row = (chosen[-1] + by) % count if chosen else (0 if by > 0 else count - 1)
            index = self.model.index(row, 0)
            flags = QItemSelectionModel.SelectionFlag
            self.table.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
            self.table.scrollTo(index)

    def go_to(self, bag: int) -> None:
        """Show the frame of the witness with the label selected."""
        rows = self.model.bags
        if rows is None:
            return
        witness = int(rows.witness[bag])
        self.session.show_frame(
            int(rows.instances.source[witness]), int(rows.instances.frame[witness])
        )
        label = label_of_bag(int(rows.bags.ids[bag]))
        if label in self.session.project.labels:
            self.session.focus.set(labels=(label,))

    def _point(self, row: int) -> None:
        """A bag pointed at stands for its witness."""
        rows = self.model.bags
        if rows is None or row < 0:
            self.session.selection.set_hover(None, origin=self)
        else:
            witness = int(rows.witness[int(self.model.order[row])])
            self.session.selection.set_hover(int(rows.instances.ids[witness]), origin=self)

    def _open_menu(self, where: QPoint) -> None:
        if self.table.rows_chosen():
            self.context_menu().popup(where)

    def context_menu(self) -> QMenu:
        """What can be done with the chosen bags."""
        session = self.session
        bags = self.model.order[self.table.rows_chosen()]
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        there = nouns_of(session.project).say("Go to frame")
        menu.addAction(f"{there}\tEnter", lambda: self.go_to(int(bags[0])))
        menu.addSeparator()
        words = counted(len(session.selection), "instance")
        menu.addAction(f"Mark {words} as background", lambda: session.mark_selection(2))
        menu.addAction(f"Ignore {words}", lambda: session.mark_selection(0))
        labels = [session.project.labels[key] for key in self._labels_of(bags)]
        remove = menu.addAction(f"Delete {counted(len(labels), 'label')}")
        remove.setEnabled(bool(labels))
        title = f"Delete {counted(len(labels), 'label')}"
        remove.triggered.connect(lambda: session.do(PutLabels(title=title, before=labels)))
        return menu

    def _labels_of(self, bags: np.ndarray) -> list[int]:
        rows = self.model.bags
        found = [label_of_bag(int(rows.bags.ids[k])) for k in bags] if rows is not None else []
        return [key for key in dict.fromkeys(found) if key in self.session.project.labels]


def _counts(labels: NDArray[np.int8], passes: NDArray[np.bool_] | None) -> str:
    """"12 positive, 30 negative", or of how many where not all pass; "" without bags."""
    if not len(labels):
        return ""
    parts = []
    for kind, mine in (("positive", labels > 0), ("negative", labels < 0)):
        n = int(mine.sum())
        shown = n if passes is None else int((mine & passes).sum())
        parts.append(f"{spaced(n)} {kind}" if shown == n
                     else f"{spaced(shown)} of {spaced(n)} {kind}")
    return ", ".join(parts)
