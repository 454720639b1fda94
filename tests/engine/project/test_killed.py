"""A process that is killed at any instant loses nothing that it had for two seconds."""

import importlib.util
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[3] / "packaging" / "bench" / "bench_reliability.py"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec = importlib.util.spec_from_file_location("bench_reliability", BENCH)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "bench_reliability", module)
    spec.loader.exec_module(module)
    return module


def test_ten_kills_in_a_row_lose_nothing_older_than_two_seconds(bench, tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))
    rounds = list(bench.kill_rounds(tmp_path, 10, seed=1))
    assert [(found.damaged, found.lost_seconds <= 2.0) for found in rounds] == [(False, True)] * 10
    assert sum(found.reported for found in rounds) > 50


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="limits of a process are those of Linux"
)
@pytest.mark.parametrize("kind", ["disk", "memory"])
def test_kills_with_a_limit_lose_nothing_that_was_not_said(bench, tmp_path, monkeypatch, kind):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))
    rounds = list(bench.kill_rounds(tmp_path, 4, seed=2, kind=kind))
    assert [(found.damaged, found.lost_seconds <= 2.0) for found in rounds] == [(False, True)] * 4


def test_kills_on_a_disk_that_is_full_lose_nothing_that_was_not_said(bench, tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))
    with bench.harm.small_disk(tmp_path / "disk", 24) as mounted:
        if not mounted:
            pytest.skip("no file system may be mounted here")
        rounds = list(bench.kill_rounds(tmp_path / "disk", 4, seed=5, kind="full"))
    assert [(found.damaged, found.lost_seconds <= 2.0) for found in rounds] == [(False, True)] * 4


def test_of_altered_journals_nothing_that_is_whole_is_lost_without_a_word(
    bench, tmp_path, monkeypatch
):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))
    rounds = list(bench.altered_rounds(tmp_path, 9, seed=6))
    assert [(found.how, found.silent, found.unsaid, found.unexplained) for found in rounds] == [
        (found.how, 0, False, False) for found in rounds]
    assert sum(found.actions for found in rounds) > 50


def test_a_worker_that_is_killed_keeps_no_job_waiting(bench):
    assert bench.worker_rounds(2, seed=1) == 4
