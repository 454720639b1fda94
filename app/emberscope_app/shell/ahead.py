"""What a person needs next is imported before it is asked for: the first use of a dock or a sheet does not stall."""

import gc
import importlib
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer

from emberscope_app.shell.dock_areas import DOCKS, Panels
from emberscope_app.state.share import polite
from emberscope_app.state.threads import threads

_SHEETS = ("believe", "classes", "export", "import_truth", "learned", "methods", "published", "shortcuts")
_AFTER = 0.5  # s, once the window is on screen
_EVERY_MS = 100  # between two docks
_PAUSE = 0.02  # s between two modules: the thread that draws goes first


def names() -> list[str]:
    """Modules in the order in which they are likely to be needed."""
    docks = [dock.factory.partition(":")[0] for dock in DOCKS.values()]
    sheets = [f"sheets.{name}" for name in _SHEETS]
    ours = [f"emberscope_app.{name}" for name in (*docks, *sheets, "shell.help_sheet")]
    return [*ours, "emberscope.project.file", "emberscope.frames.holdings", "emberscope.bags.make"]


def import_ahead(ratio: float = 1.0) -> threading.Thread:
    """Import them in a thread, in small steps; then draw the glyphs of the 3-D map for so many device px a px."""
    return threads().begin(partial(_import, ratio), name="import ahead")


def _import(ratio: float) -> None:
    time.sleep(_AFTER)
    for name in names():
        if threads().ending:
            return
        with polite():
            importlib.import_module(name)
        time.sleep(_PAUSE)
    with polite():
        importlib.import_module("emberscope_app.latent_view.sprites").deep_sprites(ratio)
    gc.freeze()  # modules stay as long as the process: a full pass over them all would keep the window for 30 ms


class MakeAhead(QObject):
    """Makes the docks in which a project will open, one a turn, as long as nothing is open."""

    def __init__(self, parent: QObject, panels: Panels, names: Sequence[str], *, idle: Callable[[], bool]) -> None:
        super().__init__(parent)
        self._panels, self._names, self._idle = panels, list(names), idle
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._make_one)
        self._timer.start()

    def _make_one(self) -> None:
        if not self._names:
            self._timer.stop()
        elif self._idle():
            self._panels[self._names.pop(0)]
