"""Open the desktop application from the command line."""

import os
import socket
import sys
from collections.abc import Callable, Iterator

from emberscope.console import complain

_PATIENCE = 5.0  # s for a display on another computer
_X_PORT = 6000
_X_SOCKET = "/tmp/.X11-unix/X"
_OTHERWISE = "or use a command: emberscope --help"


def open_window(argv: list[str]) -> int:
    """Start the desktop application with these arguments; returns the exit code, 1 where there is
    none."""
    trouble = display_trouble()
    if trouble:
        complain(trouble)
        return 1
    try:
        from emberscope_app.main import main as app_main
    except ImportError as error:
        complain(f"the desktop application is not installed here: {error}.")
        return 1
    return app_main(argv)


def has_display() -> bool:
    """Whether there is a word of a display, or Qt was asked to draw windows elsewhere."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in names)


def display_trouble() -> str:
    """Why no window can be shown, in a sentence with what to do; "" where nothing is in the way.

    Asks whether somebody listens where the environment says a display is: Qt ends the process where
    nobody does, and waits for minutes for another computer that does not answer. Less than a
    millisecond for a display of this computer.
    """
    if not has_display():
        return f"there is no display to open the window on. Set DISPLAY, {_OTHERWISE}."
    asked = list(_displays()) if sys.platform.startswith("linux") else []
    for _, connect in asked:
        try:
            connect()
            return ""
        except (OSError, ValueError, OverflowError) as error:  # the others: it names none
            why = getattr(error, "strerror", "") or str(error)
    if not asked:
        return ""
    names = " and ".join(f"{name}={os.environ[name]}" for name, _ in asked)
    hint = f"Set {asked[-1][0]} to one that is there, {_OTHERWISE}."
    return f"no display can be reached at {names}: {why}. {hint}"


def _displays() -> Iterator[tuple[str, Callable[[], None]]]:
    """The variables that name a display which Qt will take, each with what connects to it."""
    platforms = os.environ.get("QT_QPA_PLATFORM", "")
    wanted = [name.partition(":")[0] for name in platforms.split(";") if name]
    takes_wayland = not wanted or any(name.startswith("wayland") for name in wanted)
    if "WAYLAND_SOCKET" in os.environ:  # it is open already
        return
    if os.environ.get("WAYLAND_DISPLAY") and takes_wayland:
        yield "WAYLAND_DISPLAY", _connect_wayland
    if os.environ.get("DISPLAY") and (not wanted or "xcb" in wanted):
        yield "DISPLAY", _connect_x


def _connect_wayland() -> None:
    path = os.environ["WAYLAND_DISPLAY"]
    if not path.startswith("/"):
        if not os.environ.get("XDG_RUNTIME_DIR"):
            raise OSError("XDG_RUNTIME_DIR is not set")
        path = f"{os.environ['XDG_RUNTIME_DIR']}/{path}"
    _connect_local(path)


def _connect_x() -> None:
    """As libxcb does: [protocol/][host]:display[.screen], or the path of a socket."""
    name = os.environ["DISPLAY"]
    if name.startswith("/"):
        is_path = os.path.exists(name)  # noqa: PTH110 - any text
        _connect_local(name if is_path else name.rpartition(":")[0])
        return
    host, colon, numbers = name.rpartition("/")[2].rpartition(":")
    number = numbers.partition(".")[0]
    if not colon or not number.isdecimal():
        raise ValueError("this names no display, as :0 does")
    if host in ("", "unix"):
        for path in (f"\0{_X_SOCKET}{number}", f"{_X_SOCKET}{number}"):
            try:
                _connect_local(path)
                return
            except OSError:
                continue
    address = (host.strip("[]") if host not in ("", "unix") else "localhost", _X_PORT + int(number))
    socket.create_connection(address, timeout=_PATIENCE).close()


def _connect_local(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_PATIENCE)
        connection.connect(path)
