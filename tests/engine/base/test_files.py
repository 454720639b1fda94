"""Files that are there whole or not at all, and what is no file."""

import errno
import os
import socket
import sys
from pathlib import Path

import pytest

from emberscope.base.errors import FormatError
from emberscope.base.files import (
    NotAFile,
    check_folder,
    check_growth,
    is_there,
    open_to_read,
    part_path,
    read_bytes,
    written_whole,
)

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="paths of Linux")


def test_the_file_appears_at_the_end(tmp_path):
    with written_whole(tmp_path / "a.txt") as partial:
        partial.write_text("new")
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(ZeroDivisionError), written_whole(tmp_path / "a.txt") as partial:
        partial.write_text(f"new {1 / 0}")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.txt", "old")]


NOBODY = 2**31 - 1  # no process has this number


@pytest.mark.parametrize(("writer", "left"), [(NOBODY, False), (os.getppid(), True)])
def test_what_a_killed_process_left_of_a_file_goes_when_it_is_written_again(
        tmp_path, writer, left):  # fmt: skip
    mine = part_path(tmp_path / "a.txt").name
    theirs = tmp_path / mine.replace(f"-{os.getpid()}.", f"-{writer}.")
    theirs.write_text("half of")
    with written_whole(tmp_path / "a.txt"):
        pass
    assert theirs.exists() == left


def test_a_full_disk_names_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(OSError, match="No space left") as failed, written_whole(tmp_path / "a.txt"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert failed.value.filename == str(tmp_path / "a.txt")


def test_a_missing_folder_keeps_its_kind_of_error(tmp_path):
    with pytest.raises(FileNotFoundError), written_whole(tmp_path / "no" / "a.txt") as partial:
        Path(partial).write_text("x")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in the file system")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a")
    with pytest.raises(NotAFile, match="this is a pipe, not a file"):
        open_to_read(tmp_path / "a")


@pytest.mark.skipif(
    not hasattr(socket, "AF_UNIX"), reason="this system has no sockets in the file system"
)
def test_a_socket_is_named(tmp_path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        with pytest.raises(NotAFile, match="this is a socket, not a file"):
            open_to_read(tmp_path / "s")


def test_a_folder_is_named(tmp_path):
    with pytest.raises(NotAFile, match="this is a folder, not a file"):
        open_to_read(tmp_path)


@LINUX
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/dev/zero", "a device"),
        ("/proc/self/status", "a view into the system"),
        ("/sys/kernel/notes", "a view"),
    ],
)
def test_what_the_system_makes_up_is_no_file(path, kind):
    if not Path(path).exists():
        pytest.skip(f"no {path} here")
    with pytest.raises(NotAFile, match=f"this is {kind}"):
        open_to_read(path)


@LINUX
def test_a_link_is_what_it_leads_to(tmp_path):
    (tmp_path / "whole").write_bytes(b"abc")
    (tmp_path / "good").symlink_to("whole")
    (tmp_path / "bad").symlink_to("/dev/zero")
    assert read_bytes(tmp_path / "good") == b"abc"
    with pytest.raises(NotAFile):
        read_bytes(tmp_path / "bad")


@LINUX
def test_nothing_is_looked_for_in_a_folder_of_views_into_the_system():
    with pytest.raises(NotAFile, match="a view into the system"):
        check_folder("/proc/self")


@pytest.mark.parametrize("path", ["a\0b", "x" * 70_000])
def test_a_path_that_no_file_system_can_hold_is_not_there(path):
    assert not is_there(path)
    with pytest.raises(OSError):
        open_to_read(path)


@pytest.mark.parametrize(("wanted", "there"), [(64 << 20, 1), (100 << 20, 1 << 20)])
def test_what_is_packed_may_grow_to_64_mib_or_a_hundred_times_its_size(wanted, there):
    check_growth("a.png", wanted, there)
    with pytest.raises(FormatError, match="is not believed"):
        check_growth("a.png", wanted + 1, there)
