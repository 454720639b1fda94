"""Two who changed one project: what does not touch merges, what does is left to a person."""

import msgspec
import pytest

from emberscope.labels import Spot, TargetClass
from emberscope.project import (
    Project,
    PutClasses,
    PutLabels,
    PutRuns,
    PutSelection,
    PutSettings,
    PutSide,
    PutSources,
    mark,
    remove_sources,
)
from emberscope.project.model.concept_edits import edits_key, shown_source
from emberscope.project.store.journal import Entry
from emberscope.project.store.merging import BothChanged, merged

from ..builders import a_run, a_source, side_information


def spot(number, x=1.0, **values):
    return Spot(**{"id": number, "source": 10, "frame": 3, "x": x, "y": 2.0, **values})


def base():
    """What both began with: a source and two labels on it."""
    project = Project()
    project.apply(PutSources(after=[a_source(10)]))
    project.apply(PutLabels(after=[spot(20), spot(21)]))
    return project


def both(ours, theirs):
    """The project after their operations and, merged onto them, ours."""
    project = base()
    for operation in theirs:
        project.apply(operation)
    project.apply(merged([Entry(what="do", at=1.0, op=operation) for operation in ours], project))
    return project


def move(number, x):
    return PutLabels(before=[spot(number)], after=[spot(number, x)])


def places(project):
    return {label.id: label.x for label in project.labels}


def test_labels_that_only_one_side_changed_are_as_that_side_left_them():
    project = both([move(20, 5.0)], [move(21, 7.0)])
    assert places(project) == {20: 5.0, 21: 7.0}


def test_labels_that_both_added_under_one_id_are_both_there():
    project = both(
        [PutLabels(after=[spot(22, 5.0), spot(23, 6.0)])], [PutLabels(after=[spot(22, 7.0)])]
    )
    assert sorted(places(project).values()) == [1.0, 1.0, 5.0, 6.0, 7.0]
    assert project.next_label > max(places(project))


def test_a_label_that_both_moved_is_left_to_a_person():
    with pytest.raises(BothChanged, match="label 20 was changed here and by somebody else"):
        both([move(20, 5.0)], [move(20, 6.0)])


def test_a_label_that_one_moved_and_the_other_removed_is_left_to_a_person():
    with pytest.raises(BothChanged, match="label 20"):
        both([move(20, 5.0)], [PutLabels(before=[spot(20)])])


def test_what_both_did_alike_is_no_conflict():
    project = both(
        [move(20, 5.0), mark(Project(), [4], 1)], [move(20, 5.0), mark(Project(), [4], 1)]
    )
    assert (places(project)[20], project.marks) == (5.0, {4: 1})


def test_what_was_undone_here_does_not_touch_theirs():
    there_and_back = [
        Entry(what="do", at=1.0, op=move(20, 5.0)),
        Entry(what="undo", at=2.0, op=move(20, 5.0)),
    ]
    theirs = base()
    theirs.apply(move(20, 9.0))
    assert merged(there_and_back, theirs).steps == []


def test_a_source_that_both_added_is_one_and_has_the_labels_of_both():
    clip = a_source(22, "/frames/new.arf")
    ours = [PutSources(after=[clip]), PutLabels(after=[spot(23, 5.0, source=22)])]
    theirs = [
        PutSources(after=[msgspec.structs.replace(clip, id=30)]),
        PutLabels(after=[spot(22, 6.0, source=30)]),
    ]
    project = both(ours, theirs)
    assert sorted(project.sources) == [10, 30]
    assert [label.x for label in project.labels.in_source(30)] == [6.0, 5.0]


def test_classes_of_one_id_and_different_names_are_two():
    ours = [PutClasses(after=[TargetClass(id=22, name="Truck", role=1, slot=3)]),
            PutLabels(after=[spot(23, class_id=22)]), mark(Project(), [4], 22)]
    theirs = [PutClasses(after=[TargetClass(id=22, name="Bird", role=1, slot=3)])]
    project = both(ours, theirs)
    truck = next(c.id for c in project.classes.values() if c.name == "Truck")
    assert truck != 22
    assert (project.marks, [label.class_id for label in project.labels][-1]) == ({4: truck}, truck)


def test_runs_of_both_are_there_under_numbers_of_their_own():
    project = both([PutRuns(after=[a_run(1, 4)])], [PutRuns(after=[a_run(1, 3)])])
    assert {number: len(run.ids) for number, run in project.runs.items()} == {1: 3, 2: 4}


def test_what_was_made_of_the_concepts_of_a_run_follows_it_to_its_new_number():
    edits = PutSettings(after={edits_key(1): [{"number": 0, "parts": [[0, 0]], "name": "van"}]})
    shown = PutSettings(after={"concepts shown with run 2": 1})
    project = both(
        [PutRuns(after=[a_run(1, 4), a_run(2, 4)]), edits, shown], [PutRuns(after=[a_run(1, 3)])]
    )
    assert edits_key(3) in project.settings  # run 1 is theirs
    assert edits_key(1) not in project.settings
    assert shown_source(project, project.runs[2]).id == 3


def test_a_run_over_labels_that_would_get_new_ids_is_left_to_a_person():
    with pytest.raises(BothChanged, match="runs were made here"):
        both(
            [PutLabels(after=[spot(22, 5.0)]), PutRuns(after=[a_run(1)])],
            [PutLabels(after=[spot(22, 6.0)])],
        )


def test_a_label_on_a_source_that_they_removed_is_left_to_a_person():
    with pytest.raises(BothChanged, match="labeled a source that the other side removed"):
        both([PutLabels(after=[spot(30)])], [remove_sources(base(), [10])])


def test_their_label_on_a_source_that_was_removed_here_is_left_to_a_person():
    with pytest.raises(BothChanged, match="labeled a source"):
        both([remove_sources(base(), [10])], [PutLabels(after=[spot(30)])])


def test_a_class_that_one_removed_and_the_other_used_is_left_to_a_person():
    with pytest.raises(BothChanged, match="used a class"):
        both([PutClasses(before=[base().classes[2]])], [PutLabels(after=[spot(30, class_id=2)])])


def test_marks_and_selections_that_both_changed_are_left_to_a_person():
    with pytest.raises(BothChanged, match="the mark of instance 4"):
        both([mark(Project(), [4], 1)], [mark(Project(), [4], 2)])
    with pytest.raises(BothChanged, match="the selection hot"):
        both([PutSelection(name="hot", after=[1])], [PutSelection(name="hot", after=[2])])


def test_side_information_that_both_added_under_one_id_is_both_there():
    pair, distance, *_ = side_information(22)
    project = both(
        [PutSide(after=[pair])], [PutSide(after=[msgspec.structs.replace(distance, id=22)])]
    )
    assert [type(record).__name__ for record in project.side.values()] == ["Distance", "Pair"]


def test_side_information_that_both_changed_is_left_to_a_person():
    pair = side_information(22)[0]
    theirs = base()
    theirs.apply(PutSide(after=[msgspec.structs.replace(pair, weight=0.5)]))
    ours = PutSide(before=[pair], after=[msgspec.structs.replace(pair, same=False)])
    with pytest.raises(BothChanged, match="side information 22"):
        merged([Entry(what="do", at=1.0, op=ours)], theirs)


def test_side_information_about_instances_of_a_source_that_both_added_is_left_to_a_person():
    clip = a_source(22, "/frames/new.arf")
    with pytest.raises(BothChanged, match="both sides added sources"):
        both([PutSources(after=[clip]), PutSide(after=side_information(40))],
             [PutSources(after=[msgspec.structs.replace(clip, id=30)])])


def test_of_a_setting_that_both_changed_ours_stays():
    project = both([PutSettings(after={"zoom": 1})], [PutSettings(after={"zoom": 2, "theirs": 3})])
    assert project.settings == {"zoom": 1, "theirs": 3}
