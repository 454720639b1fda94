"""Two axes of a run of more dimensions."""

import numpy as np
import pytest

from emberscope.findings.headline import with_interval
from emberscope.findings.measures import named
from emberscope.findings.shown_axes import (
    FIRST,
    axes_of,
    columns,
    is_measured,
    is_of_axes,
    is_part,
    of_axes,
    pairs,
    plain,
    shown_name,
    singles,
)

from ..project.builders import a_run

DEEP = a_run(
    Z=np.zeros((3, 3), np.float32),
    metrics={"trustworthiness": 0.94, "trustworthiness_axes_1_2": 0.85},
)


def test_a_flat_map_of_a_deep_run_has_numbers_of_its_own():
    assert DEEP.metrics[shown_name(DEEP, "trustworthiness")] == 0.85
    assert shown_name(DEEP, "trustworthiness", (1, 2)) == "trustworthiness_axes_2_3"
    assert shown_name(DEEP, "witness") == "witness"  # says nothing of the map


def test_a_run_of_two_dimensions_is_on_show_as_a_whole():
    flat = a_run(metrics={"trustworthiness": 0.9})
    assert shown_name(flat, "trustworthiness") == "trustworthiness"
    assert not is_part(flat, FIRST)
    assert is_measured(flat, FIRST)


def test_it_is_known_which_axes_were_measured():
    assert is_measured(DEEP, FIRST)
    assert not is_measured(DEEP, (0, 2))
    assert list(pairs(DEEP)) == [(0, 1), (0, 2), (1, 2)]


def test_a_name_of_axes_says_which_and_of_what():
    assert plain(of_axes("map_accuracy", (0, 2)) + "_low") == "map_accuracy_low"
    assert axes_of("map_accuracy_axes_1_3") == (0, 2)
    assert not is_of_axes("map_accuracy")
    assert named("trustworthiness_axes_1_3") == "trust of axes 1 and 3 (trustworthiness_axes_1_3)"


def test_the_truth_of_few_bags_says_no_more_of_two_axes():
    assert with_interval(
        {"map_accuracy_axes_1_2": 1.0, "witness_found_bags": 2.0}, "map_accuracy_axes_1_2"
    ) == ("too few to judge (2)")


@pytest.mark.parametrize(("axes", "found"), [((0, 2), [[1, 3]]), ((0, 3), [[1, 2, 3]])])
def test_columns_that_are_not_there_leave_all_of_them(axes, found):
    assert columns(np.array([[1, 2, 3]]), axes).tolist() == found


def test_one_axis_of_several_is_a_part_and_has_numbers_of_its_own():
    flat = a_run(metrics={"trustworthiness": 0.9})
    assert is_part(flat, (1, 1))
    assert not is_part(a_run(Z=np.zeros((3, 1), np.float32)), FIRST)
    assert named("trustworthiness_axes_2_2") == "trust of axis 2 (trustworthiness_axes_2_2)"
    assert columns(flat.Z, (1, 1)).tolist() == flat.Z[:, [1]].tolist()


def test_each_axis_can_be_on_show_alone_where_there_are_several():
    assert singles(DEEP) == [(0, 0), (1, 1), (2, 2)]
    assert singles(a_run(Z=np.zeros((3, 1), np.float32))) == []
