"""New classes in a project: the same colors and glyphs everywhere."""

import numpy as np
import pytest

from emberscope.labels import Box
from emberscope.labels.class_places import own_place
from emberscope.labels.model import TargetClass
from emberscope.project import Project, PutLabels
from emberscope.project.exchange.sources import add_source
from emberscope.project.exchange.truth import import_truth
from emberscope.project.model.new_classes import put_new_classes, renamed

TAKES_THE_FIRST = next(name for n in range(100) if own_place(name := f"kind {n}") == 1)


def new(project, *names):
    return [
        TargetClass(id=key, name=name, role=1, slot=1)
        for name, key in zip(names, project.new_ids(len(names)), strict=True)
    ]


def slots(project):
    return {found.name: found.slot for found in project.classes.values()}


@pytest.fixture
def clip(tmp_path):
    """A project with one clip, and a table of truth made from rows of it."""
    np.save(tmp_path / "frames.npy", np.zeros((4, 200, 200), np.uint16))
    project = Project()
    project.apply(add_source(project, tmp_path / "frames.npy"))

    def truth(*names):
        path = tmp_path / "truth.csv"
        rows = [
            f"{frame},{30 * k + 1},21,20,20,{name}"
            for k, name in enumerate(names)
            for frame in range(4)
        ]
        path.write_text("\n".join(["frame,x,y,w,h,name", *rows]) + "\n")
        project.apply(
            import_truth(project, min(project.sources), path, kind="tight", n_background=0)
        )
        return slots(project)

    return truth


def test_a_class_looks_the_same_whatever_came_into_its_project_before_it(clip, tmp_path):
    together = clip("Car", "Person")
    alone = Project()
    alone.apply(put_new_classes(alone, new(alone, "Person")))
    assert together["Person"] == slots(alone)["Person"]


def test_the_empty_class_of_a_new_project_gives_way(clip):
    found = clip(TAKES_THE_FIRST)
    assert found[TAKES_THE_FIRST] == 1
    assert len(set(found.values())) == 3


def test_a_class_with_labels_keeps_its_place():
    project = Project()
    project.apply(PutLabels(after=[Box(id=20, source=10, frame=0, x0=0, y0=0, x1=9, y1=9)]))
    project.apply(put_new_classes(project, new(project, TAKES_THE_FIRST)))
    assert slots(project)["Target"] == 1
    assert slots(project)[TAKES_THE_FIRST] != 1


def test_undo_brings_the_empty_class_back_to_its_place():
    project = Project()
    step = put_new_classes(project, new(project, TAKES_THE_FIRST))
    project.apply(step)
    project.revert(step)
    assert slots(project) == {"Target": 1, "Background": 2}


def test_a_class_renamed_before_its_first_label_looks_like_its_name():
    project = Project()
    assert renamed(project, project.classes[1], "Person").slot == own_place("Person")


def test_a_class_with_labels_keeps_its_look_under_another_name():
    project = Project()
    project.apply(PutLabels(after=[Box(id=20, source=10, frame=0, x0=0, y0=0, x1=9, y1=9)]))
    assert renamed(project, project.classes[1], "Person").slot == 1
