"""Folders of workers: those of programs that are gone are removed, with nothing that is somebody
else's."""

import os

import pytest

from emberscope.base.own_files import open_own
from emberscope.base.process.os_lock import HeldFile
from emberscope.jobs.folders import own_folder

GONE = "worker-999999999-abcdefgh"
LINKS = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


@pytest.fixture
def left(tmp_path):
    """The folder of a program that was killed."""
    folder = tmp_path / "jobs" / GONE
    (folder / "warm-x").mkdir(parents=True)
    for name in ("0123456789abcdef" * 2 + ".bin", "worker.log", "alive", "warm-x/noise.npy"):
        (folder / name).write_bytes(b"")
    return folder


def test_it_goes_with_all_that_is_in_it(left, tmp_path):
    own_folder(tmp_path / "jobs")
    assert not left.exists()


def test_what_is_no_worker_s_stays_and_keeps_its_folder(left, tmp_path):
    (left / "letter.txt").write_bytes(b"dear all")
    own_folder(tmp_path / "jobs")
    assert [path.name for path in left.iterdir()] == ["letter.txt"]


@pytest.mark.skipif(os.name == "nt", reason="there processes have one space of numbers")
def test_one_that_is_held_by_a_process_of_another_container_stays(left, tmp_path):
    held = HeldFile(open_own(left / "alive", os.O_RDWR))
    own_folder(tmp_path / "jobs")
    held.close()
    assert len(list(left.iterdir())) == 4


@LINKS
@pytest.mark.parametrize("place", [GONE, f"{GONE}x/warm-y"])
def test_a_link_is_not_followed(tmp_path, place):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "worker.log").write_bytes(b"")
    (tmp_path / "jobs" / place).parent.mkdir(parents=True)
    (tmp_path / "jobs" / place).symlink_to(tmp_path / "mine")
    own_folder(tmp_path / "jobs")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["worker.log"]
    assert (tmp_path / "jobs" / place).is_symlink()
