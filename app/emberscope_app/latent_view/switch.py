"""An on/off switch with its words at the left."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from emberscope_app.theme.look import current, font, look

_TRACK = QSize(28, 14)


class Switch(QAbstractButton):
    """Looks like a track with a knob; on = ink."""

    def __init__(self, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(words)
        self.setAccessibleName(words)
        self.setCheckable(True)
        self.setFixedHeight(28)
        look().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(
            QFontMetrics(font(12)).horizontalAdvance(self.text()) + 8 + _TRACK.width() + 2, 28
        )

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font(12))
        painter.setPen(QColor(t.t2 if self.isEnabled() else t.t3))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, self.text())
        track = QRectF(
            self.width() - _TRACK.width() - 1,
            (28 - _TRACK.height()) / 2,
            _TRACK.width(),
            _TRACK.height(),
        )
        painter.setPen(QPen(QColor(t.ink), 1) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(t.ink if self.isChecked() else t.bg4))
        painter.drawRoundedRect(track, 7, 7)
        x = track.right() - 7 if self.isChecked() else track.left() + 7
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(t.onink if self.isChecked() else t.t2))
        painter.drawEllipse(QPointF(x, track.center().y()), 5, 5)
