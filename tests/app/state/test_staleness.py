"""Whether a run was made of the labels there are."""

import numpy as np

from emberscope.project import PutLabels
from emberscope_app.state.staleness import outdated


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
