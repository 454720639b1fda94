"""Marks decide at once who can be a witness."""

import msgspec
import numpy as np

from emberscope.labels import BACKGROUND
from emberscope.project import Project, mark
from emberscope.project.model.witness import marks_since, witness_scores

from ..builders import a_run

WITNESS = {
    "witness": np.array([0.1, 0.9, 0.5], np.float32),
    "score": np.array([1.0, 0.0, 0.0], np.float32),
}


def test_the_witness_score_comes_before_the_votes_of_neighbors():
    run = a_run(point_scores=WITNESS)
    assert witness_scores(Project(), run).tolist() == WITNESS["witness"].tolist()
    votes = msgspec.structs.replace(run, point_scores={"score": WITNESS["score"]})
    assert witness_scores(Project(), votes).tolist() == [1.0, 0.0, 0.0]
    assert witness_scores(Project(), msgspec.structs.replace(run, point_scores={})) is None


def test_what_is_marked_as_background_or_ignored_has_none_at_once():
    project, run = Project(), a_run(point_scores=WITNESS)
    project.apply(mark(project, run.ids[1:2].tolist(), BACKGROUND))
    project.apply(mark(project, run.ids[2:3].tolist(), 0))
    assert np.isnan(witness_scores(project, run)).tolist() == [False, True, True]
    assert np.isnan(witness_scores(project, run, np.array([1, 0]))).tolist() == [True, False]
    assert run.point_scores["witness"][1] > 0.8  # the run itself does not change


def test_a_mark_as_target_changes_nothing_and_an_undone_one_is_forgotten():
    project, run = Project(), a_run(point_scores=WITNESS)
    project.apply(mark(project, run.ids[:1].tolist(), 1))
    step = mark(project, run.ids[1:2].tolist(), BACKGROUND)
    project.apply(step)
    project.revert(step)
    assert np.isfinite(witness_scores(project, run)).all()


def test_marks_made_changed_and_taken_back_since_a_run_are_counted():
    project, run = Project(), a_run()
    first, second, third = run.ids.tolist()
    run = msgspec.structs.replace(
        run, diagnostics={"marks": np.array([[first, BACKGROUND], [second, 1]])}
    )
    project.apply(mark(project, [first], BACKGROUND))
    assert marks_since(project, run) == 1  # the second is gone
    project.apply(mark(project, [second, third], BACKGROUND))
    assert marks_since(project, run) == 2  # the second is another, the third is new
    project.apply(mark(project, [12345], BACKGROUND))
    assert marks_since(project, run) == 2  # of no instance of the run


def test_a_run_that_kept_no_marks_counts_those_that_its_labels_do_not_say():
    project, run = Project(), a_run(diagnostics={}, y=np.array([1, -1, 1], np.int8))
    project.apply(mark(project, run.ids.tolist(), BACKGROUND))
    assert marks_since(project, run) == 2
