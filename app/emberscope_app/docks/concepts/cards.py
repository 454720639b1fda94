"""A card per concept: its chip, name, strength, and the chips nearest to it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPoint
from PySide6.QtCore import Signal as QtSignal
from PySide6.QtGui import QMouseEvent

from emberscope.findings.concept_looks import concept_color, concept_name
from emberscope.findings.concepts import RunConcepts, contrast_words
from emberscope.project import Project, Run
from emberscope.project.model.concept_edits import EditedConcept
from emberscope_app.docks.concepts.center_chips import CenterChips
from emberscope_app.lists.cells import (
    REST,
    RIGHT,
    Bar,
    Ground,
    Line,
    Picture,
    Row,
    Spot,
    Star,
    Words,
    line,
)
from emberscope_app.lists.model import RowModel
from emberscope_app.lists.table import Table
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.pixels.chip_cells import chip_cell
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import witnesses_words
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current
from emberscope_app.words import counted

CARD = 142           # px
CHIP, _BETWEEN = 40, 4
MOST = 12            # chips of a card
_FACE = 40           # px of the chip of its center
_APART, _VALUE = 14, 40  # px between figures, and of the number of one
_LONG = 10.0         # the longest axis over the shortest, from which a card says so
_TOP, _ABOUT, _BARS, _CHIPS = 10, 31, 56, 92  # px of its lines


@dataclass(frozen=True, slots=True)
class Card:
    """What a card says of concept k. made_of : "half of 2" of an edited one. nearest : rows of its
    nearest instances, best first."""

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
        return "  ·  ".join(
            filter(None, (weak, self.made_of, witnesses_words(self.witnesses), long))
        )

    @property
    def words(self) -> str:
        """All of it, for a screen reader."""
        purity = f", purity {self.purity:.2f}" if self.purity == self.purity else ""
        return (
            f"{self.name}, {counted(self.bags, 'bag')}, {self.about.replace('  ·  ', ', ')}, "
            f"coverage {self.coverage:.2f}, contrast {contrast_words(self.contrast)}{purity}"
        )


def made_of(concept: EditedConcept) -> str:
    """"1 and 3 merged", "half of 2"; "" for a concept as the run found it."""
    parts = [f"half of {k + 1}" if half else str(k + 1) for k, half in concept.parts]
    return (
        ""
        if concept.untouched
        else parts[0]
        if len(parts) == 1
        else f"{' and '.join(parts)} merged"
    )


def cards_of(project: Project, found: RunConcepts) -> list[Card]:
    """The cards of a run, the strongest concept first."""
    return [
        Card(
            k,
            found.numbers[k],
            concept_name(project, found, k),
            made_of(found.edits[k]),
            float(found.coverage[k]),
            float(found.contrast[k]),
            float(found.purity[k]),
            len(found.bags(k)),
            len(found.witnesses(k)),
            float(found.elongation[k]),
            bool(found.tells[k]),
            found.nearest(k, MOST),
        )
        for k in range(len(found))
    ]


class CardModel(RowModel[Card]):
    """Cards, one a row."""

    def __init__(
        self, session: Session, centers: CenterChips, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._centers = session, centers
        self.run: Run | None = None  # whose rows the cards name
        self.pointed = -1  # the concept of the instance pointed at

    def show_cards(self, run: Run | None, cards: list[Card]) -> None:
        self.run = run
        self.show_rows(cards)

    def words(self, card: Card, column: int) -> str:
        return card.name

    def spoken(self, card: Card, column: int) -> str:
        return card.words

    def tip(self, card: Card, column: int) -> str:
        return card.words

    def row(self, card: Card, spot: Spot) -> Row:
        """Its face, sign, name and numbers, with the chips nearest to it."""
        color = concept_color(card.number, current().name)
        left = tokens.PAD + _FACE
        face = Picture(self._centers.image(card.k), failed=bool(self._centers.error), wide=_FACE)
        lit = spot.hovered or (
            0 <= self.pointed < len(self.rows) and self.rows[self.pointed] is card
        )
        return Row((
            line(face, top=_TOP, high=_FACE),
            line(Star(color, tells=card.tells), Words(card.name, weight=600, wide=REST, before=6),
                 Words(counted(card.bags, "bag"), color="t2", align=RIGHT, before=8), top=_TOP,
                 high=20, left=left + 9),
            line(Words(card.about, px=tokens.PX_SMALL, color="t2", whole_start=True, wide=REST),
                 top=_ABOUT, high=16, left=left + 31),
            *_figures(card, color, spot.width),
            line(*self._chips(card, spot.width), top=_CHIPS, high=CHIP),
        ), Ground(hovered=lit, rule=0))  # fmt: skip

    def _chips(self, card: Card, width: int) -> list[Picture]:
        """As many as fit."""
        run, hover = self.run, self._session.selection.hover
        fits = min(max((width - 2 * tokens.PAD + _BETWEEN) // (CHIP + _BETWEEN), 1), MOST)
        return [
            chip_cell(self._session, run, row, CHIP, hovered=int(run.ids[row]) == hover, does=row,
                      before=_BETWEEN if at else 0)
            for at, row in enumerate(card.nearest[:fits].tolist()) if run is not None
        ]  # fmt: skip


def _figures(card: Card, color: str, width: int) -> list[Line]:
    """Three numbers side by side, each with its bar; that of contrast is full at a hundred
    times."""
    purity = card.purity == card.purity  # NaN: no bag is likely to hold it
    parts = (
        ("Coverage", f"{card.coverage:.2f}", card.coverage),
        (
            "Contrast",
            contrast_words(card.contrast),
            float(np.log(max(1.0, card.contrast)) / np.log(100)),
        ),
        ("Purity", f"{card.purity:.2f}" if purity else "\u2013", card.purity if purity else 0.0),
    )
    wide, small = (width - 2 * tokens.PAD - 2 * _APART) // 3, tokens.PX_SMALL
    titles, bars = [], []
    for at, (title, value, share) in enumerate(parts):
        before = _APART if at else 0
        titles += [
            Words(title, px=small, color="t2", whole_start=True, wide=wide - _VALUE, before=before),
            Words(value, px=small, weight=600, align=RIGHT, wide=_VALUE),
        ]
        bars.append(Bar(share, color, wide=wide, before=before))
    return [line(*titles, top=_BARS, high=16), line(*bars, top=_BARS + 18, high=6)]


class CardTable(Table):
    """The cards. `chip_pointed(row)` says over which instance of the run the pointer is, -1 for
    none."""

    chip_pointed = QtSignal(int)

    def __init__(self, session: Session, model: CardModel, centers: CenterChips) -> None:
        super().__init__(model, "Concepts", row=CARD)
        self._chip = -1
        chip_cache(session).ready.connect(self.viewport().update)
        centers.ready.connect(self.viewport().update)

    def chip_at(self, at: QPoint) -> int:
        """The row of the run whose chip is there, -1 for none."""
        cell = self.delegate.cell_at(at)
        return cell.does if cell is not None and isinstance(cell.does, int) else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        chip = self.chip_at(event.position().toPoint())
        if chip != self._chip:
            self._chip = chip
            self.chip_pointed.emit(chip)
