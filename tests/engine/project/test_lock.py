"""One writer: who has a project open is known, and a process that is gone has nothing open."""

import subprocess
import sys

import msgspec
import pytest

from emberscope.project.lock import Locked, Owner, clock, holder, lock_path, take, this_process

from .disks import FailingDisk


@pytest.fixture
def path(tmp_path):
    return tmp_path / "day.ember"


def put(path, **changes):
    """A lock file of somebody."""
    lock_path(path).write_bytes(msgspec.json.encode(msgspec.structs.replace(this_process(), **changes)))


def test_who_takes_the_lock_is_named_to_the_next(path):
    take(path)
    with pytest.raises(Locked, match="the project is open elsewhere \\(this computer, process") as caught:
        take(path)
    assert caught.value.owner.pid == this_process().pid


def test_a_released_lock_leaves_nothing_behind(path):
    take(path).release()
    assert list(path.parent.iterdir()) == []
    assert holder(path) is None


def test_the_lock_of_a_process_that_ended_is_taken_over(path):
    done = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    put(path, pid=int(done.stdout))
    assert take(path).is_held()


def test_the_lock_of_an_earlier_process_of_the_same_number_is_taken_over(path):
    put(path, started="another boot 17")
    assert take(path).is_held()


def test_the_lock_of_another_computer_stays_until_a_person_says_otherwise(path):
    put(path, host="lab-pc", user="ann", started="")
    with pytest.raises(Locked, match=r"open elsewhere \(lab-pc, user ann, process .* --unlock$"):
        take(path)
    assert take(path, anyway=True).is_held()


def test_a_lock_without_content_stands_for_nobody_once_it_is_old(path):
    import os

    lock_path(path).write_bytes(b"")
    os.utime(lock_path(path), (0, 0))
    assert take(path).is_held()


def test_a_lock_that_was_taken_away_is_not_released(path):
    mine = take(path)
    put(path, host="elsewhere")
    assert not mine.is_held()
    mine.release()
    assert holder(path).host == "elsewhere"


def test_a_folder_that_cannot_be_written_needs_no_lock(path):
    assert take(path, disk=FailingDisk(0, for_good=True)) is None


@pytest.mark.parametrize("at", [float("nan"), 1e300, -1e300])
def test_a_time_that_is_none_is_said(at):
    assert clock(at) == "an unknown time"


def test_an_owner_reads_like_a_sentence():
    assert str(Owner(host="bench-2", pid=17, started="", since=0)).startswith("bench-2, process 17, since 1970-01-01")
