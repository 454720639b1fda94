"""What does not fit a record, in words."""

from typing import Annotated, Literal

import msgspec
import pytest

from emberscope.base.misfit import misfit_words


class Inner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    also: list[int] = []


class Record(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    share: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    count: int | None = None
    kind: Literal["a", "b"] = "a"
    bags: Inner = Inner()


@pytest.mark.parametrize(("fields", "words"), [
    ({"name": "x", "share": 2}, "share must be a number of 1 at most"),
    ({"name": "x", "share": -0.5}, "share must be a number of at least 0"),
    ({"name": "x", "count": "two"}, "count must be a whole number, not text"),
    ({"name": "x", "kind": "c"}, "kind cannot be 'c'"),
    ({"name": "x", "bags": {"also": ["a"]}}, "bags.also, entry 1 must be a whole number, not text"),
    ({"name": "x", "bags": {"old": 1}}, "there is no field old in bags"),
    ({"name": "x", "bags": [1]}, "bags must be a table of fields, not a list"),
    ({}, "name is missing"),
])  # fmt: skip
def test_a_misfit_is_said_without_names_of_types(fields, words):
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(fields, Record)
    assert misfit_words(caught.value) == words


@pytest.mark.parametrize(("fields", "words"), [
    ({"kind": "c"}, "kind cannot be 'c'; it is one of a, b"),
    ({"parts": [{"how": "c"}]}, "parts, entry 1.how cannot be 'c'; it is one of x, y"),
    ({"part": {"how": "c"}}, "part.how cannot be 'c'; it is one of x, y"),
    ({"count": "two"}, "count must be a whole number, not text"),
])  # fmt: skip
def test_what_a_field_may_be_is_listed_where_the_record_is_known(fields, words):
    class Part(msgspec.Struct):
        how: Literal["x", "y"]

    class Whole(msgspec.Struct):
        kind: Literal["a", "b"] = "a"
        parts: list[Part] = []
        part: Part | None = None
        count: int = 0

    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(fields, Whole)
    assert misfit_words(caught.value, Whole) == words


def test_other_words_stay_as_they_are():
    assert misfit_words(ValueError("it is torn")) == "it is torn"
