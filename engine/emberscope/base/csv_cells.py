"""Tables of comma-separated values, whose cells are text and never formulas of a spreadsheet."""

import csv
from collections.abc import Iterable
from typing import TextIO

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_TEXT = "'"  # what a spreadsheet takes for text begins with


class Digits(str):
    """A number as it shall be written, "-0.25": all other text is taken for a name."""

    __slots__ = ()


def write_rows(out: TextIO, rows: Iterable[Iterable[object]], *, ends: str = "\r\n") -> None:
    """Write rows; names that a spreadsheet would run as a formula are marked as text
    (`as_cell`)."""
    table = csv.writer(out, lineterminator=ends)
    table.writerows([cell
                     if isinstance(cell, Digits) or not isinstance(cell, str) else as_cell(cell)
                     for cell in row]
                    for row in rows)


def as_cell(name: str) -> str:
    """A name as a cell: "'=1+1" of what begins like a formula."""
    return f"{_TEXT}{name}" if name.startswith(_FORMULA) else name


def from_cell(cell: str) -> str:
    """The name that `as_cell` was given."""
    name = cell.removeprefix(_TEXT)
    return name if as_cell(name) == cell else cell
