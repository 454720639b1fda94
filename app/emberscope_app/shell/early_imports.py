"""What a person needs next is imported before it is asked for: the first use of a dock or a sheet
does not stall."""

import gc
import importlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence

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
_AFTER_MS = 500  # once the window is on screen
_SLICE = 0.005  # s that classes of Qt are made for in one turn of the event loop
_EVERY_MS = 100  # between two docks
_PAUSE = 0.02  # s between two modules: the thread that draws goes first


def names() -> list[str]:
    """Modules in the order in which they are likely to be needed."""
    docks = [dock.factory.partition(":")[0] for dock in DOCKS.values()]
    sheets = [f"sheets.{name}" for name in _SHEETS]
    ours = [f"emberscope_app.{name}" for name in (*docks, *sheets, "shell.help_sheet")]
    engine = [
        f"emberscope.{name}" for name in ("project.store.file", "frames.holdings", "bags.make")
    ]
    return [*ours, *engine, "contourpy"]


class ImportAhead(QObject):
    """Imports them in a thread, in small steps; then draws the glyphs of the 3-D map for so many
    device px a px.

    A class of Qt is made in Python when its name is first asked for. Two threads that ask for the
    first time at once crash the process: before the thread begins, the thread that draws has made
    all of them, some in each of its turns.
    """

    def __init__(self, parent: QObject, *, ratio: float = 1.0) -> None:
        super().__init__(parent)
        self._ratio = ratio
        self._classes = _classes_of_qt()
        self._thread: threading.Thread | None = None
        self._timer = Later(self, self._make_some, _AFTER_MS)
        self._timer.start()

    @property
    def over(self) -> bool:
        """Whether all is there."""
        return self._thread is not None and not self._thread.is_alive()

    def wait(self) -> None:
        """Until all is there: for tests and benchmarks."""
        while self._thread is None:
            self._make_some()
        self._thread.join()

    def _make_some(self) -> None:
        until = time.thread_time() + _SLICE
        if any(time.thread_time() > until for _ in self._classes):
            self._timer.start(0)
        elif self._thread is None:
            self._thread = threads().begin(self._import, name="import ahead")

    def _import(self) -> None:
        for name in names():
            if threads().ending:
                return
            with polite():
                importlib.import_module(name)
            time.sleep(_PAUSE)
        with polite():
            importlib.import_module("emberscope_app.latent_view.points.sprites").deep_sprites(
                self._ratio
            )
        # Modules stay as long as the process: a full pass over them all would keep the window for
        # 30 ms
        gc.freeze()


def _classes_of_qt() -> Iterator[object]:
    """Makes one after the other."""
    for module in (QtCore, QtGui, QtWidgets, QtSvg):
        for name in dir(module):
            yield getattr(module, name)


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
