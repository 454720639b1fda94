"""Log: what happened, monospaced, filtered by level."""

from PySide6.QtCore import QUrl
from PySide6.QtGui import QColor, QDesktopServices, QGuiApplication, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QStackedWidget, QVBoxLayout, QWidget

from emberscope.base.process.log_file import log_path
from emberscope_app.state.core.log_book import Line, log_book
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import Empty, IconButton, Segmented, Strip
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.panel import Panel
from emberscope_app.words import counted

_SHOWN = {"all": ("info", "warn", "err"), "warn": ("warn", "err"), "err": ("err",)}
_WORDS = {"info": "      ", "warn": "warn  ", "err": "error "}


class LogPanel(Panel):
    """Lines with time and level; the newest at the end."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.level = Segmented([("all", "All"), ("warn", "Warnings"), ("err", "Errors")])
        self.level.set_value("all")
        self.level.chosen.connect(lambda _: self._fill())
        self.view = QPlainTextEdit()
        self.view.setReadOnly(True)
        self.view.setFont(font(mono=True))
        self.view.setAccessibleName("Log")
        self._empty = Empty("Nothing happened yet.")
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.view)
        copy = IconButton("copy", "Copy the log")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.view.toPlainText()))
        strip = Strip()
        strip.row.addWidget(self.level)
        strip.row.addStretch(1)
        folder = IconButton("folder", "Open the folder of the log files")
        folder.clicked.connect(
            lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_path().parent)))
        )
        strip.row.addWidget(folder)
        strip.row.addWidget(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(self._pages, 1)
        log_book().grew.connect(self._append)
        look().changed.connect(self._fill)
        self._fill()

    def _wanted(self) -> list[Line]:
        return [
            line for line in log_book().lines if line.level in _SHOWN[self.level.value or "all"]
        ]

    def _fill(self) -> None:
        self.view.clear()
        for line in self._wanted():
            self._write(line)
        self._settle()

    def _append(self) -> None:
        line = log_book().lines[-1]
        if line.level in _SHOWN[self.level.value or "all"]:
            self._write(line)
        self._settle()

    def _write(self, line: Line) -> None:
        t = current()
        cursor = QTextCursor(self.view.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if not self.view.document().isEmpty():
            cursor.insertBlock()
        level = (_WORDS[line.level], getattr(t, line.level))
        for words, color in ((f"{line.time}  ", t.t3), level, (line.words, t.t1)):
            style = QTextCharFormat()
            style.setForeground(QColor(color))
            cursor.insertText(words, style)
        if line.details:
            style.setForeground(QColor(t.t3))
            cursor.insertText("\n" + line.details.rstrip(), style)

    def _settle(self) -> None:
        lines = log_book().lines
        errors = sum(line.level == "err" for line in lines)
        self._pages.setCurrentIndex(1 if self._wanted() else 0)
        self.view.verticalScrollBar().setValue(self.view.verticalScrollBar().maximum())
        self.set_count(counted(errors, "error") if errors else "")
