"""Shows a table of colored tiles: a click, or Enter on the one with the keyboard, asks for it."""

import numpy as np
from PySide6.QtCore import QEvent, QMarginsF, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from emberscope.findings.coloring import ramp
from emberscope.findings.judged.tiles import BRIGHTEST, PALEST, Heading, Tile, Tiles
from emberscope_app.guard import saved
from emberscope_app.plain import tip
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import paint_glyph
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.words_and_bars import RIGHT, paint_words

CENTER = Qt.AlignmentFlag.AlignCenter
_GAP, _HEAD, _ACROSS, _SCALE, _GLYPH = 2, 20, 18, 22, 16  # px
_APART = 8  # px before the last row and column, where they stand apart
_LOW = 14  # px of a tile, below which nothing stands on it
_WIDEST, _LARGEST = 0.42, 84  # share of the width for names of rows; px of a square tile
_EMPTY = Tiles("", (), (), ())


class TileView(QWidget):
    """Tiles as large as there is room. `wanted(row, column, keys)` : a tile was asked for.

    square : tiles are not much wider than high. says : what a click does, in a sentence.
    """

    wanted = Signal(int, int, object)

    def __init__(
        self, name: str, *, square: bool = False, says: str = "Click selects its instances."
    ) -> None:
        super().__init__()
        self._says, self._ring = says, (-1, -1)
        self.tiles, self.instead = _EMPTY, ""
        self._square = square
        self._at, self._over = (0, 0), (-1, -1)
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(120, 80)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        look().changed.connect(self.update)

    def show_tiles(self, tiles: Tiles | None, instead: str = "") -> None:
        """Show other ones; None for none, and what stands in their place."""
        self.tiles, self.instead = tiles or _EMPTY, "" if tiles else instead
        rows, columns = len(self.tiles.rows), len(self.tiles.columns)
        self._at = (min(self._at[0], max(rows - 1, 0)), min(self._at[1], max(columns - 1, 0)))
        self._say()
        self.update()

    def ring(self, at: tuple[int, int] | None) -> None:
        """Put a ring around the tile that is chosen; None for none."""
        self._ring = at or (-1, -1)
        self.update()

    # --- places

    @property
    def _left(self) -> int:
        metrics = QFontMetrics(font(tokens.PX_SMALL))
        wide = max((metrics.horizontalAdvance(row.words) + (_GLYPH if row.slot >= 0 else 0)
                    for row in self.tiles.rows), default=0)
        return min(wide + 10, round(self.width() * _WIDEST))

    @property
    def area(self) -> QRectF:
        """Where tiles lie."""
        top = _HEAD + (_ACROSS if self.tiles.across else 0)
        below = _SCALE if self.tiles.ends is not None or self.tiles.note else 0
        area = QRectF(self._left, top, self.width() - self._left - 1, self.height() - top - below)
        if self._square and self.tiles.rows:
            side = min(area.width() / len(self.tiles.columns), area.height() / len(self.tiles.rows),
                       _LARGEST)
            area.setSize(area.size().scaled(side * len(self.tiles.columns),
                                            side * len(self.tiles.rows),
                                            Qt.AspectRatioMode.IgnoreAspectRatio))
        return area

    def place(self, row: int, column: int) -> QRectF:
        """Of one tile."""
        area, apart = self.area, _APART if self.tiles.apart else 0
        wide = (area.width() - apart) / len(self.tiles.columns)
        high = (area.height() - apart) / len(self.tiles.rows)
        left = area.left() + column * wide + apart * (column == len(self.tiles.columns) - 1)
        top = area.top() + row * high + apart * (row == len(self.tiles.rows) - 1)
        return QRectF(left, top, wide - _GAP, high - _GAP)

    def tile_at(self, at: QPointF) -> tuple[int, int]:
        """(row, column); (-1, -1) where there is none."""
        around = QMarginsF(0, 0, _GAP, _GAP)
        return next(((row, column) for row in range(len(self.tiles.rows))
                     for column in range(len(self.tiles.columns))
                     if self.place(row, column).marginsAdded(around).contains(at)), (-1, -1))

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.tiles.rows:
            self._paint_headings(painter)
            for i, row in enumerate(self.tiles.tiles):
                for j, tile in enumerate(row):
                    self._paint_tile(painter, self.place(i, j), tile, (i, j))
            self._paint_scale(painter)
        elif self.instead:
            paint_words(painter, self.rect(), self.instead, px=tokens.PX_SMALL, color="t2",
                        align=CENTER)

    def _paint_headings(self, painter: QPainter) -> None:
        area = self.area
        if self.tiles.across:
            across = QRect(round(area.left()), 0, round(area.width()), _ACROSS)
            paint_words(painter, across, self.tiles.across, px=tokens.PX_SMALL, color="t2",
                        align=CENTER)
        top = _ACROSS if self.tiles.across else 0
        for j, heading in enumerate(self.tiles.columns):
            place = self.place(0, j)
            box = QRect(round(place.left()), top, round(place.width()), _HEAD)
            _paint_heading(painter, box, heading, bare=True)
        for i, heading in enumerate(self.tiles.rows):
            place = self.place(i, 0)
            box = QRect(0, round(place.top()), self._left - 6, round(place.height()))
            _paint_heading(painter, box, heading)

    def _paint_tile(
        self, painter: QPainter, place: QRectF, tile: Tile, at: tuple[int, int]
    ) -> None:
        t = current()
        framed = at in (self._over, self._ring) or (self.hasFocus() and at == self._at)
        ground = QColor(t.bg3)
        if not tile.hatched:
            ground = QColor(*ramp(np.array([tile.tone]), 0, 1)[0].tolist())
        painter.setPen(QPen(QColor(t.ink), 2) if framed else Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        inset = 1.0 if framed else 0.0
        painter.drawRoundedRect(place.adjusted(inset, inset, -inset, -inset), 3, 3)
        if tile.hatched:
            with saved(painter):
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QBrush(QColor(t.line2), Qt.BrushStyle.BDiagPattern))
                painter.drawRoundedRect(place, 3, 3)
            return
        light = ground.lightnessF() > 0.42 and ground.green() > 90
        words = "#14181C" if light else "#FFFFFF"
        middle, two = round(place.center().y()), tile.small and place.height() >= 34
        if place.height() < _LOW or place.width() < _LOW:
            return
        big = QRect(round(place.left()), middle - (18 if two else 9), round(place.width()), 18)
        size = tokens.PX_HEADER if place.width() >= 44 else tokens.PX_SMALL
        if QFontMetrics(font(size, 600)).horizontalAdvance(tile.big) > place.width():
            return  # a part of a number says nothing; the tooltip has the whole
        paint_words(painter, big, tile.big, px=size, weight=600, color=words, align=CENTER)
        if two:
            paint_words(painter, big.translated(0, 18), tile.small, px=tokens.PX_SMALL, color=words,
                        align=CENTER)

    def _paint_scale(self, painter: QPainter) -> None:
        """The ends of the colors, and the note."""
        ends, y = self.tiles.ends, self.height() - _SCALE + 4
        if ends is not None and self.width() >= 320:
            paint_words(painter, QRect(0, y, 32, 16), f"{ends[0]:.2f}", px=tokens.PX_SMALL,
                        color="t2", align=RIGHT)
            shades = ramp(np.linspace(PALEST, BRIGHTEST, 140), 0, 1)
            for x, shade in enumerate(shades.tolist()):
                painter.fillRect(38 + x, y + 6, 1, 4, QColor(*shade))
            paint_words(painter, QRect(184, y, 36, 16), f"{ends[1]:.2f}", px=tokens.PX_SMALL,
                        color="t2")
        if self.tiles.note:
            paint_words(painter, QRect(120, y, self.width() - 122, 16), self.tiles.note,
                        px=tokens.PX_SMALL, color="t2", align=RIGHT)

    # --- pointing

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self.tile_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at((-1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self.tile_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and at[0] >= 0:
            self._at = at
            self._ask(event.modifiers())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0),
                 Qt.Key.Key_Down: (1, 0)}  # fmt: skip
        move, tiles = moves.get(Qt.Key(event.key())), self.tiles
        if move is not None and tiles.rows:
            self._at = (min(max(self._at[0] + move[0], 0), len(tiles.rows) - 1),
                        min(max(self._at[1] + move[1], 0), len(tiles.columns) - 1))
            self._say()
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and tiles.rows:
            self._ask(event.modifiers())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._say()
        self.update()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row, column = self.tile_at(QPointF(event.pos()))
            if row >= 0:
                tile = self.tiles.tiles[row][column]
                more = "" if tile.empty else f". {self._says}"
                QToolTip.showText(event.globalPos(), tip(f"{tile.spoken}{more}"), self)
                return True
        return super().event(event)

    def _ask(self, keys: Qt.KeyboardModifier) -> None:
        row, column = self._at
        if not self.tiles.tiles[row][column].empty:
            self.wanted.emit(row, column, keys)

    def _point_at(self, at: tuple[int, int]) -> None:
        if at != self._over:
            self._over = at
            there = at[0] >= 0 and not self.tiles.tiles[at[0]][at[1]].empty
            shape = Qt.CursorShape.PointingHandCursor if there else Qt.CursorShape.ArrowCursor
            self.setCursor(shape)
            self.update()

    def _say(self) -> None:
        tiles = self.tiles
        here = tiles.tiles[self._at[0]][self._at[1]].spoken if tiles.rows else ""
        self.setAccessibleDescription(f"{tiles.spoken}. {here}" if here else tiles.spoken)


def _paint_heading(painter: QPainter, box: QRect, heading: Heading, *, bare: bool = False) -> None:
    """bare : above a column, where the glyph alone says a class."""
    if heading.slot >= 0 and bare:
        paint_glyph(painter, heading.slot, QPointF(box.center()), 4.5)
        return
    if heading.slot >= 0:
        paint_glyph(painter, heading.slot, QPointF(box.left() + 5, box.center().y() + 0.5), 4.5)
        box = box.adjusted(_GLYPH, 0, 0, 0)
        paint_words(painter, box, heading.words, px=tokens.PX_SMALL)
        return
    align = CENTER if bare else RIGHT
    paint_words(painter, box, heading.words, px=tokens.PX_SMALL, color="t2", align=align)

