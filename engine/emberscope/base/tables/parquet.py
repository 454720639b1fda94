"""Tables in Parquet: the rows that a CSV file gets, with columns of numbers as numbers."""

import importlib.util
import io
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from emberscope.base.csv_cells import Digits
from emberscope.base.errors import ParamError


def parquet_library() -> Any:
    """pyarrow, which writes the files. Raises ParamError where it is not installed."""
    try:
        return importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise ParamError(
            "Parquet needs pyarrow, which is not installed",
            hint='Install it: pip install "emberscope[parquet]". Or write csv.',
        ) from error


def has_parquet() -> bool:
    """Whether Parquet can be written here. The window asks, where an import would be a stall."""
    return importlib.util.find_spec("pyarrow") is not None


def parquet_of(rows: Iterable[Sequence[object]]) -> bytes:
    """The file of a table, the names of its columns first; a name that comes again gets its number.

    A column of whole numbers is int64, of numbers float64, of True and False boolean, any other
    text as it stands, without the marks that a spreadsheet needs. Empty cells are null, except in
    text. Raises ParamError as `parquet_library`. Cost O(cells), the table in memory twice.
    """
    parquet, arrow = parquet_library(), importlib.import_module("pyarrow")
    head, *body = [list(row) for row in rows]
    columns = {}
    for at, title in enumerate(head):
        name, again = str(title), 2
        while name in columns:
            name, again = f"{title} {again}", again + 1
        columns[name] = arrow.array(_column([row[at] if at < len(row) else "" for row in body]))
    out = io.BytesIO()
    parquet.write_table(arrow.table(columns), out)
    return out.getvalue()


def _column(cells: list[object]) -> list:
    """Cells as numbers where all are, else as text."""
    there = [cell for cell in cells if not _is_empty(cell)]
    if there and all(isinstance(cell, bool) for cell in there):
        return [None if _is_empty(cell) else cell for cell in cells]
    numbers = [_number(cell) for cell in there]
    if not there or None in numbers:
        return ["" if cell is None else str(cell) for cell in cells]
    kind = int if all(isinstance(number, int) for number in numbers) else float
    known = iter([kind(number) for number in numbers if number is not None])
    return [None if _is_empty(cell) else next(known) for cell in cells]


def _is_empty(cell: object) -> bool:
    return cell is None or cell == ""


def _number(cell: Any) -> float | int | None:
    """What a cell is worth, None for text. Beyond 64 bits no number is whole."""
    is_text = isinstance(cell, str)
    if is_text and not isinstance(cell, Digits):
        return None
    try:
        value = float(cell)
    except (TypeError, ValueError):
        return None
    is_whole = cell.lstrip("-").isdigit() if is_text else isinstance(cell, int | np.integer)
    return int(cell) if is_whole and abs(value) < 1 << 63 else value
