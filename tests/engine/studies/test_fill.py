"""A grid is filled cell by cell: nothing twice, nothing lost, by one process or by several."""

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import Cancelled, FormatError, ProjectError, TooLarge
from emberscope.base.monitor import Watch
from emberscope.course.stages import separation
from emberscope.pipeline import run as make_run
from emberscope.project.store.cell_folder import Result, StudyFolder
from emberscope.studies import estimate as estimating
from emberscope.studies import fill as filling
from emberscope.studies import results
from emberscope.studies.cells import cells_of
from emberscope.studies.estimate import estimate_cells
from emberscope.studies.fill import Work, fill
from emberscope.studies.pace import Pace
from emberscope.studies.results import compute
from emberscope.studies.workers import fill_with

from .conftest import study


@pytest.fixture
def work(project, snapshot, tmp_path):
    """Four cells, and where they go."""
    cells = cells_of(study(method=["pca", "lpp"], seed=[0, 1]), project)
    return Work(snapshot, cells, StudyFolder(tmp_path / "out"), tmp_path / "cache")


@pytest.fixture
def computed(monkeypatch):
    """The keys of cells that are computed from now on."""
    keys = []

    def count(snapshot, cell, cache, monitor=None):
        keys.append(cell.key)
        return compute(snapshot, cell, cache, monitor)

    monkeypatch.setattr(filling, "compute", count)
    return keys


def numbers(filled):
    return {key: result.metrics for key, result in filled.results.items()}


def test_every_cell_has_a_result(work):
    assert fill(work).results.keys() == {cell.key for cell in work.cells}


def test_a_cell_has_the_numbers_of_a_run_of_its_recipe(work, project, tmp_path):
    result = compute(work.snapshot, work.cells[0], work.cache)
    run = make_run(project, work.cells[0].recipe, cache=tmp_path / "other", at_any_cost=False)
    shared = result.metrics.keys() & run.metrics.keys()
    assert {"method_bag_auc", "trustworthiness"} <= shared
    assert {key: result.metrics[key] for key in shared} == {key: run.metrics[key] for key in shared}


def test_what_is_done_is_not_computed_again(work, computed):
    fill(work)
    fill(work)
    assert sorted(computed) == sorted(cell.key for cell in work.cells)


def test_a_study_that_is_stopped_goes_on(work, computed):
    stop = Watch(stop=lambda: len(computed) == 2)
    with pytest.raises(Cancelled):
        fill(work, monitor=stop)
    done = len(work.folder.results(work.cells))
    assert 1 <= done <= 2
    assert len(fill(work).results) == 4


def test_a_cell_whose_file_is_damaged_is_computed_again(work, computed):
    fill(work)
    damaged = work.folder.path / "cells" / f"{work.cells[1].key}.json"
    damaged.write_bytes(b'{"key"')
    fill(work)
    assert computed.count(work.cells[1].key) == 2


def test_a_cell_that_somebody_else_computes_is_left_to_them(work, computed):
    with work.folder.lease(work.cells[0].key) as mine, StudyFolder(work.folder.path).lease(
        work.cells[0].key
    ) as theirs:
        assert (mine, theirs) == (True, False)


def test_several_processes_give_the_same_numbers(work, tmp_path):
    alone = numbers(fill(work))
    shared = Work(work.snapshot, work.cells, StudyFolder(tmp_path / "two"), tmp_path / "cache2")
    assert numbers(fill_with(2, shared)) == alone


def test_a_recipe_that_the_labels_do_not_allow_is_a_result_that_says_so(project, snapshot, work):
    cells = cells_of(study(split=["clip folds=4"]), project)
    (result,) = fill(Work(snapshot, cells, work.folder, work.cache)).results.values()
    assert "4 folds of clips" in result.error


def test_a_source_that_is_gone_is_said_and_tried_again(work, project, tmp_path):
    (tmp_path / "clip.npy").rename(tmp_path / "gone.npy")
    first = fill(work)
    assert (len(first.results), len(first.failed)) == (0, 4)
    (tmp_path / "gone.npy").rename(tmp_path / "clip.npy")
    assert len(fill(work).results) == 4


def test_a_table_that_no_study_wrote_is_not_replaced(tmp_path):
    (tmp_path / "cells.csv").write_text("mine")
    with pytest.raises(ProjectError, match="no study wrote"):
        StudyFolder(tmp_path)


def test_the_table_has_a_row_for_each_cell_that_is_done(work):
    done = {work.cells[0].key: Result(
        key=work.cells[0].key, values={"method": "pca", "seed": 0}, metrics={"n": 3.0})}
    path = work.folder.write_table(work.cells, done)
    head, row = path.read_text().splitlines()
    assert head == "method,seed,n,seconds,error,cell"
    assert row == f"pca,0,3,0.000,,{work.cells[0].key}"


def test_a_result_comes_back_from_its_file(work):
    kept = Result(key=work.cells[0].key, values={"d": 2}, metrics={"n": 1.5}, notes=["a"])
    work.folder.put(kept)
    assert work.folder.result(kept.key) == kept


@pytest.mark.parametrize("fault", [
    FormatError("clip.npy", 0, "it is cut off"), np.linalg.LinAlgError("it is singular"),
    MemoryError("it is too large"), TooLarge("it is too large"),
], ids=lambda fault: type(fault).__name__)
def test_a_fault_of_one_cell_leaves_the_others_and_is_tried_again(work, monkeypatch, fault):
    def broken(snapshot, cell, cache, monitor=None):
        if cell is work.cells[2]:
            raise fault
        return compute(snapshot, cell, cache, monitor)

    with monkeypatch.context() as patched:
        patched.setattr(filling, "compute", broken)
        found = fill(work)
    assert len(found.results) == 3
    assert "it is" in found.failed[work.cells[2].key]
    assert len(fill(work).results) == 4


def test_what_does_not_fit_here_is_no_result(work, monkeypatch):
    def too_large(*_):
        raise TooLarge("it needs 99 GB")

    monkeypatch.setattr(results, "refuse_too_large", too_large)
    with pytest.raises(TooLarge):
        compute(work.snapshot, work.cells[0], work.cache)


def test_a_study_survives_json(tmp_path):
    asked = study(method=["pca"], d=[2, 3])
    StudyFolder(tmp_path).begin(asked)
    assert msgspec.json.decode((tmp_path / "study.json").read_bytes(), type=type(asked)) == asked


def test_a_number_of_a_study_is_found_however_long_it_takes(project, snapshot, tmp_path,
                                                            monkeypatch):
    monkeypatch.setattr(separation, "REFIT_SECONDS", 0.0)
    (cell,) = cells_of(study(method=["lda"]), project)
    assert "method_bag_auc" in compute(snapshot, cell, tmp_path / "cache").metrics


def test_the_time_of_a_study_counts_the_fits_that_hold_bags_out(project, snapshot, monkeypatch):
    cells = cells_of(study(method=["mi-umap"]), project)
    short, _ = estimate_cells(snapshot, cells)
    monkeypatch.setattr(separation, "REFIT_SECONDS", 0.0)
    assert estimate_cells(snapshot, cells)[0] == short


def test_seeds_of_the_same_labels_make_their_features_once(project, snapshot, monkeypatch):
    parts = {"features": 5.0, "embed": 1.0}
    monkeypatch.setattr(estimating, "_parts", lambda snapshot, cell: parts)
    cells = cells_of(study(method=["pca"], seed=[0, 1, 2]), project)
    assert estimate_cells(snapshot, cells)[0] == 8.0
    drawn_anew = cells_of(study(method=["pca"], r=[1], seed=[0, 1, 2]), project)
    assert estimate_cells(snapshot, drawn_anew)[0] == 18.0


def test_places_that_there_is_no_time_to_estimate_take_as_long_as_others(project, snapshot,
                                                                         monkeypatch):
    looked = iter([{"embed": 2.0}])
    monkeypatch.setattr(estimating, "_parts", lambda snapshot, cell: next(looked))
    times = iter([0.0, 1.0, 9.0])
    monkeypatch.setattr(estimating.time, "monotonic", lambda: next(times))
    cells = cells_of(study(method=["pca"], d=[2, 3, 4]), project)
    seconds, _ = estimating.cell_seconds(snapshot, cells, patience=5.0)
    assert list(seconds.values()) == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("by", [fill, lambda work, monitor: fill_with(2, work, monitor=monitor)],
                         ids=["one", "two"])
def test_all_ways_to_fill_say_the_time_left_alike(work, by):
    said = []
    by(work, monitor=Watch(lambda fraction, words: said.append((fraction, words))))
    assert said[0][1] == "0 of 4 cells"
    assert work.pace.words == "4 of 4 cells, under 1 s left"


def test_a_study_that_goes_on_begins_its_bar_at_the_left(work):
    fill(Work(work.snapshot, work.cells[:-1], work.folder, work.cache))
    said, clock = [], lambda: 5.0
    fill(Work(work.snapshot, work.cells, work.folder, work.cache, Pace(clock)),
         monitor=Watch(lambda fraction, words: said.append((fraction, words[:12]))))
    assert said[0] == (0.0, "3 of 4 cells")
