"""The entry point of the desktop application: window first, everything else after it is on
screen."""

import argparse
import contextlib
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from types import TracebackType

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from emberscope.base.errors import defect_in_words
from emberscope.base.process.crash_file import crashes_left, watch_for_crashes
from emberscope.project.store.recovery import prune
from emberscope_app.guard import place_of
from emberscope_app.shell.application import make_application
from emberscope_app.shell.early_imports import ImportAhead, MakeAhead
from emberscope_app.shell.ending import end_program, end_when_terminated
from emberscope_app.shell.files.handed_over import HandedOver
from emberscope_app.shell.header import mark_icon
from emberscope_app.shell.window import MainWindow
from emberscope_app.state.core.log_book import listen
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.core.session import Session
from emberscope_app.state.reading.garbage import Garbage
from emberscope_app.theme import look as looks
from emberscope_app.when.threads import threads
from emberscope_app.when.timers import later


def main(argv: Sequence[str] | None = None) -> int:
    """Run the application; returns the exit code."""
    options = _parser().parse_args(sys.argv[1:] if argv is None else list(argv))
    app = make_application()
    app.setApplicationName("Emberscope")
    listen()
    watch_for_crashes()
    preferences = Preferences()
    looks.prepare(app, options.theme or preferences.text("theme", "dark"))
    app.setWindowIcon(mark_icon())
    window: MainWindow | None = None
    code = 1  # of a start that fails
    try:
        window = open_window(preferences)
        catch_defects(window.session)
        end_when_terminated(window)
        Garbage(window)
        if sys.platform == "darwin":  # elsewhere no such events come, and each costs a call
            app.installEventFilter(HandedOver(window, window.files.open))
        window.show()
        later(window, partial(begin, window, options.paths))
        code = app.exec()
    finally:
        end_program(app, window, code)
    return code


def open_window(preferences: Preferences) -> MainWindow:
    """The window on an empty session; nothing heavy is loaded for it."""
    return MainWindow(Session(), preferences)


def begin(window: MainWindow, paths: Sequence[str]) -> None:
    """What happens once the window is on screen: the worker starts, what a crash left is offered,
    files open."""
    window.session.jobs.start()
    say_crash(window.session)
    window.files.look_for_left()
    threads().begin(prune, name="prune")
    imports = ImportAhead(window, ratio=window.devicePixelRatioF())
    MakeAhead(window, window.panels, [group.current for group in window.area.groups],
              idle=lambda: imports.over and not window.session.project.sources)
    if paths:
        window.files.open(paths)


def catch_defects(session: Session) -> None:
    """Those of this thread and of others."""
    say = sys.excepthook = hook(session)
    threading.excepthook = lambda found: say(
        found.exc_type, found.exc_value or found.exc_type(), found.exc_traceback
    )


def hook(
    session: Session,
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """A defect becomes one message and a line in the log; the program lives on, nothing is lost.

    What Qt calls at every repaint says so once for each place of the program.
    """
    said: set[str] = set()

    def say(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        place = place_of(trace)
        if place and place in said:
            return
        said.add(place)
        details = "".join(traceback.format_exception(kind, error, trace))
        # Of a window there may be no standard error, or a full one
        with contextlib.suppress(OSError, AttributeError):
            sys.stderr.write(details)
        words = (
            "That did not work; what you did before is kept. This is a defect: "
            f"{defect_in_words(error)}"
        )
        session.say(words, level="err", details=details)
        # Of a slot: they hold whoever called it
        for name in ("last_exc", "last_type", "last_value", "last_traceback"):
            vars(sys).pop(name, None)

    return say


def say_crash(session: Session) -> None:
    """Once, that the last session ended by a crash, and where it was then."""
    crashes = crashes_left()
    if crashes:
        folder = QUrl.fromLocalFile(str(crashes[-1].path.parent))
        session.say(
            "The last session ended by a crash. What was done until then is offered where it was "
            "not saved.",
            level="warn",
            action="Open folder",
            on_action=lambda: QDesktopServices.openUrl(folder),
            details="\n".join(crash.text for crash in crashes),
        )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="emberscope", description="Label infrared imagery loosely, see the manifold."
    )
    parser.add_argument(
        "paths", nargs="*", metavar="FILE", help="frames, folders of frames, or one project"
    )
    parser.add_argument(
        "--theme", choices=sorted(looks.tokens.THEMES), help="overrides the remembered one"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
