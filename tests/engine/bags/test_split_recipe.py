"""Which bags are held out, as a recipe says it."""

import pytest

from emberscope.bags.split_recipe import (
    SplitRecipe,
    split_of,
    split_text,
    values_of,
    values_text,
)
from emberscope.base.errors import ParamError


def test_a_recipe_that_says_nothing_has_the_default():
    assert SplitRecipe().kind == "default"


@pytest.mark.parametrize(("given", "problem"), [
    ({"kind": "by-day"}, "no kind of split 'by-day'. Known kinds: default, clip, bags, hold-out"),
    ({"folds": 3}, "a split of kind default has no number of folds"),
    ({"kind": "hold-out", "sources": ("day",), "folds": 3},
     "a split of kind hold-out has no number of folds"),
    ({"kind": "clip", "folds": 1}, "a split of 1 fold learns from nothing"),
    ({"kind": "clip", "sources": ("day",)}, "a split of kind clip names no sources"),
    ({"kind": "hold-out"}, "no source is named that the split holds out"),
])  # fmt: skip
def test_what_does_not_go_together_is_said_at_once(given, problem):
    with pytest.raises(ParamError, match=problem):
        SplitRecipe(**given)


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("default", SplitRecipe()),
        ("", SplitRecipe()),
        ("clip folds=3", SplitRecipe(kind="clip", folds=3)),
        (
            "hold-out:night.arf,dusk.arf",
            SplitRecipe(kind="hold-out", sources=("night.arf", "dusk.arf")),
        ),
        ("column:light", SplitRecipe(kind="column", column="light")),
        (
            "column:range test=1500 train=1000,2000 shared",
            SplitRecipe(
                kind="column", column="range", test=("1500",), train=("1000", "2000"), shared=True
            ),
        ),
        (
            "column:site test='Fort A, north',Yuma",
            SplitRecipe(kind="column", column="site", test=("Fort A, north", "Yuma")),
        ),
        (
            'hold-out:"day, hot.arf",dusk.arf',
            SplitRecipe(kind="hold-out", sources=("day, hot.arf", "dusk.arf")),
        ),
        (
            'column:site test="A, b" train="5"" gun, new",c',
            SplitRecipe(kind="column", column="site", test=("A, b",), train=("5 gun, new", "c")),
        ),
        (
            "'column:nominal range' test=1400..1600",
            SplitRecipe(kind="column", column="nominal range", test=("1400..1600",)),
        ),
    ],
)
def test_a_line_of_text_says_a_split_and_is_written_back(text, split):
    assert split_of(text) == split
    assert split_of(split_text(split)) == split


@pytest.mark.parametrize("value", ["a, b", 'a "b", c', "it's, so", "x", '5" gun', "a,,b"])
def test_any_value_is_written_such_that_it_is_read_again(value):
    split = SplitRecipe(kind="column", column="site", test=(value, "other"))
    assert split_of(split_text(split)) == split
    assert values_of(values_text([value, "other"], ", ")) == (value, "other")


@pytest.mark.parametrize(("text", "problem"), [
    ("clip folds=x", "the split says 'folds=x', which means nothing"),
    ("column:Range (m) test=3", r"'\(m\)', which .* A name with a blank stands in quotes"),
    ("column:range tset=3", "the split says 'tset=3', which means nothing"),
    ("column", "the split names no column"), ("clip:day", "a split of kind clip has no column"),
    ("column:range train=3", "names values to learn from and none that judge"),
    ("column:range test=3 folds=4", "names the values that judge has one fold"),
    ("column:'range", "cannot be read"),
])
def test_a_line_that_says_no_split_is_refused(text, problem):
    with pytest.raises(ParamError, match=problem):
        split_of(text)
