"""The data below a figure, as rows of a table."""

from dataclasses import fields
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from emberscope.base.csv_cells import Digits
from emberscope.figures.maps import MapData
from emberscope.findings.plot import Plot


def plot_rows(plot: Plot) -> list[list[object]]:
    """A row per place of every mark: the mark, its number, then each of its numbers under its name.

    Arrays of a mark are columns; one of two axes has a row per cell, with row and column. What a
    mark says in words stands under its name on each of its rows.
    """
    names, found = ["mark", "number"], list[dict[str, object]]()
    for number, mark in enumerate(plot.marks, 1):
        for row in _rows_of(mark):
            names += [name for name in row if name not in names]
            found.append({"mark": type(mark).__name__.lower(), "number": number, **row})
    return [list(names), *([row.get(name, "") for name in names] for row in found)]


def _rows_of(mark: Any) -> list[dict[str, object]]:
    """The rows of a mark, whichever there are: of its fields by their kinds."""
    once: dict[str, object] = {}
    along: dict[str, NDArray] = {}
    cells: list[dict[str, object]] = []
    for field in fields(mark):
        value = getattr(mark, field.name)
        if isinstance(value, np.ndarray) and value.ndim == 1:
            along[field.name] = value
        elif isinstance(value, np.ndarray) and value.ndim == 2:
            cells += _cells(field.name, value)
        elif isinstance(value, tuple) and value and all(_is_named_array(part) for part in value):
            cells += [cell for name, array in value for cell in _cells(name, array)]
        elif _is_place(value):
            once |= {f"{field.name}_x": _digits(value[0]), f"{field.name}_y": _digits(value[1])}
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            once[field.name] = _digits(value) if isinstance(value, float) else value
    if cells:
        return [{**once, **cell} for cell in cells]
    count = max((len(values) for values in along.values()), default=1)
    return [
        {**once, **{name: _digits(values[k]) for name, values in along.items() if k < len(values)}}
        for k in range(count)
    ]


def _is_place(value: object) -> TypeGuard[tuple[float, float]]:
    return (isinstance(value, tuple) and len(value) == 2
            and all(isinstance(each, float) for each in value))


def _is_named_array(part: object) -> bool:
    return isinstance(part, tuple) and len(part) == 2 and isinstance(part[1], np.ndarray)


def _cells(name: str, values: NDArray) -> list[dict[str, object]]:
    return [
        {"row": int(row), "column": int(column), name: _digits(values[row, column])}
        for row, column in np.ndindex(*values.shape)
    ]


def map_rows(data: MapData, ids: NDArray[np.int64]) -> list[list[object]]:
    """A row per instance of a map: id, coordinates, group of its color as the legend calls it, the
    color itself. ids : (N,)."""
    titles = {entry.key: entry.title for entry in data.look.legend}
    axes = [f"z{k + 1}" for k in range(data.Z.shape[1])]
    rows: list[list[object]] = [["instance", *axes, "group", "color"]]
    for n, instance in enumerate(ids.tolist()):
        group = int(data.look.group[n])
        color = "#{:02x}{:02x}{:02x}".format(*data.look.rgb[n].tolist())
        rows.append([instance, *map(_digits, data.Z[n]), titles.get(group, group), color])
    return rows


def _digits(value: object) -> object:
    return Digits(f"{value:.7g}") if isinstance(value, float | np.floating) else value
