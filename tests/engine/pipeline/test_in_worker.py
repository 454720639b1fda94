"""What the worker is asked to do, asked of a real worker."""

import msgspec
import pytest

from emberscope import catalogue
from emberscope.jobs.client import Worker, wait_for_answer
from emberscope.labels import Box
from emberscope.pipeline import run
from emberscope.project import to_snapshot
from emberscope.project.exchange.renumber import renumber
from emberscope.project.model.compare import same
from emberscope.project.model.next_ids import NextIds
from emberscope.tasks.methods import DescribeMethods
from emberscope.tasks.runs import EstimateRun, MakeRun, ReplayRun
from emberscope.tasks.truth import ImportTruth

from .conftest import RECIPE


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    """One process for all: to start it takes longer than what it is asked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBERSCOPE_CACHE", str(tmp_path_factory.mktemp("cache")))
        worker = Worker(warm=False)
        worker.start()
    yield worker
    worker.close()


def test_a_run_in_the_worker_is_the_run_made_here(project, worker, tmp_path):
    request = MakeRun(
        snapshot=to_snapshot(project), recipe=RECIPE, run_id=77, chosen=(0.93, 0.88, 0.97)
    )
    there = wait_for_answer(request, worker=worker)
    assert "This recipe was chosen" in " ".join(there.notes)
    here = run(project, RECIPE, cache=tmp_path / "here", run_id=77)
    assert same(there.Z, here.Z)
    assert same(there.ids, here.ids)
    assert (there.id, there.recipe) == (77, RECIPE)


def test_the_catalogue_travels_as_data(worker):
    found = wait_for_answer(DescribeMethods(), worker=worker).params
    assert found == {row.id: tuple(catalogue.load(row.id).params) for row in catalogue.METHODS}


def test_an_estimate_travels_as_data(project, worker):
    found = wait_for_answer(
        EstimateRun(snapshot=to_snapshot(project), recipe=RECIPE), worker=worker
    )
    assert found.bags == len(project.labels)
    assert found.seconds > 0
    assert found.advice == ()


def test_truth_is_imported_in_the_worker_and_numbered_here(project, worker, tmp_path):
    (tmp_path / "truth.csv").write_text("frame,x,y,w,h\n0,9,9,32,32\n")
    source = min(project.sources)
    request = ImportTruth(
        snapshot=to_snapshot(project), source=source, path=str(tmp_path / "truth.csv"), kind="tight"
    )
    found = wait_for_answer(request, worker=worker)
    project.use(NextIds(record=30, label=30))  # the person went on drawing
    operation = renumber(found.operation, project)
    before = {label.id for label in project.labels}
    project.apply(operation)
    new = [label for label in project.labels if label.id not in before]
    assert [(label.frame, label.x0, label.y0, label.x1, label.y1) for label in new] == [
        (0, 8, 8, 40, 40)
    ]
    assert isinstance(new[0], Box)


def test_the_previous_run_travels_to_the_worker(project, worker):
    recipe = msgspec.structs.replace(RECIPE, method="tsne", params={"n_iter": 20})
    request = MakeRun(snapshot=to_snapshot(project), recipe=recipe, run_id=3)
    first = wait_for_answer(request, worker=worker)
    again = wait_for_answer(msgspec.structs.replace(request, previous=first), worker=worker)
    assert "It went on from the embedding of run 3." in again.notes


def test_a_run_made_here_is_replayed_to_the_bit_in_the_worker(project, worker, tmp_path):
    here = run(project, RECIPE, cache=tmp_path / "here")
    found = wait_for_answer(ReplayRun(snapshot=to_snapshot(project), run=here), worker=worker)
    assert (found.equal, found.other) == (True, [])
