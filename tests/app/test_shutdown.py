"""However the window ends, the worker ends, the project is unlocked, and nothing that was done is lost."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from emberscope.project.file import load, save
from emberscope.project.lock import lock_path
from emberscope.project.recovery import look

WINDOW = Path(__file__).with_name("window_to_end.py")


@pytest.fixture
def path(tmp_path, small_project):
    """A project without a run, which opens where labels are drawn: the worker has nothing to describe or estimate."""
    small_project.runs.clear()
    save(small_project, tmp_path / "day.ember")
    return tmp_path / "day.ember"


@pytest.fixture
def window_busy(path):
    """`window_busy(what)`: a window of another process that edited the project and is busy; (process, its worker)."""
    opened = []

    def start(what):
        process = subprocess.Popen([sys.executable, WINDOW, what, path], stdout=subprocess.PIPE, text=True)
        opened.append(process)
        return process, int(process.stdout.readline())

    yield start
    for process in opened:
        process.kill()
        process.wait()
        process.stdout.close()


def ends(pid):
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM")
@pytest.mark.parametrize("what", ["idle", "run", "question"])
def test_a_window_that_is_terminated_lets_go_and_keeps_the_work(what, path, window_busy):
    process, worker = window_busy(what)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 0
    assert ends(worker)
    assert not lock_path(path).exists()
    assert look(path).count == 1


@pytest.mark.parametrize("what", ["close in a run", "close in a save"])
def test_a_window_that_is_closed_while_it_is_busy_ends(what, path, window_busy):
    process, worker = window_busy(what)
    assert process.wait(timeout=30) == 0
    assert ends(worker)
    assert not lock_path(path).exists()
    assert look(path) is None
    assert len(load(path).labels) == (20 if what == "close in a save" else 19)
