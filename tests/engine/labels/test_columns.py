"""Columns: numbers, texts and truth values, where missing is missing."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.labels.columns import column_of, plain_columns, value_of, values_of
from emberscope.labels.model import About


@pytest.mark.parametrize(("values", "kind"), [
    ([1000.0, None, 1500.0], "number"), (["night", None], "text"), ([True, False, None], "truth"),
    ([1.0, "far"], "text"), ([True, 1.0], "text"), ([None, None], "number"),
])
def test_the_kind_of_a_column_is_that_of_all_its_values(values, kind):
    assert column_of("range", values).kind == kind


def test_missing_is_missing_in_every_kind():
    for values in ([1.0, None], ["a", None], [True, None]):
        assert column_of("x", values).known.tolist() == [True, False]


def test_texts_are_sorted_and_read_back():
    column = column_of("time", ["night", "day", "night", None])
    assert column.texts == ("day", "night")
    assert [column.words(value) for value in column.values] == ["night", "day", "night", "none"]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1500", 1500.0),
        (" -2.5 ", -2.5),
        ("Yes", True),
        ("false", False),
        ("night", "night"),
        ("", None),
        (None, None),
        ("NaN", None),
        ("inf", None),
        ("n/a", None),
        ("0", 0.0),
        ("7,5", 7.5),
        ("1,2,3", "1,2,3"),
    ],
)
def test_a_cell_is_a_number_a_truth_value_a_text_or_missing(cell, value):
    assert value_of(cell) == value
    assert type(value_of(cell)) is type(value)


def test_groups_of_few_values_are_the_values():
    group, names = column_of("range", [1500.0, 1000.0, None, 1500.0]).levels()
    assert names == ["1000", "1500"]
    assert group.tolist() == [1, 0, -1, 1]


def test_groups_of_many_numbers_are_ranges_of_about_equal_size():
    group, names = column_of("range", [float(value) for value in range(100)]).levels()
    assert len(names) == 4
    assert np.bincount(group).tolist() == [25, 25, 25, 25]
    assert names[0] == "0 to 24.75"


def test_groups_of_many_numbers_around_a_few_are_these_few():
    around = [near + step for near in (1000.0, 1500.0, 2000.0) for step in range(-15, 16, 5)]
    group, names = column_of("range", around).levels()
    assert names == ["985 to 1015", "1485 to 1515", "1985 to 2015"]
    assert group.tolist() == [0] * 7 + [1] * 7 + [2] * 7


def test_numbers_that_reach_far_in_small_steps_are_no_few_values():
    assert column_of("aspect", [float(value) for value in range(100, 360)]).near() is None


def test_a_number_that_is_not_finite_is_missing():
    assert About(columns={"range": float("nan"), "aspect": np.float32(90)}).columns == {
        "aspect": 90.0
    }


def test_a_list_is_no_value():
    with pytest.raises(DataError, match="column where: \\[1, 2\\] is no value"):
        plain_columns({"where": [1, 2]})


def test_of_a_record_of_another_program_what_is_no_value_is_left_out():
    given = {"occluded": "yes", "depth": 3, "where": [1], "": 4, "note": "  "}
    assert values_of(given) == {"occluded": True, "depth": 3.0}
