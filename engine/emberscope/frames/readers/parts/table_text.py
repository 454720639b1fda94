"""Text of tables of numbers: its encoding, what parts its cells, how decimals are written, which
lines are rows."""

import codecs
import csv
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from emberscope.base.files import open_to_read

ENDINGS = (".csv", ".txt", ".tsv", ".asc", ".tab", ".dat")
_LOOKED_AT = 1 << 18           # bytes at the start in which a table shows what it is
# Cells of a row and rows of a frame; sensors of 8 x 8 are a kind of their own
_WIDE, _DEEP, _SMALL = 16, 4, 8
# Of the cells of a row that are numbers; others are pixels without a value
_SHARE = 0.5
_CELL = re.compile(
    r"\s*([+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?)\s*(?:\u00b0|deg)?\s*[CFK]?\s*"
)
_GAPS = {"", "-", "--", "---", "nan", "n/a", "na", "inf", "null", "none", "*", "?"}
_TOKEN = re.compile(r"[^\s]+")


class Style(NamedTuple):
    """How rows are written: the encoding of the file, what parts cells ("" for blanks), and whether
    decimals have a comma."""

    encoding: str
    separator: str
    comma: bool


class Run(NamedTuple):
    """Lines that follow each other and are rows of one width: the first of them, how many, and
    cells of each."""

    first: int
    rows: int
    cols: int


def encoding_of(head: bytes) -> str | None:
    """The encoding of a text, None where it is no text. What is no UTF-8 is taken for that of
    western Windows."""
    marks = (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    )
    for mark, name in marks:
        if head.startswith(mark):
            return name
    if b"\0" in head:
        even, odd = head[::2].count(0), head[1::2].count(0)
        return (
            "utf-16-le"
            if odd > len(head) // 4 > even
            else "utf-16-be"
            if even > len(head) // 4 > odd
            else None
        )
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def cells_of(line: str, style: Style) -> list[str]:
    """The cells of a line; one separator at its end opens no cell."""
    line = line.strip("\r\n \ufeff") if style.separator != "\t" else line.strip("\r\n\ufeff")
    if not style.separator:
        return _TOKEN.findall(line)
    parts = (
        next(csv.reader([line], delimiter=style.separator), [])
        if '"' in line
        else line.split(style.separator)
    )
    return parts[:-1] if len(parts) > 1 and not parts[-1].strip() else parts


def number_in(cell: str) -> float | None:
    """The number of a cell, with or without its unit; NaN for a gap, None where it is neither."""
    found = _CELL.fullmatch(cell)
    if found is not None:
        return float(found.group(1).replace(",", "."))
    return math.nan if cell.strip().lower() in _GAPS else None


def is_row(cells: list[str]) -> bool:
    """Whether a line is a row of a table: every cell a number or a gap, and most of them
    numbers."""
    values = [number_in(cell) for cell in cells]
    known = [value for value in values if value is not None]
    return len(known) == len(values) > 1 and sum(not math.isnan(v) for v in known) > _SHARE * len(
        values
    )


def style_of(lines: Iterable[str], encoding: str) -> Style | None:
    """How rows are written: by the first line that is a wide row in some way; None where no line
    is."""
    for line in lines:
        for separator in (";", "\t", ",", ""):
            style = Style(encoding, separator, False)
            cells = cells_of(line, style)
            if len(cells) >= _SMALL and is_row(cells):
                return style._replace(comma=separator != "," and any("," in cell for cell in cells))
    return None


def runs_of(lines: Iterable[str], style: Style) -> list[Run]:
    """Lines that follow each other and are rows of one width, in order; those too small for a frame
    are left out."""
    found: list[Run] = []
    first, rows, cols = 0, 0, 0
    number = -1
    for number, line in enumerate(lines):
        cells = cells_of(line, style)
        width = len(cells) if is_row(cells) else 0
        if width != cols:
            found.append(Run(first, rows, cols))
            first, rows, cols = number, 0, width
        rows += 1
    found.append(Run(first, rows, cols))
    return [run for run in found if run.cols and fits(run.rows, run.cols)]


def fits(rows: int, cols: int) -> bool:
    """Whether so many rows and cells may be a frame; narrower tables are lists of something
    else."""
    return (cols >= _WIDE and rows >= _DEEP) or (
        _SMALL <= rows <= _SMALL + 1 and _SMALL <= cols <= _SMALL + 1
    )


def is_table(path: Path) -> bool:
    """Whether a text begins as a table of temperatures: a grid of numbers without names of columns.

    A first column of nothing but 0, 1 and -1 is one of labels: such tables are sets of features.
    """
    if path.suffix.lower() not in ENDINGS:
        return False
    with open_to_read(path) as file:
        head = file.read(_LOOKED_AT)
        whole = not file.read(1)
    encoding = encoding_of(head)
    if encoding is None:
        return False
    lines = head.decode(encoding, "replace").splitlines()
    lines = lines if whole else lines[:-1]  # the last one is cut
    style = style_of(lines, encoding)
    if style is None:
        return False
    runs = runs_of(lines, style)
    if not runs or _names_columns(lines, runs[0], style):
        return False
    first = {
        number_in(cells_of(line, style)[0])
        for line in lines[runs[0].first : runs[0].first + runs[0].rows]
    }
    return not first <= {-1.0, 0.0, 1.0}


def _names_columns(lines: list[str], run: Run, style: Style) -> bool:
    """Whether the line above a run has a name for each column; numbered ones (V1, V2 ...) are no
    names."""
    above = cells_of(lines[run.first - 1], style) if run.first else []
    words = [cell.strip(' "') for cell in above]
    numbered = [word for word in words if re.fullmatch(r"[^\W\d]{0,8}[ _]?\d+", word)]
    return len(words) >= run.cols > 1 and len(numbered) < len(words) - 1
