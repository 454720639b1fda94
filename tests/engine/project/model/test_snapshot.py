"""The part of a project that travels to the worker."""

import numpy as np
import pytest

from emberscope.base.errors import ProjectError
from emberscope.labels import Scribble, TargetClass
from emberscope.project import (
    Project,
    PutClasses,
    PutLabels,
    PutRuns,
    PutSettings,
    PutSources,
    Snapshot,
    from_snapshot,
    mark,
    to_snapshot,
)
from emberscope.project.model.compare import differences

from ..builders import a_run, a_source


def test_a_snapshot_is_the_project_without_its_runs():
    project = Project()
    project.apply(PutSources(after=[a_source()]))
    project.apply(PutClasses(after=[TargetClass(id=5, name="Truck", role=1, slot=3)]))
    project.apply(PutLabels(after=[Scribble(id=20, source=10, frame=3, points=((0, 0), (4.5, 2)))]))
    project.apply(PutSettings(after={"recipe": {"method": "pca"}}))
    project.apply(mark(project, [2**53 - 1], 0))
    project.apply(PutRuns(after=[a_run(30)]))
    assert differences(project, from_snapshot(to_snapshot(project))) == ["runs"]


def test_other_bytes_are_refused():
    with pytest.raises(ProjectError, match="the snapshot of a project cannot be read"):
        from_snapshot(Snapshot(np.array([0x80], np.uint8)))
