"""A filled-in table as text: CSV, Markdown, JSON."""

import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from emberscope.base.csv_cells import Digits, write_rows
from emberscope.base.errors import DataError
from emberscope.base.files import written_whole
from emberscope.base.out_folders import check_out_file
from emberscope.reproduction.tables import Line, Table

HEAD = ("published", "ours", "difference", "note")
SUFFIXES = (".csv", ".json", ".md")
_VERDICT = {True: "\u2248", False: "\u2260", None: ""}


def shown(line: Line, unit: str) -> tuple[str, str, str]:
    """Published, ours and the difference with as many digits as the unit deserves; "" for what is
    not there."""
    digits = 1 if unit == "%" else 2

    def number(value: float, sign: str = "") -> str:
        if math.isnan(value):
            return ""
        rounded = round(value, digits)
        return (f"{rounded:{sign}.{digits}f}" if rounded else f"{0:.{digits}f}").replace(
            "-", "\u2212"
        )

    spread = "" if math.isnan(line.sd) else f" \u00b1 {line.sd:.{digits}f}"
    published = math.nan if line.published is None else line.published
    return number(published), number(line.ours) + spread, number(line.difference, "+")


def verdict(line: Line) -> str:
    """An almost-equal sign where ours agrees with print, an unequal sign where not, "" where the
    table does not say."""
    return _VERDICT[line.agrees]


def as_csv(lines: Sequence[Line]) -> str:
    """One row per line, numbers with four digits, an empty field for what is not there."""
    text = io.StringIO()
    head = ["name", "published", "ours", "sd", "draws", "difference", "tolerance", "agrees", "note"]
    rows: list[list[object]] = [[*head]]
    for line in lines:
        agrees = {True: "yes", False: "no", None: ""}[line.agrees]
        numbers = [_plain(value) for value in (line.published, line.ours, line.sd)]
        rows.append(
            [
                line.name,
                *numbers,
                line.seeds or "",
                _plain(line.difference),
                _plain(line.tolerance),
                agrees,
                line.note,
            ]
        )
    write_rows(text, rows, ends="\n")
    return text.getvalue()


def as_markdown(table: Table, lines: Sequence[Line]) -> str:
    """Title, source, what to know, and the table."""
    rows = [["", *HEAD], ["---", "---:", "---:", "---:", "---"]]
    for line in lines:
        published, ours, difference = shown(line, table.unit)
        rows.append(
            [line.name, published, ours, f"{difference} {verdict(line)}".strip(), line.note]
        )
    text = [
        f"# {table.title}",
        f"Source: {table.source}.",
        table.about,
        "\n".join(
            "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows
        ),
    ]
    return "\n\n".join(part for part in text if part) + "\n"


def as_plain(table: Table, lines: Sequence[Line]) -> dict[str, Any]:
    """Plain data for JSON, None for what is not there."""
    def number(value: float | None) -> float | None:
        return None if value is None or math.isnan(value) else value

    rows = [
        {
            "name": x.name,
            "published": x.published,
            "ours": number(x.ours),
            "sd": number(x.sd),
            "difference": number(x.difference),
            "tolerance": x.tolerance,
            "agrees": x.agrees,
            "seeds": x.seeds,
            "note": x.note,
        }
        for x in lines
    ]
    return {"title": table.title, "source": table.source, "unit": table.unit, "rows": rows}


def check_suffix(path: Path) -> None:
    """Raise DataError where `write_table` could not write, before anything is measured."""
    if path.suffix.lower() not in SUFFIXES:
        raise DataError(
            f"a table is not written as {path.suffix or 'a file without a suffix'}",
            where=str(path),
            hint=f"Name it {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}.",
        )
    check_out_file(path)


def write_table(path: Path, table: Table, lines: Sequence[Line]) -> None:
    """As CSV, JSON or Markdown by the suffix, whole or not at all. Raises DataError, OSError."""
    check_suffix(path)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        words = as_csv(lines)
    else:
        words = (
            as_markdown(table, lines)
            if suffix == ".md"
            else json.dumps(as_plain(table, lines), indent=1) + "\n"
        )
    with written_whole(path) as partial:
        partial.write_text(words, encoding="utf-8", newline="\n")


def _plain(value: float | None) -> Digits:
    return Digits(
        "" if value is None or math.isnan(value) else f"{value:.4f}".rstrip("0").rstrip(".")
    )
