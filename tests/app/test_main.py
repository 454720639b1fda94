"""The entry point: options, files from the command line, defects that do not end the program."""

import subprocess
import sys

import pytest

from emberscope_app.main import begin, hook, main
from emberscope_app.state.log_book import log_book


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
    assert "Traceback" in log_book().lines[-2].details or "Traceback" in log_book().lines[-1].details
    assert "half of nothing" in capsys.readouterr().err


def test_an_unknown_theme_is_wrong_usage(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--theme", "purple"])
    assert stop.value.code == 2
    assert "purple" in capsys.readouterr().err


def test_the_application_starts_and_ends():
    code = (
        "import sys\n"
        "import emberscope_app.main as entry\n"
        "entry.begin = lambda window, paths: (print(window.isVisible(), list(paths)), window.close())\n"
        "sys.exit(entry.main(['--theme', 'light', 'a.npy']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "True ['a.npy']"), done.stderr
