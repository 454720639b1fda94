"""The Concepts dock: which kinds of targets the run on show found, linked with every view."""

from functools import partial

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from emberscope.findings.concept_counts import counts_of
from emberscope.findings.concept_looks import concept_color
from emberscope.findings.concepts import RunConcepts
from emberscope.findings.point_looks import CONCEPT
from emberscope.project import Changes
from emberscope.project.model.concept_edits import show_concepts_of, shown_source
from emberscope_app.docks.concepts.cards import CardModel, CardTable, cards_of
from emberscope_app.docks.concepts.center_chips import CenterChips
from emberscope_app.docks.concepts.edit_bar import EditBar
from emberscope_app.docks.concepts.gains import GainCurve
from emberscope_app.docks.concepts.profile_pane import Profile, ProfilePane, profile_of
from emberscope_app.state.core.layers_on import GROUND_SQUARES
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import (
    concepts_edited,
    run_concepts,
    sources_of_concepts,
)
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Empty, IconButton, MessageBar, line, text, trigger
from emberscope_app.theme.look import current, look
from emberscope_app.theme.panel import Panel
from emberscope_app.words import counted, method_title, verb

NOTHING = (
    "No concepts yet. FCMI, CCMI and PCMI find the several kinds of targets behind your labels."
)
_ROOMY = 760  # px of height from which gain curve, profile and cards have room
_OLD = ("fcmi", "ccmi", "pcmi")
GROUND = "Squares on the maps: clusters of negative instances"
AGAIN = "This run is of a version that kept no distances to concepts. Run it again."


class ConceptsPanel(Panel):
    """A click on a card selects its instances; a double click goes to the frame of a chip."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.found: RunConcepts | None = None
        self._index = RowIndex(None)
        self.centers = CenterChips(session, self)
        self.model = CardModel(session, self.centers, self)
        self.table = CardTable(session, self.model, self.centers)
        self.counts = text("", "secondary")
        self.gains, self.profile = GainCurve(), ProfilePane()
        # The last one made
        self._profiled: tuple[RunConcepts | None, int, Profile | None] = (None, -1, None)
        self.message = MessageBar()
        self.empty = Empty(
            NOTHING, action="Choose a method", on_action=lambda: trigger(self, "run.methods")
        )
        self.bar = EditBar(session)
        self.ground = IconButton("rect", GROUND, checkable=True, size=24, parent=self)
        self.ground.hide()
        self.source, self._source_row = QComboBox(), QWidget()
        self._lay_out()
        self._connect()
        self.read()

    def icons(self) -> list[QWidget]:
        """Colors of the maps by concept, and clusters of negative instances on them."""
        button = IconButton("map", "Color the maps by concept", size=24)
        button.clicked.connect(lambda: self.session.focus.set(color_by=CONCEPT))
        layers = self.session.layers
        self.ground.toggled.connect(partial(layers.switch, GROUND_SQUARES))
        layers.changed.connect(self._on_layer)
        return [self.ground, button]

    def _on_layer(self, name: str) -> None:
        if name == GROUND_SQUARES:
            self.ground.setChecked(self.session.layers.is_on(name))

    def _lay_out(self) -> None:
        row = QHBoxLayout(self._source_row)
        row.setContentsMargins(tokens.PAD, 8, tokens.PAD, 4)
        row.setSpacing(8)
        label = text("Concepts of", "secondary")
        label.setBuddy(self.source)
        self.source.setAccessibleName("Concepts of")
        row.addWidget(label)
        row.addWidget(self.source, 1)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.counts.setWordWrap(True)
        self.counts.setContentsMargins(tokens.PAD, 8, tokens.PAD, 4)
        for part in (self.message, self.counts, self.gains, self.profile):
            column.addWidget(part)
        column.addWidget(self.table, 1)
        column.addWidget(line())
        column.addWidget(self.bar)
        self._page = page
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._source_row)
        whole.addWidget(self._pages, 1)
        self.setFocusProxy(self.table)

    def _connect(self) -> None:
        session, table = self.session, self.table
        table.selectionModel().selectionChanged.connect(self._on_card)
        table.clicked.connect(lambda _index: self._on_card())  # again, after another selection
        table.pointed.connect(self._point)
        table.chip_pointed.connect(self._point_chip)
        table.doubleClicked.connect(self._go)
        table.activated.connect(self._go)
        self.source.activated.connect(self._take_source)
        self.centers.ready.connect(self._read_profile)
        table.menu_wanted.connect(self._open_menu)
        session.changed.connect(self._on_project)
        look().changed.connect(self._read_profile)
        session.focus.changed.connect(self._on_focus)
        session.selection.changed.connect(self._on_selection)
        session.selection.hovered.connect(lambda _origin: self._read_hover())

    # --- reading

    def read(self) -> None:
        """The concepts of the run on show."""
        run, before = self.session.run, self.found
        other = before is None or before.run is not run
        numbers = (
            [before.numbers[k] for k in self.chosen] if before is not None and not other else []
        )
        self.found = run_concepts(self.session.project, run)
        self._index = RowIndex(run)
        found = self.found
        self.model.show_cards(
            run, cards_of(self.session.project, found) if found is not None else []
        )
        self._pages.setCurrentWidget(self._page if found is not None else self.empty)
        old = run is not None and run.recipe.method in _OLD
        self.empty.sentence.setText(AGAIN if old else NOTHING)
        counts = counts_of(found) if found is not None else None
        self.set_count(f"{counts.shown} shown" if counts is not None else "")
        self.counts.setText(counts.sentence if counts is not None else "")
        if found is not None:
            self.gains.show_gains(found.gains, found.suggested)
            self._choose([k for k, number in enumerate(found.numbers) if number in numbers])
        if other or found is not before:
            self._warn()
        known = found is not None and len(found.ground) > 0
        self.ground.setEnabled(known)
        self.ground.setToolTip(
            GROUND if known else "This run keeps no clusters of negative instances"
        )
        self._read_source()
        self._read_hover()
        self._read_chosen()

    def _read_source(self) -> None:
        """Offer concepts of other runs where some share instances with the run on show."""
        run, project = self.session.run, self.session.project
        runs = sources_of_concepts(project, run) if run is not None else []
        self.source.clear()
        if run is not None and run not in runs:
            self.source.addItem("none", run.id)
        for other in runs:
            own = "this run" if other is run else method_title(other.recipe.method)
            self.source.addItem(f"Run {other.id}, {own}", other.id)
        shown = shown_source(project, run).id if run is not None else None
        self.source.setCurrentIndex(self.source.findData(shown))
        self._source_row.setVisible(self.source.count() > 1)

    def _take_source(self, _row: int) -> None:
        run, project = self.session.run, self.session.project
        source = project.runs.get(self.source.currentData())
        if run is not None and source is not None and source is not shown_source(project, run):
            self.session.do(show_concepts_of(project, source, run))

    @property
    def chosen(self) -> list[int]:
        """The concepts whose cards are chosen."""
        return [row for row in self.table.rows_chosen() if row < len(self.model.rows)]

    def _choose(self, ks: list[int]) -> None:
        """Show cards as chosen; the selection stays."""
        rows = QItemSelection()
        for k in ks:
            rows.select(self.model.index(k, 0), self.model.index(k, 0))
        selection = self.table.selectionModel()
        selection.blockSignals(True)
        selection.select(rows, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        selection.blockSignals(False)
        self.table.viewport().update()

    def _read_chosen(self) -> None:
        self.bar.show_chosen(self.found, self.chosen)
        self._read_profile()

    def _read_profile(self) -> None:
        """Of the first card chosen, of the first one where none is; chips are asked for where they
        can be seen."""
        found, chosen = self.found, self.chosen
        if self.isVisible():
            self.centers.ask(found)
        if found is None:
            return
        k = chosen[0] if chosen else 0
        if self._profiled[0] is not found or self._profiled[1] != k:
            self._profiled = (found, k, profile_of(found, k))
        self.profile.show_profile(
            self.model.rows[k].name,
            self._profiled[2],
            concept_color(found.numbers[k], current().name),
            self.centers.image(k),
            self.centers.title(k) or self.centers.error,
        )
        self._share_room()

    def _share_room(self) -> None:
        """In little room the profile of a card chosen takes the place of the gain curve, and no
        card moves."""
        roomy, known = self.height() >= _ROOMY, self.profile.profile is not None
        self.profile.set_room(roomy)
        self.profile.setVisible(known and (roomy or bool(self.chosen)))
        self.gains.setVisible(len(self.gains.gains) > 0 and (roomy or not self.chosen or not known))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._read_profile()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _warn(self) -> None:
        """One bar: what labels and concepts disagree about."""
        found = self.found
        if found is None:
            return
        against, without = found.conflicts.negative, found.conflicts.uncovered
        if len(against):
            words = (
                f"{counted(len(against), 'instance')} of negative bags {_are(against)} like a "
                "target"
            )
            rows = against
        elif len(without):
            words = (
                f"{counted(len(without), 'positive bag')} {verb(len(without), 'hold')} no concept"
            )
            rows = np.concatenate([found.run.bags.of(int(b)) for b in without])
        else:
            self.message.hide()
            return
        ids = found.run.ids[rows]
        self.message.show_message(
            words, action="Select", on_action=lambda: self.session.selection.select(ids)
        )

    def _read_hover(self) -> None:
        row = self._index.row(self.session.selection.hover)
        self.model.pointed = (
            int(self.found.concept[row]) if self.found is not None and row >= 0 else -1
        )
        self.table.viewport().update()

    # --- following the session

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("runs", "marks", "classes") or concepts_edited(changes):
            self.read()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names and (self.found is None or self.session.run is not self.found.run):
            self.read()

    def _on_selection(self, origin: object) -> None:
        if origin is not self:
            self._choose([])
            self._read_chosen()

    # --- acting

    def _on_card(self, *_: object) -> None:
        """Cards chosen here: their instances everywhere."""
        found, chosen = self.found, self.chosen
        if found is not None and chosen:
            rows = np.concatenate([found.members(k) for k in chosen])
            self.session.selection.select(found.run.ids[rows], origin=self)
        self._read_chosen()

    def _open_menu(self, where: QPoint) -> None:
        menu = self.bar.menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(where)

    def _point(self, row: int) -> None:
        """A card pointed at stands for its nearest instance."""
        self._point_at(self._nearest(row))

    def _nearest(self, row: int) -> int:
        """Row of the run of the nearest instance of a card, -1 for none."""
        cards = self.model.rows
        return (
            int(cards[row].nearest[0]) if 0 <= row < len(cards) and len(cards[row].nearest) else -1
        )

    def _point_chip(self, row: int) -> None:
        if row >= 0:
            self._point_at(row)

    def _point_at(self, row: int) -> None:
        ids = self._index.ids
        self.session.selection.set_hover(
            int(ids[row]) if 0 <= row < len(ids) else None, origin=self
        )

    def _go(self, index: QModelIndex) -> None:
        """To the frame of the chip under the pointer, else of the nearest instance."""
        if self.found is not None and index.isValid():
            under: QPoint = self.table.viewport().mapFromGlobal(self.cursor().pos())
            chip = self.table.chip_at(under)
            row = chip if chip >= 0 else self._nearest(index.row())
            if row >= 0:
                self.session.show_instance(int(self.found.run.ids[row]))


def _are(rows: np.ndarray) -> str:
    return "are" if len(rows) != 1 else "is"
