"""Sheets: panels that slide over the right edge of the window without blocking it."""

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from emberscope_app.theme import tokens
from emberscope_app.theme.controls import IconButton, text
from emberscope_app.theme.look import current
from emberscope_app.theme.roomy import Roomy

_SHOWN_MS, _BAR_SHOWN_MS = 4000, 15_000
_MOST_BARS = 3


class Sheet(QFrame):
    """A non-modal sheet at the right edge, `width` px wide; Esc or the cross closes it. In a window
    that is smaller than what the sheet holds, that scrolls."""

    closed = Signal()
    of_project = True  # closes when another project is opened
    default: QPushButton | None = None  # what Enter presses, wherever in the sheet it is struck

    def __init__(self, title: str, parent: QWidget, *, width: int = 420) -> None:
        super().__init__(parent)
        self._width, self._host = width, parent
        self._before = QApplication.focusWidget()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(title)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 0, 0)
        column.setSpacing(0)
        head = QHBoxLayout()
        head.setContentsMargins(tokens.PAD, 0, 8, 0)
        head.addWidget(text(title, "title"), 1)
        close = IconButton("x", "Close", size=24, key="Esc")
        close.clicked.connect(self.close_sheet)
        head.addWidget(close)
        self.body = QVBoxLayout()
        self.body.setContentsMargins(tokens.PAD, 4, tokens.PAD, tokens.PAD)
        self.body.setSpacing(8)
        holder = QWidget()
        holder.setFixedHeight(tokens.STRIP_H)
        holder.setLayout(head)
        column.addWidget(holder)
        inside = QWidget()
        inside.setLayout(self.body)
        column.addWidget(Roomy(inside), 1)
        parent.installEventFilter(self)
        self.place()
        self.show()
        self.raise_()
        self.setFocus()

    def place(self) -> None:
        """Below the header, above the status bar."""
        parent = self._host
        width = min(self._width, parent.width())
        top, foot = tokens.HEADER_H, tokens.STATUS_H
        self.setGeometry(parent.width() - width, top, width, max(parent.height() - top - foot, 100))

    def close_sheet(self) -> None:
        self._host.removeEventFilter(self)
        return_focus(self, self._before)
        self.hide()
        self.closed.emit()
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.place()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_sheet()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.default is not None:
            focus = QApplication.focusWidget()
            (
                focus
                if isinstance(focus, QPushButton) and self.isAncestorOf(focus)
                else self.default
            ).click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(current().bg1))
        painter.fillRect(0, 0, 1, self.height(), QColor(current().line2))
        painter.fillRect(0, tokens.STRIP_H, self.width(), 1, QColor(current().line))


def fields_below_each_other(rows: Iterable[tuple[str, QWidget, QWidget]]) -> QGridLayout:
    """Title, field and the words about it of each row, the words between the two."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    grid.setColumnStretch(1, 1)
    for at, (title, field, words) in enumerate(rows):
        label = text(title)
        label.setBuddy(field)
        grid.addWidget(label, at, 0)
        grid.addWidget(words, at, 1)
        grid.addWidget(field, at, 2)
    return grid


def return_focus(leaving: QWidget, before: QWidget | None) -> None:
    """The keyboard goes back to where it was, unless it went on to something else already."""
    focus = QApplication.focusWidget()
    inside = focus is None or focus is leaving or leaving.isAncestorOf(focus)
    if inside and before is not None and isValid(before) and before.isVisible():
        before.setFocus()
