"""A card per concept: its chip, name, strength, and the chips nearest to it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QPoint, QPointF, QRect, Qt
from PySide6.QtCore import Signal as QtSignal
from PySide6.QtGui import QColor, QMouseEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem

from emberscope.findings.concept_looks import concept_color, concept_name
from emberscope.findings.concepts import RunConcepts, contrast_words
from emberscope.project import Project, Run
from emberscope.project.model.concept_edits import EditedConcept
from emberscope_app.chips.delegate import paint_chip, paint_ring
from emberscope_app.docks.concepts.center_chips import CenterChips
from emberscope_app.guard import saved
from emberscope_app.pixels.chip_cache import chip_cache, chip_image
from emberscope_app.plain import tip
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import witnesses_words
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import concept_path
from emberscope_app.theme.look import current
from emberscope_app.theme.table import RIGHT, Table, paint_bar, paint_ground, paint_words
from emberscope_app.words import counted

CARD = 142           # px
CHIP, _BETWEEN = 40, 4
MOST = 12            # chips of a card
_FACE = 40           # px of the chip of its center
_LONG = 10.0         # the longest axis over the shortest, from which a card says so
_TOP, _ABOUT, _BARS, _CHIPS = 10, 31, 56, 92  # px of its lines
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Card:
    """What a card says of concept k. made_of : "half of 2" of an edited one. nearest : rows of its nearest
    instances, best first."""

    k: int
    number: int
    name: str
    made_of: str
    coverage: float
    contrast: float
    purity: float
    bags: int
    witnesses: int
    elongation: float
    tells: bool
    nearest: NDArray[np.int64]

    @property
    def about(self) -> str:
        """What stands under its name."""
        weak = "" if self.tells else "tells nothing"
        long = f"elongated {self.elongation:.0f} : 1" if self.elongation >= _LONG else ""
        return "  ·  ".join(filter(None, (weak, self.made_of, witnesses_words(self.witnesses), long)))

    @property
    def words(self) -> str:
        """All of it, for a screen reader."""
        purity = f", purity {self.purity:.2f}" if self.purity == self.purity else ""
        return (f"{self.name}, {counted(self.bags, 'bag')}, {self.about.replace('  ·  ', ', ')}, coverage "
                f"{self.coverage:.2f}, contrast {contrast_words(self.contrast)}{purity}")


def made_of(concept: EditedConcept) -> str:
    """"1 and 3 merged", "half of 2"; "" for a concept as the run found it."""
    parts = [f"half of {k + 1}" if half else str(k + 1) for k, half in concept.parts]
    return "" if concept.untouched else parts[0] if len(parts) == 1 else f"{' and '.join(parts)} merged"


def cards_of(project: Project, found: RunConcepts) -> list[Card]:
    """The cards of a run, the strongest concept first."""
    return [
        Card(k, found.numbers[k], concept_name(project, found, k), made_of(found.edits[k]), float(found.coverage[k]),
             float(found.contrast[k]), float(found.purity[k]), len(found.bags(k)), len(found.witnesses(k)),
             float(found.elongation[k]), bool(found.tells[k]),
             found.nearest(k, MOST))
        for k in range(len(found))
    ]


class CardModel(QAbstractTableModel):
    """Cards, one a row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.cards: list[Card] = []
        self.run: Run | None = None  # whose rows the cards name
        self.pointed = -1  # the concept of the instance pointed at

    def show_cards(self, run: Run | None, cards: list[Card]) -> None:
        self.beginResetModel()
        self.run, self.cards = run, cards
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.cards)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        card = self.cards[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return card.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(card.words)
        return card.words if role == Qt.ItemDataRole.AccessibleTextRole else None


class CardTable(Table):
    """The cards. `chip_pointed(row)` says over which instance of the run the pointer is, -1 for none."""

    chip_pointed = QtSignal(int)

    def __init__(self, session: Session, model: CardModel, centers: CenterChips) -> None:
        super().__init__(model, row=CARD)
        self._cards = model
        self._chip = -1
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.setItemDelegate(CardDelegate(session, model, self, centers))
        self.setAccessibleName("Concepts")
        chip_cache(session).ready.connect(self.viewport().update)
        centers.ready.connect(self.viewport().update)

    def chip_at(self, at: QPoint) -> int:
        """The row of the run whose chip is there, -1 for none."""
        index = self.indexAt(at)
        if not index.isValid():
            return -1
        places = chip_places(self.visualRect(index))
        nearest = self._cards.cards[index.row()].nearest
        return next((int(row) for place, row in zip(places, nearest, strict=False) if place.contains(at)), -1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        chip = self.chip_at(event.position().toPoint())
        if chip != self._chip:
            self._chip = chip
            self.chip_pointed.emit(chip)


def chip_places(card: QRect) -> list[QRect]:
    """Where chips stand on a card, as many as fit."""
    fits = min(max((card.width() - 2 * tokens.PAD + _BETWEEN) // (CHIP + _BETWEEN), 1), MOST)
    return [QRect(card.x() + tokens.PAD + i * (CHIP + _BETWEEN), card.y() + _CHIPS, CHIP, CHIP) for i in range(fits)]


class CardDelegate(QStyledItemDelegate):
    """Paints a card."""

    def __init__(self, session: Session, model: CardModel, table: Table, centers: CenterChips) -> None:
        super().__init__(table)
        self._session, self._model, self._table, self._centers = session, model, table, centers

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect, card = QRect(option.rect), self._model.cards[index.row()]  # type: ignore[attr-defined]
        active = self._table.selectionModel().isRowSelected(index.row(), QModelIndex())
        hovered = index.row() in (self._table.hovered, self._model.pointed)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        paint_ground(painter, rect, index, active=active, hovered=hovered)  # type: ignore[arg-type]
        self._paint_name(painter, rect, card)
        self._paint_bars(painter, rect, card)
        self._paint_chips(painter, rect, card)

    def _paint_name(self, painter: QPainter, rect: QRect, card: Card) -> None:
        face = QRect(rect.x() + tokens.PAD, rect.y() + _TOP, _FACE, _FACE)
        paint_chip(painter, face, self._centers.image(card.k), failed=bool(self._centers.error))
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(concept_color(card.number, current().name)))
            middle = QPointF(face.right() + 18, rect.y() + _TOP + 10.5)
            painter.drawPath(concept_path(middle, 8, tells=card.tells))
        left, right = face.right() + 32, rect.right() - tokens.PAD
        paint_words(painter, QRect(left, rect.y() + _TOP, right - left - 64, 20), card.name, weight=600)
        paint_words(painter, QRect(right - 64, rect.y() + _TOP, 64, 20), counted(card.bags, "bag"), color="t2",
                    align=RIGHT)
        paint_words(painter, QRect(left, rect.y() + _ABOUT, right - left, 16), card.about, px=tokens.PX_SMALL,
                    color="t2", whole_start=True)

    def _paint_bars(self, painter: QPainter, rect: QRect, card: Card) -> None:
        """Three numbers side by side, each with its bar; that of contrast is full at a hundred times."""
        purity = card.purity == card.purity  # NaN: no bag is likely to hold it
        parts = (("Coverage", f"{card.coverage:.2f}", card.coverage),
                 ("Contrast", contrast_words(card.contrast), np.log(max(1.0, card.contrast)) / np.log(100)),
                 ("Purity", f"{card.purity:.2f}" if purity else "–", card.purity if purity else 0.0))
        wide = (rect.width() - 2 * tokens.PAD - 2 * 14) // 3
        for i, (title, value, share) in enumerate(parts):
            x, y = rect.x() + tokens.PAD + i * (wide + 14), rect.y() + _BARS
            paint_words(painter, QRect(x, y, wide, 16), title, px=tokens.PX_SMALL, color="t2", whole_start=True)
            paint_words(painter, QRect(x, y, wide, 16), value, px=tokens.PX_SMALL, weight=600, align=RIGHT)
            paint_bar(painter, QRect(x, y + 18, wide, 6), share, color=concept_color(card.number, current().name))

    def _paint_chips(self, painter: QPainter, rect: QRect, card: Card) -> None:
        run, hover = self._model.run, self._session.selection.hover
        if run is None:
            return
        for place, row in zip(chip_places(rect), card.nearest.tolist(), strict=False):
            failed = int(run.source[row]) in chip_cache(self._session).errors
            paint_chip(painter, place, chip_image(self._session, run, row, CHIP), failed=failed)
            paint_ring(painter, place, selected=False, hovered=int(run.ids[row]) == hover, cursor=False)
