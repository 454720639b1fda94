"""Text files of people, read with bounds: nobody's table has a million columns, and none is
gigabytes of line ends."""

import csv
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from emberscope.base.errors import FormatError
from emberscope.base.files import open_to_read

LARGEST_TEXT = 64 << 20  # bytes of a text that is read as a whole
FIELDS = 1 << 20  # of a line; a field that is held takes about 60 bytes


def read_text(path: str | Path, *, most: int = LARGEST_TEXT) -> str:
    """A whole text in UTF-8, with or without a mark of it in front; what is not UTF-8 becomes a
    replacement character.

    most : bytes. Raises FormatError where it cannot be opened or is larger.
    """
    with _opened(path, most) as file:
        return file.read(os.fstat(file.fileno()).st_size).decode("utf-8-sig", errors="replace")


def table_rows(path: str | Path, *, strict: bool = True) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file that hold something, one at a time: number of the line, from 1, and
    cells, stripped.

    strict : FormatError where it is not UTF-8; else what is not becomes a replacement character.
    Raises FormatError where it cannot be opened, is larger than 64 MiB or, with the line, is no
    table.
    """
    errors = "strict" if strict else "replace"
    with _opened(path, LARGEST_TEXT) as file, io.TextIOWrapper(file, "utf-8-sig",
                                                               errors=errors) as text:
        rows = csv.reader(_lines(text))
        try:
            for cells in rows:
                if any(cells):
                    yield rows.line_num, [cell.strip() for cell in cells]
        except (csv.Error, UnicodeDecodeError, TooManyFields) as error:
            what = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            raise FormatError(f"{path}, line {rows.line_num + 1}", None, f"not a table: {what}",
                              "Save it as CSV in UTF-8.") from error


class TooManyFields(ValueError):
    """A line has more fields than any table has columns."""


def check_fields(line: str, separator: str | None) -> None:
    """Raise TooManyFields, before the line is taken apart."""
    if separator is not None and line.count(separator) > FIELDS:
        raise TooManyFields(f"there are more than {FIELDS} fields")


def columns_of(names: Sequence[str]) -> dict[str, int]:
    """Numbers of the columns by their names; of columns of one name the last."""
    return {name: k for k, name in enumerate(names)}


def cells_of(cells: Sequence[str], columns: Mapping[str, int]) -> dict[str, str]:
    """The cells of a row by the names of their columns, "" where the row ends before."""
    return {name: cells[k] if k < len(cells) else "" for name, k in columns.items()}


@contextmanager
def _opened(path: str | Path, most: int) -> Iterator[BinaryIO]:
    try:
        with open_to_read(path) as file:
            if os.fstat(file.fileno()).st_size > most:
                raise FormatError(str(path), None, f"more than {most >> 20} MiB of text",
                                  "Split it.")
            yield file
    except OSError as error:
        raise FormatError(str(path), None,
                          f"cannot be opened: {error.strerror or error}") from error


def _lines(text: Iterable[str]) -> Iterator[str]:
    for line in text:
        check_fields(line, ",")
        yield line
