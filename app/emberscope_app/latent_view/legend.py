"""The legend of a map, which is also its filter: a click hides a class, Alt+click shows it
alone."""

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from emberscope.findings.point_looks import LegendEntry
from emberscope_app.latent_view.plates import paint_plate
from emberscope_app.state.points.points_on_show import PointsOnShow
from emberscope_app.theme.glyphs import paint_glyph
from emberscope_app.theme.look import current, font
from emberscope_app.words import counted, spaced

_ROW = 24
_BAR = 104  # px of the ramp
_EDGE, _GAP = 10.0, 8


class Entry(QAbstractButton):
    """Glyph and what it means: name and count, or a sentence that holds both; unchecked =
    hidden."""

    def __init__(
        self, entry: LegendEntry, on_click: Callable[[int, bool], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.entry = entry
        self._on_click = on_click
        self._alone = False
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip("Click hides or shows, Alt+click shows alone")
        self.clicked.connect(lambda: self._on_click(self.entry.key, self._alone))

    @property
    def _title(self) -> str:
        return self.entry.says or self.entry.title

    @property
    def _count(self) -> str:
        return "" if self.entry.says else spaced(self.entry.count)

    def sizeHint(self) -> QSize:
        title, count = QFontMetrics(font(12, 500)), QFontMetrics(font(11))
        words = title.horizontalAdvance(self._title) + count.horizontalAdvance(self._count)
        return QSize(22 + words + 12, _ROW)

    def show_state(self, shown: bool) -> None:
        self.setChecked(shown)
        state = "shown" if shown else "hidden"
        self.setAccessibleName(f"{self._title}, {counted(self.entry.count, 'point')}, {state}")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._alone = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        super().mousePressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current()
        painter = QPainter(self)
        painter.setOpacity(1.0 if self.isChecked() else 0.45)
        paint_glyph(
            painter, self.entry.slot, QPointF(10, _ROW / 2), 4.5, color=QColor(self.entry.color)
        )
        title = font(12, 500)
        title.setStrikeOut(not self.isChecked())
        painter.setFont(title)
        painter.setPen(QColor(t.t1))
        painter.drawText(
            QRectF(22, 0, self.width(), _ROW), Qt.AlignmentFlag.AlignVCenter, self._title
        )
        x = 22 + QFontMetrics(title).horizontalAdvance(self._title) + 6
        painter.setFont(font(11))
        painter.setPen(QColor(t.t2))
        painter.drawText(
            QRectF(x, 0, self.width(), _ROW), Qt.AlignmentFlag.AlignVCenter, self._count
        )
        if self.hasFocus():
            painter.setPen(QPen(QColor(t.ink), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 1.5, -0.5, -1.5), 3, 3)


class Legend(QWidget):
    """One row of entries while there is room, else several; a color ramp with its ends where a
    number is colored."""

    def __init__(self, cloud: PointsOnShow, parent: QWidget) -> None:
        super().__init__(parent)
        self._cloud = cloud
        self.entries: list[Entry] = []
        self._width = 600
        self._remark_at = (0, 0)
        self.setAccessibleName("Legend")

    def read(self) -> None:
        """Show what the cloud's colors mean now."""
        wanted = self._cloud.legend
        if tuple(entry.entry for entry in self.entries) != wanted:
            for old in self.entries:
                old.setParent(None)
                old.deleteLater()
            self.entries = [Entry(entry, self._toggle, self) for entry in wanted]
        for entry in self.entries:
            entry.show_state(entry.entry.key not in self._cloud.hidden)
            entry.show()
        self.arrange(self._width)
        self.setVisible(bool(wanted) or bool(self._cloud.style.note))
        self.setAccessibleName(", ".join(["Legend", *self._words()]))
        self.setToolTip("\n".join(self._words()) if self._cloud.style.scale is not None else "")
        self.update()

    def arrange(self, width: int) -> None:
        """Lay the entries out in at most `width` px and take the size that needs."""
        self._width = width
        if not self.entries and self._cloud.style.note:
            self.resize(_wide(self._pieces()), 30)
            self.update()
            return
        x, y, widest = 6, 3, 0
        for entry in self.entries:
            size = entry.sizeHint()
            if x > 6 and x + size.width() > width - 6:
                x, y = 6, y + _ROW
            entry.setGeometry(x, y, size.width(), size.height())
            x += size.width() + 8
            widest = max(widest, x)
        note, wide = self._remark, _advance(self._remark, 400)
        if note and x > 6 and x + wide + 12 > width - 6:
            x, y = 6, y + _ROW
        self._remark_at = (x + 6, y)
        widest = max(widest, x + 6 + wide + 8) if note else widest
        self.resize(max(widest - 8 + 6, 1), y + _ROW + 3)

    @property
    def _remark(self) -> str:
        """What stands behind the entries; "" where there is nothing to add."""
        return self._cloud.style.note if self.entries and self._cloud.style.scale is None else ""

    def _toggle(self, key: int, alone: bool) -> None:
        hidden = self._cloud.hidden
        if alone:
            others = frozenset(entry.entry.key for entry in self.entries) - {key}
            self._cloud.hide(frozenset() if hidden == others else others)
        else:
            self._cloud.hide(hidden ^ {key})

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_plate(painter, QRectF(self.rect()))
        if not self.entries:
            self._paint_scale(painter)
        if note := self._remark:
            x, y = self._remark_at
            painter.setFont(font(11))
            painter.setPen(QColor(current().t2))
            painter.drawText(
                QRectF(x, y, self.width() - x, _ROW), Qt.AlignmentFlag.AlignVCenter, note
            )

    # --- a number as color

    def _words(self) -> list[str]:
        """What a coloring by number means, for a screen reader; of very many groups a note."""
        style = self._cloud.style
        scale = style.scale
        if not style.note or scale is None:
            return [style.note] if style.note else []
        return [
            style.note,
            *(f"{end} {means}" for end, means in zip(scale.ends, scale.means, strict=True)),
        ]

    def _pieces(self) -> list[tuple[str, int, str]]:
        """Words in one line, with their weight and color; "" is the ramp. Where there is no room,
        figures only."""
        style = self._cloud.style
        pieces = [(style.note, 600, "t1")] if style.note else []
        if style.scale is None:
            return [(style.note, 400, "t1")] if style.note else []
        (low, high), (means_low, means_high) = style.scale.ends, style.scale.means
        short = [*pieces, (low, 500, "t1"), ("", 0, ""), (high, 500, "t1")]
        if style.note and _wide(short) > self._width:  # of which axes it speaks says the tool tip
            short[0] = (style.note.partition(",")[0], 600, "t1")
        full = [*pieces, (means_low, 400, "t2"), *short[1:], (means_high, 400, "t2")]
        return full if _wide(full) <= self._width else short

    def _paint_scale(self, painter: QPainter) -> None:
        """Name, lowest, ramp, highest in one line."""
        x = _EDGE
        for words, weight, color in self._pieces():
            if not words:
                self._paint_ramp(painter, QRectF(x, 11, _BAR, 8))
                x += _BAR + _GAP
                continue
            painter.setFont(font(11, weight))
            painter.setPen(QColor(getattr(current(), color)))
            wide = _advance(words, weight)
            painter.drawText(QRectF(x, 0, wide + 1, 30), Qt.AlignmentFlag.AlignVCenter, words)
            x += wide + _GAP

    def _paint_ramp(self, painter: QPainter, bar: QRectF) -> None:
        scale = self._cloud.style.scale
        assert scale is not None
        ramp = QLinearGradient(bar.topLeft(), bar.topRight())
        for i, color in enumerate(scale.stops):
            ramp.setColorAt(i / (len(scale.stops) - 1), QColor(color))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ramp)
        painter.drawRoundedRect(bar, 2, 2)


def _advance(words: str, weight: int) -> int:
    return QFontMetrics(font(11, weight)).horizontalAdvance(words)


def _wide(pieces: list[tuple[str, int, str]]) -> int:
    """Width of a line of pieces, with its edges."""
    return round(
        2 * _EDGE
        + sum((_advance(words, weight) if words else _BAR) + _GAP for words, weight, _ in pieces)
        - _GAP
    )
