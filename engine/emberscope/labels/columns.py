"""Columns: what is known besides, by name, of clips, frames and labels.

A value is a number, a text or a truth value. What is missing is not there: there is no sign for it,
no 0 and no empty text.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.plain_text import showable

Value = bool | float | str
Kind = Literal["number", "text", "truth"]
NUMBER: Kind = "number"
TEXT: Kind = "text"
TRUTH: Kind = "truth"
# of the larger: numbers whose neighbors in a row are nearer are one value, as ranges along a clip
NEAR = 0.05
_RANGE_DATA = re.compile(
    r"(?:cegr|i1co)(019(?:2[3579]|3[13579])|020(?:0[3579]|1[13579]))_\d{4}", re.IGNORECASE
)
_HIT_UAV = re.compile(r"([01])_(\d{2,3})_(\d{2})_\d_\d{5}")
_COMMA = re.compile(r"[-+]?\d+,\d+")  # the decimal sign of many countries
_YES, _NO = ("true", "yes"), ("false", "no")
_NOTHING = ("", "na", "n/a", "nan", "null", "none", "-", "?")


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column of n things, each with a value or without.

    kind : "number", "text" or "truth". values : (n,) float64, NaN where there is none: the number;
    0 or 1 of a truth value; of a text its place in `texts`, which are sorted.
    """

    name: str
    kind: Kind
    values: NDArray[np.float64]
    texts: tuple[str, ...] = ()

    @property
    def known(self) -> NDArray[np.bool_]:
        """(n,) where there is a value."""
        return np.isfinite(self.values)

    def take(self, rows: NDArray) -> "Column":
        """The column of some of the things; a row of -1 has no value."""
        rows = np.asarray(rows, np.int64)
        found = np.full(len(rows), np.nan)
        found[rows >= 0] = self.values[rows[rows >= 0]]
        return Column(self.name, self.kind, found, self.texts)

    def words(self, value: float) -> str:
        """A value of `values` as a person reads it: "1500", "night", "yes"; "none" of NaN."""
        if not math.isfinite(value):
            return "none"
        if self.kind == TEXT:
            return self.texts[int(value)]
        return ("no", "yes")[int(value)] if self.kind == TRUTH else f"{value:.6g}"

    def near(self) -> tuple[NDArray[np.int64], list[tuple[float, float]]] | None:
        """Numbers in groups of such as lie close in a row, as ranges around 1000 and 1500 m: (n,)
        group from 0, -1 without a value, and the ends of each; None where one of them would be
        wide, so that they are not a few values."""
        group = near_groups(self.values)
        ends = [(float(own.min()), float(own.max()))
                for own in (self.values[group == k] for k in range(int(group.max(initial=-1)) + 1))]
        wide = any(high - low > 2 * NEAR * max(abs(low), abs(high)) for low, high in ends)
        return None if wide or self.kind != NUMBER else (group, ends)

    def levels(self, most: int = 12) -> tuple[NDArray[np.int64], list[str]]:
        """The things in groups by their value: (n,) group from 0, -1 without a value, and names.

        Of more than `most` numbers the groups are those of `near`, where there are two or more of
        these, else `most` // 3 ranges with about equally many things in each; texts and truth
        values have a group for each.
        """
        group = np.full(len(self.values), -1, np.int64)
        there, inside = np.unique(self.values[self.known], return_inverse=True)
        if self.kind != NUMBER or len(there) <= most:
            group[self.known] = inside.reshape(-1)
            return group, [self.words(value) for value in there.tolist()]
        near = self.near()
        if near is not None and 1 < len(near[1]) <= most:
            return near[0], [f"{low:.6g} to {high:.6g}" if high > low else self.words(low)
                             for low, high in near[1]]
        parts = np.linspace(0, 1, max(most // 3, 2) + 1)
        edges = np.unique(np.quantile(self.values[self.known], parts))
        inside = np.clip(np.searchsorted(edges, self.values[self.known], "right") - 1,
                         0, len(edges) - 2)
        used, group[self.known] = np.unique(inside, return_inverse=True)
        return group, [f"{edges[k]:.6g} to {edges[k + 1]:.6g}" for k in used.tolist()]


def near_groups(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """(n,) number of the group of each of some numbers (n,), ascending, -1 of NaN: those whose
    neighbors in a row are nearer than one twentieth of the larger are in one."""
    group, known = np.full(len(values), -1, np.int64), np.isfinite(values)
    there, inside = np.unique(values[known], return_inverse=True)
    if len(there):
        gaps = np.diff(there) > NEAR * np.maximum(np.abs(there[1:]), np.abs(there[:-1]))
        group[known] = np.concatenate([[0], np.cumsum(gaps)])[inside.reshape(-1)]
    return group


@dataclass(frozen=True, slots=True)
class Wording:
    """How a column is written as numbers: its kind, and the place of each of its texts."""

    name: str
    kind: Kind
    place: Mapping[str, float]

    @classmethod
    def of(cls, name: str, values: Iterable[Value | None]) -> "Wording":
        """Of truth values where all are, of numbers where all are, else of texts."""
        there = {(type(value), value) for value in values if value is not None}
        kinds = {kind for kind, _ in there}
        if kinds == {bool}:
            return cls(name, TRUTH, {})
        if kinds <= {float, int}:
            return cls(name, NUMBER, {})
        texts = sorted({text_of(value) for _, value in there})
        return cls(name, TEXT, {text: float(k) for k, text in enumerate(texts)})

    def column(self, values: Iterable[Value | None]) -> Column:
        """The column of these values, None for a missing one."""
        found = np.array([self.number(value) for value in values], float)
        return Column(self.name, self.kind, found, tuple(self.place))

    def number(self, value: Value | None) -> float:
        """A value as it stands in `Column.values`; NaN for None, and for a text that is not
        there."""
        if value is None:
            return math.nan
        return self.place.get(text_of(value), math.nan) if self.kind == TEXT else float(value)


def column_of(name: str, values: Iterable[Value | None]) -> Column:
    """The column of these values, None for a missing one."""
    given = list(values)
    return Wording.of(name, given).column(given)


def text_of(value: Value) -> str:
    """A value as text, which `value_of` reads again: "yes", "no", "1500", "night"."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:.12g}"


def value_of(text: str | None) -> Value | None:
    """What a cell or a field of a file says: a number, yes or no, else its text; None where it
    says nothing (empty, NaN, "n/a")."""
    word = (text or "").strip()
    if (low := word.casefold()) in _NOTHING:
        return None
    if low in _YES or low in _NO:
        return low in _YES
    try:
        number = float(word.replace(",", ".") if _COMMA.fullmatch(word) else word)
    except ValueError:
        return showable(word)
    return number if math.isfinite(number) else None


def agreed(values: Iterable[Value | None]) -> Value | None:
    """The value that all have that have one, None where they differ; of numbers that differ by
    less than a twentieth the mean."""
    there = [value for value in values if value is not None]
    numbers = [value for value in there if type(value) is float]
    if there and len(numbers) == len(there):
        low, high = min(numbers), max(numbers)
        return float(np.mean(numbers)) if high - low <= NEAR * max(abs(low), abs(high)) else None
    return there[0] if there and all(value == there[0] for value in there) else None


def agreed_columns(rows: Iterable[Mapping[str, Value]]) -> dict[str, Value]:
    """What rows agree on, by the name of the column."""
    said: dict[str, list[Value]] = {}
    for row in rows:
        for name, value in row.items():
            said.setdefault(name, []).append(value)
    found = {name: agreed(values) for name, values in said.items()}
    return {name: value for name, value in found.items() if value is not None}


def values_of(given: Mapping[str, object]) -> dict[str, Value]:
    """Values of a record of another program by their names; what is neither number, text nor
    truth value, and what is missing, is left out."""
    found: dict[str, Value] = {}
    for name, value in given.items():
        read = value_of(value) if isinstance(value, str) else value
        if isinstance(read, bool | int | float | str) and name.strip():
            found[name] = read
    return plain_columns(found)


def columns_in_name(stem: str) -> dict[str, Value]:
    """What the name of a clip or an image says, where it is one of a data set whose names do.

    "cegr02005_0011", of the range data: "light", day or night, and "nominal range" in m.
    "1_130_30_0_09949", of HIT-UAV: "light", "altitude" in m, "camera angle" in degrees.
    """
    if found := _RANGE_DATA.match(stem):
        night, step = (
            found[1].startswith("019"),
            int(found[1]) - (1923 if found[1] < "02000" else 2003),
        )
        light = "night" if night else "day"
        return {"light": light, "nominal range": 1000.0 + 250.0 * step} if step >= 0 else {}
    if found := _HIT_UAV.fullmatch(stem):
        light = "night" if found[1] == "1" else "day"
        return {"light": light, "altitude": float(found[2]), "camera angle": float(found[3])}
    return {}


def plain_columns(given: Mapping[str, object]) -> dict[str, Value]:
    """Columns as records keep them: names and texts on one line, numbers of Python, finite.

    A number that is not finite is missing. Raises DataError for another kind of value.
    """
    found: dict[str, Value] = {}
    for name, value in given.items():
        plain = _plain(name, value)
        if plain is not None:
            found[showable(name.strip())] = plain
    return found


def _plain(name: str, value: object) -> Value | None:
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return showable(value.strip()) or None
    if isinstance(value, int | float):
        number = float(value)
        return number if math.isfinite(number) else None
    hint = "Give a number, a text, or yes or no."
    raise DataError(f"column {name}: {value!r:.60} is no value", hint=hint)
