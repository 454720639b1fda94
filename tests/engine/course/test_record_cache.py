"""What is kept on disk between runs: damage there is computed again, and never becomes a number."""

import logging
import os
import threading

import msgspec
import numpy as np
import pytest

from emberscope.base import cache as bounded
from emberscope.base.cache_file import write_arrays
from emberscope.course.record_cache import cached_record, kept_record
from emberscope.features.cache import digest
from emberscope.pipeline import run
from emberscope.project.model.compare import same

from .conftest import RECIPE

METHOD = msgspec.structs.replace(RECIPE, method="s-le")


def numbers(found):
    """What a person would see of a run."""
    return (
        found.Z,
        found.point_scores,
        {name: value for name, value in found.metrics.items() if "seconds" not in name},
    )


def zeroed(data):
    middle = len(data) // 2
    return data[:middle] + bytes(min(4096, len(data) - middle)) + data[middle + 4096 :]


def flipped(data):
    return data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :]


def cut(data):
    return data[: len(data) * 2 // 3]


def emptied(data):
    return b""


def of_noise(data):
    return np.random.default_rng(0).bytes(len(data))


@pytest.mark.parametrize("damage", [zeroed, flipped, cut, emptied, of_noise])
def test_whatever_happens_to_every_file_of_the_cache_the_run_is_the_same(
    project, cache, caplog, damage
):
    first = run(project, METHOD, cache=cache)
    files = list(cache.rglob("*.arrays"))
    for file in files:
        file.write_bytes(damage(file.read_bytes()))
    with caplog.at_level(logging.WARNING):
        again = run(project, METHOD, cache=cache)
    assert same(numbers(again), numbers(first))
    assert {
        record.args[0] for record in caplog.records if record.levelno == logging.WARNING
    } == set(files)
    caplog.clear()
    assert same(numbers(run(project, METHOD, cache=cache)), numbers(first))
    assert not [record for record in caplog.records if record.levelno == logging.WARNING]


def test_files_that_change_places_are_not_believed(project, cache):
    first = run(project, METHOD, cache=cache)
    files = sorted((cache / "stages").iterdir())
    contents = [file.read_bytes() for file in files]
    for file, content in zip(files, contents[1:] + contents[:1], strict=True):
        file.write_bytes(content)
    assert same(numbers(run(project, METHOD, cache=cache)), numbers(first))


def test_a_whole_file_that_holds_no_record_is_computed_again(tmp_path):
    key = {"stage": "scores"}
    write_arrays(tmp_path / f"{digest(key)}.arrays", digest(key), [np.arange(9, dtype=np.uint8)])
    assert kept_record(tmp_path, key, kind=dict[str, int]) is None
    assert cached_record(tmp_path, key, lambda: {"a": 1}, kind=dict[str, int]) == {"a": 1}
    assert kept_record(tmp_path, key, kind=dict[str, int]) == {"a": 1}


def test_a_cache_of_no_bytes_costs_time_only(project, cache, tmp_path, monkeypatch):
    first = run(project, METHOD, cache=cache)
    monkeypatch.setenv("EMBERSCOPE_CACHE_GIB", "0")
    assert same(numbers(run(project, METHOD, cache=tmp_path / "none")), numbers(first))
    assert not [path for path in (tmp_path / "none").rglob("*") if path.is_file()]


def test_a_run_ends_well_while_its_cache_is_emptied_all_the_time(project, cache, tmp_path):
    first = run(project, METHOD, cache=cache)
    over = threading.Event()

    def empty():
        while not over.wait(0.001):
            bounded.trim(tmp_path / "other", 0)

    thread = threading.Thread(target=empty)
    thread.start()
    try:
        for _ in range(3):
            assert same(numbers(run(project, METHOD, cache=tmp_path / "other")), numbers(first))
    finally:
        over.set()
        thread.join()


def test_other_libraries_compute_other_entries(monkeypatch):
    from emberscope.course import versions

    monkeypatch.setattr(versions, "versions", lambda: {"numpy": "1"})
    one = versions.code_version.__wrapped__()
    monkeypatch.setattr(versions, "versions", lambda: {"numpy": "2"})
    assert versions.code_version.__wrapped__() != one


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_a_cache_that_cannot_be_written_costs_time_only(project, cache):
    cache.mkdir(exist_ok=True)
    cache.chmod(0o500)
    try:
        assert np.isfinite(run(project, METHOD, cache=cache).Z).all()
    finally:
        cache.chmod(0o700)
