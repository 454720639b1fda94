"""Concepts of one run on the map of another: the worker says where that map takes their centers."""

import msgspec
import numpy as np
import pytest

from emberscope.findings.concepts import DISTANCES, ELLIPSES, STARS
from emberscope.project import PutRuns
from emberscope.project.model.concept_edits import show_concepts_of
from emberscope.tasks.concepts import PlaceConcepts, PlacedConcepts
from emberscope_app.state.knowledge.concepts import run_concepts
from emberscope_app.state.knowledge.mapped_concepts import mapped_concepts


@pytest.fixture
def carried(session, build_run):
    """Run 12 has a concept; run 13 shows it on another map of the same instances."""
    run = build_run(run_id=12)
    named = dict.fromkeys(("coverage_", "contrast_", "purity_"), np.ones(1))
    distances = np.full((len(run.ids), 1), 9.0, np.float32)
    distances[0] = 0.0
    diagnostics = {DISTANCES: distances, STARS: np.zeros((1, 3), np.float32),
                   ELLIPSES: np.eye(3, dtype=np.float32)[None]}
    source = msgspec.structs.replace(run, state={**run.state, **named}, diagnostics=diagnostics)
    session.do(PutRuns(after=[source, build_run(run_id=13)]))
    session.do(show_concepts_of(session.project, source, session.project.runs[13]))
    session.focus.set(run=13)
    return session


def found(session):
    return run_concepts(session.project, session.run)


def asked(worker):
    return worker.asked(PlaceConcepts)


def test_until_the_map_says_more_a_star_is_estimated_from_instances(carried):
    assert found(carried).placed.estimated
    np.testing.assert_allclose(found(carried).stars[0], carried.run.Z[0], rtol=1e-5)


def test_a_star_goes_where_the_map_takes_the_center(carried, worker, qtbot):
    mapped_concepts(carried).ask(found(carried))
    with qtbot.waitSignal(mapped_concepts(carried).ready):
        worker.finish(asked(worker)[0].job, PlacedConcepts(np.array([[7.0, 8.0, 9.0]])))
    assert not found(carried).placed.estimated
    np.testing.assert_allclose(found(carried).stars, [[7.0, 8.0, 9.0]])


def test_the_worker_is_asked_once(carried, worker):
    mapped_concepts(carried).ask(found(carried))
    mapped_concepts(carried).ask(found(carried))
    assert len(asked(worker)) == 1


def test_a_map_without_a_rule_for_new_points_stays_estimated(carried, worker, qtbot):
    mapped_concepts(carried).ask(found(carried))
    with qtbot.waitSignal(
        carried.jobs.changed, check_params_cb=lambda job: job.state == "finished"
    ):
        worker.finish(asked(worker)[0].job, PlacedConcepts(None))
    assert found(carried).placed.estimated


def test_concepts_on_their_own_map_ask_for_nothing(carried, worker):
    carried.focus.set(run=12)
    mapped_concepts(carried).ask(found(carried))
    assert not asked(worker)
