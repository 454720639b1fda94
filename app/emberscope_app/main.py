"""The entry point of the desktop application: window first, everything else after it is on screen."""

import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path and os.path.isdir(sys.path[0]):  # noqa: PTH112 - not loaded yet
    del sys.path[0]  # Python put the current folder there, whosever it is

import argparse
import contextlib
import signal
import threading
import traceback
from collections.abc import Callable, Sequence
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QThreadPool, QTimer, QUrl
from PySide6.QtGui import QDesktopServices

from emberscope.base.crash_file import crashes_left, watch_for_crashes
from emberscope.base.errors import defect_in_words
from emberscope.project.recovery import prune
from emberscope_app.guard import place_of
from emberscope_app.shell.ahead import MakeAhead, import_ahead
from emberscope_app.shell.application import make_application
from emberscope_app.shell.window import MainWindow
from emberscope_app.state.log_book import listen
from emberscope_app.state.preferences import Preferences
from emberscope_app.state.session import Session
from emberscope_app.theme import look as looks


def main(argv: Sequence[str] | None = None) -> int:
    """Run the application; returns the exit code."""
    options = _parser().parse_args(sys.argv[1:] if argv is None else list(argv))
    app = make_application()
    app.setApplicationName("Emberscope")
    preferences = Preferences()
    looks.prepare(app, options.theme or preferences.text("theme", "dark"))
    window = open_window(preferences)
    sys.excepthook = hook(window.session)
    threading.excepthook = lambda found: sys.excepthook(
        found.exc_type, found.exc_value or found.exc_type(), found.exc_traceback
    )
    listen()
    watch_for_crashes()
    end_when_terminated(window)
    window.show()
    QTimer.singleShot(0, window, lambda: begin(window, options.paths))
    return app.exec()


def open_window(preferences: Preferences) -> MainWindow:
    """The window on an empty session; nothing heavy is loaded for it."""
    return MainWindow(Session(), preferences)


def begin(window: MainWindow, paths: Sequence[str]) -> None:
    """What happens once the window is on screen: the worker starts, what a crash left is offered, files open."""
    window.session.jobs.start()
    say_crash(window.session)
    window.files.look_for_left()
    QThreadPool.globalInstance().start(prune)
    imports = import_ahead(window.devicePixelRatioF())
    MakeAhead(window, window.panels, [group.current for group in window.area.groups],
              idle=lambda: not imports.is_alive() and not window.session.project.sources)
    if paths:
        window.files.open(paths)


def hook(session: Session) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """A defect becomes one message and a line in the log; the program lives on, nothing is lost.

    What Qt calls at every repaint says so once for each place of the program.
    """
    said: set[str] = set()

    def say(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QCoreApplication.quit()
            return
        place = place_of(trace)
        if place and place in said:
            return
        said.add(place)
        details = "".join(traceback.format_exception(kind, error, trace))
        with contextlib.suppress(OSError, AttributeError):  # of a window there may be no standard error, or a full one
            sys.stderr.write(details)
        words = f"That did not work; what you did before is kept. This is a defect: {defect_in_words(error)}"
        session.say(words, level="err", details=details)
        for name in ("last_exc", "last_type", "last_value", "last_traceback"):  # of a slot: they hold whoever called it
            vars(sys).pop(name, None)

    return say


def say_crash(session: Session) -> None:
    """Once, that the last session ended by a crash, and where it was then."""
    crashes = crashes_left()
    if crashes:
        folder = QUrl.fromLocalFile(str(crashes[-1].path.parent))
        session.say("The last session ended by a crash. What was done until then is offered where it was not saved.",
                    level="warn", action="Open folder", on_action=lambda: QDesktopServices.openUrl(folder),
                    details="\n".join(crash.text for crash in crashes))


def end_when_terminated(window: MainWindow) -> None:
    """Log-out, shutdown and `kill` let the worker end, unlock the project and leave what is unsaved in the journal."""

    def end() -> None:
        window.end(keep_work=True)
        QCoreApplication.exit(0)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            # Python calls it between two of its own steps; timers of the window see to it that there are some.
            signal.signal(number, lambda *_: QTimer.singleShot(0, window, end))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="emberscope", description="Label infrared imagery loosely, see the manifold.")
    parser.add_argument("paths", nargs="*", metavar="FILE", help="frames, folders of frames, or one project")
    parser.add_argument("--theme", choices=sorted(looks.tokens.THEMES), help="overrides the remembered one")
    return parser


if __name__ == "__main__":
    sys.exit(main())
