"""Whether a run was made of the labels there are."""

import msgspec
import numpy as np

from emberscope.labels.side_info import Pair
from emberscope.project import PutLabels, PutSide
from emberscope_app.state.runs.staleness import LabelsOfRuns, outdated


def test_a_run_from_disk_is_old_where_a_mark_says_otherwise_or_a_label_is_gone(session):
    project, run = session.project, session.run
    assert not outdated(project, run)
    row = int(np.flatnonzero(run.y > 0)[0])
    project.marks[int(run.ids[row])] = 1
    assert not outdated(project, run)
    project.marks[int(run.ids[row])] = 2
    assert outdated(project, run)
    project.marks.clear()
    project.apply(PutLabels(before=[label for label in project.labels if label.id == 100]))
    assert outdated(project, run)


def test_a_run_that_pairs_took_part_in_is_old_once_they_change(session):
    project, runs = session.project, LabelsOfRuns()
    plain, informed = session.run, msgspec.structs.replace(session.run, id=12, state={"side": {}})
    for run in (plain, informed):
        runs.keep(run.id, project)
    project.apply(PutSide(after=[Pair(id=500, a=1, b=2, same=False)]))
    assert not runs.changed_since(plain, project)
    assert runs.changed_since(informed, project)


def test_any_run_is_old_once_labels_may_follow_from_an_alike_pair_unless_it_ignores_pairs(session):
    project, runs, run = session.project, LabelsOfRuns(), session.run
    alone = msgspec.structs.replace(
        run, id=12, recipe=msgspec.structs.replace(run.recipe, ignore_side=True)
    )
    for made in (run, alone):
        runs.keep(made.id, project)
    project.apply(PutSide(after=[Pair(id=500, a=1, b=2, same=True)]))
    assert runs.changed_since(run, project)
    assert not runs.changed_since(alone, project)
