"""What scrolls where the window is smaller than it needs."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


class Roomy(QScrollArea):
    """As large as there is room; what is inside is never smaller than it needs, and is scrolled
    both ways then."""

    def __init__(self, inside: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Tab goes to what is inside, and scrolls to it

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)
