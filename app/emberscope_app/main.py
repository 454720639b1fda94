"""The entry point of the desktop application: window first, everything else after it is on screen."""

import argparse
import logging
import sys
import traceback
from collections.abc import Callable, Sequence
from types import TracebackType

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtWidgets import QApplication

from emberscope_app.shell.ahead import MakeAhead, import_ahead
from emberscope_app.shell.window import MainWindow
from emberscope_app.state.log_book import listen, log_book
from emberscope_app.state.preferences import Preferences
from emberscope_app.state.session import Session
from emberscope_app.theme import look as looks

log = logging.getLogger(__name__)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the application; returns the exit code."""
    options = _parser().parse_args(sys.argv[1:] if argv is None else list(argv))
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)  # the 3-D map moves between docks
    app = QApplication.instance() or QApplication(["emberscope"])
    assert isinstance(app, QApplication)
    app.setApplicationName("Emberscope")
    preferences = Preferences()
    looks.prepare(app, options.theme or preferences.text("theme", "dark"))
    window = open_window(preferences)
    sys.excepthook = hook(window.session)
    listen()
    window.show()
    QTimer.singleShot(0, window, lambda: begin(window, options.paths))
    return app.exec()


def open_window(preferences: Preferences) -> MainWindow:
    """The window on an empty session; nothing heavy is loaded for it."""
    return MainWindow(Session(), preferences)


def begin(window: MainWindow, paths: Sequence[str]) -> None:
    """What happens once the window is on screen: the worker starts, what a crash left is offered, files open."""
    window.session.jobs.start()
    window.files.look_for_left()
    imports = import_ahead()
    MakeAhead(window, window.panels, [group.current for group in window.area.groups],
              idle=lambda: not imports.is_alive() and not window.session.project.sources)
    if paths:
        window.files.open(paths)


def hook(session: Session) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """A defect becomes a message and lines in the log; the program lives on, nothing is lost."""

    def say(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QCoreApplication.quit()
            return
        details = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(details)
        what = f"That did not work, and this is a defect: {kind.__name__}: {error}"[:200]
        log_book().add(what, level="err", details=details)
        session.say(what, level="err", action="Copy details", on_action=lambda: _copy(details))

    return say


def _copy(words: str) -> None:
    QApplication.clipboard().setText(words)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="emberscope", description="Label infrared imagery loosely, see the manifold.")
    parser.add_argument("paths", nargs="*", metavar="FILE", help="frames, folders of frames, or one project")
    parser.add_argument("--theme", choices=sorted(looks.tokens.THEMES), help="overrides the remembered one")
    return parser


if __name__ == "__main__":
    sys.exit(main())
