"""One writer: who has a project open is known, and a process that is gone has nothing open."""

import errno
import os
import subprocess
import sys
from itertools import count

import msgspec
import pytest

from emberscope.base.errors import ProjectError
from emberscope.base.process import here, os_lock
from emberscope.project.store.disk import Disk
from emberscope.project.store.lock import (
    Locked,
    Owner,
    clock,
    holder,
    lock_path,
    take,
    this_process,
)

from ..disks import CALLS, FailingDisk
from ..racers import GONE, Racer, holders, leave_lock


@pytest.fixture
def path(tmp_path):
    return tmp_path / "day.ember"


def put(path, **changes):
    """A lock file of somebody."""
    lock_path(path).write_bytes(
        msgspec.json.encode(msgspec.structs.replace(this_process(), **changes))
    )


def test_who_takes_the_lock_is_named_to_the_next(path):
    take(path)
    with pytest.raises(
        Locked, match="the project is open elsewhere \\(this computer, process"
    ) as caught:
        take(path)
    assert caught.value.owner.pid == this_process().pid


def test_a_released_lock_leaves_nothing_behind(path):
    take(path).release()
    assert list(path.parent.iterdir()) == []
    assert holder(path) is None


def test_the_lock_of_a_process_that_ended_is_taken_over(path):
    done = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
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
    assert str(Owner(host="bench-2", pid=17, started="", since=0)).startswith(
        "bench-2, process 17, since 1970-01-01"
    )


# --- any number of processes that want one lock


@pytest.fixture
def racers():
    """Starts processes that want locks; they end with the test."""
    started = []

    def start(*how, **more):
        started.append(Racer(*how, **more))
        return started[-1]

    yield start
    for racer in started:
        racer.end()


class Interrupted(Disk):
    """Lets others take the lock of a project before each of its calls from the n-th on; `found` is
    what they got."""

    def __init__(self, n, path, others):
        self.n, self.path, self.others, self.count, self.found = n, path, others, 0, []

    def before(self):
        self.count += 1
        if 0 <= self.count - 1 - self.n < len(self.others):
            self.found.append(self.others[self.count - 1 - self.n].does(f"take {self.path}"))


def _interrupted(name):
    real = getattr(Disk, name)

    def call(self, *arguments):
        self.before()
        return real(self, *arguments)

    return call


for _name in CALLS:
    setattr(Interrupted, _name, _interrupted(_name))


@pytest.mark.parametrize("how", [("hasty",), ("hasty", "nolocks")], ids=["locks", "no locks"])
def test_whoever_comes_between_any_two_steps_one_gets_the_lock_of_a_process_that_ended(
    path, racers, monkeypatch, how
):
    if "nolocks" in how:
        monkeypatch.setattr(os_lock, "hold", lambda handle: False)
        monkeypatch.setattr(os_lock, "is_held", lambda handle: None)
    second, third = racers(*how), racers(*how)
    for n in count():
        leave_lock(path)
        disk = Interrupted(n, path, [second, third])
        try:
            mine = take(path, disk=disk)
        except ProjectError:
            mine = None
        held = [mine.is_held()] if mine is not None else []
        assert held + [True] * disk.found.count("has") == [True]
        if mine is not None:
            mine.release()
        for racer in (second, third):
            racer.does("drop")
        assert list(path.parent.iterdir()) == []
        if disk.count <= n:
            break
    assert n > 6


@pytest.mark.parametrize("how", [(), ("nolocks",)], ids=["locks", "no locks"])
def test_of_six_processes_that_want_the_lock_of_one_that_ended_one_gets_it_each_time(
    path, racers, how
):
    six = [racers(*how) for _ in range(6)]
    assert [holders(six, path) for _ in range(60)] == [1] * 60
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("depth", [1, 2])
def test_a_process_that_is_killed_while_it_takes_a_lock_over_is_in_nobodys_way(path, depth):
    leave_lock(path)
    for number in range(1, depth + 1):
        copy = lock_path(path).with_name(lock_path(path).name + "~" * number)
        copy.write_bytes(lock_path(path).read_bytes())
    mine = take(path)
    assert mine.is_held()
    mine.release()
    assert list(path.parent.iterdir()) == []


def test_a_lock_left_while_it_was_taken_over_goes_with_the_next_one(path):
    leave_lock(path)
    lock_path(path).rename(lock_path(path).with_name(lock_path(path).name + "~"))
    take(path).release()
    assert list(path.parent.iterdir()) == []


# --- containers, and computers of one name


def test_a_process_of_another_container_keeps_its_lock(path, racers, in_a_container):
    inside = racers(before=in_a_container)
    assert inside.does(f"take {path}") == "has"
    with pytest.raises(Locked, match="another container"):
        take(path)
    assert inside.does("drop") == "dropped"
    assert take(path).is_held()
    assert inside.does(f"take {path}") == "locked"
    assert f"process {os.getpid()}" in inside.does(f"holder {path}")


def test_the_lock_of_a_process_of_another_container_that_ended_is_taken_over(
    path, racers, in_a_container
):
    inside = racers(before=in_a_container)
    assert inside.does(f"take {path}") == "has"
    inside.does("end")
    assert inside.answer() == ""
    assert take(path).is_held()


def test_where_no_locks_are_kept_that_of_another_container_stays_until_a_person_says_otherwise(
    path, racers, in_a_container
):
    inside = racers("nolocks", before=in_a_container)
    assert inside.does(f"take {path}") == "has"
    inside.does("end")
    assert inside.answer() == ""
    with pytest.raises(
        Locked, match="If that container is gone: emberscope recover PROJECT --unlock"
    ):
        take(path)
    assert take(path, anyway=True).is_held()


@pytest.mark.parametrize("others", [
    {"machine": "another", "boot": "another"}, {"machine": "another"},
    # An image of a disk that several computers were made of
    {"boot": "0b1c2d3e-0000-0000-0000-000000000000"},
], ids=["all", "machine", "boot"])  # fmt: skip
def test_another_computer_of_the_same_name_keeps_its_lock(path, others):
    put(path, pid=GONE, started="never", **others)
    with pytest.raises(Locked, match="another computer called"):
        take(path)
    assert not holder(path).is_here


def test_the_lock_of_an_earlier_start_of_this_computer_is_taken_over(path):
    put(path, boot="0b1c2d3e-0000-0000-0000-000000000000", since=1e9)
    assert take(path).is_held()


# An older version kept none of these
OLD = {"machine": "", "boot": "", "space": "", "token": "", "guarded": False}


def put_old(path, **changes):
    put(path, **OLD, **changes)
    kept = msgspec.json.decode(lock_path(path).read_bytes())
    lock_path(path).write_bytes(
        msgspec.json.encode({name: kept[name] for name in kept if name not in OLD})
    )


def test_a_lock_of_an_older_version_is_understood(path):
    put_old(path)
    with pytest.raises(Locked, match="this computer, process"):
        take(path)
    put_old(path, pid=GONE)
    assert take(path).is_held()


def test_a_lock_of_an_older_version_on_a_computer_of_the_same_name_stays(path):
    put_old(path, started="0b1c2d3e-0000-0000-0000-000000000000 17")
    with pytest.raises(Locked, match="another computer called"):
        take(path)


def test_a_process_that_the_system_shows_nobody_is_alive_while_it_holds_its_lock(path, monkeypatch):
    mine = take(path)
    monkeypatch.setattr(here, "runs", lambda pid, started: False)
    monkeypatch.setattr(Owner, "is_this_process", False)
    with pytest.raises(Locked):
        take(path)
    mine.release()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process is forked here")
def test_a_process_that_was_forked_neither_has_the_lock_nor_releases_it(path):
    mine = take(path)
    child = os.fork()
    if child == 0:
        held = mine.is_held()
        mine.release()
        os._exit(held)
    assert os.waitpid(child, 0)[1] == 0
    assert mine.is_held()
    mine.release()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process is forked here")
def test_a_forked_process_does_not_keep_the_lock_of_its_parent(path):
    code = (
        "import os, sys, time; from emberscope.project.store.lock import take; mine = "
        "take(sys.argv[1])\n"
        "if os.fork() == 0:\n    os.close(1); time.sleep(60)\n"
        "print(os.getpid(), flush=True); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, path], stdout=subprocess.PIPE, check=True)
    assert take(path).is_held()


# --- file systems


def test_a_file_system_without_hard_links_has_locks_all_the_same(path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    mine = take(path)
    with pytest.raises(Locked):
        take(path)
    mine.release()
    assert list(path.parent.iterdir()) == []
    leave_lock(path)
    assert take(path).is_held()


def test_a_lock_that_is_written_into_a_full_disk_without_hard_links_leaves_nothing(
    path, monkeypatch
):
    monkeypatch.setattr(
        os, "link", lambda *_, **__: (_ for _ in ()).throw(OSError(errno.EPERM, "no"))
    )
    for n in range(8):
        found = take(path, disk=FailingDisk(n))
        if found is not None:
            found.release()
        assert [entry.name for entry in path.parent.iterdir()] == []


def test_a_full_disk_does_not_hide_who_has_the_project(path):
    take(path)
    with pytest.raises(Locked):
        take(path, disk=FailingDisk(0, for_good=True))


def test_a_file_that_is_no_lock_is_not_taken_for_one(path):
    lock_path(path).write_bytes(b"dear all")
    os.utime(lock_path(path), (0, 0))
    with pytest.raises(
        ProjectError, match=r"day.ember-lock is no lock of this program\. Move it away"
    ):
        take(path)
    assert lock_path(path).read_bytes() == b"dear all"


@pytest.mark.parametrize("content", [b"", bytes(100), b'{"host":"vm","pi'])
def test_what_a_power_cut_left_of_a_lock_is_taken_over_once_it_is_old(path, content):
    lock_path(path).write_bytes(content)
    os.utime(lock_path(path), (0, 0))
    assert take(path).is_held()
