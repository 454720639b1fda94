"""Files that are there whole or not at all."""

import errno
from pathlib import Path

import pytest

from emberscope.base.files import written_whole


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


def test_a_full_disk_names_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(OSError, match="No space left") as failed, written_whole(tmp_path / "a.txt"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert failed.value.filename == str(tmp_path / "a.txt")


def test_a_missing_folder_keeps_its_kind_of_error(tmp_path):
    with pytest.raises(FileNotFoundError), written_whole(tmp_path / "no" / "a.txt") as partial:
        Path(partial).write_text("x")
