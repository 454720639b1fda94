"""A row per triplet: anchor, positive and negative, each with its chip and the strokes of its
edges."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QMouseEvent

from emberscope.base.ids import instance_name
from emberscope.findings.neighborhoods import Neighborhoods
from emberscope.project import Run
from emberscope_app.lists.cells import REST, Cell, Ground, Row, Spot, Strokes, Words, line
from emberscope_app.lists.model import RowModel
from emberscope_app.lists.table import Table
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.pixels.chip_cells import chip_cell
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.learned_facts import strokes
from emberscope_app.state.knowledge.neighborhoods import count_words, triplet_words
from emberscope_app.state.labels.side import PAIR_KEYS
from emberscope_app.theme import tokens

ROLES = ("anchor", "positive", "negative")
ROW, _CAPTION, _GAP, _BETWEEN, _MOST, _LEAST = 92, 16, 10, 2, 48, 24  # px
_STRONG = 0.6  # of the strongest edge of a cell, from which an edge is drawn


class TripletModel(RowModel[int]):
    """Triplets of a run by their number, the hardest first."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.found: Neighborhoods | None = None
        self.run: Run | None = None
        self._strokes: dict[int, NDArray[np.float64]] = {}
        self._edges: dict[int, int] = {}  # row of the run -> row of its edges

    def show_found(self, found: Neighborhoods | None, run: Run | None) -> None:
        """Those of another run, or none."""
        if found is not self.found or run is not self.run:
            self.found, self.run, self._strokes = found, run, {}
            self._edges = (
                {} if found is None else {row: at for at, row in enumerate(found.edges_of.tolist())}
            )
            self.show_rows(range(0 if found is None or run is None else len(found.triplets)))

    @property
    def counts(self) -> str:
        return count_words(self.found) if self.found is not None else ""

    def instances(self, row: int) -> list[int]:
        """Ids of anchor, positive, negative."""
        if self.found is None or self.run is None or not 0 <= row < len(self.rows):
            return []
        return self.run.ids[self.found.triplets.rows[row]].tolist()

    def words(self, row: int, column: int) -> str:
        return triplet_words(self.found, row) if self.found is not None else ""

    def spoken(self, row: int, column: int) -> str:
        names = zip(ROLES, self.instances(row), strict=True)
        return (
            f"{self.words(row, column)}. "
            f"{', '.join(f'{what} {instance_name(found)}' for what, found in names)}"
        )

    def tip(self, row: int, column: int) -> str:
        return self.spoken(row, column)

    def row(self, row: int, spot: Spot) -> Row:
        found = self.found
        if found is None:
            return Row(())
        parts = 2 if self._edges else 1
        room = spot.width - 2 * tokens.PAD - 2 * _GAP
        side = max(min((room // 3 - _BETWEEN * (parts - 1)) // parts, _MOST), _LEAST)
        step = parts * side + _BETWEEN * (parts - 1) + _GAP
        small, hard = tokens.PX_SMALL, int(found.triplets.hardness[row]) == 2
        titles = (Words(what.capitalize(), px=small, color="t2", wide=step) for what in ROLES)
        pictures = (cell for k in range(3) for cell in self._pictures(row, k, side))
        words = Words(
            triplet_words(found, row),
            px=small,
            whole_start=True,
            color="warn" if hard else "t2",
            wide=REST,
        )
        return Row((
            line(*titles, top=5, high=_CAPTION), line(*pictures, top=6 + _CAPTION, high=side),
            line(words, top=ROW - 21, high=18),
        ), Ground(rule=0))  # fmt: skip

    def _pictures(self, triplet: int, k: int, side: int) -> list[Cell]:
        """The chip of the k-th of the three, and the strokes beside it."""
        found, run = self.found, self.run
        if found is None or run is None:
            return []
        row = int(found.triplets.rows[triplet, k])
        hovered = int(run.ids[row]) == self._session.selection.hover
        chip = chip_cell(
            self._session, run, row, side, hovered=hovered, does=k, before=_GAP if k else 0
        )
        return (
            [chip, Strokes(self._values(row), wide=side, before=_BETWEEN, does=k)]
            if self._edges
            else [chip]
        )

    def _values(self, row: int) -> NDArray[np.float64] | None:
        """(rows, columns, angles) of the edges of a chip; None of one without."""
        found = self.found
        if found is None or row not in self._edges:
            return None
        if row not in self._strokes:
            values = strokes(found.edge_names, found.edges[self._edges[row]])
            values = np.zeros((1, 1, 1)) if values is None else values
            # All of them would be stars
            strong = values >= _STRONG * values.max(axis=2, keepdims=True)
            self._strokes[row] = np.where(strong, values, 0)
        return self._strokes[row]


class TripletTable(Table):
    """A click selects the three everywhere, a double click goes to the frame of the chip under the
    pointer."""

    letters = frozenset(PAIR_KEYS)

    def __init__(self, session: Session, model: TripletModel) -> None:
        super().__init__(model, "Triplets, the hardest first", row=ROW)
        self._session, self._triplets = session, model
        self.selectionModel().selectionChanged.connect(self._on_rows)
        self.activated.connect(lambda index: self._go(index.row(), 0))
        self.pointed.connect(lambda row: self._hover(row))
        session.selection.hovered.connect(lambda _origin: self.viewport().update())
        chip_cache(session).ready.connect(self.viewport().update)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid():
            self._go(index.row(), self._part(event.position().toPoint()))

    def _part(self, at: QPoint) -> int:
        """Which of the three is at a place; the anchor where none is."""
        cell = self.delegate.cell_at(at)
        return cell.does if cell is not None and isinstance(cell.does, int) else 0

    def _on_rows(self, *_: object) -> None:
        ids = [i for row in self.rows_chosen() for i in self._triplets.instances(row)]
        if ids:
            self._session.selection.select(np.array(ids, np.int64), origin=self)

    def _hover(self, row: int) -> None:
        ids = self._triplets.instances(row)
        self._session.selection.set_hover(ids[0] if ids else None, origin=self)

    def _go(self, row: int, part: int) -> None:
        ids = self._triplets.instances(row)
        if ids:
            self._session.show_instance(ids[part])
