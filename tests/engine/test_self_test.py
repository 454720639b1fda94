"""The self-test: all is well here, and each thing that is broken is named with the way out."""

import os
import subprocess
import sys
import tempfile

import pytest

from emberscope import self_test as module
from emberscope.self_test import NAMES, self_test


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    """A cache and a state folder of the test's own."""
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))
    return tmp_path


@pytest.fixture
def only(monkeypatch):
    """`only("Journal")`: the check of that name, alone."""

    def one(name):
        monkeypatch.setattr(module, "_CHECKS", tuple(row for row in _ALL if row[0] == name))
        (check,) = self_test()
        return check

    return one


_ALL = module._CHECKS


def test_nothing_fails_here_and_nothing_is_left_behind(folders):
    checks = list(self_test())
    assert [check.name for check in checks] == list(NAMES)
    assert [check for check in checks if check.state == "failed"] == []
    assert list(folders.rglob("self-test*")) == []
    assert list(folders.rglob("worker-*")) == []


def test_a_journal_that_loses_a_step_is_noticed(only, monkeypatch):
    monkeypatch.setattr(
        "emberscope.project.store.open_project.OpenProject.did", lambda opened, operation: None
    )
    check = only("Journal")
    assert (check.state, check.words[:25]) == ("failed", "a step did not come back ")


def test_a_full_disk_under_the_journal_is_said(only, monkeypatch):
    def full(disk, handle, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("emberscope.project.store.disk.Disk.write", full)
    check = only("Journal")
    assert check.state == "failed"
    assert "No space left" in check.words


def test_a_cache_that_believes_damage_is_noticed(only, monkeypatch):
    monkeypatch.setattr(
        "emberscope.features.cache.cached", lambda folder, key, compute: (compute()[0] + 1,)
    )
    assert only("Cache").state == "failed"


def test_a_cache_that_believes_a_changed_byte_is_noticed(only, monkeypatch):
    monkeypatch.setattr("emberscope.base.cache_file.zlib.crc32", lambda data, start=0: 0)
    assert only("Cache").words[:29] == "a damaged entry was believed."


def test_a_cache_that_keeps_everything_is_noticed(only, monkeypatch):
    monkeypatch.setattr(module, "trim", lambda folder, most: most)
    assert only("Cache").words[:29] == "what was used longest ago doe"


def test_the_damage_of_the_self_test_is_not_in_the_log(only, caplog):
    assert only("Cache").state == "ok"
    assert caplog.records == []


def test_a_worker_that_does_not_start_is_said(only, monkeypatch):
    monkeypatch.setattr("emberscope.jobs.client.Worker.start", lambda worker: 1 / 0)
    check = only("Worker")
    assert (check.state, check.words) == ("failed", "ZeroDivisionError: division by zero")


def test_a_job_that_cannot_be_stopped_is_noticed(only, monkeypatch):
    monkeypatch.setattr("emberscope.jobs.client.Worker.cancel", lambda worker, job: None)
    monkeypatch.setattr(module, "_PATIENCE", 0.5)
    check = only("Worker")
    assert (check.state, check.words[:26]) == ("failed", "the worker does not answer")


@pytest.mark.parametrize(
    ("free", "state"), [(1 << 20, "failed"), (200 << 20, "warn"), (9 << 30, "ok")]
)
def test_little_room_is_a_warning_and_none_a_failure(free, state, only, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda folder: type("Usage", (), {"free": free}))
    assert only("Free disk").state == state


def test_a_folder_that_cannot_be_written_is_named(only, monkeypatch, folders):
    def refuse(*, dir):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    check = only("Folders")
    assert check.state == "failed"
    assert str(folders / "cache") in check.words


def test_a_library_of_the_window_may_be_missing_one_of_the_engine_may_not(only, monkeypatch):
    monkeypatch.setattr(module, "version", lambda name: "missing" if name == "vispy" else "1")
    assert only("Libraries").state == "warn"
    monkeypatch.setattr(module, "version", lambda name: "missing" if name == "numpy" else "1")
    assert only("Libraries").state == "failed"


def test_a_process_that_takes_a_while_to_end_is_waited_for():
    slow = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.3)"])
    assert module._ends(slow.pid)
    slow.wait()


def test_a_process_that_does_not_end_is_noticed(monkeypatch):
    monkeypatch.setattr(module, "_ENDING", 0.1)
    assert not module._ends(os.getpid())
