"""Open the desktop application from the command line."""

import os
import sys

from emberscope.console import complain


def open_window(argv: list[str]) -> int:
    """Start the desktop application with these arguments; returns the exit code, 1 where there is none."""
    if not has_display():
        complain("there is no display to open the window on. Set DISPLAY, or use a command: emberscope --help.")
        return 1
    try:
        from emberscope_app.main import main as app_main
    except ImportError as error:
        complain(f"the desktop application is not installed here: {error}.")
        return 1
    return app_main(argv)


def has_display() -> bool:
    """Whether a window can be shown, or Qt was asked to draw it elsewhere."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in names)
