"""The end of the program, in order: work, threads, widgets, Qt. The interpreter, which comes last,
finds none of them.

At its own end it would take widgets and threads apart in any order: an event filter would be called
for half a window, a thread inside of Qt would lose the interpreter, and the process would end by a
signal.
"""

import gc
import logging
import os
import signal
import sys
import threading
from typing import NoReturn

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication
from shiboken6 import delete, isValid

from emberscope_app.shell.window import MainWindow
from emberscope_app.when.threads import threads
from emberscope_app.when.timers import later

log = logging.getLogger(__name__)
PATIENCE = 3.0  # s that threads may take for what they do; no window is seen any more
_SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT")


def end_when_terminated(window: MainWindow) -> None:
    """Log-out, shutdown, `kill` and Ctrl+C let the worker end, unlock the project and leave what is
    unsaved in the journal. What the caller of the process ignores (nohup) stays ignored."""

    def end() -> None:
        window.end(keep_work=True)
        QCoreApplication.exit(0)

    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (
            signal.SIG_DFL,
            signal.default_int_handler,
        ):
            # Python calls it between two of its own steps; timers of the window see to it that
            # there are some.
            signal.signal(number, lambda *_: later(window, end))


def end_program(app: QApplication, window: MainWindow | None, code: int) -> None:
    """Let go of everything. Does not return where a thread never ends, as on a disk that does not
    answer.

    window : None where it was never made; what exists of it goes too. code : of the process, where
    this ends it.
    """
    if window is not None:
        window.end(keep_work=True)  # the usual ways have ended it by now
    for widget in QApplication.topLevelWidgets():
        widget.hide()
    late = threads().end(PATIENCE)
    if late:
        log.warning("Ended while these were at work: %s", ", ".join(late))
        _leave(code)
    for name in _SIGNALS:  # nothing is left to end
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    sys.excepthook, threading.excepthook = sys.__excepthook__, threading.__excepthook__
    for widget in sorted(QApplication.topLevelWidgets(), key=lambda top: top is not window):
        if isValid(widget):  # menus and cards may have gone with the window
            delete(widget)
    if window is not None:
        delete(window.session)
    gc.unfreeze()
    gc.collect()  # what only refers to itself goes while Qt is there
    app.shutdown()


def _leave(code: int) -> NoReturn:
    """End the process as it is: threads that work on are not disturbed."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)
