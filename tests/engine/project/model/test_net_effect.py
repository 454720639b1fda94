"""What a row of steps comes to takes the project where the steps do."""

import random

import pytest

from emberscope.labels import Spot
from emberscope.project import (
    MarkInstances,
    Project,
    PutClasses,
    PutLabels,
    PutRuns,
    PutSettings,
    Together,
)
from emberscope.project.model.compare import differences
from emberscope.project.model.net_effect import Net, kind_of, main_kind

from ..analyst import Analyst


def spot(number, x=1.0):
    return Spot(id=number, source=10, frame=3, x=x, y=2.0)


def net_of(*operations):
    net = Net()
    for operation in operations:
        net.add(operation)
    return net


@pytest.mark.parametrize("seed", range(20))
def test_the_net_of_an_invented_session_makes_the_same_project(seed):
    stepwise, at_once = Project(), Project()
    analyst, net = Analyst(stepwise, seed), Net()
    for _ in range(random.Random(seed).randrange(1, 120)):
        what, operation = analyst.step()
        net.add(operation, undone=what == "undo")
    at_once.apply(net.operation())
    assert set(differences(stepwise, at_once)) <= {"next_ids"}
    assert net.next_ids.record <= stepwise.next_id
    assert net.next_ids.label <= stepwise.next_label
    at_once.revert(net.operation())
    assert set(differences(at_once, Project())) <= {"next_ids"}


def test_a_label_that_was_drawn_and_removed_leaves_only_its_id():
    net = net_of(PutLabels(after=[spot(20)]), PutLabels(before=[spot(20)]))
    assert (net.operation().steps, net.next_ids.label) == ([], 21)


def test_a_label_that_was_moved_ten_times_is_moved_once():
    net = net_of(*(PutLabels(before=[spot(20, x)], after=[spot(20, x + 1)]) for x in range(10)))
    [step] = net.operation().steps
    assert (step.before, step.after) == ([spot(20, 0)], [spot(20, 10)])


def test_marks_and_settings_keep_what_was_there_before():
    net = net_of(
        MarkInstances(ids=[1, 2], before=[None, 2], after=1),
        MarkInstances(ids=[1], before=[1], after=0),
        PutSettings(before={"zoom": 1}, after={"zoom": None}),
    )
    project = Project()
    project.marks, project.settings = {2: 2}, {"zoom": 1}
    project.apply(net.operation())
    assert (project.marks, project.settings) == ({1: 0, 2: 1}, {})
    project.revert(net.operation())
    assert (project.marks, project.settings) == ({2: 2}, {"zoom": 1})


def test_steps_inside_of_one_are_undone_from_the_last():
    both = Together(
        steps=[PutLabels(after=[spot(20)]), PutLabels(before=[spot(20)], after=[spot(20, 5)])]
    )
    net = Net()
    net.add(both)
    net.add(both, undone=True)
    assert net.operation().steps == []


def test_the_kind_of_several_steps_is_theirs_where_it_is_one():
    assert kind_of(Together(steps=[PutLabels(), PutLabels()])) == "labels"
    assert kind_of(Together(steps=[PutLabels(), PutSettings()])) == "several at once"


def test_a_step_is_told_by_what_a_person_did_it_for():
    assert main_kind(Together(steps=[PutSettings(), PutRuns()])) == "runs"
    assert main_kind(Together(steps=[PutClasses(), Together(steps=[PutLabels()])])) == "labels"
    assert main_kind(PutSettings()) == "settings"
