"""Locks of the system on open files."""

import os
import subprocess
import sys
import threading
import time

import pytest

from emberscope.base.process import here, os_lock
from emberscope.base.process.os_lock import HeldFile, is_held

pytestmark = pytest.mark.skipif(
    os.name == "nt", reason="a file that is open can be asked about by handles only there"
)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "lock").write_bytes(b"")
    return tmp_path / "lock"


def asked(path):
    handle = os.open(path, os.O_RDONLY)
    try:
        return is_held(handle)
    finally:
        os.close(handle)


def test_a_file_is_held_until_it_is_closed(path):
    held = HeldFile(os.open(path, os.O_RDWR))
    assert (held.is_guarded, asked(path)) == (True, True)
    held.close()
    held.close()
    assert asked(path) is False


def test_who_asks_does_not_keep_another_from_asking(path):
    first = os.open(path, os.O_RDONLY)
    assert is_held(first) is False
    assert asked(path) is False
    os.close(first)


def test_a_file_that_somebody_asks_about_is_held_a_moment_later(path):
    asking = os.open(path, os.O_RDONLY)
    assert is_held(asking) is False
    threading.Thread(target=lambda: (time.sleep(0.01), os.close(asking))).start()
    held = HeldFile(os.open(path, os.O_RDWR))
    assert held.is_guarded
    held.close()


def test_the_system_lets_go_of_what_a_killed_process_held(path):
    code = (
        "import os, sys; from emberscope.base.process.os_lock import HeldFile\n"
        "HeldFile(os.open(sys.argv[1], os.O_RDWR)); print('held', flush=True); sys.stdin.read()"
    )
    words = [sys.executable, "-c", code, path]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"  # though nothing refers to it any more
        assert asked(path) is True
        other.kill()
    assert asked(path) is False


def test_a_file_system_without_locks_tells_nothing(path, monkeypatch):
    def refuse(handle, how):
        raise OSError(os.strerror(38))

    monkeypatch.setattr(os_lock.fcntl, "flock", refuse)
    held = HeldFile(os.open(path, os.O_RDWR))
    assert not held.is_guarded
    assert asked(path) is None
    held.close()


# --- which process it was


def test_this_process_runs_and_an_earlier_one_of_its_number_does_not():
    assert here.runs(os.getpid(), here.start_of_this())
    assert not here.runs(os.getpid(), "another start")


def test_a_process_that_ended_does_not_run():
    done = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    assert not here.runs(int(done.stdout), here.start_of_this())


@pytest.mark.parametrize("pid", [0, -1, 2**22 + 1, 10**30])
def test_a_number_that_no_process_has_does_not_run(pid):
    assert not here.runs(pid, "never")


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="where processes of others may be hidden"
)
def test_a_process_of_somebody_else_that_is_hidden_counts_as_running(monkeypatch):
    def not_allowed(pid, signal):
        raise PermissionError

    monkeypatch.setattr(here, "_start", lambda process: None)
    monkeypatch.setattr(os, "kill", not_allowed)
    assert here.runs(1, "its start")
