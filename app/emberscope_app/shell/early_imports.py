"""What a person needs next is imported before it is asked for: the first use of a dock or a sheet
does not stall."""

import gc
import importlib
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from PySide6 import QtCore, QtGui, QtSvg, QtWidgets
from PySide6.QtCore import QObject

from emberscope_app.shell.dock_areas import DOCKS, Panels
from emberscope_app.when.threads import polite, threads
from emberscope_app.when.timers import Every, Later

_SHEETS = (
    "believe",
    "classes",
    "export",
    "import_truth",
    "learned",
    "methods",
    "published",
    "shortcuts",
)
# What those need that knows nothing of Qt and takes long
ENGINE = (
    "emberscope.project.store.file",
    "emberscope.project.exchange.set_up",
    "emberscope.frames.holdings",
    "emberscope.bags.make",
    "contourpy",
)
_AFTER_MS = 500  # once the window is on screen
_SLICE = 0.005  # s of one turn of the event loop
_EVERY_MS = 100  # between two docks
_PAUSE_MS = 20  # between two modules: what a person does goes first


def names() -> list[str]:
    """Modules of the window in the order in which they are likely to be needed."""
    docks = [dock.factory.partition(":")[0] for dock in DOCKS.values()]
    sheets = [f"sheets.{name}" for name in _SHEETS]
    return [f"emberscope_app.{name}" for name in (*docks, *sheets, "shell.help_sheet")]


class ImportAhead(QObject):
    """Imports them in small steps; then draws the glyphs of the 3-D map for so many device px a px.

    PySide keeps a table of the classes of Qt, those of Qt itself and those of ours that inherit
    one. At events it looks into it without Python's lock: a class that another thread makes at that
    moment crashes the process. So the thread that draws makes all of them, in turns of the event
    loop: Qt's, which are made when their name is first asked for, and ours. Only what knows nothing
    of Qt comes in by a thread.
    """

    def __init__(self, parent: QObject, *, ratio: float = 1.0) -> None:
        super().__init__(parent)
        self.over = False  # whether all is there
        self._steps = _steps(ratio)
        self._timer = Later(self, self._go_on)
        self._timer.start(_AFTER_MS)

    def wait(self) -> None:
        """Until all is there: for tests and benchmarks."""
        for pause in self._steps:
            time.sleep(pause / 1e3)
        self.over = True

    def _go_on(self) -> None:
        until = time.thread_time() + _SLICE
        for pause in self._steps:
            if pause or time.thread_time() > until:
                self._timer.start(pause)
                return
        self.over = True


def _steps(ratio: float) -> Iterator[int]:
    """Does one after the other; yields the pause in ms that may follow."""
    for module in (QtCore, QtGui, QtWidgets, QtSvg):
        for name in dir(module):
            getattr(module, name)
            yield 0
    yield from _until_done(_import_engine)
    for name in names():
        importlib.import_module(name)
        yield _PAUSE_MS
    yield from _until_done(partial(_draw_glyphs, ratio))
    # Modules stay as long as the process: a full pass over them all would keep the window for 30 ms
    gc.freeze()


def _until_done(work: Callable[[], object]) -> Iterator[int]:
    """Has a thread do that."""
    thread = threads().begin(work, name="import ahead")
    while thread.is_alive():
        yield _PAUSE_MS


def _import_engine() -> None:
    for name in ENGINE:
        if threads().ending:
            return
        with polite():
            importlib.import_module(name)


def _draw_glyphs(ratio: float) -> None:
    sprites = importlib.import_module("emberscope_app.latent_view.points.sprites")
    with polite():
        sprites.deep_sprites(ratio)


class MakeAhead(QObject):
    """Makes the docks in which a project will open, one a turn, as long as nothing is open."""

    def __init__(
        self, parent: QObject, panels: Panels, names: Sequence[str], *, idle: Callable[[], bool]
    ) -> None:
        super().__init__(parent)
        self._panels, self._names, self._idle = panels, list(names), idle
        self._timer = Every(self, self._make_one, _EVERY_MS)
        self._timer.start()

    def _make_one(self) -> None:
        if not self._names:
            self._timer.stop()
        elif self._idle():
            self._panels[self._names.pop(0)]
