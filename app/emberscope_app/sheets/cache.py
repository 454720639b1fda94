"""What is kept between runs: how much of each kind, the bound over all of it, and a button that
clears it."""

import os
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QWidget,
)

from emberscope.base.errors import EmberscopeError
from emberscope.base.folders import cache_folder
from emberscope_app.pixels.frame_service import Frames, Priority, frame_service
from emberscope_app.pixels.read_errors import ReadFailure
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import text

_ABOUT = "All of it can be computed again. Above the bound, what was used longest ago goes first."
_GIB = 1 << 30


class CacheFacts(NamedTuple):
    """What a look at the cache found. sizes : (title, bytes) of each kind."""

    folder: str
    sizes: list[tuple[str, int]]
    bound: int

    @property
    def total(self) -> int:
        return sum(size for _, size in self.sizes)


class CacheSheet(Sheet):
    """Whatever touches the disk happens in a thread of the frame service."""

    of_project = False
    _progressed = Signal(float)  # out of the thread

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__("Cache", parent, width=360)
        self._session, self._frames = session, frame_service(session)
        self.facts: CacheFacts | None = None
        self._clearing = False
        self.rows = QGridLayout()
        self.rows.setColumnStretch(0, 1)
        self.rows.setVerticalSpacing(8)
        self.bound = QDoubleSpinBox()
        self.bound.setRange(0.0, 9999.0)
        self.bound.setDecimals(1)
        self.bound.setSuffix(" GiB")
        self.bound.setFixedSize(110, 28)
        self.bound.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.bound.setAccessibleName("Keep at most")
        self.bound.editingFinished.connect(self._set_bound)
        self.note, self.folder = text("", "hint"), text("", "hint")
        self.bar = QProgressBar()
        self.bar.setRange(0, 100)
        self.bar.setTextVisible(False)
        self.button = QPushButton("Clear")
        self.button.clicked.connect(self._clear_or_stop)
        self._progressed.connect(lambda share: self.bar.setValue(round(100 * share)))
        self._lay_out()
        self._look()

    def close_sheet(self) -> None:
        self._frames.cancel(self)
        super().close_sheet()

    def _lay_out(self) -> None:
        about = text(_ABOUT, "secondary")
        most = QHBoxLayout()
        most.addWidget(text("Keep at most"), 1)
        most.addWidget(self.bound)
        for label in (about, self.note, self.folder):
            label.setWordWrap(True)
        self.folder.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.body.addWidget(about)
        self.body.addSpacing(8)
        self.body.addLayout(self.rows)
        self.body.addSpacing(8)
        self.body.addLayout(most)
        for widget in (self.note, self.folder, self.bar, self.button):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self.bar.hide()

    def _look(self) -> None:
        self._frames.ask(
            self, None, _facts, priority=Priority.FILE, take=self._show, fail=self._fail
        )

    def _show(self, facts: CacheFacts) -> None:
        self.facts, self._clearing = facts, False
        for row, (title, size) in enumerate([*facts.sizes, ("Together", facts.total)]):
            self._cell(row, 0, title[:1].upper() + title[1:])
            self._cell(row, 1, in_words(size))
        self.bound.blockSignals(True)
        self.bound.setValue(facts.bound / _GIB)
        self.bound.blockSignals(False)
        given = os.environ.get("EMBERSCOPE_CACHE_GIB")
        self.bound.setEnabled(given is None)
        self.note.setText("" if given is None else f"EMBERSCOPE_CACHE_GIB is {given[:16]}.")
        self.note.setVisible(given is not None)
        self.folder.setText(facts.folder)
        self.bar.hide()
        self.button.setText("Clear")
        self.button.setEnabled(facts.total > 0)

    def _cell(self, row: int, column: int, words: str) -> None:
        item = self.rows.itemAtPosition(row, column)
        if item is None:
            align = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
            self.rows.addWidget(text(words), row, column, align)
        else:
            item.widget().setText(words)  # type: ignore[union-attr]

    def _set_bound(self) -> None:
        gib = self.bound.value()
        if self.facts is not None and abs(gib - self.facts.bound / _GIB) > 0.01:
            work = partial(_bounded, gib)
            self._frames.ask(
                self, None, work, priority=Priority.FILE, take=self._show, fail=self._fail
            )

    def _clear_or_stop(self) -> None:
        self._frames.cancel(self)
        if self._clearing:
            self._look()
            return
        self._clearing = True
        self.bar.setValue(0)
        self.bar.show()
        self.button.setText("Stop")
        work = partial(_cleared, self._progressed.emit)
        self._frames.ask(self, None, work, priority=Priority.FILE, take=self._show, fail=self._fail)

    def _fail(self, failure: ReadFailure) -> None:
        self._session.say(failure.words, level="err")
        if self.facts is not None:
            self._show(self.facts)


def in_words(size: int) -> str:
    """A number of bytes as people read it."""
    return f"{size / _GIB:.1f} GiB" if size >= _GIB else f"{size / 2**20:.1f} MiB"


def _facts(frames: Frames) -> CacheFacts:
    from emberscope.base import cache

    folder = cache_folder()
    sizes = [(cache.KINDS[kind], found.bytes) for kind, found in cache.usage(folder).items()]
    return CacheFacts(str(folder), sizes, cache.bound(folder))


def _bounded(gib: float, frames: Frames) -> CacheFacts:
    from emberscope.base import cache

    folder = cache_folder()
    try:
        cache.set_bound(folder, gib)
    except OSError as error:
        raise EmberscopeError(
            f"the bound cannot be kept: {error.strerror}", where=str(folder)
        ) from error
    cache.trim(folder, cache.bound(folder))
    return _facts(frames)


def _cleared(report: Callable[[float], object], frames: Frames) -> CacheFacts:
    from emberscope.base import cache

    cache.clear(cache_folder(), monitor=_Progress(report, frames))
    return _facts(frames)


class _Progress:
    """The monitor of clearing: what is more urgent goes first, and a request that was canceled ends
    it."""

    def __init__(self, report: Callable[[float], object], frames: Frames) -> None:
        self._report, self._frames = report, frames

    def step(self, fraction: float, message: str = "") -> None:
        self._frames.pause()
        self._report(fraction)

    def partial(self, Z: np.ndarray) -> None:
        pass
