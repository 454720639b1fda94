"""Damaged files of every kind are read, or refused with one line; finds of longer hunts are kept
here.

`bootstrap.py bench fuzz` hunts for minutes where this takes seconds.
"""

import random
import sys
from pathlib import Path

import pytest

# The process that reads imports these by their names
sys.path.insert(0, str(Path(__file__).parent))
from fuzz_children import Case, Child, file_of
from fuzz_families import FAMILIES, own_folders

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="limits of memory are those of Linux"
)
TRIES = 24     # damaged files of a family
SECONDS = 60.0
FINDS = Path(__file__).parent / "finds"


@pytest.fixture(scope="module")
def child():
    with Child(seconds=SECONDS) as child:
        yield child


@pytest.mark.parametrize("family", FAMILIES)
def test_damaged_files_are_read_or_refused_with_one_line(child, family):
    seeds = list(FAMILIES[family].seeds)
    cases = [Case(family, seeds[number % len(seeds)], number) for number in range(TRIES)]
    assert [find for case in cases if (find := child.read(case)) is not None] == []


@pytest.mark.parametrize("path", sorted(FINDS.iterdir()), ids=lambda path: path.stem)
def test_what_was_found_once_is_read_or_refused_with_one_line(child, path):
    assert child.read(Case(path.stem.partition("-")[0], path.name, 0), path.read_bytes()) is None


@pytest.mark.parametrize("family", ["cache", "store", "video-index", "kernel"])
def test_whole_files_of_the_cache_are_believed(family, tmp_path, caplog, monkeypatch):
    from emberscope.base import cache_file

    read = []
    monkeypatch.setattr(
        cache_file, "_array", lambda *args, whole=cache_file._array: read.append(1) or whole(*args)
    )
    known = FAMILIES[family]
    ((seed, write),) = known.seeds.items()
    with own_folders(tmp_path):
        known.beside(tmp_path)
        write(tmp_path / seed)
        read.clear()
        known.read(tmp_path / seed)
    assert read
    assert not caplog.records


def test_a_case_is_the_same_file_every_time():
    case = Case("voc", "clip.xml", 7)
    assert file_of(case) == file_of(case)


def test_damage_changes_most_files():
    data, family = b"II*\0" + bytes(range(200)), FAMILIES["tiff"]
    from fuzz_families import damaged

    assert sum(damaged(family, data, random.Random(k)) != data for k in range(50)) > 45


def test_a_reader_that_never_ends_is_a_find():
    with Child(seconds=1.0) as child:
        assert child.read(Case("sleeps", "", 0), b"").key == "sleeps: it takes too long"


def test_a_reader_that_fills_the_memory_is_a_find(child):
    assert "MemoryError" in child.read(Case("fills", "", 0), b"").key
