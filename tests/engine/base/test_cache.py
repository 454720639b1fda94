"""One bound over all caches."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from emberscope.base import cache
from emberscope.base.cache import bound, clear, keep_bounded, set_bound, trim, usage
from emberscope.base.cache_file import read_arrays, write_arrays
from emberscope.base.errors import Cancelled, ParamError
from emberscope.base.files import part_path

SIZE = 8192


def put(folder, name, *, used=None):
    """A file of about 8 kB, used at a time."""
    write_arrays(folder / name, name, [np.zeros(1000)])
    if used is not None:
        os.utime(folder / name, (used, used))


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.fixture(autouse=True)
def _first_look(monkeypatch):
    monkeypatch.delenv("EMBERSCOPE_CACHE_GIB", raising=False)
    monkeypatch.setattr(cache, "_last", [])


def test_the_file_used_longest_ago_goes_first_whatever_its_kind(tmp_path):
    for used, name in enumerate(["stages/a", "features/x/b", "video-index/c", "stages/d"]):
        put(tmp_path, name, used=1e9 + used)
    trim(tmp_path, 3 * SIZE)
    assert names(tmp_path) == ["stages/d", "video-index/c"]


def test_below_the_bound_nothing_goes(tmp_path):
    put(tmp_path, "stages/a")
    assert trim(tmp_path, SIZE + 200) == (tmp_path / "stages" / "a").stat().st_size
    assert names(tmp_path) == ["stages/a"]


def test_reading_counts_as_use(tmp_path):
    for used, name in enumerate(["stages/a", "stages/b"]):
        put(tmp_path, name, used=1e9 + used)
    read_arrays(tmp_path / "stages" / "a", "stages/a")
    trim(tmp_path, int(1.5 * SIZE))
    assert names(tmp_path) == ["stages/a"]


def test_the_sample_and_compiled_code_are_no_cache(tmp_path):
    for name in ("sample/frames.arf", "kernels/k.nbi", "jobs/worker-1-x/a.bin", "stages/a"):
        put(tmp_path, name)
    clear(tmp_path)
    assert names(tmp_path) == ["jobs/worker-1-x/a.bin", "kernels/k.nbi", "sample/frames.arf"]


def test_usage_is_by_kind(tmp_path):
    put(tmp_path, "features/x/a")
    put(tmp_path, "features/y/b")
    found = usage(tmp_path)
    assert found["features"].files == 2
    assert found["features"].bytes > 2 * 8000
    assert found["video-index"] == (0, 0)


def test_the_bound_is_eight_gibibytes(tmp_path):
    assert bound(tmp_path) == 8 << 30


def test_the_bound_that_was_set_stands_for_every_process(tmp_path):
    set_bound(tmp_path, 0.5)
    assert bound(tmp_path) == 1 << 29


def test_the_environment_goes_before_the_setting(tmp_path, monkeypatch):
    set_bound(tmp_path, 0.5)
    monkeypatch.setenv("EMBERSCOPE_CACHE_GIB", "2")
    assert bound(tmp_path) == 2 << 30


@pytest.mark.parametrize("words", ["", "much", "-1", "nan", "inf", "1e9"])
def test_a_bound_that_is_none_is_the_usual_one(tmp_path, monkeypatch, words):
    (tmp_path / "bound-gib").write_text(words)
    monkeypatch.setenv("EMBERSCOPE_CACHE_GIB", words)
    assert bound(tmp_path) == 8 << 30


@pytest.mark.parametrize("gib", [-1.0, float("nan"), float("inf")])
def test_a_bound_that_is_none_cannot_be_set(tmp_path, gib):
    with pytest.raises(ParamError, match="Give 0 - 1000000 GiB"):
        set_bound(tmp_path, gib)
    assert names(tmp_path) == []


def test_what_this_process_writes_is_bounded_without_a_look_after_each_file(tmp_path, monkeypatch):
    set_bound(tmp_path, 20 * SIZE / 2**30)
    looks = []
    monkeypatch.setattr(cache, "trim", lambda *args: looks.append(args) or trim(*args))
    for i in range(100):
        put(tmp_path, f"stages/{i:03d}", used=1e9 + i)
        keep_bounded(tmp_path)
    assert sum(found.bytes for found in usage(tmp_path).values()) <= 20 * SIZE
    assert len(looks) < 60


def test_what_a_killed_writer_left_is_removed_and_what_is_being_written_is_not(tmp_path):
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    put(tmp_path, "stages/a")
    mine = part_path(tmp_path / "stages" / "b")
    left = mine.with_name(mine.name.replace(f"-{os.getpid()}.", f"-{int(gone.stdout)}."))
    for part in (mine, left):
        part.write_bytes(b"half")
    trim(tmp_path, 1 << 30)
    assert (mine.exists(), left.exists()) == (True, False)


def test_a_reader_never_sees_half_a_file_while_the_cache_is_emptied(tmp_path):
    over = threading.Event()

    def empty():
        while not over.is_set():
            trim(tmp_path, 0)

    thread = threading.Thread(target=empty)
    thread.start()
    found = []
    for _ in range(300):
        put(tmp_path, "stages/a")
        found.append(read_arrays(tmp_path / "stages" / "a", "stages/a"))
    over.set()
    thread.join()
    whole = [arrays for arrays in found if arrays is not None]
    assert not any(arrays[0].any() for arrays in whole)


def test_clearing_can_be_stopped(tmp_path):
    put(tmp_path, "stages/a")

    class Impatient:
        def step(self, fraction, message=""):
            raise Cancelled

        def partial(self, Z): ...

    with pytest.raises(Cancelled):
        clear(tmp_path, monitor=Impatient())
    assert names(tmp_path) == ["stages/a"]


def test_a_cache_that_is_not_there_is_empty(tmp_path):
    assert (clear(tmp_path / "no"), trim(tmp_path / "no", 0)) == (0, 0)
