"""Labels of instances: signs, or names of classes."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.base.labels import read_labels


def read(y, **how):
    found = read_labels(np.asarray(y, **how))
    names = None if found.names is None else found.names.tolist()
    return found.code.tolist(), found.weight.tolist(), names


def test_numbers_within_1_are_signs_and_weights():
    assert read([-1, 0, 1]) == ([-1, 0, 1], [1, 0, 1], None)
    assert read([-0.5, 0, 0.25]) == ([-1, 0, 1], [0.5, 0, 0.25], None)


def test_false_is_an_answer():
    assert read([False, True]) == ([-1, 1], [1, 1], None)


def test_among_other_whole_numbers_0_is_a_class():
    assert read([0, 1, 2]) == ([1, 2, 3], [1, 1, 1], [0, 1, 2])
    assert read([-1.0, 0.0, 9.0]) == ([1, 2, 3], [1, 1, 1], [-1, 0, 9])


def test_words_are_classes_in_the_order_of_the_alphabet():
    assert read(["person", "car", "person"]) == ([2, 1, 2], [1, 1, 1], ["car", "person"])


@pytest.mark.parametrize(
    "y", [np.array([3, np.nan, 7]), np.array(["a", "", "b"]), np.array(["a", None, "b"], object),
          np.array([3, None, 7], object), np.array([3, np.nan, 7], object)], ids=str,
)
def test_what_is_missing_is_unknown(y):
    assert read(y)[:2] == ([1, 0, 2], [1, 0, 1])


def test_a_missing_sign_is_unknown():
    assert read([1, np.nan, -1]) == ([1, 0, -1], [1, 0, 1], None)


def test_zero_and_one_can_be_told_apart():
    assert read_labels(np.array([0, 1])).told_apart().code.tolist() == [-1, 1]
    assert read_labels(np.array([-1, 0, 1])).told_apart().code.tolist() == [-1, 0, 1]
    assert read_labels(np.array([0, 0.5])).told_apart().code.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("y", "message"),
    [([0.5, 2], "y holds 0.5"), ([1, np.inf], "infinity"), ([1j], "Unknown label type")],
)
def test_what_is_no_label_is_named(y, message):
    with pytest.raises(DataError, match=message):
        read(y)


def test_objects_that_are_no_labels_are_named():
    with pytest.raises(DataError, match=r"Unknown label type: y holds \{\}"):
        read([{}, 1], dtype=object)


def test_many_classes_are_not_all_spelled_out():
    assert (
        read_labels(np.arange(20)).note()
        == "20 classes: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and more."
    )
