"""A parameter says in words what it is, and writes itself into the docstring of its method."""

import pytest

from emberscope.base.errors import ParamError
from emberscope.base.param import Param, documented

WIDTH = Param(
    "width", "float", None, low=0, open_low=True, unit="px", auto="the median distance",
    when=("kernel", "heat"),
    title="Kernel width", help="How far an instance reaches.", grid=(1, 2),
)  # fmt: skip


@pytest.mark.parametrize(
    ("default", "words"),
    [(None, "auto: the median distance"), (0.5, "0.5"), (True, "on"), (False, "off"), (15, "15")],
)
def test_a_default_is_written_as_a_person_would(default, words):
    assert Param("width", "float", default, auto="the median distance").default_text == words


def test_the_meaning_says_when_it_applies_and_what_to_try():
    assert WIDTH.meaning == (
        "Kernel width. How far an instance reaches. Only with kernel = heat. Values to try: 1, 2."
    )


def test_the_parameters_of_a_docstring_come_before_its_attributes():
    doc = documented("One.\n\n    Attributes\n    ----------\n    scale_ : float.\n", [WIDTH])
    assert doc.splitlines() == [
        "One.", "", "Parameters", "----------",
        "width : float, above 0, px, default auto: the median distance",
        "    Kernel width. How far an instance reaches. Only with kernel = heat. Values to try: 1, "
        "2.", "",
        "Attributes", "----------", "scale_ : float.",
    ]  # fmt: skip


def test_a_docstring_of_one_line_gets_its_parameters_too():
    assert "\n\nParameters\n----------\nwidth : float" in documented("One.", [WIDTH])


def test_a_value_on_an_open_end_is_told_from_those_it_may_have():
    with pytest.raises(ParamError, match=r"Give 1 - 5, not 1 itself"):
        Param("m", "float", 2.0, low=1.0, high=5.0, open_low=True).check(1.0)


@pytest.mark.parametrize("kind", ["int", "float"])
@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_a_number_that_no_float_holds_is_refused(kind, value):
    with pytest.raises(ParamError, match=r"n is -?10{10,}"):
        Param("n", kind, 1).check(value)


def test_a_number_that_python_cannot_write_is_refused_in_words():
    with pytest.raises(ParamError, match="n is a number of thousands of digits"):
        Param("n", "int", 1).check(10**5000)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_finite_number_is_refused(value):
    with pytest.raises(ParamError, match="Give a number"):
        Param("x", "float", 1.0).check(value)
