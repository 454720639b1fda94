"""Differences between two runs of a project, in a few words."""

from collections.abc import Mapping
from typing import Any

import msgspec

from emberscope.bags.recipe import ROWS, sides_in_words
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
    "split.column": "split by",
    "map_choose": "values of the map chosen",
}
_OF_PATCHES = {"bags.level", "bags.patch", "bags.also"}
_SEED, _SEED_OF_METHOD = "seed", "random_state"  # one setting: the second wins where it is there
# The method is named anyway
_BESIDE = ("method", "params", "metric_params", "classifier_params", "classifier_choose")


def data_words(recipe: Recipe) -> str:
    """What a run looks at: "48 px hog+statistics"; chips of labels have no patch of their own,
    and neither have rows of point sets: "166 values"."""
    return f"{_patch_words(recipe)} {recipe.features.kind}"


def same_data_words(run: Run, previous: Run | None) -> str:
    """What a run looks at, without what `differs` says of it."""
    said = set(_changed(run, previous))
    patch = "" if said & _OF_PATCHES else _patch_words(run.recipe)
    kind = "" if "features.kind" in said else run.recipe.features.kind
    return f"{patch} {kind}".strip()


def _patch_words(recipe: Recipe) -> str:
    if recipe.bags.level == ROWS:
        return f"{recipe.features.width}"
    sides = f"{sides_in_words(recipe.bags.sides)} px"
    return sides if recipe.bags.level == "instance" else "chips"


def differs(run: Run, previous: Run | None) -> list[str]:
    """What is other than in the previous run, the most telling first: ["patch 48", "2 marks more"];
    [] without one.

    Values of the recipe, those of the method where both have the same one, then how many bags and
    marks came or went.
    """
    if previous is None:
        return []
    now = _values(run.recipe)
    changed = _changed(run, previous)
    if "split.column" in changed:  # its name says the kind, or the kind that there is none
        said = "split.kind" if now["split.column"] else "split.column"
        changed = [name for name in changed if name != said]
    words = [_setting_text(name, now.get(name)) for name in changed]
    if run.recipe.method == previous.recipe.method:
        mine = _params(run.recipe)
        names = _otherwise(mine, _params(previous.recipe))
        words += [_setting_text(name, mine.get(name)) for name in names]
    words += _more("marked pair", _pairs(run) - _pairs(previous))
    words += _more("bag", len(run.bag_ids) - len(previous.bag_ids))
    return words + _more("mark", _marks(run) - _marks(previous))


def _changed(run: Run, previous: Run | None) -> list[str]:
    """Names of the values of the recipe that are others than in the previous run."""
    if previous is None:
        return []
    return _otherwise(_values(run.recipe), _values(previous.recipe))


def _otherwise(now: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    """Names whose values are not the same in both, or are in one of them alone."""
    return [name for name in dict.fromkeys([*now, *before]) if now.get(name) != before.get(name)]


def settings_changed(run: Run, previous: Run) -> list[tuple[str, str, str]]:
    """(title, what it was, what it is now) of every setting that differs; "" for one that only one
    of the methods has.

    The method first, where it is another one, whose own settings then say nothing.
    """
    now, before = _values(run.recipe), _values(previous.recipe)
    rows = [(name, before.get(name), now.get(name)) for name in _otherwise(now, before)]
    if run.recipe.method == previous.recipe.method:
        mine, others = _params(run.recipe), _params(previous.recipe)
        rows += [(name, others.get(name), mine.get(name)) for name in _otherwise(mine, others)]
    else:
        rows.insert(0, ("method", previous.recipe.method, run.recipe.method))
    return [
        (_title(name) or name.rpartition(".")[0] or name, _shown(a), _shown(b))
        for name, a, b in rows
    ]


def names_changed(run: Run, previous: Run) -> list[str]:
    """Names of the settings that differ: of the recipe, and "params.NAME" of the method; "method"
    alone where it is another one, whose own settings then say nothing."""
    names = _changed(run, previous)
    if run.recipe.method != previous.recipe.method:
        return ["method", *names]
    params = _otherwise(_params(run.recipe), _params(previous.recipe))
    return [*(f"params.{name}" for name in params), *names]


def setting_of(run: Run, name: str) -> Any:
    """The value of a setting by such a name; None where the run leaves it to the method."""
    if name.startswith("params."):
        return run.recipe.params.get(name.removeprefix("params."))
    return run.recipe.method if name == "method" else _values(run.recipe).get(name)


def setting_title(name: str) -> str:
    """What a setting by such a name is called: "dimensions", "reduced to", "features"."""
    return _title(name) or name.rpartition(".")[0]


def setting_words(value: Any) -> str:
    """A value of a setting as a person reads it: "auto", "on", "0.5"."""
    return _shown(value)


def _title(name: str) -> str:
    short = name.rpartition(".")[2]
    return _SHOWN_AS.get(name, _SHOWN_AS.get(short, short.removeprefix("n_").replace("_", " ")))


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    shown = (
        {None: "auto", "": "none", True: "on", False: "off"}.get(value, value)
        if _plain(value)
        else value
    )
    return f"{shown:g}" if isinstance(shown, float) else str(shown)


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
    own = recipe.params.get(_SEED_OF_METHOD)
    out[_SEED] = recipe.seed if own is None else own
    return out


def _params(recipe: Recipe) -> dict[str, Any]:
    """The parameters of the method but its seed, which stands with the recipe."""
    return {name: value for name, value in recipe.params.items() if name != _SEED_OF_METHOD}


def _setting_text(name: str, value: Any) -> str:
    """"bags.patch", 48 -> "patch 48"; a value of None is chosen by the method."""
    return f"{_title(name)} {_shown(value)}".strip()


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
