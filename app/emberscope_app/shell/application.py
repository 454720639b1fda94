"""The application of Qt; where Qt cannot open a window, one line about why, and the end."""

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator

from PySide6.QtCore import (
    QCoreApplication,
    QMessageLogContext,
    Qt,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from emberscope.console import complain

_UNKNOWN = re.compile(r'Could not find the Qt platform plugin "([^"]*)"')
_OTHERWISE = "or use a command: emberscope --help"
_NOT_LOADED = re.compile(r'Could not load the Qt platform plugin "([^"]*)"')
_DEBIAN = "On Debian: apt-get install libxcb-cursor0 libxkbcommon-x11-0 libegl1 libgl1"
_DISPLAYS = ("WAYLAND_DISPLAY", "DISPLAY")
_MOST = 1 << 16  # bytes of what libraries say


def make_application() -> QApplication:
    """The application, made once.

    Where there is no way to show a window the process ends with code 1: Qt would abort, and says
    it in paragraphs.
    """
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    # The 3-D map moves between docks.
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    with _errors_aside() as said:
        def end(kind: QtMsgType, context: QMessageLogContext, words: str) -> None:
            with contextlib.suppress(OSError):
                os.write(2, f"{words}\n".encode())
            if kind == QtMsgType.QtFatalMsg:
                complain(why_no_window(said()))
                os._exit(1)

        qInstallMessageHandler(end)
        try:
            app = QApplication(["emberscope"])
            if not app.screens():  # then the first widget would be the end
                end(QtMsgType.QtFatalMsg, QMessageLogContext(), "it finds no screen")
        finally:
            qInstallMessageHandler(None)
    return app


def why_no_window(said: str) -> str:
    """One line of what Qt and its libraries said when they gave up, and what to do."""
    unknown, not_loaded = _UNKNOWN.search(said), _NOT_LOADED.search(said)
    if unknown:
        what = f"QT_QPA_PLATFORM is {unknown[1]!r}, which is no platform of Qt here"
        return f"{what}. Unset it, {_OTHERWISE}."
    of_wayland = not_loaded is not None and not_loaded[1].startswith("wayland")
    if of_wayland or "could not connect to display" in said:
        places = " and ".join(
            f"{name}={os.environ[name]}" for name in _DISPLAYS if os.environ.get(name)
        )
        why = " without an authorization (XAUTHORITY)" if "uthorization" in said else ""
        what = f"the display {places or 'that Qt looks for'} cannot be reached{why}"
        return f"{what}. Set DISPLAY to one that can, {_OTHERWISE}."
    if not_loaded:
        what = "Qt cannot open a window: a library that it needs is missing"
        return f"{what}. {_DEBIAN}, {_OTHERWISE}."
    first = next(filter(None, map(str.strip, said.splitlines())), "it does not say why").rstrip(".")
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    asked = f" on QT_QPA_PLATFORM={platform}" if platform else ""
    return f"Qt cannot open a window{asked}: {first}. Choose another platform, {_OTHERWISE}."


@contextlib.contextmanager
def _errors_aside() -> Iterator[Callable[[], str]]:
    """What libraries write to standard error meanwhile is kept; afterward it is written.

    Yields what reads it, and makes standard error what it was.
    """
    with contextlib.ExitStack() as files:
        try:
            kept = files.enter_context(tempfile.TemporaryFile())
            before = os.dup(2)
        except OSError:  # there is no standard error, or no place for it
            yield lambda: ""
            return
        os.dup2(kept.fileno(), 2)

        def read() -> str:
            os.dup2(before, 2)
            kept.seek(0)
            return kept.read(_MOST).decode("utf-8", "replace")

        try:
            yield read
        finally:
            said = read()
            os.close(before)
            if said:
                os.write(2, said.encode())
