"""A published table as data, and the same table filled in with what is measured here."""

import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np

from emberscope.base.errors import DataError, EmberscopeError, FormatError
from emberscope.base.monitor import Monitor, Portion, monitored

if TYPE_CHECKING:
    from emberscope.datasets.model import Points

Measure = Callable[..., float]  # (seed=, monitor=, points=, **parameters) -> the number
Tolerance = Annotated[float, msgspec.Meta(gt=0)]


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One number of a table.

    name : what it is the number of. published : the number in print; None: there is none. measure :
    how it is measured here, default that of the table; "" with `unavailable`: it is not. params :
    of the measurement.
    seeds : how often it is drawn, default that of the table. note : one line, why it differs or how
    it is meant.
    unavailable : why it cannot be measured. tolerance : how far ours may be from print, default
    that of the table.
    """

    name: str
    published: float | None = None
    measure: str = ""
    params: dict[str, Any] = {}
    seeds: Annotated[int, msgspec.Meta(ge=0)] = 0
    note: str = ""
    unavailable: str = ""
    tolerance: Tolerance | None = None


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A published table.

    title, source : what it shows and where it was printed. unit : of all numbers. data : name of
    the public benchmark it needs, "" for generated data. measure, params, seeds : for all rows.
    about : what to know before reading it.
    tolerance : how far ours may be from print before a row counts as different; None: print does
    not allow a verdict.
    minutes : about how long the whole table takes on two cores, 0: not known.
    """

    title: str
    source: str
    unit: str = "%"
    data: str = ""
    measure: str = ""
    params: dict[str, Any] = {}
    seeds: Annotated[int, msgspec.Meta(ge=1)] = 1
    about: str = ""
    tolerance: Tolerance | None = None
    minutes: Annotated[float, msgspec.Meta(ge=0)] = 0
    rows: Annotated[list[Row], msgspec.Meta(min_length=1)]


@dataclass(frozen=True, slots=True)
class Line:
    """A row filled in. ours, sd : mean and standard deviation over `seeds` draws, NaN where it was
    not measured."""

    name: str
    published: float | None
    ours: float
    sd: float
    seeds: int
    note: str
    tolerance: float | None = None

    @property
    def difference(self) -> float:
        """Ours less the published number; NaN where none is published."""
        return self.ours - self.published if self.published is not None else float("nan")

    @property
    def agrees(self) -> bool | None:
        """Whether ours is as near to print as the table asks, to the digit that is shown; None: it
        does not say."""
        if self.tolerance is None or math.isnan(self.difference):
            return None
        return abs(round(self.difference, 1)) <= self.tolerance


@cache
def published_tables() -> dict[str, Traversable]:
    """The tables that come along, by name."""
    folder = resources.files("emberscope_resources") / "recipes" / "published"
    found = {
        entry.name.removesuffix(".toml"): entry
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    }
    return dict(sorted(found.items()))


def read_table(name: str) -> Table:
    """A table from a TOML file, or one that comes along. Raises DataError naming the field that is
    wrong."""
    known = published_tables()
    file: Path | Traversable = known[name] if name in known else Path(name)
    if isinstance(file, Path) and not file.exists():
        raise DataError(
            f"there is no table {name}", hint=f"Tables that come along: {', '.join(known)}."
        )
    try:
        return msgspec.toml.decode(file.read_bytes(), type=Table)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        hint = "See the tables that come along."
        raise DataError(f"cannot read the table: {why}", where=name, hint=hint) from error


def fill_in(
    table: Table,
    measures: dict[str, Measure],
    *,
    data: Path | None = None,
    only: str = "",
    seeds: int = 0,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> Iterable[Line]:
    """Measure the rows, one after the other.

    Parameters
    ----------
    measures : name -> measurement. data : folder of the public benchmarks. only : rows whose name
    has this in it.
    seeds : draws per row, 0 = as the table says. seed : the first of them.

    A row whose measurement fails says why and the others go on. Raises FormatError where the data
    are missing, DataError for a row that names no measurement or parameters that it does not take.
    """
    for row in table.rows:
        _check(table, row, measures)
    points = benchmark(table.data, data) if table.data else None
    wanted = wanted_rows(table, only)
    if not wanted:
        names = ", ".join(row.name for row in table.rows)
        raise DataError(f"no row of the table has {only!r} in its name", hint=f"Its rows: {names}.")
    watch = monitored(monitor)
    for at, row in enumerate(wanted):
        part = Portion(watch, at / len(wanted), (at + 1) / len(wanted))
        part.step(0.0, row.name)
        yield measured(table, row, measures, points=points, seeds=seeds, seed=seed, monitor=part)


def wanted_rows(table: Table, only: str) -> list[Row]:
    """Rows whose name has this in it, whatever its case."""
    return [row for row in table.rows if only.lower() in row.name.lower()]


def measured(
    table: Table,
    row: Row,
    measures: dict[str, Measure],
    *,
    points: "Points | None" = None,
    seeds: int = 0,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> Line:
    """One row: `fill_in` measures them all like this. points : the benchmark, where the table names
    one.

    Raises DataError where its settings do not fit.
    """
    _check(table, row, measures)
    if row.unavailable:
        return not_measured(table, row)
    values: list[float] = []
    measure, watch = measures[row.measure or table.measure], monitored(monitor)
    count = draws(table, row, seeds)
    try:
        for i in range(count):
            share = Portion(watch, i / count, (i + 1) / count)
            values.append(
                measure(
                    seed=seed + i, monitor=share, points=points, **{**table.params, **row.params}
                )
            )
    except EmberscopeError as error:
        return replace(not_measured(table, row), seeds=len(values), note=str(error))
    except (TypeError, ValueError) as error:
        raise DataError(
            f"row {row.name} cannot be measured: {error}", hint="Check the params of the row."
        ) from error
    scale = 100.0 if table.unit == "%" else 1.0
    spread = scale * float(np.std(values, ddof=1)) if count > 1 else math.nan
    return replace(
        not_measured(table, row), ours=scale * float(np.mean(values)), sd=spread, seeds=count
    )


def not_measured(table: Table, row: Row) -> Line:
    """The row as it stands before it is measured, or for good where it cannot be."""
    tolerance = table.tolerance if row.tolerance is None else row.tolerance
    return Line(
        row.name, row.published, math.nan, math.nan, 0, row.unavailable or row.note, tolerance
    )


def draws(table: Table, row: Row, seeds: int = 0) -> int:
    """How often a row is drawn; seeds : 0 = as the table says."""
    return 0 if row.unavailable else seeds or row.seeds or table.seeds


def has_benchmark(name: str, folder: Path) -> bool:
    """Whether a folder seems to hold a set, by its name alone."""
    return (folder / name).exists() or any(folder.glob(f"{name}.*"))


def benchmark(name: str, folder: Path | None) -> "Points":
    """A public multiple-instance set by name, from a folder that holds it as a file or folder of
    that name.

    Raises DataError for a path instead of a name, FormatError where it cannot be read.
    """
    from emberscope.datasets.benchmarks import is_benchmark  # who lists the tables reads no set
    from emberscope.datasets.points import read_points

    hint = (
        f"Give the folder that holds {name} (--data); the set is public, and not part of this "
        "program."
    )
    if Path(name).name != name:
        raise DataError(
            f"{name!r} is no name of a data set",
            hint="Name a file or folder in the folder of --data.",
        )
    if folder is None:
        raise FormatError(name, None, "this table needs a public data set", hint)
    inside = sorted((folder / name).iterdir()) if (folder / name).is_dir() else []
    damaged = None
    for path in [*sorted(folder.glob(f"{name}.*")), folder / name, *inside]:
        try:
            if path.exists():
                return read_points(path)
        except EmberscopeError as error:
            damaged = damaged or (error if is_benchmark(path) else None)
    if damaged is not None:
        raise damaged
    raise FormatError(str(folder), None, f"there is no readable {name} in it", hint)


def _check(table: Table, row: Row, measures: dict[str, Measure]) -> None:
    """Raise DataError where a row cannot be measured as it is written."""
    if row.unavailable:
        return
    name = row.measure or table.measure
    if name not in measures:
        raise DataError(
            f"row {row.name}: there is no measure {name!r}", hint=f"Known: {', '.join(measures)}."
        )
    try:
        inspect.signature(measures[name]).bind(
            seed=0, monitor=None, points=None, **{**table.params, **row.params}
        )
    except TypeError as error:
        raise DataError(
            f"row {row.name}, {name}: {error}", hint="Mend the params of the row."
        ) from error
