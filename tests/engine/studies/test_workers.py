"""Processes of a study that die, or do not start."""

from types import SimpleNamespace

import pytest

from emberscope.base.errors import WorkerError
from emberscope.project.store.cell_folder import Result, StudyFolder
from emberscope.studies import workers
from emberscope.studies.cells import cells_of
from emberscope.studies.fill import Work
from emberscope.studies.workers import fill_with

from .conftest import study


@pytest.fixture
def work(project, snapshot, tmp_path):
    cells = cells_of(study(method=["pca"]), project)
    return Work(snapshot, cells, StudyFolder(tmp_path / "out"), tmp_path / "cache")


def process(ended):
    """One that is gone at once; ended : gets it when it is told to end."""
    own = SimpleNamespace(is_alive=lambda: False, exitcode=-9, join=lambda *_: None)
    own.terminate = lambda: ended.append(own)
    return own


def started_as(monkeypatch, *lives):
    """What each process does before it is gone, given the pipe that it speaks through; returns the
    list of those that were told to end."""
    turns, ended = iter(lives), []

    def start(_, given, **more):
        next(turns)(given[2])
        return process(ended)

    monkeypatch.setattr(workers, "start", start)
    return ended


def test_a_process_that_dies_after_its_cell_is_done_takes_no_result_away(work, monkeypatch):
    (cell,) = work.cells
    result = Result(key=cell.key, values=cell.values, metrics={"n": 1.0})

    def dies_at_it(pipe):
        pipe.send(cell.key)

    def dies_after_it(pipe):
        pipe.send(cell.key)
        work.folder.put(result)

    started_as(monkeypatch, dies_at_it, dies_after_it, lambda pipe: pipe.send({}))
    found = fill_with(1, work)
    assert (found.results, found.failed) == ({cell.key: result}, {})


def test_a_cell_at_which_two_processes_died_is_given_up(work, monkeypatch):
    (cell,) = work.cells
    dies = [lambda pipe: pipe.send(cell.key)] * 2
    started_as(monkeypatch, *dies, lambda pipe: pipe.send({}))
    assert "2 processes died here" in fill_with(1, work).failed[cell.key]
    kept = work.folder.result(cell.key)
    assert kept.given_up
    assert "2 processes died here" in kept.error


def test_what_was_given_up_is_left_alone_until_somebody_asks(work, monkeypatch):
    (cell,) = work.cells
    work.folder.put(Result(key=cell.key, values=cell.values, error="died", given_up=True))
    assert list(work.folder.results([cell])) == [cell.key]
    work.folder.try_again([cell])
    assert work.folder.results([cell]) == {}


def test_a_result_that_says_why_it_has_no_number_is_not_tried_again(work):
    (cell,) = work.cells
    work.folder.put(Result(key=cell.key, values=cell.values, error="no target"))
    work.folder.try_again([cell])
    assert work.folder.result(cell.key).error == "no target"


def test_where_one_process_cannot_be_started_the_others_end(work, monkeypatch):
    def refused(pipe):
        raise OSError(12, "Cannot allocate memory")

    ended = started_as(monkeypatch, lambda pipe: None, refused)
    with pytest.raises(WorkerError, match="no process could be started"):
        fill_with(2, work)
    assert len(ended) == 1
