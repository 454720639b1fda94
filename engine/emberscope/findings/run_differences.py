"""Differences between two runs of a project, in a few words."""

from typing import Any

import msgspec

from emberscope.bags.recipe import sides_in_words
from emberscope.project.model.project import Run
from emberscope.project.model.recipe import Recipe

_SHOWN_AS = {
    "kind": "",
    "n_components": "dimensions",
    "random_state": "seed",
    "reduce": "reduced to",
    "ignore_side": "ignoring side information",
    "bag_pairs": "pairs of bag labels",
    "split.kind": "split",
    "split.sources": "held out",
}
# The method is named anyway
_BESIDE = ("method", "params", "metric_params", "classifier_params", "classifier_choose")


def data_words(recipe: Recipe) -> str:
    """What a run looks at: "48 px hog+statistics"; chips of labels have no patch of their own."""
    patch = (
        f"{sides_in_words(recipe.bags.sides)} px " if recipe.bags.level == "instance" else "chips "
    )
    return f"{patch}{recipe.features.kind}"


def differs(run: Run, previous: Run | None) -> list[str]:
    """What is other than in the previous run, the most telling first: ["patch 48", "2 marks more"];
    [] without one.

    Values of the recipe, those of the method where both have the same one, then how many bags and
    marks came or went.
    """
    if previous is None:
        return []
    now, before = _values(run.recipe), _values(previous.recipe)
    changed = [name for name in dict.fromkeys([*now, *before]) if now.get(name) != before.get(name)]
    words = [_setting_text(name, now.get(name)) for name in changed]
    if run.recipe.method == previous.recipe.method:
        mine, others = run.recipe.params, previous.recipe.params
        names = [
            name for name in dict.fromkeys([*mine, *others]) if mine.get(name) != others.get(name)
        ]
        words += [_setting_text(name, mine.get(name)) for name in names]
    words += _more("marked pair", _pairs(run) - _pairs(previous))
    words += _more("bag", len(run.bag_ids) - len(previous.bag_ids))
    return words + _more("mark", _marks(run) - _marks(previous))


def _values(recipe: Recipe) -> dict[str, Any]:
    """Every value of a recipe but those of the methods, those of tables by their own names."""
    out: dict[str, Any] = {}
    for name, value in msgspec.to_builtins(recipe).items():
        if name not in _BESIDE:
            out |= (
                {f"{name}.{key}": item for key, item in value.items()}
                if isinstance(value, dict)
                else {name: value}
            )
    return out


def _setting_text(name: str, value: Any) -> str:
    """"bags.patch", 48 -> "patch 48"; a value of None is chosen by the method."""
    short = name.rpartition(".")[2]
    title = _SHOWN_AS.get(name, _SHOWN_AS.get(short, short.removeprefix("n_").replace("_", " ")))
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    shown = (
        {None: "auto", "": "none", True: "on", False: "off"}.get(value, value)
        if _plain(value)
        else value
    )
    return f"{title} {f'{shown:g}' if isinstance(shown, float) else shown}".strip()


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | str)


def _more(what: str, count: int) -> list[str]:
    if not count:
        return []
    return [f"{abs(count)} {what}{'s' * (abs(count) != 1)} {'more' if count > 0 else 'fewer'}"]


def _pairs(run: Run) -> int:
    return int(run.metrics.get("marked_pairs", 0))


def _marks(run: Run) -> int:
    return len(run.diagnostics.get("marks", ()))
