"""Chips below a ranking: at each place the one that stands there, in the color of its class."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from emberscope.findings.maps.ranking import Ranking
from emberscope.project import Run
from emberscope_app.pixels.chip_cache import chip_cache, chip_image
from emberscope_app.state.core.session import Session
from emberscope_app.theme.look import current, look

SIDE, _GAP = 44, 6
_BELOW = 0.45  # opacity of chips below the threshold


class ChipRow(QWidget):
    """pointed(rank), clicked(rank) and double_clicked(rank) : from 0, -1 where none is."""

    pointed = Signal(int)
    clicked = Signal(int)
    double_clicked = Signal(int)

    def __init__(self, session: Session, rank_at: Callable[[float], float]) -> None:
        """rank_at : the rank, from 1, that stands at a px from the left."""
        super().__init__()
        self._session, self._rank_at = session, rank_at
        self._of: tuple[Run, Ranking] | None = None
        self._above = 0
        self._pointed = -1
        self.setFixedHeight(SIDE + 10)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Chips in the order of their scores")
        chip_cache(session).ready.connect(self.update)
        look().changed.connect(self.update)

    def show_ranking(self, run: Run | None, ranking: Ranking | None, above: int) -> None:
        """above : how many are above the threshold."""
        self._of = (run, ranking) if run is not None and ranking is not None else None
        self._above = above
        self.update()

    def places(self) -> list[tuple[QRectF, int]]:
        """Where chips are, and the rank of each from 0."""
        if self._of is None:
            return []
        count, step = len(self._of[1].rows), SIDE + _GAP
        found: dict[int, QRectF] = {}
        for at in range(max((self.width() - 20) // step, 0)):
            x = 10.0 + at * step
            rank = round(self._rank_at(x + SIDE / 2)) - 1
            if 0 <= rank < count and rank not in found:
                found[rank] = QRectF(x, 4, SIDE, SIDE)
        return [(place, rank) for rank, place in found.items()]

    def rank_under(self, at: QPointF) -> int:
        """The rank of the chip there, from 0; -1 where none is."""
        return next((rank for place, rank in self.places() if place.contains(at)), -1)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._of is None:
            return
        painter, (run, ranking) = QPainter(self), self._of
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for place, rank in self.places():
            painter.setOpacity(1.0 if rank < self._above else _BELOW)
            image = chip_image(self._session, run, int(ranking.rows[rank]), SIDE)
            if image is not None:
                painter.drawImage(place, image)
            else:
                painter.fillRect(place, QColor(current().bg3))
            slot = int(ranking.slot[rank])
            color = current().class_color(slot if slot < 9 else 0)
            painter.setPen(QPen(color, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(place)
            if rank == self._pointed:
                painter.setOpacity(1.0)
                painter.setPen(QPen(QColor(current().ink), 2))
                painter.drawRect(place.adjusted(-2, -2, 2, 2))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self.rank_under(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(self.rank_under(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.double_clicked.emit(self.rank_under(event.position()))

    def _point(self, rank: int) -> None:
        if rank != self._pointed:
            self._pointed = rank
            self.pointed.emit(rank)
            self.update()
