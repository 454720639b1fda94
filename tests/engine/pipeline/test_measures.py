"""Numbers of a run that were left out, measured when asked for."""

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.course.stages import separation, spread
from emberscope.labels import BACKGROUND
from emberscope.pipeline import run
from emberscope.pipeline.measures import measure
from emberscope.project import PutRuns, mark, to_snapshot
from emberscope.project.model.compare import same
from emberscope.tasks.measures import MeasureRun
from emberscope.tasks.table import TABLE

from .conftest import RECIPE

SLE = msgspec.structs.replace(RECIPE, method="s-le")


@pytest.fixture
def in_haste(monkeypatch):
    monkeypatch.setattr(separation, "REFIT_SECONDS", 0.0)
    monkeypatch.setattr(spread, "SPREAD_SECONDS", 0.0)


def test_what_was_left_out_is_what_a_run_at_any_cost_has(project, cache, in_haste):
    found = measure(project, run(project, SLE, cache=cache), cache=cache)
    whole = run(project, SLE, cache=cache, at_any_cost=True)
    assert found.metrics == whole.metrics
    assert found.notes == whole.notes
    assert same(found.point_scores, whole.point_scores)


def test_a_run_that_lacks_nothing_is_left_as_it_is(project, cache):
    found = run(project, RECIPE, cache=cache)
    assert measure(project, found, cache=cache) is found


def test_marks_made_since_do_not_count(project, cache, in_haste):
    found = run(project, SLE, cache=cache)
    before = measure(project, found, cache=cache)
    project.apply(mark(project, found.ids[:5].tolist(), BACKGROUND))
    assert measure(project, found, cache=cache).metrics == before.metrics


def test_it_can_be_cancelled(project, cache, in_haste):
    found = run(project, SLE, cache=cache)
    with pytest.raises(Cancelled):
        measure(project, found, cache=cache, monitor=Watch(stop=lambda: True))


def test_the_run_with_more_numbers_takes_its_place_and_undo_brings_it_back(
    project, cache, in_haste
):
    first = run(project, SLE, cache=cache)
    project.apply(PutRuns(after=[first, msgspec.structs.replace(first, id=2)]))
    found = TABLE.answer(MeasureRun(snapshot=to_snapshot(project), run=first), Watch())
    step = PutRuns(before=[first], after=[found])
    project.apply(step)
    assert list(project.runs) == [1, 2]
    assert "method_bag_auc" in project.runs[1].metrics
    project.revert(step)
    assert project.runs[1] is first
    assert np.isfinite(found.metrics["spread"])
