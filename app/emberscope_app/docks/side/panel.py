"""The Side information dock: every record with its chips, contradictions, the distance of two
chips; questions."""

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from emberscope.base.errors import EmberscopeError
from emberscope.labels.side_info import Conflict, SideRecord, conflicts, instances_of
from emberscope.project import Changes
from emberscope.project.exchange.side_tables import import_table, imported
from emberscope.project.nouns import nouns_of
from emberscope_app.docks.side.ask import ASK_KEYS, AskPage
from emberscope_app.docks.side.neighbors import NeighborsPage
from emberscope_app.docks.side.rows import RecordModel, RecordTable
from emberscope_app.state.core.last_folders import TABLE, last_folder, remember_folder
from emberscope_app.state.core.qt_paths import from_qt
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.questions import Questions
from emberscope_app.state.labels.side import PAIR_KEYS, attributes_of, remove, say_distance
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import (
    Empty,
    IconButton,
    MessageBar,
    Segmented,
    line,
    text,
    trigger,
)
from emberscope_app.theme.panel import Panel
from emberscope_app.words import counted, spaced

NOTHING = "No pairs yet. Select two chips and press S where they are alike, D where they differ."
ONE_ATTRIBUTE = "one attribute"
PAGES = (("records", "Records"), ("questions", "Questions"), ("neighbors", "Neighbors"))
_NAMED = 4  # records of a contradiction, by their numbers


class SidePanel(Panel):
    """A click on a record selects its chips everywhere; a double click goes to the frame of the
    first."""

    letters = frozenset(PAIR_KEYS)  # K too, while questions are on show

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._index = RowIndex(None)
        self.model = RecordModel(session, self)
        self.table = RecordTable(session, self.model)
        self.message = MessageBar()
        self._warned = ""
        self.empty = Empty(
            NOTHING, action="Show the chips", on_action=lambda: trigger(self, "view.explore")
        )
        self.attribute = QComboBox()
        self.distance, self.unit = QLineEdit(), QLineEdit()
        self.set_distance = QPushButton("Set distance")
        self.ask_page = AskPage(session, Questions(session, self))
        self.neighbors_page = NeighborsPage(session)
        self.tabs = Segmented(PAGES)
        self._lay_out()
        self._connect()
        self.read()

    def icons(self) -> list[QWidget]:
        """Pairs and distances from a file, and what it is all about."""
        file = IconButton("folder", "Import pairs or distances, CSV", size=24)
        page = IconButton("help", "Side information", size=24)
        file.clicked.connect(self.choose_table)
        page.clicked.connect(lambda: trigger(self, "help.side-information"))
        return [file, page]

    def _lay_out(self) -> None:
        self.attribute.setEditable(True)
        self.attribute.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.attribute.setAccessibleName("Attribute")
        self.attribute.setToolTip("What the next pairs are compared by, for example vehicle type")
        field = self.attribute.lineEdit()
        assert field is not None  # it is editable
        field.setPlaceholderText(ONE_ATTRIBUTE)
        self.attribute.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.attribute.setMinimumContentsLength(8)
        self.distance.setPlaceholderText("30")
        self.distance.setAccessibleName("Distance of the two selected chips")
        self.distance.setFixedWidth(56)
        self.unit.setPlaceholderText("deg")
        self.unit.setAccessibleName("Unit")
        self.unit.setFixedWidth(56)
        top, below = QHBoxLayout(), QHBoxLayout()
        for row in (top, below):
            row.setContentsMargins(tokens.PAD, 6, tokens.PAD, 6)
            row.setSpacing(8)
        label = text("Compared by", "secondary")
        label.setBuddy(self.attribute)
        top.addWidget(label)
        top.addWidget(self.attribute, 1)
        for part in (self.distance, self.unit, self.set_distance):
            below.addWidget(part)
        below.addStretch(1)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.table)
        self._compared_by, records = QWidget(), QWidget()
        column = QVBoxLayout(self._compared_by)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(line())
        column = QVBoxLayout(records)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.message)
        column.addWidget(self._pages, 1)
        column.addWidget(line())
        column.addLayout(below)
        self._sheets = QStackedWidget()
        for page in (records, self.ask_page, self.neighbors_page):
            self._sheets.addWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(self._tab_row())
        whole.addWidget(line())
        whole.addWidget(self._compared_by)
        whole.addWidget(self._sheets, 1)
        self.show_page("records")

    def _tab_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(tokens.PAD, 6, tokens.PAD, 6)
        row.addWidget(self.tabs)
        self.tabs.chosen.connect(self.show_page)
        return row

    def show_page(self, name: str) -> None:
        """One of `PAGES`."""
        self.tabs.set_value(name)
        self._sheets.setCurrentIndex([key for key, _ in PAGES].index(name))
        self.letters = frozenset(PAIR_KEYS) | (ASK_KEYS if name == "questions" else frozenset())
        self._compared_by.setVisible(name != "neighbors")
        focused = {
            "records": self.table,
            "questions": self.ask_page,
            "neighbors": self.neighbors_page,
        }
        self.setFocusProxy(focused[name])

    def ask(self) -> None:
        """Questions "same or different?": on show, begun, and with the keys."""
        self.show_page("questions")
        self.ask_page.start()

    def compare(self) -> None:
        """Neighbors before and after the metric: on show, and sought."""
        self.show_page("neighbors")
        self.neighbors_page.start()
        self.neighbors_page.setFocus()

    def _connect(self) -> None:
        session, table = self.session, self.table
        table.selectionModel().selectionChanged.connect(self._on_rows)
        table.doubleClicked.connect(lambda index: self._go(index.row()))
        table.activated.connect(lambda index: self._go(index.row()))
        table.pointed.connect(self._point)
        table.menu_wanted.connect(lambda at: self.context_menu().popup(at))
        self.attribute.editTextChanged.connect(
            lambda words: session.focus.set(attribute=words.strip())
        )
        self.set_distance.clicked.connect(self._set_distance)
        self.distance.returnPressed.connect(self._set_distance)
        self.unit.returnPressed.connect(self._set_distance)
        self.distance.textChanged.connect(lambda _words: self._read_distance())
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        session.selection.changed.connect(self._on_selection)
        session.selection.hovered.connect(lambda _origin: self.table.viewport().update())

    # --- reading

    def read(self) -> None:
        """The records of the project, the newest first."""
        project = self.session.project
        self._read_run()
        records = list(reversed(project.side.values()))
        found = conflicts(records)
        self.model.show_records(records, {key for conflict in found for key in conflict.ids})
        self._pages.setCurrentWidget(self.table if records else self.empty)
        self.set_count(spaced(len(records)) if records else "")
        self._warn(found)
        self._read_attributes()
        self._read_distance()

    def _read_run(self) -> None:
        self._index = self.model.shown = RowIndex(self.session.run)
        self.table.viewport().update()

    def _warn(self, found: list[Conflict]) -> None:
        """One bar about contradictions; not again after it was dismissed, until it says something
        else."""
        words = ""
        if found:
            ids = found[0].ids
            which = (
                f"Records {', '.join(map(str, ids))}"
                if len(ids) <= _NAMED
                else counted(len(ids), "record")
            )
            more = f", and {len(found) - 1} more such" if len(found) > 1 else ""
            words = f"{which} contradict each other{more}"
        if words == self._warned:
            return
        self._warned = words
        if found:
            self.message.show_message(words, level="warn", action="Select",
                                      on_action=lambda: self.choose(set(found[0].ids)))
        else:
            self.message.hide()

    def _read_attributes(self) -> None:
        """What was compared by so far can be chosen; what is in the field stays."""
        names, box = attributes_of(self.session.project), self.attribute
        box.blockSignals(True)
        box.clear()
        box.addItems(["", *names])
        box.setEditText(self.session.focus.attribute)
        box.blockSignals(False)

    def _read_distance(self) -> None:
        two = len(self.session.selection) == 2
        self.set_distance.setEnabled(two and bool(self.distance.text().strip()))
        self.set_distance.setToolTip(
            "How far the two selected chips lie apart" if two else "Select two chips"
        )

    # --- following the session

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("side"):
            self.in_sight(self.read)
        elif changes.touch("runs", "sources"):
            self._read_run()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names:
            self._read_run()
        if (
            "attribute" in names
            and self.attribute.currentText().strip() != self.session.focus.attribute
        ):
            self._read_attributes()

    def _on_selection(self, origin: object) -> None:
        self._read_distance()
        if origin is not self:
            selection = self.table.selectionModel()
            selection.blockSignals(True)
            selection.clear()
            selection.blockSignals(False)
            self.table.viewport().update()

    # --- acting

    @property
    def chosen(self) -> list[SideRecord]:
        """The records whose rows are chosen."""
        return [
            self.model.rows[row] for row in self.table.rows_chosen() if row < len(self.model.rows)
        ]

    def choose(self, keys: set[int]) -> None:
        """Choose the rows of some records, and with them their chips."""
        self.table.clearSelection()
        mode = self.table.selectionModel().SelectionFlag
        for row, record in enumerate(self.model.rows):
            if record.id in keys:
                self.table.selectionModel().select(
                    self.model.index(row, 0), mode.Select | mode.Rows
                )
                self.table.scrollTo(self.model.index(row, 0))

    def context_menu(self) -> QMenu:
        """What can be done with the chosen records."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chosen = self.chosen
        there = nouns_of(self.session.project).say("Go to frame")
        go = menu.addAction(there, lambda: self._go(self.table.rows_chosen()[0]))
        go.setEnabled(bool(chosen))
        gone = menu.addAction(f"Remove {counted(len(chosen), 'record')}\tDel", self.remove_chosen)
        gone.setEnabled(bool(chosen))
        return menu

    def remove_chosen(self) -> None:
        """Take the chosen records back, in one step."""
        if self.chosen:
            remove(self.session, self.chosen)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete removes records; S and D pair the selected chips, or answer the question on show;
        K skips it."""
        key, say = (
            Qt.Key(event.key()),
            PAIR_KEYS.get(Qt.Key(event.key())) if not event.modifiers() else None,
        )
        if self.tabs.value == "questions":
            if event.modifiers() or not self.ask_page.take(key):
                super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.tabs.value == "records":
            self.remove_chosen()
        elif say is not None:
            say(self.session)
        else:
            super().keyPressEvent(event)

    def _on_rows(self, *_: object) -> None:
        ids = [i for record in self.chosen for i in instances_of(record)]
        if ids:
            self.session.selection.select(np.array(ids, np.int64), origin=self)

    def _point(self, row: int) -> None:
        ids = instances_of(self.model.rows[row]) if 0 <= row < len(self.model.rows) else ()
        self.session.selection.set_hover(ids[0] if ids else None, origin=self)

    def _go(self, row: int) -> None:
        ids = instances_of(self.model.rows[row]) if 0 <= row < len(self.model.rows) else ()
        if ids:
            self.session.show_instance(ids[0])

    def choose_table(self) -> None:
        """Ask for a table of pairs or distances and take it, in one step."""
        if not self.session.may_edit():
            return
        start, filters = last_folder(TABLE), "Tables (*.csv);;All files (*)"
        name, _ = QFileDialog.getOpenFileName(self, "Import pairs or distances", start, filters)
        if not name:
            return
        remember_folder(TABLE, name)
        notes: list[str] = []
        try:
            operation = import_table(self.session.project, from_qt(name), notes=notes)
        except EmberscopeError as error:
            self.session.say(str(error), level="warn")
            return
        if self.session.do(operation):
            words = " ".join([f"{imported(operation)} imported.", *notes])
            self.session.say(words, action="Undo", on_action=self.session.undo_stack.undo)

    def _set_distance(self) -> None:
        if not self.set_distance.isEnabled():
            return
        try:
            value = float(self.distance.text().replace(",", "."))
            done = say_distance(self.session, value, self.unit.text().strip())
        except ValueError:
            self.session.say(f"{self.distance.text()} is no number.", level="warn")
        except EmberscopeError as error:
            self.session.say(str(error), level="warn")
        else:
            if done:
                self.distance.clear()
