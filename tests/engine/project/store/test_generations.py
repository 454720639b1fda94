"""A file is replaced whole or not at all, whichever call fails and whenever the power goes."""

import errno
import os
import subprocess
import sys
import time
from itertools import count

import pytest

from emberscope.base.files import part_path
from emberscope.project import Project, PutSettings
from emberscope.project.store.file import load, save
from emberscope.project.store.generations import (
    ChangedOnDisk,
    SaveError,
    fingerprint,
    fingerprint_of,
    generations,
    replace,
)

from ..disks import FailingDisk, RememberingDisk, laid_out


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "day.ember"
    for content in (b"oldest", b"older", b"old"):
        replace(path, content)
    return path


def kept(path):
    return [p.read_bytes() for p in (path, *generations(path))]


def others(path):
    return sorted(p.name for p in path.parent.iterdir() if p not in (path, *generations(path)))


def saved_or_refused(path, disk):
    """Replace the content by b"new"; what the error says, "" where there is none."""
    try:
        replace(path, b"new", disk=disk)
    except SaveError as error:
        return str(error)
    return ""


def test_two_generations_are_kept(path):
    assert replace(path, b"new") == fingerprint(b"new")
    assert kept(path) == [b"new", b"old", b"older"]
    assert others(path) == []


def test_whichever_call_fails_the_old_or_the_new_file_is_there_and_nothing_else(tmp_path):
    for n in count():
        path = tmp_path / str(n) / "day.ember"
        path.parent.mkdir()
        for content in (b"oldest", b"older", b"old"):
            replace(path, content)
        disk = FailingDisk(n)
        message = saved_or_refused(path, disk)
        if message:
            assert "cannot save: No space left on device. Free some space" in message
        assert path.read_bytes() == (b"old" if message else b"new")
        assert others(path) == []
        if not disk.failed:
            break
    assert n > 8


def test_a_disk_that_fails_for_good_leaves_the_old_file(tmp_path):
    for n in range(9):
        path = tmp_path / str(n) / "day.ember"
        path.parent.mkdir()
        replace(path, b"old")
        message = saved_or_refused(path, FailingDisk(n, for_good=True, error=errno.EIO))
        assert path.read_bytes() == (b"old" if message else b"new")


@pytest.mark.parametrize("keeps", [0.0, 0.5, 1.0, "names"])
def test_after_a_power_cut_at_any_moment_the_old_or_the_new_file_is_there(
    path, tmp_path_factory, keeps
):
    disk = RememberingDisk(path.parent)
    replace(path, b"new content", disk=disk)
    for n in range(len(disk.log) + 1):
        folder = laid_out(disk.after_cut(n, keeps=keeps), tmp_path_factory.mktemp("cut"))
        assert (folder / path.name).read_bytes() in (b"old", b"new content")
    assert n > 6


def test_the_file_after_the_last_call_is_the_new_one_whatever_was_not_synced(path, tmp_path):
    disk = RememberingDisk(path.parent)
    replace(path, b"new", disk=disk)
    state = disk.after_cut(len(disk.log), keeps="names")
    assert state[path.relative_to(path.parent)] == b"new"


def test_a_file_system_without_hard_links_gets_copies(path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    replace(path, b"new")
    assert kept(path) == [b"new", b"old", b"older"]


def test_what_cannot_be_read_back_is_no_save(path):
    class Liar(RememberingDisk):
        def write(self, handle, data):
            super().write(handle, bytes(len(data)))

    with pytest.raises(SaveError, match="cannot be read back at byte 0"):
        replace(path, b"new", disk=Liar(path.parent))
    assert kept(path)[0] == b"old"
    assert others(path) == []


def test_what_a_killed_save_left_is_removed_by_the_next(path):
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    mine = part_path(path)
    left = mine.with_name(mine.name.replace(f"-{os.getpid()}.", f"-{int(gone.stdout)}."))
    left.write_bytes(b"half")
    replace(path, b"new")
    assert others(path) == []


def test_what_another_computer_is_writing_is_left_alone_until_it_is_old(path):
    theirs = path.with_name(f".{path.name}.0badcafe-17.part")
    theirs.write_bytes(b"half")
    replace(path, b"new")
    assert others(path) == [theirs.name]
    os.utime(theirs, (time.time() - 7200,) * 2)
    replace(path, b"newer")
    assert others(path) == []


def test_a_file_that_somebody_else_changed_is_not_replaced(path):
    loaded = fingerprint_of(path)
    path.write_bytes(b"theirs")
    with pytest.raises(
        ChangedOnDisk, match=r"Save under another name to keep both, or open it again"
    ):
        replace(path, b"mine", expected=loaded)
    assert path.read_bytes() == b"theirs"


def test_a_file_that_is_gone_stands_in_nobodys_way(path):
    loaded = fingerprint_of(path)
    path.unlink()
    replace(path, b"mine", expected=loaded)
    assert path.read_bytes() == b"mine"


def test_a_folder_that_is_gone_is_said(tmp_path):
    with pytest.raises(SaveError, match="The folder is gone: save to another one"):
        replace(tmp_path / "gone" / "day.ember", b"new")


def test_a_save_returns_the_fingerprint_of_the_file(tmp_path):
    path = tmp_path / "day.ember"
    assert save(Project(), path) == fingerprint_of(path)


_SAVE_UNDER_A_LIMIT = """
import resource, sys
from pathlib import Path
from emberscope.project import Project, PutSettings
from emberscope.project.store.file import save
from emberscope.project.store.generations import SaveError
project = Project()
project.apply(PutSettings(after={"text": "x" * 200_000}))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    save(project, Path(sys.argv[1]))
except SaveError as error:
    print(error)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")
@pytest.mark.parametrize("limit", [0, 4096, 100_000, 200_000])
def test_a_limit_on_the_size_of_files_ends_in_a_message_not_in_a_dead_process(tmp_path, limit):
    path = tmp_path / "day.ember"
    project = Project()
    project.apply(PutSettings(after={"old": 1}))
    save(project, path)
    done = subprocess.run(
        [sys.executable, "-c", _SAVE_UNDER_A_LIMIT, path, str(limit)],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "cannot save: File too large. Free some space" in done.stdout
    assert load(path).settings == {"old": 1}
    assert others(path) == []


# --- generations outlast failures


def every_content(path):
    """What lies in the folder, whatever it is called."""
    return {entry.read_bytes() for entry in path.parent.iterdir()}


def test_saves_that_fail_at_any_call_however_often_keep_both_generations(tmp_path):
    for n in count():
        path = tmp_path / str(n) / "day.ember"
        path.parent.mkdir()
        for content in (b"oldest", b"older", b"old"):
            replace(path, content)
        disks = [FailingDisk(n) for _ in range(3)]
        saved = [saved_or_refused(path, disk) for disk in disks].count("")
        assert kept(path) == ([b"oldest", b"older", b"old"] + saved * [b"new"])[:-4:-1]
        assert others(path) == []
        if not any(disk.failed for disk in disks):
            break
    assert n > 8


def test_a_disk_that_fails_for_good_from_any_call_on_loses_no_generation(tmp_path):
    for n in range(14):
        path = tmp_path / str(n) / "day.ember"
        path.parent.mkdir()
        for content in (b"oldest", b"older", b"old"):
            replace(path, content)
        saved = [saved_or_refused(path, FailingDisk(n, for_good=True)) for _ in range(3)].count("")
        assert set(([b"oldest", b"older", b"old"] + saved * [b"new"])[:-4:-1]) <= every_content(
            path
        )


def test_a_generation_that_a_save_did_not_come_to_is_kept_by_the_next(path):
    class NoGenerations(RememberingDisk):
        def rename(self, old, new):
            if new in generations(path):
                raise OSError(errno.EIO, "Input/output error")
            super().rename(old, new)

    replace(path, b"new", disk=NoGenerations(path.parent))
    assert kept(path) == [b"new", b"older", b"oldest"]
    assert b"old" in every_content(path)
    replace(path, b"newest")
    assert kept(path) == [b"newest", b"new", b"old"]
    assert others(path) == []


@pytest.mark.parametrize("links", [True, False])
def test_no_generation_is_lost_at_any_moment_of_a_save(path, tmp_path_factory, monkeypatch, links):
    disk = RememberingDisk(path.parent)
    if not links:
        monkeypatch.setattr(
            os,
            "link",
            lambda *_, **__: (_ for _ in ()).throw(OSError(errno.EPERM, "not permitted")),
        )
    replace(path, b"new", disk=disk)
    monkeypatch.undo()
    for n in range(len(disk.log) + 1):
        folder = laid_out(disk.after_cut(n, keeps=1.0), tmp_path_factory.mktemp("cut"))
        there = folder / path.name
        if n < len(disk.log):
            assert {b"old", b"older"} <= every_content(there)
        left = part_path(generations(there)[0], ".kept")
        if left.exists():  # as of a process that is gone
            left.rename(left.with_name(left.name.replace(f"-{os.getpid()}.", "-999999999.")))
        replace(there, b"newest")
        assert kept(there) in ([b"newest", b"old", b"older"], [b"newest", b"new", b"old"])
    assert n > 6


def test_a_file_that_has_the_name_of_a_generation_and_is_no_project_is_never_given_up(path):
    generations(path)[1].write_bytes(b"dear all")
    for content in (b"PROJ 1", b"PROJ 2", b"PROJ 3", b"PROJ 4"):
        replace(path, content, magic=b"PROJ")
    assert kept(path) == [b"PROJ 4", b"PROJ 3", b"PROJ 2"]
    assert {b"dear all", b"old", b"older"} <= every_content(path)
