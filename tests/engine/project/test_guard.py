"""What the guard of tests sees: the program changing a project outside of an operation."""

from types import FunctionType

import pytest

from emberscope.labels import Spot
from emberscope.project import Project, PutLabels, PutSettings
from emberscope.project.model.next_ids import NextIds

from ...guarded_project import ChangedOutside

SPOT = Spot(id=7, source=10, frame=0, x=1, y=2)


def by_the_program(change, module="emberscope.pipeline.project_run"):
    """The function, as if a module of the program held it."""
    return FunctionType(
        change.__code__, {**change.__globals__, "__name__": module}, closure=change.__closure__
    )


def set_an_entry(project):
    project.settings["theme"] = "dark"


def set_a_table(project):
    project.runs = {}


def put_a_label(project):
    project.labels.put(SPOT)


def mark(project):
    project.marks[3] = 1


def take_ids(project):
    project.use(NextIds(label=50))


@pytest.mark.parametrize("change", [set_an_entry, set_a_table, put_a_label, mark, take_ids])
def test_a_change_outside_of_an_operation_raises(change):
    with pytest.raises(ChangedOutside, match="pipeline"):
        by_the_program(change)(Project())


def test_copies_that_are_frozen_are_guarded_too():
    with pytest.raises(ChangedOutside):
        by_the_program(put_a_label)(Project().frozen())


def test_operations_change_a_project_whoever_applies_them():
    project = Project()

    def work():
        project.apply(PutLabels(after=[SPOT]))
        project.apply(PutSettings(after={"theme": "dark"}))

    by_the_program(work)()
    assert (list(project.labels.ids), project.settings, project.next_label) == (
        [7],
        {"theme": "dark"},
        8,
    )
