"""A row per triplet: anchor, positive and negative, each with its chip and the strokes of its edges."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem

from emberscope.base.ids import instance_name
from emberscope.findings.neighborhoods import Neighborhoods
from emberscope.project import Run
from emberscope_app.chips.delegate import paint_chip, paint_ring
from emberscope_app.guard import saved
from emberscope_app.pixels.chip_cache import chip_cache, chip_image
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.learned_facts import strokes
from emberscope_app.state.knowledge.neighborhoods import count_words, triplet_words
from emberscope_app.state.labels.side import PAIR_KEYS
from emberscope_app.theme import tokens
from emberscope_app.theme.feature_glyph import stroke_lines
from emberscope_app.theme.look import current
from emberscope_app.theme.table import Table, paint_ground, paint_words

ROLES = ("anchor", "positive", "negative")
ROW, _CAPTION, _GAP, _MOST, _LEAST = 92, 16, 10, 48, 24  # px
_STRONG = 0.6  # of the strongest edge of a cell, from which an edge is drawn
Index = QModelIndex | QPersistentModelIndex


class TripletModel(QAbstractTableModel):
    """Triplets of a run, the hardest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.found: Neighborhoods | None = None
        self.run: Run | None = None

    def show_found(self, found: Neighborhoods | None, run: Run | None) -> None:
        """Those of another run, or none."""
        if found is not self.found or run is not self.run:
            self.beginResetModel()
            self.found, self.run = found, run
            self.endResetModel()

    @property
    def counts(self) -> str:
        return count_words(self.found) if self.found is not None else ""

    def instances(self, row: int) -> list[int]:
        """Ids of anchor, positive, negative."""
        if self.found is None or self.run is None or not 0 <= row < self.rowCount():
            return []
        return self.run.ids[self.found.triplets.rows[row]].tolist()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if self.found is None or self.run is None else len(self.found.triplets)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if self.found is None:
            return None
        words = triplet_words(self.found, index.row())
        if role == Qt.ItemDataRole.DisplayRole:
            return words
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            names = zip(ROLES, self.instances(index.row()), strict=True)
            return f"{words}. {', '.join(f'{what} {instance_name(instance)}' for what, instance in names)}"
        return None


class TripletTable(Table):
    """A click selects the three everywhere, a double click goes to the frame of the chip under the pointer."""

    def __init__(self, session: Session, model: TripletModel) -> None:
        super().__init__(model, row=ROW)
        self._session, self._triplets = session, model
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.delegate = TripletDelegate(session, model, self)
        self.setItemDelegate(self.delegate)
        self.setAccessibleName("Triplets, the hardest first")
        self.selectionModel().selectionChanged.connect(self._on_rows)
        self.activated.connect(lambda index: self._go(index.row(), 0))
        self.pointed.connect(lambda row: self._hover(row))
        session.selection.hovered.connect(lambda _origin: self.viewport().update())
        chip_cache(session).ready.connect(self.viewport().update)

    def forget_chosen(self) -> None:
        """The selection came from elsewhere."""
        selection = self.selectionModel()
        selection.blockSignals(True)
        selection.clear()
        selection.blockSignals(False)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters are the panel's: they do not look for a row that begins with them."""
        if Qt.Key(event.key()) in PAIR_KEYS and not event.modifiers():
            event.ignore()
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid():
            self._go(index.row(), self._part(event.position().toPoint(), index))

    def _part(self, at: QPoint, index: QModelIndex) -> int:
        """Which of the three is at a place; the anchor where none is."""
        places = self.delegate.places(self.visualRect(index))
        return next((k for k, (chip, glyph) in enumerate(places) if chip.united(glyph).contains(at)), 0)

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


class TripletDelegate(QStyledItemDelegate):
    """Paints a triplet."""

    def __init__(self, session: Session, model: TripletModel, table: Table) -> None:
        super().__init__(table)
        self._session, self._model, self._table = session, model, table
        self._strokes: dict[int, NDArray[np.float64]] = {}
        self._edges: dict[int, int] = {}  # row of the run -> row of its edges

    def show_found(self, found: Neighborhoods | None) -> None:
        """Edges of another run."""
        self._strokes = {}
        self._edges = {} if found is None else {row: at for at, row in enumerate(found.edges_of.tolist())}

    def places(self, rect: QRect) -> list[tuple[QRect, QRect]]:
        """Of each of the three its chip, and the strokes beside it."""
        wide = rect.width() - 2 * tokens.PAD - 2 * _GAP
        parts = 2 if self._edges else 1
        side = max(min((wide // 3 - 2 * (parts - 1)) // parts, _MOST), _LEAST)
        left, top = rect.x() + tokens.PAD, rect.y() + 6 + _CAPTION
        step = parts * side + 2 * (parts - 1) + _GAP
        chips = [QRect(left + k * step, top, side, side) for k in range(3)]
        return [(chip, chip.translated(side + 2, 0) if parts == 2 else QRect(chip.topLeft(), chip.topLeft()))
                for chip in chips]

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        found, rect = self._model.found, QRect(option.rect)  # type: ignore[attr-defined]
        if found is None:
            return
        active = self._table.selectionModel().isRowSelected(index.row(), QModelIndex())
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        paint_ground(painter, rect, index, active=active,  # type: ignore[arg-type]
                     hovered=index.row() == self._table.hovered)
        rows, hover = found.triplets.rows[index.row()].tolist(), self._session.selection.hover
        ids = self._model.instances(index.row())
        for what, row, instance, (chip, glyph) in zip(ROLES, rows, ids, self.places(rect), strict=True):
            paint_words(painter, QRect(chip.x(), rect.y() + 5, chip.width() * 2, _CAPTION), what.capitalize(),
                        px=tokens.PX_SMALL, color="t2")
            paint_chip(painter, chip, chip_image(self._session, self._model.run, row, chip.width()))
            paint_ring(painter, chip, selected=False, hovered=instance == hover, cursor=False)
            if row in self._edges:
                self._paint_edges(painter, glyph, row)
        words = QRect(rect.x() + tokens.PAD, rect.bottom() - 20, rect.width() - 2 * tokens.PAD, 18)
        hard = int(found.triplets.hardness[index.row()])
        paint_words(painter, words, triplet_words(found, index.row()), px=tokens.PX_SMALL, whole_start=True,
                    color="warn" if hard == 2 else "t2")

    def _paint_edges(self, painter: QPainter, place: QRect, row: int) -> None:
        t, values = current(), self._values(row)
        painter.fillRect(place, QColor(t.plot))
        if values is None:
            return
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(QPointF(place.topLeft()))
            for level, lines in stroke_lines(values, place.height() / values.shape[0]):
                ink = QColor(t.t1)
                ink.setAlphaF(0.25 + 0.75 * level)
                painter.setPen(QPen(ink, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
                painter.drawLines(lines)

    def _values(self, row: int) -> NDArray[np.float64] | None:
        """(rows, columns, angles) of the edges of a chip."""
        found = self._model.found
        if found is None:
            return None
        if row not in self._strokes:
            values = strokes(found.edge_names, found.edges[self._edges[row]])
            values = np.zeros((1, 1, 1)) if values is None else values
            strong = values >= _STRONG * values.max(axis=2, keepdims=True)  # all of them would be stars
            self._strokes[row] = np.where(strong, values, 0)
        return self._strokes[row]
