"""The Concepts dock: which kinds of targets the run on show found, linked with every view."""

import numpy as np
from PySide6.QtCore import QModelIndex, QPoint
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from emberscope.project import Changes
from emberscope.project.concepts import RunConcepts
from emberscope_app.docks.concepts.cards import CardModel, CardTable, cards_of
from emberscope_app.docks.concepts.gains import GainCurve
from emberscope_app.state.concepts import CONCEPT, class_called, make_class, name_wrong, run_concepts, witnesses_words
from emberscope_app.state.row_index import RowIndex
from emberscope_app.state.session import Session
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Empty, IconButton, MessageBar, line, trigger
from emberscope_app.theme.panel import Panel
from emberscope_app.words import counted

NOTHING = "No concepts yet. FCMI, CCMI and PCMI find the several kinds of targets behind your labels."
_OLD = ("fcmi", "ccmi", "pcmi")
AGAIN = "This run is of a version that kept no distances to concepts. Run it again."


class ConceptsPanel(Panel):
    """A click on a card selects its instances; a double click goes to the frame of a chip."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.found: RunConcepts | None = None
        self._index = RowIndex(None)
        self.model = CardModel(self)
        self.table = CardTable(session, self.model)
        self.gains = GainCurve()
        self.message = MessageBar()
        self.empty = Empty(NOTHING, action="Choose a method", on_action=lambda: trigger(self, "run.methods"))
        self.name = QLineEdit()
        self.make = QPushButton("Make it a class")
        self._lay_out()
        self._connect()
        self.read()

    def icons(self) -> list[QWidget]:
        """Colors of the maps by concept."""
        button = IconButton("map", "Color the maps by concept", size=24)
        button.clicked.connect(lambda: self.session.focus.set(color_by=CONCEPT))
        return [button]

    def _lay_out(self) -> None:
        self.name.setAccessibleName("Name of the class")
        self.name.setMinimumWidth(80)
        below = QHBoxLayout()
        below.setContentsMargins(tokens.PAD, 8, tokens.PAD, 8)
        below.setSpacing(8)
        below.addWidget(self.name, 1)
        below.addWidget(self.make)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.message, self.gains):
            column.addWidget(part)
        column.addWidget(self.table, 1)
        column.addWidget(line())
        column.addLayout(below)
        self._page = page
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._pages)
        self.setFocusProxy(self.table)

    def _connect(self) -> None:
        session, table = self.session, self.table
        table.selectionModel().selectionChanged.connect(self._on_card)
        table.clicked.connect(lambda _index: self._on_card())  # again, after another selection
        table.pointed.connect(self._point)
        table.chip_pointed.connect(self._point_chip)
        table.doubleClicked.connect(self._go)
        table.activated.connect(self._go)
        self.name.textChanged.connect(lambda _words: self._read_name())
        self.name.returnPressed.connect(self.make_class)
        self.make.clicked.connect(self.make_class)
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        session.selection.changed.connect(self._on_selection)
        session.selection.hovered.connect(lambda _origin: self._read_hover())

    # --- reading

    def read(self) -> None:
        """The concepts of the run on show."""
        run = self.session.run
        other = self.found is None or self.found.run is not run
        self.found = run_concepts(run)
        self._index = RowIndex(run)
        found, chosen = self.found, self.chosen
        self.model.show_cards(cards_of(self.session.project, found) if found is not None else [])
        self._pages.setCurrentWidget(self._page if found is not None else self.empty)
        old = run is not None and run.recipe.method in _OLD
        self.empty.sentence.setText(AGAIN if old else NOTHING)
        self.set_count(counted(len(found), "concept") if found is not None else "")
        if found is not None:
            self.gains.show_gains(found.gains, found.suggested, len(found))
        if not other and chosen is not None:
            self._choose(chosen)
        if other:
            self._warn()
        self._read_hover()
        self._read_name()

    @property
    def chosen(self) -> int | None:
        """The concept whose card is chosen."""
        rows = self.table.rows_chosen()
        return rows[0] if rows and rows[0] < len(self.model.cards) else None

    def _choose(self, k: int) -> None:
        """Show a card as chosen; the selection stays."""
        selection = self.table.selectionModel()
        selection.blockSignals(True)
        self.table.selectRow(k)
        selection.blockSignals(False)
        self.table.viewport().update()

    def _warn(self) -> None:
        """One bar: what labels and concepts disagree about."""
        found = self.found
        if found is None:
            return
        against, without = found.conflicts.negative, found.conflicts.uncovered
        if len(against):
            words = f"{counted(len(against), 'instance')} of negative bags {_are(against)} like a target"
            rows = against
        elif len(without):
            words = f"{counted(len(without), 'positive bag')} hold{'s' * (len(without) == 1)} no concept"
            rows = np.concatenate([found.run.bags.of(int(b)) for b in without])
        else:
            self.message.hide()
            return
        ids = found.run.ids[rows]
        self.message.show_message(words, action="Select", on_action=lambda: self.session.selection.select(ids))

    def _read_hover(self) -> None:
        row = self._index.row(self.session.selection.hover)
        self.model.pointed = int(self.found.concept[row]) if self.found is not None and row >= 0 else -1
        self.table.viewport().update()

    def _read_name(self) -> None:
        """What the button would do, and why it cannot."""
        k, found, name = self.chosen, self.found, self.name.text().strip()
        if k is None or found is None:
            self.name.setPlaceholderText("Choose a concept")
            why = "Choose a concept"
        else:
            self.name.setPlaceholderText(f"Name of concept {k + 1}")
            why = "" if len(found.witnesses(k)) else "No instance of a positive bag is likely of this concept"
            why = why or name_wrong(self.session.project, name)
        self.name.setEnabled(k is not None)
        self.make.setEnabled(not why)
        self.make.setToolTip(why or "Its witnesses get this label, in one step")

    # --- following the session

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("runs", "marks", "classes"):
            self.read()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names and (self.found is None or self.session.run is not self.found.run):
            self.name.clear()
            self.read()

    def _on_selection(self, origin: object) -> None:
        if origin is not self:
            selection = self.table.selectionModel()
            selection.blockSignals(True)
            selection.clear()
            selection.blockSignals(False)
            self.table.viewport().update()
            self._read_name()

    # --- acting

    def _on_card(self, *_: object) -> None:
        """A card chosen here: its instances everywhere."""
        k, found = self.chosen, self.found
        if k is not None and found is not None:
            self.session.selection.select(found.run.ids[found.members(k)], origin=self)
        self._read_name()

    def _point(self, row: int) -> None:
        """A card pointed at stands for its nearest instance."""
        self._point_at(int(self.model.cards[row].nearest[0]) if 0 <= row < len(self.model.cards) else -1)

    def _point_chip(self, row: int) -> None:
        if row >= 0:
            self._point_at(row)

    def _point_at(self, row: int) -> None:
        ids = self._index.ids
        self.session.selection.set_hover(int(ids[row]) if 0 <= row < len(ids) else None, origin=self)

    def _go(self, index: QModelIndex) -> None:
        """To the frame of the chip under the pointer, else of the nearest instance."""
        if self.found is not None and index.isValid():
            under: QPoint = self.table.viewport().mapFromGlobal(self.cursor().pos())
            chip = self.table.chip_at(under)
            row = chip if chip >= 0 else int(self.model.cards[index.row()].nearest[0])
            self.session.go_to_instance(int(self.found.run.ids[row]))

    def make_class(self) -> None:
        """Its witnesses become labels of a class of that name, in one step."""
        k, found, name = self.chosen, self.found, self.name.text().strip()
        project = self.session.project
        if k is None or found is None or not self.make.isEnabled():
            return
        witnesses = len(found.witnesses(k))
        if self.session.do(make_class(project, found, k, name)):
            known = class_called(project, name)
            now = "are" if witnesses != 1 else "is"
            words = f"{witnesses_words(witnesses)} {now} {known.name if known else name} now."
            self.session.say(words, action="Undo", on_action=self.session.undo_stack.undo)
            self.name.clear()


def _are(rows: np.ndarray) -> str:
    return "are" if len(rows) != 1 else "is"
