"""Where Qt can show no window the program ends with one line instead of an abort."""

import os
import subprocess
import sys

import pytest
from PySide6.QtWidgets import QApplication

from emberscope.base.errors import LONGEST
from emberscope_app.shell.application import make_application, why_no_window

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays of Linux")
LOADED = (
    'qt.qpa.plugin: Could not load the Qt platform plugin "{}" in "" even though it was found.\n'
)


def started(**environment):
    """The application in a process of its own: (exit code, what it said)."""
    code = (
        "from emberscope_app.shell.application import make_application as make; make(); "
        "print('there')"
    )
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR")
    kept = {name: value for name, value in os.environ.items() if name not in names}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@linux
@pytest.mark.parametrize(
    "environment",
    [
        {"DISPLAY": ":98"},
        {"DISPLAY": "here"},
        {"WAYLAND_DISPLAY": "wayland-98"},
        {"QT_QPA_PLATFORM": "none-such"},
        {"QT_QPA_PLATFORM": "xcb"},
        {"QT_QPA_PLATFORM": "wayland"},
        {"QT_QPA_PLATFORM": "eglfs"},
        {"QT_QPA_PLATFORM": "linuxfb"},
        {"DISPLAY": ":98", "QT_QPA_PLATFORM_PLUGIN_PATH": "/nowhere"},
    ],
    ids=lambda environment: " ".join(environment.values()),
)
def test_where_no_window_can_be_shown_the_program_ends_with_one_line(environment):
    code, _, said = started(**environment)
    assert code == 1
    (line,) = said.splitlines()
    assert line.startswith("emberscope: ")
    assert line.endswith("or use a command: emberscope --help.")
    assert len(line) <= LONGEST + len("emberscope: ")


def test_what_is_said_while_the_application_is_made_is_not_lost():
    code, said, errors = started(QT_QPA_PLATFORM="none-such;offscreen")
    assert (code, said) == (0, "there\n")
    assert "none-such" in errors


def test_it_is_made_once(qapp):
    assert make_application() is qapp is QApplication.instance()


def test_a_display_that_asks_for_an_authorization_is_said_to(monkeypatch):
    monkeypatch.setenv("DISPLAY", ":7")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    said = (
        "Authorization required, but no protocol specified\nqt.qpa.xcb: could not connect to "
        "display :7\n"
    )
    assert why_no_window(said).startswith(
        "the display DISPLAY=:7 cannot be reached without an authorization (XAUTH"
    )


def test_a_library_that_is_missing_is_said_with_packages():
    assert "apt-get install libxcb-cursor0" in why_no_window(LOADED.format("xcb"))


def test_the_end_of_a_platform_that_says_nothing_is_still_a_sentence(monkeypatch):
    monkeypatch.delenv("QT_QPA_PLATFORM")
    assert why_no_window("").startswith("Qt cannot open a window: it does not say why. ")
