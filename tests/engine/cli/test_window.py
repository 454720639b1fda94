"""The window, opened from the command line."""

import socket
import sys

import pytest

from emberscope.cli import main
from emberscope.cli.window import display_trouble

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a display")


@pytest.fixture(autouse=True)
def _no_display(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def nobody():
    """A port of X11 on this computer where nobody listens, as the number of a display."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1] - 6000


@pytest.fixture
def somebody():
    """The number of a display on a port where somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1] - 6000


@pytest.fixture
def compositor(tmp_path, monkeypatch):
    """Somebody listens for Wayland; the name of the socket."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "wayland-7"))
        server.listen()
        yield "wayland-7"


def test_without_a_display_the_program_says_so(capsys):
    assert main([]) == 1
    assert "no display" in capsys.readouterr().err


@pytest.mark.parametrize("name", [
    ":98", "localhost:{}", "127.0.0.1:{}.0", "tcp/localhost:{}", "unix:98", "here", ":x", "nobody.invalid:0",
    "/nowhere/X:0", ":" + "9" * 30, "\u0664:\u0661", "x" * 5000 + ":0", "localhost:99999",
])
def test_a_display_that_cannot_be_reached_is_one_line_with_what_to_do(name, nobody, monkeypatch, capsys):
    monkeypatch.setenv("DISPLAY", name.format(nobody))
    assert main([]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("emberscope: no display can be reached at DISPLAY=")
    assert line.endswith("Set DISPLAY to one that is there, or use a command: emberscope --help.")


@pytest.mark.parametrize("name", ["wayland-8", "/nowhere/wayland-8", "\u0664", "x" * 5000])
def test_a_compositor_that_cannot_be_reached_is_one_line_with_what_to_do(name, compositor, monkeypatch, capsys):
    monkeypatch.setenv("WAYLAND_DISPLAY", name)
    assert main([]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "WAYLAND_DISPLAY" in line


def test_a_demonstration_says_so_before_it_is_made(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DISPLAY", ":98")
    assert main(["demo", "--out", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err.endswith("Without a window: emberscope demo --headless.\n")
    assert not (tmp_path / "out").exists()


def test_a_display_that_answers_is_no_trouble(somebody, monkeypatch):
    monkeypatch.setenv("DISPLAY", f"localhost:{somebody}")
    assert display_trouble() == ""


def test_a_compositor_that_answers_is_no_trouble(compositor, monkeypatch):
    monkeypatch.setenv("WAYLAND_DISPLAY", compositor)
    assert display_trouble() == ""


def test_one_of_two_displays_is_enough(somebody, monkeypatch):
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-8")
    monkeypatch.setenv("DISPLAY", f"localhost:{somebody}")
    assert display_trouble() == ""


def test_the_display_that_qt_was_told_to_take_is_the_one_that_counts(somebody, compositor, monkeypatch):
    monkeypatch.setenv("WAYLAND_DISPLAY", compositor)
    monkeypatch.setenv("DISPLAY", ":98")
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    assert "DISPLAY=:98: " in display_trouble()
    monkeypatch.setenv("QT_QPA_PLATFORM", "wayland;xcb")
    assert display_trouble() == ""


@pytest.mark.parametrize(("name", "value"), [("QT_QPA_PLATFORM", "offscreen"), ("WAYLAND_SOCKET", "9")])
def test_where_windows_are_drawn_elsewhere_displays_do_not_count(name, value, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":98")
    monkeypatch.setenv(name, value)
    assert display_trouble() == ""
