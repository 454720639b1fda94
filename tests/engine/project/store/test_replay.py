"""Behind a loss a step is done over only where it needs nothing of what is lost."""

import numpy as np
import pytest

from emberscope.labels import Spot
from emberscope.labels.model import TargetClass
from emberscope.project import (
    MarkInstances,
    Project,
    PutClasses,
    PutLabels,
    PutRuns,
    PutSelection,
    PutSettings,
    PutSources,
    Together,
)
from emberscope.project.model.compare import same_project
from emberscope.project.store.journal import Entry
from emberscope.project.store.replay import replay

from ..builders import a_run, a_source

ALL = frozenset({"sources", "classes", "labels", "marks", "runs", "settings", "selections", "side"})
SHAPED = TargetClass(id=12, name="Truck", role=1, slot=3)


def spot(number, x=1.0, **more):
    return Spot(id=number, source=10, frame=0, x=x, y=1.0, **more)


def add(number, **more):
    return PutLabels(after=[spot(number, **more)])


def move(number, before, after):
    return PutLabels(before=[spot(number, before)], after=[spot(number, after)])


def behind(steps, *, before=(), doubtful=ALL):
    """What is done over of (what, operation) behind a loss, and of those before it; the project."""
    entries = [
        Entry(what=what, at=1.0, op=op) for what, op in [*(("do", op) for op in before), *steps]
    ]
    project, taken = replay(Project, entries, careful=len(before), doubtful=doubtful)
    return project, [entries.index(entry) - len(before) for entry in taken[len(before):]]


CLIP = PutSources(after=[a_source()])


def test_steps_about_other_things_are_done_over():
    project, taken = behind([("do", add(2)), ("do", add(3))], before=[CLIP, add(1)])
    assert (taken, list(project.labels.ids)) == ([0, 1], [1, 2, 3])


def test_a_step_that_finds_another_value_is_left_out_and_so_is_what_builds_on_it():
    steps = [("do", move(1, 5.0, 6.0)), ("do", move(1, 6.0, 7.0)), ("do", move(2, 1.0, 2.0))]
    project, taken = behind(steps, before=[CLIP, add(1), add(2)])
    assert taken == [2]
    assert [label.x for label in project.labels] == [1.0, 2.0]


def test_of_several_operations_in_one_step_none_is_done_where_one_does_not_fit():
    project, taken = behind(
        [("do", Together(steps=[add(2), move(1, 5.0, 6.0)]))], before=[CLIP, add(1)]
    )
    assert (taken, list(project.labels.ids)) == ([], [1])


def test_an_undo_is_done_over_where_what_it_undoes_is_there():
    first, second = add(1), add(2)
    project, taken = behind([("undo", first), ("undo", second)], before=[CLIP, first])
    assert (taken, len(project.labels)) == ([0], 0)


def test_an_undo_of_a_step_that_was_left_out_is_left_out():
    lost = MarkInstances(ids=[7], before=[1], after=2)
    project, taken = behind([("do", lost), ("undo", lost)])
    assert (taken, dict(project.marks)) == ([], {})


@pytest.mark.parametrize(
    "step",
    [
        add(1),
        Together(steps=[add(1)]),
        PutLabels(after=[spot(1), Spot(id=2, source=11, frame=0, x=1.0, y=1.0)]),
    ],
    ids=["label", "together", "one of two"],
)
def test_a_label_whose_source_may_be_lost_is_left_out(step):
    before = [PutSources(after=[a_source(11)])]
    assert behind([("do", step)], before=before)[1] == []


def test_a_label_whose_source_was_not_there_before_the_loss_either_is_done_over():
    assert behind([("do", add(2))], before=[add(1)])[1] == [0]


def test_a_label_is_done_over_where_no_source_can_be_lost():
    assert behind([("do", add(1))], doubtful={"labels"})[1] == [0]


def test_a_label_with_its_source_in_one_step_is_done_over():
    assert behind([("do", Together(steps=[CLIP, add(1)]))])[1] == [0]


def test_a_label_of_a_source_whose_step_was_left_out_is_left_out_too():
    other = Together(steps=[CLIP, PutSettings(before={"zoom": 2}, after={"zoom": 3})])
    assert behind([("do", other), ("do", add(1))], doubtful={"settings"})[1] == []


@pytest.mark.parametrize("step", [
    PutLabels(after=[spot(1, class_id=12)]), MarkInstances(ids=[7], before=[None], after=12),
], ids=["label", "mark"])
def test_a_label_or_mark_of_a_class_that_may_be_lost_is_left_out(step):
    assert behind([("do", step)], before=[CLIP])[1] == []


@pytest.mark.parametrize("used", [
    PutLabels(after=[spot(1, class_id=12)]), MarkInstances(ids=[7], before=[None], after=12),
], ids=["label", "mark"])
def test_a_class_stays_where_what_is_lost_took_its_last_use_away(used):
    gone = PutClasses(before=[SHAPED])
    project, taken = behind([("do", gone)], before=[CLIP, PutClasses(after=[SHAPED]), used])
    assert (taken, 12 in project.classes) == ([], True)


def test_a_source_is_removed_with_all_its_labels_or_not_at_all():
    gone = Together(steps=[PutLabels(before=[spot(1)]), PutSources(before=[a_source()])])
    assert behind([("do", gone)], before=[CLIP, add(1), add(2)])[1] == []
    assert behind([("do", gone)], before=[CLIP, add(1)])[1] == [0]


def test_what_was_made_of_the_concepts_of_a_lost_run_is_left_out():
    edit = PutSettings(
        before={"concepts of run 4": None},
        after={"concepts of run 4": [{"number": 0, "parts": []}]},
    )
    assert behind([("do", edit)])[1] == []


def test_a_step_that_makes_a_run_unreadable_is_left_out_and_leaves_nothing_behind():
    run = a_run(4, diagnostics={"concept_distances": np.zeros((3, 2), np.float32)})
    edit = PutSettings(
        before={}, after={"concepts of run 4": [{"number": 0, "parts": [[9, 0]]}], "zoom": 3}
    )
    project, taken = behind([("do", edit), ("do", add(1))], before=[CLIP, PutRuns(after=[run])])
    assert (taken, project.settings) == ([1], {})


def test_a_label_never_gets_the_number_of_one_that_is_lost_and_has_a_bag_in_a_run():
    project, _ = behind([("do", PutRuns(after=[a_run(4, bag_ids=np.array([300 << 16]))]))])
    assert project.next_label == 301


def test_a_selection_is_the_same_in_any_order():
    kept, more = (
        PutSelection(name="a", after=[3, 1, 1]),
        PutSelection(name="a", before=[1, 3], after=[1]),
    )
    assert behind([("do", more)], before=[kept])[1] == [0]


def test_a_source_that_lies_elsewhere_by_now_is_the_same():
    gone = PutSources(before=[a_source(path="/before/pass_03.arf")])
    assert behind([("do", gone)], before=[CLIP])[1] == [0]


def test_without_a_loss_all_is_done_over_as_it_is_written():
    steps = [CLIP, add(1), move(1, 9.0, 2.0)]
    project, taken = replay(Project, [Entry(what="do", at=1.0, op=op) for op in steps])
    assert (len(taken), project.labels[1].x) == (3, 2.0)


def test_a_step_that_makes_no_sense_costs_itself_and_what_needs_it():
    odd = PutRuns(after=[a_run(4, y=np.zeros(9, np.int8))])
    edit = PutSettings(
        before={"concepts of run 4": None},
        after={"concepts of run 4": [{"number": 0, "parts": []}]},
    )
    steps = [CLIP, add(1), odd, edit, add(2)]
    project, taken = replay(Project, [Entry(what="do", at=1.0, op=op) for op in steps])
    assert [steps.index(entry.op) for entry in taken] == [0, 1, 4]
    assert same_project(project, replay(Project, taken)[0])
