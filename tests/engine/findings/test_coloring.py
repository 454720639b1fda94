"""What class the instances of a run are, and their colors."""

import numpy as np
import pytest

from emberscope.findings.coloring import (
    CLASS_COLORS,
    IGNORED_SLOT,
    MISSING,
    SEQUENTIAL,
    class_slots,
    instance_classes,
    ramp,
    rgb,
    slot_colors,
)
from emberscope.labels import BACKGROUND, TargetClass
from emberscope.project import Project, PutClasses, mark

from ..project.builders import a_run


@pytest.fixture
def project():
    project = Project()
    project.apply(PutClasses(after=[TargetClass(id=12, name="Van", role=1, slot=4)]))
    return project


def overlapping_run():
    """Instance 1 in the van's bag, 2 in that and in a background bag, 3 in the background's, 4 in
    none."""
    return a_run(
        n=4,
        indptr=np.array([0, 2, 4]),
        members=np.array([0, 1, 1, 2]),
        bag_labels=np.array([1, -1], np.int8),
        bag_ids=np.array([1, 2]),
        bag_classes=np.array([12, BACKGROUND]),
    )


def test_a_negative_bag_wins_and_no_bag_is_unknown(project):
    assert instance_classes(project, overlapping_run()).tolist() == [12, BACKGROUND, BACKGROUND, 0]


def test_a_mark_wins_over_bags_and_zero_is_ignored(project):
    project.apply(mark(project, [2], 12))
    project.apply(mark(project, [3, 999], 0))
    assert instance_classes(project, overlapping_run()).tolist() == [12, 12, -1, 0]


def test_slots_are_those_of_the_classes(project):
    slots = class_slots(project, np.array([12, BACKGROUND, 0, -1, 77]))
    assert slots.tolist() == [4, 2, 0, IGNORED_SLOT, 0]


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_ignored_look_like_the_unknown(theme):
    colors = slot_colors(np.array([0, 4, IGNORED_SLOT], np.uint8), theme)
    assert colors.tolist() == [list(rgb(CLASS_COLORS[theme][slot])) for slot in (0, 4, 0)]


def test_the_ramp_goes_from_first_to_last_color_and_nan_is_gray():
    colors = ramp(np.array([-5.0, 0.0, 1.0, 9.0, np.nan]), 0.0, 1.0)
    first, last = rgb(SEQUENTIAL[0]), rgb(SEQUENTIAL[-1])
    assert [tuple(color) for color in colors.tolist()] == [first, first, last, last, MISSING]


def test_equal_values_have_a_color():
    assert ramp(np.array([3.0]), 3.0, 3.0).shape == (1, 3)
