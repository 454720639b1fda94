"""Questions that were skipped."""

import pytest

from emberscope.project import Project
from emberscope.project.model.skipped_questions import SKIPPED, skip, skipped_pairs


def test_skipped_pairs_are_kept_by_attribute_the_newest_last():
    project = Project()
    for attribute, a, b in (("", 1, 2), ("engine", 3, 4), ("", 5, 6)):
        project.apply(skip(project, attribute, a, b))
    assert skipped_pairs(project, "") == [(1, 2), (5, 6)]
    assert skipped_pairs(project, "engine") == [(3, 4)]


def test_a_skip_can_be_undone():
    project = Project()
    operations = [skip(project, "", 1, 2)]
    project.apply(operations[0])
    second = skip(project, "", 3, 4)
    project.apply(second)
    project.revert(second)
    assert skipped_pairs(project, "") == [(1, 2)]
    project.revert(operations[0])
    assert SKIPPED not in project.settings


@pytest.mark.parametrize("value", [7, ["x"], {"": 3}, {"": [[1], "ab", [1, "2"], None]}])
def test_what_is_no_pair_is_left_out(value):
    project = Project()
    project.settings[SKIPPED] = value
    assert skipped_pairs(project, "") == []
    project.apply(skip(project, "", 1, 2))
    assert skipped_pairs(project, "") == [(1, 2)]
