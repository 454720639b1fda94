"""Painted chips that the mouse points at, in every view."""

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from emberscope_app.state.core.session import Session


class PointedChips(QWidget):
    """Base of widgets that paint chips: says which one the mouse is over."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._over = -1  # number of the chip
        self.setMouseTracking(True)

    def chip_at(self, at: QPointF) -> int:
        """Number of the chip at a place, -1 beside all."""
        raise NotImplementedError

    def instance_of(self, chip: int) -> int | None:
        """The instance that a chip shows."""
        raise NotImplementedError

    def _point(self, over: int) -> None:
        if over != self._over:
            self._over = over
            self.setCursor(Qt.CursorShape.PointingHandCursor if over >= 0 else Qt.CursorShape.ArrowCursor)
            self._session.selection.set_hover(self.instance_of(over) if over >= 0 else None, origin=self)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self.chip_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point(-1)
