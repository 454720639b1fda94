"""Values on their way into another process."""

from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from emberscope.base.errors import ParamError, QuestionError
from emberscope.tasks.crossing import across, encoded


class Thing(msgspec.Struct, frozen=True, kw_only=True):
    """Something to send."""

    count: int = 0
    Z: NDArray[np.float32] | None = None
    of: Any = None
    inner: list["Thing"] = []


def test_arrays_are_not_copied_and_cannot_be_written_to():
    Z = np.ones((2, 2), np.float32)
    back = across(Thing(Z=Z), Thing)
    assert np.shares_memory(back.Z, Z)
    assert not back.Z.flags.writeable


def test_the_dtype_of_an_array_is_checked_where_it_is_declared():
    with pytest.raises(QuestionError, match=r"Thing\.Z: expected an array of float32, got float64"):
        encoded(Thing(Z=np.ones(2)), Thing)


def test_a_field_inside_of_another_is_named():
    with pytest.raises(QuestionError, match=r"Thing\.inner\[0\]\.count: expected `int`, got `str`"):
        encoded(Thing(inner=[Thing(count="many")]), Thing)


def test_what_cannot_be_sent_at_all_is_named():
    with pytest.raises(QuestionError, match=r"Thing\.of: function cannot be stored"):
        encoded(Thing(of=lambda: None), Thing)


def test_a_value_of_another_class_is_refused():
    with pytest.raises(QuestionError, match="expected `Thing`, got `dict`"):
        encoded({"count": 1}, Thing)


def test_a_path_that_is_no_unicode_comes_back():
    assert across(Thing(of="n\udcff.npy"), Thing).of == "n\udcff.npy"


def test_a_whole_number_that_no_word_holds_is_named_as_a_wrong_parameter():
    with pytest.raises(
        ParamError, match=r"n_components is 36893488147419103232\. Give a smaller number"
    ):
        encoded(Thing(of={"params": [{"n_components": 2**65}]}), Thing)
