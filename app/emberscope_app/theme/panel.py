"""What fills a dock: the base of all panels."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from emberscope_app.theme.controls import MessageBar
from emberscope_app.theme.look import look


class Panel(QWidget):
    """A panel is made as `panel(session, parent)`, once, when its dock is first seen.

    The dock's title stands in the shell's table of docks. `count` is the fact beside it ("12 clips"), and `icons` are
    the buttons at its right. What only the window can do, a panel asks for by `controls.trigger`.
    """

    letters: frozenset[Qt.Key] = frozenset()  # keys that mean something here, which elsewhere are the frame's

    takes_messages: QWidget | None = None  # the frame or map that a message may lie on for a moment

    count_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.count = ""
        self._away = False  # it was on screen and is behind another dock now, or in another workspace
        self._missed: dict[str, Callable[[], object]] = {}

    def in_sight(self, read: Callable[[], object]) -> None:
        """Read what changed: at once, or where the panel went out of sight, once it is shown again. The last call of a
        function of one name counts."""
        if self._away:
            self._missed[read.__name__] = read
        else:
            read()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        look().finish()
        self._away = False
        while self._missed:
            self._missed.pop(next(iter(self._missed)))()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._away = True

    def forget_project(self) -> None:
        """Another project is open: what was said of the last one goes at once, before anything is read of the new one,
        which may take a while."""
        for bar in self.findChildren(MessageBar):
            bar.clear()
        self.set_count("")

    def set_count(self, words: str) -> None:
        """Say another fact beside the title; "" for none."""
        self.count = words
        self.count_changed.emit(words)

    def icons(self) -> list[QWidget]:
        """Buttons for the title row; called once, the title row keeps them."""
        return []
