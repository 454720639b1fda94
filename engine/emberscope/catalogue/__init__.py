"""One table of all methods. Import-light: rows name their class, `load` imports it.

A new method is one file, one row in `rows` and one page in the resources (`help/methods/ID.md`).
Modules: `row` (what a row says), `cost`, `rows` (by family), `needs`, `pages` (what a person reads
about a method).
"""

from collections.abc import Mapping
from dataclasses import asdict
from importlib import import_module
from typing import Any

from emberscope.base.errors import ParamError
from emberscope.base.plain_text import meant
from emberscope.catalogue.cost import Cost
from emberscope.catalogue.needs import (
    ACTIONS,
    BACKGROUND,
    DISTANCES,
    NEEDS,
    PAIRS,
    SECOND_CLASS,
    SIDE,
    TARGET,
    lacks,
    missing_hint,
    side_needed,
    side_read,
    unlock_words,
    unlocks,
)
from emberscope.catalogue.row import Method
from emberscope.catalogue.rows import METHODS

__all__ = [
    "ACTIONS",
    "BACKGROUND",
    "CLASSIFIERS",
    "DISTANCES",
    "EMBEDDERS",
    "METHODS",
    "METRICS",
    "NEEDS",
    "PAIRS",
    "SECOND_CLASS",
    "SIDE",
    "TARGET",
    "Cost",
    "Method",
    "describe",
    "estimate",
    "lacks",
    "load",
    "method",
    "missing_hint",
    "side_needed",
    "side_read",
    "unlock_words",
    "unlocks",
]

EMBEDDERS = tuple(row for row in METHODS if row.kind != "classifier")
# Maps by what is known beside labels: any of them can stand before another method.
_KNOWING = ("emberscope.metric.", "emberscope.embedding.side.")
METRICS = tuple(row for row in EMBEDDERS if row.target.startswith(_KNOWING))
CLASSIFIERS = tuple(row for row in METHODS if row.space)
_BY_ID = {row.id: row for row in METHODS}


def method(id: str) -> Method:
    """The row of a method. Raises ParamError with the known ids."""
    if id not in _BY_ID:
        raise ParamError(f"there is no method {id!r}",
                         hint=f"{meant(id, _BY_ID)} Known methods: {', '.join(_BY_ID)}.".lstrip())
    return _BY_ID[id]


def load(id: str) -> Any:
    """The class of a method; this imports it."""
    module, _, name = method(id).target.partition(":")
    return getattr(import_module(module), name)


def estimate(
    id: str, n: int, d: int, values: Mapping[str, Any] | None = None
) -> tuple[float, float]:
    """About how many seconds a fit on n rows of d features takes, and the bytes of memory beside X,
    with these values of parameters; those that are not given are the usual ones."""
    row, given = method(id), values or {}
    seconds, memory = row.cost.with_values(given).at(n, d)
    if row.members is not None:
        own, count = row.members, given.get(row.members.count, row.members.usual_count)
        each = estimate(given.get(own.base, own.usual_base), n, d)
        seconds, memory = seconds + count * each[0], memory + each[1]
    return seconds, memory


def describe() -> list[dict[str, Any]]:
    """All rows as plain data, with the parameters of each method (imports every class; run it in
    the worker)."""
    return [
        {**asdict(row), "params": [param.to_dict() for param in load(row.id).params]}
        for row in METHODS
    ]
