"""Where the cells of a row stand, and how much room their content takes."""

import math
from collections.abc import Iterator

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics, QFontMetricsF

from emberscope_app.lists.cells import (
    OWN,
    REST,
    Button,
    Cell,
    Check,
    Glyph,
    Icon,
    Line,
    Radio,
    Row,
    Spark,
    Star,
    Tag,
    Words,
)
from emberscope_app.theme import tokens
from emberscope_app.theme.look import font

SPARK_STEP, RADIO, STAR, CHECK = 3, 15, 16, 16  # px
WRAP = (
    Qt.AlignmentFlag.AlignLeft.value | Qt.AlignmentFlag.AlignTop.value
    | Qt.TextFlag.TextWordWrap.value
)  # fmt: skip


def placed(row: Row, rect: QRect, whole: QRect) -> Iterator[tuple[Cell, QRect]]:
    """Each cell of a row with its place. whole : the place of the row through all columns."""
    for line in row.lines:
        yield from _placed_line(line, whole if line.across else rect)


def _placed_line(line: Line, rect: QRect) -> Iterator[tuple[Cell, QRect]]:
    x, high = rect.x() + line.left, line.high or rect.height()
    for cell, wide in _widths(line.cells, rect.width() - line.left - line.right):
        x += cell.before
        yield cell, QRect(x, rect.y() + line.top, wide, high)
        x += wide


def _widths(cells: tuple[Cell, ...], room: int) -> list[tuple[Cell, int]]:
    """Cells that stay in a line, with their px: empty words do not. Where there is too little room,
    the first words as wide as their content are shortened."""
    kept = [(cell, wide) for cell in cells if (wide := width_of(cell)) or cell.wide != OWN]
    rest = room - sum(cell.before + wide for cell, wide in kept)
    for part in [*kept]:
        cell, wide = part
        if cell.gives_way > 0 and rest < cell.gives_way:
            kept.remove(part)
            rest += cell.before + wide
    takers = max(sum(cell.wide == REST for cell, _ in kept), 1)
    found = []
    for cell, wide in kept:
        if cell.wide == REST:
            wide = max(rest, 0) // takers
        elif rest < 0 and cell.wide == OWN and isinstance(cell, Words):
            wide, rest = max(wide + rest, 0), 0
        found.append((cell, wide))
    return found


def width_of(cell: Cell) -> int:
    """Px that a cell takes; 0 for one that takes the rest."""
    if cell.wide != OWN:
        return cell.wide
    if isinstance(cell, Words):
        return words_width(cell.text, cell.px, cell.weight)
    if isinstance(cell, Button):
        return words_width(cell.text, tokens.PX_BODY, 500) + 24
    if isinstance(cell, Tag):
        return words_width(cell.text, tokens.PX_SMALL, cell.weight) + 12
    if isinstance(cell, Icon):
        return cell.side
    if isinstance(cell, Glyph):
        return 2 * round(cell.radius + 0.5)
    if isinstance(cell, Spark):
        return SPARK_STEP * len(cell.values)
    return {Radio: RADIO, Star: STAR, Check: CHECK}.get(type(cell), 0)


def words_width(words: str, px: int = tokens.PX_BODY, weight: int = 400) -> int:
    """Px of one line of text."""
    return math.ceil(QFontMetricsF(font(px, weight)).horizontalAdvance(words))


def words_height(words: str, width: int, px: int = tokens.PX_BODY, weight: int = 400) -> int:
    """Px of text that is wrapped within a width."""
    return QFontMetrics(font(px, weight)).boundingRect(0, 0, width, 1000, WRAP, words).height()
