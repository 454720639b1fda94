"""The columns of a run."""

import numpy as np

from emberscope.labels import Box
from emberscope.labels.model import About
from emberscope.project import Project, PutLabels, PutSources
from emberscope.project.run_columns import columns_of_run, columns_of_run_bags, describe_columns

from .builders import a_run, a_source


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


def test_the_columns_of_a_project_are_counted_with_their_ranges():
    found = {row["column"]: row for row in describe_columns(a_project())}
    assert list(found) == ["clip", "size", "looseness", "range"]
    assert found["range"] == {
        "column": "range", "kind": "number", "unit": "m", "clips": 1, "frames": 0, "labels": 1,
        "range": [1500.0, 1500.0], "values": None}
    assert found["clip"]["values"] == {"pass_03.arf": 1}
    assert found["clip"]["frames"] == 600
