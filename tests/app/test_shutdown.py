"""However the window ends, the worker ends, the project is unlocked, nothing that was done is lost,
and the process ends by itself: no widget and no thread is left to the interpreter."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from emberscope.project.store.file import load, save
from emberscope.project.store.lock import lock_path
from emberscope.project.store.recovery import look

WINDOW = Path(__file__).with_name("window_to_end.py")
NOTHING_LEFT = "None []"  # no QApplication, no thread
SIGNALS = [name for name in ("SIGTERM", "SIGINT", "SIGHUP") if sys.platform != "win32"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """What the program keeps: journals of projects that were never saved, crashes, files of
    workers."""
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "kept"))
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


@pytest.fixture
def path(tmp_path, small_project):
    """A project without a run, which opens where labels are drawn: the worker has nothing to
    describe or estimate."""
    small_project.runs.clear()
    save(small_project, tmp_path / "day.ember")
    return tmp_path / "day.ember"


@pytest.fixture
def path_with_run(tmp_path, small_project):
    save(small_project, tmp_path / "day.ember")
    return tmp_path / "day.ember"


@pytest.fixture
def window_busy(folder):
    """`window_busy(what, path)`: a window of another process that edited the project and is busy;
    the process, and that of its worker."""
    opened = []

    def start(what, path):
        process = subprocess.Popen(
            [sys.executable, WINDOW, what, path], stdout=subprocess.PIPE, text=True
        )
        opened.append(process)
        said = process.stdout.readline()
        assert said, f"the window ended with {process.wait()}\n{last_words(folder)}"
        return process, int(said)

    yield start
    for process in opened:
        process.kill()
        process.wait()
        process.stdout.close()


def last_words(folder):
    """Of windows that crashed."""
    return "\n".join(path.read_text() for path in folder.rglob("running-*.txt"))


def ends(pid):
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


def left_in(folder):
    """What an orderly end leaves besides logs, and what says that a project that was saved is this
    user's."""
    kept = ("logs", "projects")
    return [
        path.name for path in folder.rglob("*") if path.is_file() and path.parent.name not in kept
    ]


@pytest.mark.parametrize(("name", "what"), [
    *((name, "run") for name in SIGNALS), *((name, "worker killed") for name in SIGNALS),
    *((name, what) for name in SIGNALS[:1] for what in ("idle", "question", "command")),
])
def test_a_window_that_is_terminated_lets_go_and_keeps_the_work(
    name, what, path, folder, window_busy
):
    process, worker = window_busy(what, path)
    process.send_signal(getattr(signal, name))
    assert process.wait(timeout=30) == 0
    assert process.stdout.read().strip() == NOTHING_LEFT
    assert ends(worker)
    assert not lock_path(path).exists()
    assert look(path).count == 1
    assert left_in(folder) == []


@pytest.mark.parametrize(
    "what", ["quit", "quit, worker killed", "close in a run", "close in a save"]
)
def test_a_window_that_is_closed_while_it_is_busy_ends(what, path, folder, window_busy):
    process, worker = window_busy(what, path)
    assert process.wait(timeout=30) == 0
    assert process.stdout.read().strip() == NOTHING_LEFT
    assert ends(worker)
    assert not lock_path(path).exists()
    assert look(path) is None
    assert len(load(path).labels) == (20 if what == "close in a save" else 19)
    assert left_in(folder) == []


def test_a_window_that_ends_while_its_maps_are_painted_leaves_nothing(
    path_with_run, folder, window_busy
):
    process, worker = window_busy("map, worker killed, quit", path_with_run)
    assert process.wait(timeout=30) == 0
    assert process.stdout.read().strip() == NOTHING_LEFT
    assert ends(worker)


def test_a_thread_that_never_ends_keeps_nobody_waiting(path, folder, window_busy):
    """As one that reads from a disk which does not answer."""
    process, worker = window_busy("quit with a thread", path)
    assert process.wait(timeout=30) == 0
    assert ends(worker)
    assert not lock_path(path).exists()
    assert "one that never ends" in (folder / "logs" / "emberscope.log").read_text(encoding="utf-8")


def test_a_start_that_fails_ends_with_an_error_and_no_crash(path, folder):
    done = subprocess.run(
        [sys.executable, WINDOW, "a start that fails", path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.strip().endswith("TypeError: 'NoneType' object is not callable")
