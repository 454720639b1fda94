"""The contrast strip under the frame: modes, histogram with two handles, range, lock, polarity.
Display only."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from emberscope.frames.contrast import Lut, histogram
from emberscope_app.frame_view.canvas.frame_canvas import FrameCanvas
from emberscope_app.state.core.session import Session
from emberscope_app.state.reading.contrasts import MODES
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import IconButton, Segmented, text
from emberscope_app.theme.look import current, font, look
from emberscope_app.words import level

NOTE = "Contrast is display only. Features read raw counts."
_RAMP = 8  # px
_GRAB = 8  # px around a handle
_ROOM_FOR_TITLE, _ROOM_FOR_LIMITS, _ROOM_FOR_MODES = 800, 720, 560  # px


class Histogram(QWidget):
    """Histogram of the frame (square roots of counts), two ink handles, the transfer line and the
    gray ramp.

    dragged(low, high): the handles went to these counts. reset(): double click.
    """

    dragged = Signal(float, float)
    reset = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(48)
        self.setMinimumWidth(120)
        self.setMaximumWidth(460)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Contrast limits")
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self._bars: NDArray[np.float64] = np.zeros(1)
        self._span = (0.0, 1.0)
        self._lut: Lut | None = None
        self.flat = ""  # why the handles do nothing, "" where they do
        self._held: str | None = None
        self._from = (0.0, 0.0, 0.0)
        self._active = "high"
        look().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(290, 48)

    def show_frame(self, counts: NDArray | None, lut: Lut | None) -> None:
        """Show another frame or another table. About 1 ms for 640 x 512."""
        self._lut = lut
        if counts is None or lut is None:
            self._bars, self.flat = np.zeros(1), ""
            self.update()
            return
        if self._held is None:
            every, low, high = histogram(counts, bins=512)
            self.flat = f"All pixels are {level(low)}" if np.count_nonzero(every) < 2 else ""
            low, high = _shown_span(every, low, high, lut)
            bins = max(self.width() // 2, 16)
            # Bins of whole counts, else the bars beat against the steps of the counts
            if counts.dtype.kind in "iu":
                low = float(np.floor(low))
                high = low + bins * max(np.ceil((high - low) / bins), 1.0)
            found, low, high = histogram(counts, bins=bins, low=low, high=high)
            self._bars, self._span = np.sqrt(found), (low, high)
        self.setToolTip(self.flat)
        self.setAccessibleDescription(f"Black at {level(lut.low)}, white at {level(lut.high)}")
        self.update()

    # --- places

    def _x(self, counts: float) -> float:
        low, high = self._span
        return 6 + (counts - low) / max(high - low, 1e-9) * (self.width() - 12)

    def _counts(self, x: float) -> float:
        low, high = self._span
        return low + (x - 6) / max(self.width() - 12, 1) * (high - low)

    # --- gestures

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._lut is None or self.flat:
            return
        x = event.position().x()
        near = {"low": abs(x - self._x(self._lut.low)), "high": abs(x - self._x(self._lut.high))}
        nearest = min(near, key=lambda name: near[name])
        both = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        between = self._x(self._lut.low) + _GRAB < x < self._x(self._lut.high) - _GRAB
        self._held = "both" if both or between else nearest
        if self._held != "both":
            self._active = self._held
        self._from = (self._counts(x), self._lut.low, self._lut.high)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is None:
            return
        start, low, high = self._from
        step = self._counts(event.position().x()) - start
        self._move(
            low + step * (self._held in ("low", "both")),
            high + step * (self._held in ("high", "both")),
        )

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._held = None
        self.reset.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Narrow or widen around the middle."""
        if self._lut is not None and not self.flat:
            middle, half = (
                (self._lut.low + self._lut.high) / 2,
                (self._lut.high - self._lut.low) / 2,
            )
            half *= 0.9 ** (event.angleDelta().y() / 120)
            self._move(middle - half, middle + half)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right move the handle used last; up and down choose it."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._active = "low" if self._active == "high" else "high"
            self.update()
        elif step and self._lut is not None and not self.flat:
            far = step * (self._span[1] - self._span[0]) / 100
            self._move(
                self._lut.low + far * (self._active == "low"),
                self._lut.high + far * (self._active == "high"),
            )
        else:
            super().keyPressEvent(event)

    def _move(self, low: float, high: float) -> None:
        least = (self._span[1] - self._span[0]) / 200
        if self._held == "low":
            low = min(low, high - least)
        else:
            high = max(high, low + least)
        self.dragged.emit(low, high)

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current(), QPainter(self)
        painter.fillRect(self.rect(), QColor(t.plot))
        base = self.height() - _RAMP
        if self._lut is not None:
            self._paint_bars(painter, base - 4)
            self._paint_ramp(painter, QRectF(0, base, self.width(), _RAMP))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if not self.flat:
                self._paint_line(painter, base)
                for name, counts in (("low", self._lut.low), ("high", self._lut.high)):
                    self._paint_handle(
                        painter,
                        self._x(counts),
                        base,
                        active=self.hasFocus() and name == self._active,
                    )
        painter.end()

    def _paint_bars(self, painter: QPainter, height: float) -> None:
        t, n = current(), len(self._bars)
        tallest = max(float(self._bars.max()), 1e-9)
        width = (self.width() - 12) / n
        low, high = self._x(self._lut.low), self._x(self._lut.high)  # type: ignore[union-attr]
        for i, bar in enumerate((self._bars / tallest * (height - 4)).tolist()):
            x = 6 + i * width
            inside = low <= x + width / 2 <= high
            painter.fillRect(
                QRectF(x, height - bar + 4, max(width - 0.6, 0.8), bar),
                QColor(t.t3 if inside else t.bg4),
            )

    def _paint_ramp(self, painter: QPainter, box: QRectF) -> None:
        """The gray that each count gets; its image lives as long as the call."""
        left, right, points = self._counts(0), self._counts(self.width()), max(self.width(), 2)
        counts, gray = self._lut.curve(left, right, points=points)  # type: ignore[union-attr]
        row = np.ascontiguousarray(np.clip(gray, 0, 255).astype(np.uint8))
        painter.drawImage(
            box, QImage(row.data, len(counts), 1, len(counts), QImage.Format.Format_Grayscale8)
        )

    def _paint_line(self, painter: QPainter, height: float) -> None:
        counts, gray = self._lut.curve(*self._span, points=128)  # type: ignore[union-attr]
        line = QPolygonF(
            [
                QPointF(self._x(c), height - 3 - g / 255 * (height - 8))
                for c, g in zip(counts.tolist(), gray.tolist(), strict=True)
            ]
        )
        painter.setPen(QPen(QColor(current().t2), 1))
        painter.drawPolyline(line)

    def _paint_handle(self, painter: QPainter, x: float, base: float, *, active: bool) -> None:
        x = min(max(x, 1.0), self.width() - 1.0)
        ink = QColor(current().ink)
        painter.setPen(QPen(ink, 2 if active else 1.5))
        painter.drawLine(QPointF(x, 0), QPointF(x, base))
        path = QPainterPath()
        path.addEllipse(QPointF(x, base + _RAMP / 2), 3.8, 3.8)
        painter.setPen(QPen(QColor(current().plot), 1.2))
        painter.setBrush(ink)
        painter.drawPath(path)


class ContrastBar(QFrame):
    """64 px: everything here changes the display only, never a feature."""

    def __init__(
        self, session: Session, canvas: FrameCanvas, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.session, self.canvas = session, canvas
        self.setProperty("role", "strip")
        self.setFixedHeight(tokens.CONTRAST_H)
        self.setAccessibleName("Contrast")
        row = QHBoxLayout(self)
        row.setContentsMargins(tokens.PAD, 8, 8, 8)
        row.setSpacing(12)
        self.title = text("Contrast", "title")
        self.modes = Segmented(MODES)
        self.mode_list = QComboBox()  # instead of the buttons where there is no room for them
        self.mode_list.setAccessibleName("Contrast mode")
        for key, title in MODES:
            self.mode_list.addItem(title, key)
        self.mode_list.activated.connect(lambda row: self._set_mode(MODES[row][0]))
        self.histogram = Histogram()
        self.limits = text("", "")
        self.limits.setFont(font(tokens.PX_BODY, 600))
        self.percent = text("", "secondary")
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addStretch(1)
        words.addWidget(self.limits)
        words.addWidget(self.percent)
        words.addStretch(1)
        self.lock = IconButton("lock", "Lock contrast", checkable=True, key="L")
        self.polarity = IconButton("polarity", "Polarity", key="X")
        self.more = IconButton("more", "Contrast menu")
        for widget in (self.title, self.modes, self.mode_list, self.histogram):
            row.addWidget(
                widget, 1 if widget is self.histogram else 0, Qt.AlignmentFlag.AlignVCenter
            )
        row.addLayout(words)
        row.addStretch(0)
        for button in (self.lock, self.polarity, self.more):
            row.addWidget(button)
        self.limits.setMinimumWidth(132)
        self.modes.chosen.connect(self._set_mode)
        self.histogram.dragged.connect(self._drag)
        self.histogram.reset.connect(self._reset)
        self.lock.clicked.connect(lambda _=False: self._lock())
        self.polarity.clicked.connect(self._flip)
        self.more.clicked.connect(
            lambda _=False: self.menu().popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))
        )
        canvas.image_changed.connect(self.refresh)
        self.refresh()

    @property
    def _source(self) -> int | None:
        return self.session.focus.source

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow dock the title goes first, then the limits; last the modes become a list."""
        super().resizeEvent(event)
        self.title.setVisible(self.width() >= _ROOM_FOR_TITLE)
        for words in (self.limits, self.percent):
            words.setVisible(self.width() >= _ROOM_FOR_LIMITS)
        self.modes.setVisible(self.width() >= _ROOM_FOR_MODES)
        self.mode_list.setVisible(self.width() < _ROOM_FOR_MODES)

    def menu(self) -> QMenu:
        """Reset, polarity, and the note that this is display only."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        source = self._source
        if source is not None:
            contrast = self.session.contrast
            menu.addAction("Automatic\tC", lambda: contrast.reset(source))
            menu.addAction("Flip polarity\tX", lambda: contrast.flip(source))
            menu.addAction("Unlock\tL" if contrast.locked else "Lock for all frames\tL", self._lock)
            menu.addAction(
                "Full range of the samples", lambda: contrast.adjust(source, mode="full")
            )
            menu.addSeparator()
        menu.addAction(NOTE).setEnabled(False)
        return menu

    def refresh(self) -> None:
        """Show the contrast of the frame on show."""
        frame_image, source = self.canvas.frame_image, self._source
        lut = frame_image.lut if source is not None else None
        self.setEnabled(lut is not None)
        self.histogram.show_frame(frame_image.counts if lut is not None else None, lut)
        self.lock.setChecked(self.session.contrast.locked)
        if source is not None:
            mode = self.session.contrast.of(source).mode
            self.modes.set_value("linear" if mode in ("manual", "full") else mode)
            self.mode_list.setCurrentIndex(self.mode_list.findData(self.modes.value))
        if lut is None or frame_image.counts is None:
            self.limits.setText("")
            self.percent.setText("")
            return
        unit = {"counts": "cts", "degC": "°C", "display8": "gray"}.get(
            frame_image.units(), frame_image.units()
        )
        self.limits.setText(f"{level(lut.low)} – {level(lut.high)} {unit}".rstrip())
        self.percent.setText(
            self.histogram.flat
            or "{:.1f} – {:.1f} %".format(*_shares(frame_image.counts, lut.low, lut.high))
        )

    def _set_mode(self, mode: str) -> None:
        if self._source is not None:
            self.session.contrast.adjust(self._source, mode=mode, level_low=None, level_high=None)

    def _reset(self) -> None:
        if self._source is not None:
            self.session.contrast.reset(self._source)

    def _flip(self) -> None:
        if self._source is not None:
            self.session.contrast.flip(self._source)

    def _lock(self) -> None:
        self.canvas.toggle_lock()
        self.lock.setChecked(self.session.contrast.locked)

    def _drag(self, low: float, high: float) -> None:
        """Handles set percent where the mode counts in percent, else counts."""
        counts, source = self.canvas.frame_image.counts, self._source
        if counts is None or source is None:
            return
        contrast = self.session.contrast
        mode = contrast.of(source).mode
        if mode in ("percentile", "clahe"):
            a, b = _shares(counts, low, high)
            contrast.adjust(source, low=min(a, 99.0), high=max(b, min(a, 99.0) + 0.1))
        elif mode == "plateau":
            a, b = _shares(counts, low, high)
            old = contrast.of(source).tail
            contrast.adjust(
                source,
                tail=float(np.clip(a if abs(a - old) > abs(100 - b - old) else 100 - b, 0.0, 40.0)),
            )
        else:
            contrast.adjust(source, mode="manual", level_low=low, level_high=high)


def _shares(counts: NDArray, low: float, high: float) -> tuple[float, float]:
    """Percent of the pixels below the black and up to the white level."""
    valid = counts[np.isfinite(counts)] if counts.dtype.kind == "f" else counts
    size = max(valid.size, 1)
    return 100 * float(np.count_nonzero(valid < low)) / size, 100 * float(
        np.count_nonzero(valid <= high)
    ) / size


def _shown_span(bars: NDArray, low: float, high: float, lut: Lut) -> tuple[float, float]:
    """The counts the histogram shows: nearly all pixels and both handles, with a margin."""
    if bars.sum() == 0:
        return low, high
    share = np.cumsum(bars) / bars.sum()
    width = (high - low) / len(bars)
    first = min(low + int(np.searchsorted(share, 0.0005)) * width, lut.low)
    last = max(low + (int(np.searchsorted(share, 0.9995)) + 1) * width, lut.high)
    margin = 0.12 * max(last - first, 1e-6)
    return first - margin, last + margin
