"""The label of all panels: what it shows is text, whatever is in it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from emberscope.base.plain_text import plain


class Text(QLabel):
    """A label that takes nothing for markup. An empty one may carry a pixmap."""

    def __init__(self, words: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(words)

    def setText(self, words: str) -> None:
        """Show words as they are, with a sign for what cannot be seen."""
        super().setText(plain(words))
