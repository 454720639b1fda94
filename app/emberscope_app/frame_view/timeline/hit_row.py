"""The row of hits under the timeline: how high the highest score of each frame is."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QObject, QPointF, QRectF, Signal
from PySide6.QtGui import QColor, QPainter, QPen

from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.scored import Scored
from emberscope_app.theme.look import current

_EDGE = 3.0  # px above and below the bars


class HitRow(QObject):
    """What the row shows. `changed`: it has to be painted again."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._scored = session, session.only(Scored)
        self.highest: NDArray[np.float32] = np.empty(0, np.float32)
        self._scored.changed.connect(self.read)

    @property
    def shown(self) -> bool:
        return bool(len(self.highest))

    def read(self) -> None:
        """The scores of the clip on show."""
        source = self._session.focus.source
        ref = self._session.project.sources.get(source if source is not None else -1)
        there = ref is not None and self._scored.of(source) is not None
        frames = ref.n_frames if ref is not None and there else 0
        self.highest = self._scored.highest(source, frames)
        self.changed.emit()

    def paint(self, painter: QPainter, area: QRectF, x_of: Callable[[float], float]) -> None:
        """A bar per frame, of several that share a pixel the highest; hits stand out."""
        first, heights = self._columns(area, x_of)
        width = max(x_of(1) - x_of(0) - 1, 1.0)
        room, base = area.height() - 2 * _EDGE, area.bottom() - _EDGE
        strong, faint = QColor(current().acc), QColor(current().t3)
        faint.setAlphaF(0.6)
        for x, height in zip(first.tolist(), heights.tolist(), strict=True):
            high = max(height * room, 1.0)
            bar = QRectF(x - width / 2, base - high, width, high)
            painter.fillRect(bar, strong if height >= self._scored.threshold else faint)
        line = QColor(current().t2)
        line.setAlphaF(0.7)
        painter.setPen(QPen(line, 1))
        y = round(base - min(max(self._scored.threshold, 0.0), 1.0) * room) + 0.5
        painter.drawLine(QLineF(QPointF(area.left(), y), QPointF(area.right(), y)))

    def _columns(
        self, area: QRectF, x_of: Callable[[float], float]
    ) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Where bars stand in an area, px, and how high each is."""
        start, step = x_of(0), x_of(1) - x_of(0)
        x = start + step * np.arange(len(self.highest))
        seen = np.flatnonzero((x >= area.left() - step) & (x <= area.right() + step))
        if not len(seen):
            return np.empty(0), self.highest[:0]
        _, at = np.unique(np.floor(x[seen]), return_index=True)
        highest: NDArray[np.float32] = np.maximum.reduceat(self.highest[seen], at)
        return x[seen][at].astype(np.float64), highest
