"""A process that crashes leaves its last words; one that ends by itself, or is killed, leaves
nothing."""

import subprocess
import sys

import pytest

from emberscope.base.process.crash_file import crashes_left

WATCH = (
    "from emberscope.base.process.crash_file import watch_for_crashes; watch_for_crashes(); "
    "import os, signal\n"
)


@pytest.fixture(autouse=True)
def crashes(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path))
    return tmp_path / "crashes"


def run(code):
    return subprocess.run(
        [sys.executable, "-c", WATCH + code], capture_output=True, text=True, check=False
    )


def test_a_crash_leaves_the_stacks_of_its_threads(crashes):
    assert run("def deep(): os.kill(os.getpid(), signal.SIGSEGV)\ndeep()").returncode != 0
    (crash,) = crashes_left()
    assert crash.text.startswith("Emberscope ")
    assert "in deep" in crash.text
    assert crash.path.parent == crashes
    assert crash.path.exists()


def test_a_crash_is_said_once():
    run("os.abort()")
    assert len(crashes_left()) == 1
    assert crashes_left() == []


@pytest.mark.parametrize("code", ["", "raise SystemExit(3)", "1 / 0"])
def test_a_process_that_ends_by_itself_leaves_nothing(code, crashes):
    run(code)
    assert list(crashes.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_process_that_was_killed_is_no_crash(crashes):
    run("os.kill(os.getpid(), signal.SIGKILL)")
    assert crashes_left() == []
    assert list(crashes.iterdir()) == []


def test_a_process_that_runs_is_not_looked_at(crashes):
    import os

    crashes.mkdir()
    (crashes / f"running-{os.getpid()}.txt").write_text("Emberscope\nFatal Python error\n")
    assert crashes_left() == []


def test_the_last_five_crashes_are_kept(crashes):
    crashes.mkdir()
    for day in range(10, 19):
        (crashes / f"crash-202601{day}-000000-1.txt").write_text("Emberscope\nFatal\n")
    crashes_left()
    assert [path.name[6:14] for path in sorted(crashes.iterdir())] == [
        f"202601{day}" for day in range(14, 19)
    ]


def test_where_no_file_can_be_made_the_words_go_to_standard_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "file"))
    assert "Fatal Python error" in run("os.abort()").stderr
