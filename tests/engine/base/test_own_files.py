"""Files of this program where others may have put a link: nothing goes through one, and plain files
are all that goes.
"""

import os
import subprocess
import sys

import pytest

from emberscope.base import own_files
from emberscope.base.cache import clear, trim
from emberscope.base.cache_file import read_arrays, write_arrays
from emberscope.base.files import NotAFile, part_path, parts_of, sidecar, written_whole
from emberscope.base.folders import IN_CACHE, cache_folder
from emberscope.base.own_files import NotOurs
from emberscope.base.process.crash_file import crashes_left
from emberscope.base.process.log_file import append, log_path

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_bytes(b"dear all")
    return tmp_path / "mine"


@pytest.fixture
def link(tmp_path, mine):
    """A link to the folder of the user."""
    (tmp_path / "link").symlink_to(mine)
    return tmp_path / "link"


def contents(folder):
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


@pytest.mark.parametrize("work", [
    lambda link: own_files.remove(link / "letter.txt"),
    lambda link: own_files.remove(link),
    lambda link: own_files.open_own(link / "new", os.O_WRONLY | os.O_CREAT | os.O_EXCL),
    lambda link: own_files.open_own(link / "letter.txt", os.O_WRONLY | os.O_TRUNC),
    lambda link: own_files.rename(link / "letter.txt", link.parent / "letter.txt"),
    lambda link: own_files.make_folder(link / "new"),
    lambda link: own_files.make_folder(link),
    lambda link: own_files.remove_folder(link),
    lambda link: own_files.names_in(link),
], ids=["remove in", "remove", "create", "truncate", "rename", "make in", "make", "remove folder",
        "list"])  # fmt: skip
def test_a_link_to_a_folder_is_not_gone_through(link, mine, work):
    with pytest.raises(NotOurs, match="is a link"):
        work(link)
    assert contents(mine) == {"letter.txt": b"dear all"}


def test_a_folder_that_is_swapped_for_a_link_after_it_was_opened_stays_the_one_that_was_opened(
    tmp_path, mine
):
    (tmp_path / "arrays").mkdir()
    (tmp_path / "arrays" / "letter.txt").write_bytes(b"ours")
    with own_files.folder_of(tmp_path / "arrays" / "letter.txt") as folder:
        (tmp_path / "arrays").rename(tmp_path / "elsewhere")
        (tmp_path / "arrays").symlink_to(mine)
        os.unlink("letter.txt", dir_fd=folder)
    assert contents(mine) == {"letter.txt": b"dear all"}
    assert contents(tmp_path / "elsewhere") == {}


def test_a_link_to_a_file_is_neither_written_nor_replaced_nor_removed(tmp_path, mine):
    place = tmp_path / "ours"
    place.symlink_to(mine / "letter.txt")
    (tmp_path / "new").write_bytes(b"new")
    for flags in (os.O_WRONLY | os.O_TRUNC, os.O_WRONLY | os.O_APPEND, os.O_RDONLY):
        with pytest.raises(NotOurs):
            own_files.open_own(place, flags)
    with pytest.raises(NotOurs, match="ours is a link"):
        own_files.rename(tmp_path / "new", place)
    with pytest.raises(NotOurs):
        own_files.remove(place)
    with pytest.raises(NotAFile, match="this is a link, not a file"):
        own_files.open_own_to_read(place)
    assert place.is_symlink()
    assert contents(mine) == {"letter.txt": b"dear all"}


def test_what_is_written_whole_goes_through_no_link_in_the_place_of_its_part(tmp_path, mine):
    part_path(tmp_path / "a.txt").symlink_to(mine / "letter.txt")
    with pytest.raises(FileExistsError), written_whole(tmp_path / "a.txt") as partial:
        partial.write_text("new")
    assert contents(mine) == {"letter.txt": b"dear all"}


# --- names that are nearly as long as a name may be


@pytest.mark.parametrize("length", [200, 229, 240, 250, 255])
def test_a_file_beside_one_with_a_long_name_has_a_name_that_fits_and_its_own(tmp_path, length):
    one, two = (tmp_path / (letter * (length - 6) + ".ember") for letter in ("a", "b"))
    for suffix in ("~", "~~", "-lock", "-journal", "-journal-arrays"):
        for path in (sidecar(one, suffix), part_path(sidecar(one, suffix))):
            path.write_bytes(b"")
        assert sidecar(one, suffix) != sidecar(two, suffix)
        assert sidecar(one, suffix).name.endswith(suffix)


def test_a_name_that_leaves_room_is_not_cut(tmp_path):
    assert sidecar(tmp_path / ("a" * 250), "-lock").name == "a" * 250 + "-lock"


def test_a_name_is_cut_between_characters(tmp_path):
    path = sidecar(tmp_path / ("\u00e9" * 127), "-journal")
    path.write_bytes(b"")
    assert path.name.startswith("\u00e9" * 100)


@pytest.mark.parametrize("name", ["day.ember", "a" * 255])
def test_the_parts_of_a_file_are_told_from_those_of_its_neighbors(tmp_path, name):
    path, mine = tmp_path / name, part_path(tmp_path / name)
    others = [
        f"{mine.name}x",
        f".{name}-notes.part"[-255:],
        f".{name}.part"[-255:],
        part_path(tmp_path / "b").name,
    ]
    assert parts_of(path, [mine.name, *others]) == [mine]


# --- caches, logs, crashes


@pytest.mark.parametrize("name", IN_CACHE)
def test_a_cache_with_a_link_in_it_is_not_used(tmp_path, mine, monkeypatch, caplog, name):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / name).symlink_to(mine)
    assert cache_folder() != tmp_path / "cache"
    assert f"{name} in it is a link" in caplog.text


def test_emptying_a_cache_goes_through_no_link_and_takes_no_file_of_somebody_else(tmp_path, mine):
    write_arrays(mine / "a", "a", [])
    before = contents(mine)
    (tmp_path / "features").symlink_to(mine)
    (tmp_path / "stages").mkdir()
    (tmp_path / "stages" / "letter.txt").write_bytes(b"dear all")
    (tmp_path / "stages" / "link").symlink_to(mine)
    write_arrays(tmp_path / "stages" / "a", "a", [])
    trim(tmp_path, 0)
    clear(tmp_path)
    assert contents(mine) == before
    assert sorted(entry.name for entry in (tmp_path / "stages").iterdir()) == ["letter.txt", "link"]


def test_a_link_in_the_place_of_a_cache_file_is_neither_read_nor_written_nor_removed(
    tmp_path, mine
):
    write_arrays(mine / "a", "a", [])
    before = contents(mine)
    (tmp_path / "a").symlink_to(mine / "a")
    assert read_arrays(tmp_path / "a", "a") is None
    assert not write_arrays(tmp_path / "a", "a", [])
    assert (tmp_path / "a").is_symlink()
    assert contents(mine) == before


def test_a_second_name_is_given_to_plain_files_only_and_through_no_linked_folder(tmp_path, mine):
    (tmp_path / "to a file").symlink_to(mine / "letter.txt")
    with pytest.raises(NotOurs):
        own_files.link(tmp_path / "to a file", tmp_path / "second")
    (tmp_path / "plain").write_bytes(b"mine")
    (tmp_path / "to a folder").symlink_to(mine)
    with pytest.raises(NotOurs):
        own_files.link(tmp_path / "plain", tmp_path / "to a folder" / "second")
    own_files.link(tmp_path / "plain", tmp_path / "second")
    assert (tmp_path / "second").samefile(tmp_path / "plain")
    assert contents(mine) == {"letter.txt": b"dear all"}


def test_the_log_goes_through_no_link(tmp_path, mine, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))
    log_path().parent.mkdir()
    log_path().symlink_to(mine / "letter.txt")
    with pytest.raises(NotOurs):
        append(log_path(), "opened")
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "another"))
    log_path().parent.symlink_to(mine)
    with pytest.raises(NotOurs):
        append(log_path(), "opened")
    assert contents(mine) == {"letter.txt": b"dear all"}


def test_last_words_go_through_no_link(tmp_path, mine, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))
    folder = tmp_path / "state" / "crashes"
    folder.mkdir(parents=True)
    (folder / "running-999999999.txt").symlink_to(mine / "letter.txt")
    for day in range(10, 20):
        (folder / f"crash-202601{day}-000000-1.txt").symlink_to(mine / "letter.txt")
    code = (
        "import os, pathlib, sys\n"
        "pathlib.Path(sys.argv[1], f'running-{os.getpid()}.txt').symlink_to(sys.argv[2])\n"
        "from emberscope.base.process.crash_file import watch_for_crashes; watch_for_crashes(); "
        "os.abort()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, folder, mine / "letter.txt"], capture_output=True, text=True
    )
    assert "Fatal Python error: Aborted" in done.stderr
    assert crashes_left() == []
    assert contents(mine) == {"letter.txt": b"dear all"}
    assert len(list(folder.iterdir())) == 12
