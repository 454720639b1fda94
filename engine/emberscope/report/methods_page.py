"""The help page of methods, written from the catalogue: `packaging/make_help.py` puts it where the window finds it."""

import inspect
from collections.abc import Iterable
from typing import Any

from emberscope import catalogue
from emberscope.base.param import Param
from emberscope.catalogue import Method
from emberscope.embedding.nonlinear import Nonlinear
from emberscope.embedding.regression import Regressed

SIZES = (1000, 10_000, 100_000)
FEATURES = 50  # what a run reduces to unless set otherwise

_HEAD = """\
# Methods

A method places every instance on the map. Methods differ in what they read: the features alone, a label per
instance, or whole bags. The Run panel locks a method while the labels it needs are missing, and says which.

{overview}

A bag classifier or ranker places nothing: it scores bags and instances, beside an embedding or by
[classify](commands#classify).

{classifiers}

A label per instance is the label of its bag, spread over the members, unless you marked the instance: see [Kinds of
labels](labels#conflicts). In a positive bag most of these spread labels may be wrong, which is what loose labels
cost; only a method that reads bags knows of it.

## Parameters

The tables below hold what `emberscope methods ID` prints. **auto** is a value worked out from the data; write
`auto` to ask for it. Where *values to try* are given, `auto` in [classify](commands#classify) chooses among them inside
the training folds. Parameters marked *advanced* lie behind the fold of the Run panel. The Run panel starts with 3
dimensions where a method takes more than 3, so that the 3-D map has something to show; everywhere else the default
counts.

## Cost

About how long a fit takes on two ordinary cores with {features} features, and the memory it takes beside the
features. A run adds the time for features, neighbors and scores; the Run panel shows the sum before you start.

{costs}
"""

_NEEDS = {"none": "no labels", "instance": "a label per instance", "bag": "bags", "positive": "positive bags",
          "classes": "bags of several classes"}
_CLASSIFIES = {"instance": "instances", "bag": "whole bags", "embedded": "bags as vectors"}
_SCORES = "Instances and bags that were not in the fit are scored by what was learned from those that were."
_LINEAR = "By the map of the method itself: a weighted sum of features, the same for old and new instances."
_EXACT = "By the map of the method itself, the same for old and new instances."
_OWN = (
    "By a rule of the method's own, with the instances of the fit held where they are. An instance far from all of "
    "them still gets a plausible place."
)
_INVERSE = " It also has an inverse: a place on the map can be turned into features."
_NEAREST = (
    "From the 5 nearest instances of the fit: the weights that sum to 1 and rebuild the new instance best are applied "
    "to their coordinates. An instance far from all of them still gets a plausible place."
)
_REGRESSED = " With `out_of_sample` rbf or mlp, by a regression that knows the classes, or by a network."


def methods_page() -> str:
    """The page as Markdown. Imports every class of the catalogue; the same for the same code."""
    overview = _table(
        ("method", "family", "reads", "linear", "instances at most"),
        ([f"[{m.title.partition(',')[0]}](methods#{m.id})", m.family, _NEEDS[m.needs], "yes" if m.linear else "no",
          _count(m.max_n) if m.max_n else "no limit"] for m in catalogue.PICTURES),
    )  # fmt: skip
    classifiers = _table(
        ("method", "family", "reads", "classifies", "instances at most"),
        ([f"[{m.title.partition(',')[0]}](methods#{m.id})", m.family, _NEEDS[m.needs], _CLASSIFIES[m.space],
          _count(m.max_n) if m.max_n else "no limit"] for m in catalogue.CLASSIFIERS),
    )  # fmt: skip
    costs = _table(
        ("method", *(f"{_count(n)} instances" for n in SIZES)),
        ([m.title.partition(",")[0], *(_cost(m, n) for n in SIZES)] for m in catalogue.METHODS),
    )
    head = _HEAD.format(overview=overview, classifiers=classifiers, costs=costs, features=FEATURES)
    return "\n".join([head, *(_entry(method) for method in catalogue.METHODS)])


def _entry(method: Method) -> str:
    """One method."""
    cls = catalogue.load(method.id)
    parts = [
        f"## {method.id}", f"**{method.title}.** {method.summary}", f"**When.** {method.when}",
        _table(("parameter", "default", "range", "meaning"), map(_param_row, cls.params)),
        f"**New instances.** {_placed(method, cls)}{_INVERSE if method.inverse else ''}",
        f"**In detail.** {notes(cls)}", f"**References.** {'; '.join(method.references)}.",
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _placed(method: Method, cls: type) -> str:
    """How new instances get their coordinates."""
    if method.kind == "classifier":
        return _SCORES
    if method.out_of_sample == "exact":
        return _LINEAR if method.linear else _EXACT
    if issubclass(cls, Regressed):
        return _NEAREST + _REGRESSED
    return _NEAREST if cls.transform is Nonlinear.transform else _OWN  # type: ignore[attr-defined]


def notes(cls: type) -> str:
    """The Notes of a class, a paragraph per blank line."""
    text = (inspect.getdoc(cls) or "").partition("Notes\n-----\n")[2]
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    return "\n\n".join(part.replace("``", "`") for part in paragraphs if part)


def _param_row(param: Param) -> list[str]:
    name = f"`{param.name}`" + (" *advanced*" if param.advanced else "")
    unit = f", {param.unit}" if param.unit else ""
    return [name, param.default_text, param.range_text + unit, param.meaning]


def _cost(method: Method, n: int) -> str:
    if method.max_n is not None and n > method.max_n:
        return "refused"
    seconds, size = catalogue.estimate(method.id, n, FEATURES)
    return f"{_time(seconds)}, {_size(size)}"


def _time(seconds: float) -> str:
    if seconds < 1:
        return "under 1 s"
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _size(size: float) -> str:
    return f"{size / 2**20:.0f} MB" if size < 2**30 else f"{size / 2**30:.1f} GB"


def _count(n: int) -> str:
    return f"{n:,}".replace(",", " ")


def _table(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """A Markdown table."""
    lines = [list(head), *(list(row) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
