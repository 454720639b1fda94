"""What fills a dock: the base of all panels."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QWidget

from emberscope_app.theme.controls import MessageBar
from emberscope_app.theme.look import look

_LINE = 8  # px that the middles of widgets in one line may lie apart


class Panel(QWidget):
    """A panel is made as `panel(session, parent)`, once, when its dock is first seen.

    The dock's title stands in the shell's table of docks. `count` is the fact beside it ("12
    clips"), and `icons` are the buttons at its right. What only the window can do, a panel asks for
    by `controls.trigger`.
    """

    # Keys that mean something here, which elsewhere are the frame's
    letters: frozenset[Qt.Key] = frozenset()

    takes_messages: QWidget | None = None  # the frame or map that a message may lie on for a moment

    count_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.count = ""
        # It was on screen and is behind another dock now, or in another workspace
        self._away = False
        self._missed: dict[str, Callable[[], object]] = {}

    def in_sight(self, read: Callable[[], object]) -> None:
        """Read what changed: at once, or where the panel went out of sight, once it is shown again.
        The last call of a function of one name counts."""
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
        """Another project is open: what was said of the last one goes at once, before anything is
        read of the new one, which may take a while."""
        for bar in self.findChildren(MessageBar):
            bar.clear()
        self.set_count("")

    def set_count(self, words: str) -> None:
        """Say another fact beside the title; "" for none."""
        self.count = words
        self.count_changed.emit(words)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes down the panel as it is read, whenever its parts were made, and then on to what
        comes after it."""
        stops = self._stops()
        now = QApplication.focusWidget()
        at = stops.index(now) + (1 if forward else -1) if now in stops else -1
        if 0 <= at < len(stops):
            stops[at].setFocus(
                Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
            )
            return True
        moved = super().focusNextPrevChild(forward)
        # Of which some may come later in the order of Qt, that in which they were made
        for _ in stops:
            if not moved or QApplication.focusWidget() not in stops:
                break
            moved = super().focusNextPrevChild(forward)
        return moved

    def _stops(self) -> list[QWidget]:
        """What Tab stops at in this panel, from the top, and in a line from the left."""
        found = [widget for widget in self.findChildren(QWidget)
                 if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
                 and widget.isEnabled() and widget.isVisibleTo(self)]
        middle = {widget: widget.mapTo(self, widget.rect().center()) for widget in found}
        found.sort(key=lambda widget: middle[widget].x())
        lines: list[list[QWidget]] = []
        for widget in sorted(found, key=lambda widget: middle[widget].y()):
            if lines and middle[widget].y() - middle[lines[-1][0]].y() <= _LINE:
                lines[-1].append(widget)
            else:
                lines.append([widget])
        return [widget for line in lines for widget in sorted(line, key=found.index)]

    def icons(self) -> list[QWidget]:
        """Buttons for the title row; called once, the title row keeps them."""
        return []
