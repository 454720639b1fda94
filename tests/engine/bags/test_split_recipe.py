"""Which bags are held out, as a recipe says it."""

import pytest

from emberscope.bags.split_recipe import SplitRecipe
from emberscope.base.errors import ParamError


def test_a_recipe_that_says_nothing_has_the_default():
    assert SplitRecipe().kind == "default"


@pytest.mark.parametrize(("given", "problem"), [
    ({"kind": "by-day"}, "no kind of split 'by-day'. Known kinds: default, clip, bags, hold-out"),
    ({"folds": 3}, "a split of kind default has no number of folds"),
    ({"kind": "hold-out", "sources": ("day",), "folds": 3}, "a split of kind hold-out has no "
                                                            "number of folds"),
    ({"kind": "clip", "folds": 1}, "a split of 1 fold learns from nothing"),
    ({"kind": "clip", "sources": ("day",)}, "a split of kind clip names no sources"),
    ({"kind": "hold-out"}, "no source is named that the split holds out"),
])  # fmt: skip
def test_what_does_not_go_together_is_said_at_once(given, problem):
    with pytest.raises(ParamError, match=problem):
        SplitRecipe(**given)
