"""What fills a dock: the base of all panels."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget


class Panel(QWidget):
    """A panel is made as `panel(session, parent)`, once, when its dock is first seen.

    The dock's title stands in the shell's table of docks. `count` is the fact beside it ("12 clips"), and `icons` are
    the buttons at its right. What only the window can do, a panel asks for by `controls.trigger`.
    """

    count_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.count = ""

    def set_count(self, words: str) -> None:
        """Say another fact beside the title; "" for none."""
        self.count = words
        self.count_changed.emit(words)

    def icons(self) -> list[QWidget]:
        """Buttons for the title row; called once, the title row keeps them."""
        return []
