"""The gain curve: what every further concept explains, and how many that suggests."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, look
from emberscope_app.theme.words_and_bars import RIGHT, paint_words

HEIGHT, _HEAD, _FOOT = 104, 28, 20
_WIDEST = 26  # px of a bar
CENTER = Qt.AlignmentFlag.AlignCenter


class GainCurve(QWidget):
    """A bar per concept, the first ones strong as far as the curve suggests."""

    def __init__(self) -> None:
        super().__init__()
        self.gains: NDArray[np.float64] = np.empty(0)
        self.suggested, self.words = 0, ""
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look().changed.connect(self.update)

    def show_gains(self, gains: NDArray[np.float64], suggested: int) -> None:
        """gains : (J,) of the first, second, ... concept."""
        self.gains, self.suggested, self.words = gains, suggested, f"{suggested} suggested"
        self.setVisible(len(gains) > 0)
        self.setAccessibleName(f"Gain of every further concept: {self.words}")
        self.setToolTip(
            "How much better the bags are explained by one more concept. The suggested number "
            "ends where the gain gets small; the run may have been asked for another."
        )
        self.update()

    def bars(self) -> list[QRectF]:
        """Where they stand."""
        n, left = len(self.gains), tokens.PAD
        step = min((self.width() - 2 * left) / max(n, 1), _WIDEST + 6)
        high, most = HEIGHT - _HEAD - _FOOT, max(float(self.gains.max(initial=0.0)), 1e-12)
        heights = np.maximum(high * np.maximum(self.gains, 0) / most, 2)
        return [
            QRectF(left + i * step, _HEAD + high - h, step - 4, h)
            for i, h in enumerate(heights.tolist())
        ]

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        head = QRect(tokens.PAD, 4, self.width() - 2 * tokens.PAD, 20)
        paint_words(painter, head, "Gain of one more", weight=600)
        paint_words(painter, head, self.words, px=tokens.PX_SMALL, color="t2", align=RIGHT)
        for i, bar in enumerate(self.bars()):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.t1 if i < self.suggested else t.line2))
            painter.drawRoundedRect(bar, 2, 2)
            below = QRect(round(bar.x()) - 2, HEIGHT - _FOOT + 2, round(bar.width()) + 4, 14)
            last = i + 1 == self.suggested
            paint_words(painter, below, str(i + 1), px=tokens.PX_SMALL, weight=700 if last else 400,
                        color="t1" if last else "t2", align=CENTER)
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(t.line))
