"""Letters of the frame view act wherever no text is being edited, not only while the frame has the
keyboard."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from emberscope_app.chips.grid import ChipGrid
from emberscope_app.frame_view.canvas.canvas_keys import LETTERS
from emberscope_app.frame_view.canvas.frame_canvas import FrameCanvas
from emberscope_app.frame_view.frame_popover import FramePopover
from emberscope_app.sheets.doubtful_rows import DoubtList
from emberscope_app.state.labels.side import PAIR_KEYS
from emberscope_app.theme.panel import Panel

_TEXT = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)
# Views that give a letter of the frame a meaning of their own.
_OWN: tuple[tuple[type[QWidget], frozenset[Qt.Key]], ...] = (
    (ChipGrid, frozenset({Qt.Key.Key_G, *PAIR_KEYS})), (FramePopover, FramePopover.letters),
    (DoubtList, DoubtList.letters),
)  # fmt: skip
_SHIFT = Qt.KeyboardModifier.ShiftModifier


class FrameLetters(QObject):
    """Watches what has the keyboard in a window; a letter of the frame view takes the keyboard
    there and acts.

    A filter on the widget in focus, not on the application: that would see every paint and every
    move of the mouse.
    """

    def __init__(self, window: QWidget, canvas: Callable[[], FrameCanvas | None]) -> None:
        """canvas() : the frame canvas, or None while it was not made yet."""
        super().__init__(window)
        self._window, self._canvas = window, canvas
        QApplication.instance().focusChanged.connect(self._follow)  # type: ignore[union-attr]

    def _follow(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is not None:
            old.removeEventFilter(self)
        if new is not None and self._window.isAncestorOf(new):
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            event.type() != QEvent.Type.KeyPress
            or not isinstance(event, QKeyEvent)
            or event.modifiers() & ~_SHIFT
        ):
            return False
        canvas, key = self._canvas(), Qt.Key(event.key())
        if (
            canvas is None
            or canvas is watched
            or key not in LETTERS
            or not canvas.isVisible()
            or _edits(watched)
        ):
            return False
        if isinstance(watched, QWidget) and key in _own_letters(watched):
            return False
        canvas.setFocus()
        return QApplication.sendEvent(canvas, event)


def _own_letters(widget: QWidget) -> frozenset[Qt.Key]:
    """Letters that mean something else in the view a widget is, or in the panel it is part of."""
    found = next(
        (letters for kind, letters in _OWN if isinstance(widget, kind)), frozenset[Qt.Key]()
    )
    here: QWidget | None = widget
    while here is not None and not isinstance(here, Panel):
        here = here.parentWidget()
    return found | here.letters if isinstance(here, Panel) else found


def _edits(widget: QObject) -> bool:
    """Whether letters become text there."""
    return isinstance(widget, _TEXT) and not widget.isReadOnly()
