"""How the score under a chip and the header of a group are painted."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter

from emberscope.findings.concept_looks import concept_color
from emberscope_app.chips.model import Heading
from emberscope_app.lists.cells import Cell, Glyph, Icon, Row, Star, Words, line
from emberscope_app.lists.paint import paint_row
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current
from emberscope_app.words import counted


def paint_score(painter: QPainter, rect: QRect, score: float) -> None:
    """The score 0..1 as a bar in its track; nothing where there is no score."""
    if score != score:  # NaN
        return
    t = current()
    painter.fillRect(rect, QColor(t.bg4))
    painter.fillRect(
        QRect(rect.x(), rect.y(), round(rect.width() * min(max(score, 0.0), 1.0)), rect.height()),
        QColor(t.t2),
    )


def paint_header(painter: QPainter, rect: QRect, heading: Heading, *, folded: bool) -> None:
    """Chevron, sign of the class or concept, name, number of chips."""
    painter.fillRect(rect, QColor(current().bg1))
    sign: tuple[Cell, ...] = ()
    if heading.slot is not None:
        sign = (Glyph(heading.slot, wide=10, before=8),)
    elif heading.concept is not None:
        number, tells = heading.concept
        sign = (Star(concept_color(number, current().name), tells, wide=13, before=6),)
    paint_row(painter, rect, Row((line(
        Icon("right" if folded else "down", side=12), *sign,
        Words(heading.title, weight=600, before=6 if sign else 8),
        Words(counted(heading.count, "chip"), px=tokens.PX_SMALL, color="t2", before=10),
        left=tokens.PAD - 2,
    ),)))  # fmt: skip
