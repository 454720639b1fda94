"""The self-test of the window: what `emberscope doctor` tries, one check after the other."""

import contextlib
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from emberscope.self_test import NAMES, Check, self_test
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Scrolling, primary, quiet, text
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, look
from emberscope_app.theme.text import Text
from emberscope_app.when.threads import threads

# State: icon, color
_GLYPHS = {"ok": ("check", "ok"), "warn": ("warn", "warn"), "failed": ("x", "err")}
_SUMS = {
    "ok": "Everything works.",
    "warn": "Everything needed works.",
    "failed": "Something does not work: see below.",
}


class _Tests(QObject):
    """Runs the checks in a thread: a disk that does not answer must not stop the window."""

    checked = Signal(object)
    ended = Signal()

    def __init__(self, run: Callable[[], Iterator[Check]]) -> None:
        super().__init__()
        self._run = run

    def start(self) -> None:
        threads().begin(self._work, name="self-test")

    def _work(self) -> None:
        with contextlib.suppress(RuntimeError):  # the sheet was closed meanwhile
            for check in self._run():
                if threads().ending:
                    return
                self.checked.emit(check)
            self.ended.emit()


class SelfTestSheet(Sheet):
    """A row per check with its mark; *Copy* takes all of it into a report."""

    of_project = False

    def __init__(self, parent: QWidget, *, run: Callable[[], Iterator[Check]] = self_test) -> None:
        super().__init__("Self-test", parent, width=480)
        self.checks: list[Check] = []
        self.summary = text("", "secondary")
        self.summary.setWordWrap(True)
        self._marks: dict[str, Text] = {}
        self._words: dict[str, Text] = {}
        rows = QWidget()
        self._grid = QGridLayout(rows)
        self._grid.setContentsMargins(0, 0, tokens.PAD, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(12)
        self._grid.setColumnStretch(2, 1)
        for row, name in enumerate(NAMES):
            self._add(row, name)
        self._grid.setRowStretch(len(NAMES), 1)
        self.again, self.copy = primary("Test again"), quiet("Copy")
        self.again.clicked.connect(lambda: self._start(run))
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.report()))
        foot = QHBoxLayout()
        foot.addWidget(self.again)
        foot.addWidget(self.copy)
        foot.addStretch(1)
        self.body.addWidget(self.summary)
        self.body.addWidget(Scrolling(rows), 1)
        self.body.addLayout(foot)
        look().changed.connect(self._tint)
        self._start(run)

    def report(self) -> str:
        """What was found, as text."""
        return "\n".join(f"{check.name}: {check.state}, {check.words}" for check in self.checks)

    def _add(self, row: int, name: str) -> None:
        mark, title, words = Text(), text(name), text("", "secondary")
        mark.setFixedSize(16, 16)
        words.setWordWrap(True)
        for column, label in enumerate((mark, title, words)):
            self._grid.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)
        self._marks[name], self._words[name] = mark, words

    def _start(self, run: Callable[[], Iterator[Check]]) -> None:
        self.checks = []
        for name in NAMES:
            self._marks[name].clear()
            self._marks[name].setAccessibleName("")
            self._words[name].setText("waits")
        self.summary.setText("Trying everything, some seconds...")
        self.again.setEnabled(False)
        self.copy.setEnabled(False)
        self._tests = _Tests(run)
        self._tests.checked.connect(self._show)
        self._tests.ended.connect(self._end)
        self._tests.start()

    def _show(self, check: Check) -> None:
        self.checks.append(check)
        self._words[check.name].setText(check.words)
        self._marks[check.name].setAccessibleName(check.state)
        self._tint()

    def _end(self) -> None:
        states = {check.state for check in self.checks}
        self.summary.setText(
            _SUMS[next(state for state in ("failed", "warn", "ok") if state in states | {"ok"})]
        )
        self.again.setEnabled(True)
        self.copy.setEnabled(True)

    def _tint(self) -> None:
        for check in self.checks:
            glyph, color = _GLYPHS[check.state]
            self._marks[check.name].setPixmap(pixmap(glyph, getattr(current(), color), 16, 2.0))
