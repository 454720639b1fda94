"""Marks that are read for many instances at once."""

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import ProjectError
from emberscope.project import Project, mark
from emberscope.project.model.marks import Marks
from emberscope.project.model.operations import from_record

IDS = np.array([5, 3, 9], np.int64)


def test_many_marks_are_read_at_once_and_minus_one_says_none():
    assert Marks({3: 2, 9: 0}).of(IDS).tolist() == [-1, 2, 0]


def test_without_marks_nobody_has_one():
    assert Marks().of(IDS).tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    "change",
    [
        lambda marks: marks.__setitem__(5, 1),
        lambda marks: marks.update({5: 1}),
        lambda marks: marks.put([5], [1]),
    ],
)
def test_a_mark_that_came_is_seen_by_the_next_who_asks(change):
    marks = Marks({3: 2})
    marks.of(IDS)
    change(marks)
    assert marks.of(IDS).tolist() == [1, 2, -1]


@pytest.mark.parametrize("change", [
    lambda marks: marks.__delitem__(3), lambda marks: marks.pop(3), lambda marks: marks.clear(),
    lambda marks: marks.put([3], [None]),
])
def test_a_mark_that_went_is_not_seen_any_more(change):
    marks = Marks({3: 2})
    marks.of(IDS)
    change(marks)
    assert marks.of(IDS).tolist() == [-1, -1, -1]


def test_as_many_classes_as_instances_are_needed_to_take_marks_back():
    with pytest.raises(ValueError, match="shorter"):
        Marks({3: 2, 9: 0}).put([3, 9], [None])


def test_columns_are_in_the_order_of_ids():
    ids, classes = Marks({9: 0, 3: 2}).columns()
    assert (ids.tolist(), classes.tolist()) == ([3, 9], [2, 0])


def test_another_array_gets_an_answer_of_its_own():
    marks = Marks({3: 2})
    marks.of(IDS)
    assert marks.of(IDS[:1]).tolist() == [-1]


def test_marks_of_a_project_are_read_at_once_whoever_sets_them():
    project = Project()
    project.marks = {3: 2}
    project.apply(mark(project, [9], 0))
    assert project.marks.of(IDS).tolist() == [-1, 2, 0]


def test_of_an_instance_that_is_named_twice_the_last_class_counts():
    marks = Marks()
    marks.put(np.array([7, 3, 7]), np.array([1, 2, 0]))
    assert marks == {3: 2, 7: 0}


def test_a_copy_stays_as_it_is_whatever_comes_later():
    marks = Marks({3: 2})
    copy = marks.copy()
    marks.put([3, 4], [0, 1])
    assert copy == {3: 2}


def test_what_was_marked_does_not_change_with_the_array_that_named_it():
    ids, marks = np.array([3, 5]), Marks()
    marks.put(ids, np.array([1, 1]))
    ids[0] = 4
    assert marks == {3: 1, 5: 1}


@pytest.mark.parametrize("ids", [[1.5], ["3"], [True], [2**70], [[1], [2]]])
def test_ids_are_whole_numbers_in_a_row(ids):
    with pytest.raises((TypeError, ValueError), match="ids of"):
        Marks().put(ids, [1] * len(ids))


def test_the_operation_of_marks_is_undone_to_what_each_was():
    project = Project()
    project.marks = {3: 2}
    operation = mark(project, [3, 5], 0)
    project.apply(operation)
    marked = dict(project.marks)
    project.revert(operation)
    assert (marked, project.marks) == ({3: 0, 5: 0}, {3: 2})


def test_marks_of_a_journal_of_older_versions_are_lists():
    old = {"op": "mark-instances", "title": "", "ids": [3, 5], "before": [None, 2], "after": 1}
    project = Project()
    project.marks = {5: 2}
    operation = from_record(msgspec.msgpack.encode(old))
    project.apply(operation)
    assert project.marks == {3: 1, 5: 1}
    project.revert(operation)
    assert project.marks == {5: 2}


@pytest.mark.parametrize("ids", [["three"], [1.5], 7])
def test_a_record_of_marks_with_other_ids_is_refused(ids):
    record = {"op": "mark-instances", "title": "", "ids": ids, "before": [None], "after": 1}
    with pytest.raises(ProjectError, match="cannot be read"):
        from_record(msgspec.msgpack.encode(record))
