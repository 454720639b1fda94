"""The columns of a run."""

import numpy as np

from emberscope.findings.columns import columns_of_run, columns_of_run_bags, counted
from emberscope.labels import Box
from emberscope.labels.columns import column_of
from emberscope.labels.model import About
from emberscope.project import Project, PutLabels, PutSources

from ..project.builders import a_run, a_source


def a_project():
    project = Project()
    project.apply(PutSources(after=[a_source()]))
    box = Box(id=12, source=10, frame=0, x0=0.0, y0=0.0, x1=4.0, y1=4.0,
              about=About(columns={"range": 1500.0}))
    project.apply(PutLabels(after=[box]))
    return project


def test_instances_and_bags_of_a_run_have_what_their_labels_say():
    run = a_run(box=np.array([[0, 0, 4, 4]] * 3, np.float32))
    instances, bags = columns_of_run(a_project(), run), columns_of_run_bags(a_project(), run)
    assert instances["range"].values.tolist() == [1500.0] * 3
    assert instances["patch"].values.tolist() == [4.0] * 3
    assert bags["range"].values.tolist() == [1500.0]


def test_a_column_without_a_value_is_left_out():
    assert "occluded" not in columns_of_run(a_project(), a_run())


def test_a_column_is_counted_with_its_range_or_its_values():
    numbers = counted(column_of("range", [1000.0, None, 1500.0]), "labels")
    assert numbers == {"kind": "number", "known": 2, "of": "labels", "range": [1000.0, 1500.0]}
    texts = counted(column_of("time", ["day", "night", "night"]), "labels")
    assert texts["values"] == {"night": 2, "day": 1}
