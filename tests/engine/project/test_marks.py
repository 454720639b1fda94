"""Marks that are read for many instances at once."""

import numpy as np
import pytest

from emberscope.project import Project, mark
from emberscope.project.marks import Marks

IDS = np.array([5, 3, 9], np.int64)


def test_many_marks_are_read_at_once_and_minus_one_says_none():
    assert Marks({3: 2, 9: 0}).of(IDS).tolist() == [-1, 2, 0]


def test_without_marks_nobody_has_one():
    assert Marks().of(IDS).tolist() == [-1, -1, -1]


@pytest.mark.parametrize("change", [
    lambda marks: marks.__setitem__(5, 1), lambda marks: marks.update({5: 1}), lambda marks: marks.put([5], [1]),
])
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
