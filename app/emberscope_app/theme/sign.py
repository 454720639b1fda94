"""A small icon that says how something went. It is painted in the theme in force, whenever that
changed."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current

_SIZE = 16  # px


class Sign(QWidget):
    """An icon of the resources in the color of a token, both by name; "" shows nothing."""

    def __init__(self, name: str = "", color: str = "warn", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name, self.color = name, color
        self.setFixedSize(_SIZE, _SIZE)

    def set_sign(self, name: str, color: str) -> None:
        """Show another one."""
        self.name, self.color = name, color
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(_SIZE, _SIZE)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.name:
            painter = QPainter(self)
            painter.drawPixmap(
                0,
                0,
                pixmap(self.name, getattr(current(), self.color), _SIZE, self.devicePixelRatioF()),
            )
