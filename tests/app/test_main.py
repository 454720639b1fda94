"""The entry point: options, files from the command line, defects that do not end the program."""

import logging
import subprocess
import sys

import pytest
from PySide6.QtWidgets import QApplication, QPushButton

from emberscope.base.errors import LONGEST
from emberscope.base.process.log_file import log_path
from emberscope_app.main import begin, hook, main, say_crash
from emberscope_app.state.core.log_book import listen, log_book


def test_files_of_the_command_line_open(window, tmp_path, build_frames):
    begin(window, [str(build_frames(tmp_path / "clip.npy", n_frames=2))])
    assert [ref.name for ref in window.session.project.sources.values()] == ["clip.npy"]


def test_a_defect_is_a_message_with_details_in_the_log(window, capsys):
    say = hook(window.session)
    try:
        raise ZeroDivisionError("half of nothing")
    except ZeroDivisionError as error:
        say(type(error), error, error.__traceback__)
    assert "half of nothing" in window.messages.words[0]
    assert len(window.messages.words) == 1
    assert "Traceback" in log_book().lines[-1].details
    assert "half of nothing" in capsys.readouterr().err


def test_a_defect_is_short_can_be_copied_and_leads_to_the_log(full_window, screenshot):
    say = hook(full_window.session)
    error = ValueError("no method " + "x" * 70_000)
    say(ValueError, error, None)
    bar = full_window.messages.bar
    assert len(bar.words) <= LONGEST
    buttons = {
        button.text(): button for button in bar.findChildren(QPushButton) if button.isVisible()
    }
    assert list(buttons) == ["Copy details", "Open log"]
    screenshot(full_window, "defect")
    buttons["Copy details"].click()
    assert QApplication.clipboard().text() == f"ValueError: {error}\n"
    buttons["Open log"].click()
    assert full_window.panels["log"].isVisible()


@pytest.mark.parametrize("level", ["info", "warn", "err"])
def test_no_message_is_longer_than_300_characters(window, level):
    window.session.say("A clip of that name: " + "n" * 70_000, level=level, stays=True)
    assert len(window.messages.words[0]) <= LONGEST
    assert len(log_book().lines[-1].words) <= LONGEST


def test_a_crash_of_the_last_session_is_said_once_with_its_last_words(
    window, tmp_path, monkeypatch
):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))
    crash = (
        "from emberscope.base.process.crash_file import watch_for_crashes as w; w(); import "
        "os; os.abort()"
    )
    subprocess.run([sys.executable, "-c", crash], capture_output=True, check=False)
    say_crash(window.session)
    assert window.messages.words[0].startswith("The last session ended by a crash.")
    copy = next(
        b for b in window.messages.bar.findChildren(QPushButton) if b.text() == "Copy details"
    )
    copy.click()
    assert "Fatal Python error: Aborted" in QApplication.clipboard().text()
    window.messages.clear()
    say_crash(window.session)
    assert window.messages.words == []


def test_what_happens_in_the_window_is_kept_in_the_log_file(window, tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))
    listen()
    window.session.say("It did not work.", level="err", details="Traceback\nZeroDivisionError")
    for handler in logging.getLogger("emberscope_app").handlers:
        handler.flush()
    (line,) = log_path().read_text(encoding="utf-8").splitlines()
    assert line.endswith("It did not work. | Traceback | ZeroDivisionError")


def test_an_unknown_theme_is_wrong_usage(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--theme", "purple"])
    assert stop.value.code == 2
    assert "purple" in capsys.readouterr().err


def test_the_application_starts_and_ends():
    code = (
        "import sys\n"
        "import emberscope_app.main as entry\n"
        "entry.begin = lambda window, paths: (print(window.isVisible(), list(paths)), "
        "window.close())\n"
        "sys.exit(entry.main(['--theme', 'light', 'a.npy']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "True ['a.npy']"), done.stderr
