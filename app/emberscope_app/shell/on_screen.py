"""Room for the window: its first place on the screen, and pages that need no more of it than the
one in front."""

from PySide6.QtCore import QMargins, QPoint, QRect, QSize
from PySide6.QtWidgets import QStackedWidget, QWidget

# Px, about; what a window manager adds is not known before the window is shown
_FRAME = QMargins(4, 32, 4, 4)


def place_on_screen(window: QWidget, wanted: QSize) -> None:
    """Give a window the size that is wanted, or what its screen has free, and center it there."""
    free = window.screen().availableGeometry() - _FRAME
    size = wanted.boundedTo(free.size())
    around = (free.size() - size) / 2
    window.setGeometry(QRect(free.topLeft() + QPoint(around.width(), around.height()), size))


class Pages(QStackedWidget):
    """Pages one behind the other. It needs the room of the page in front; Qt asks for that of the
    largest."""

    def turn_to(self, page: QWidget) -> None:
        """Bring a page to the front."""
        self.setCurrentWidget(page)
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return (
            page.minimumSizeHint().expandedTo(page.minimumSize())
            if page is not None
            else QSize(0, 0)
        )
