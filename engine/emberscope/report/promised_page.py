"""The help page "What is promised": its figures are those that `bench reliability` measured
last."""

import json
from collections.abc import Iterable
from importlib import resources
from typing import Any

HEADING = "## What was measured"
FIGURES = "figures/reliability.json"

Row = tuple[str, float, str, str]


def figures() -> dict[str, Any]:
    """What the bench wrote: the version it measured, the day, and its rows (what, measured, unit,
    promised)."""
    return json.loads(
        (resources.files("emberscope_resources") / FIGURES).read_text(encoding="utf-8")
    )


def as_figures(rows: Iterable[Row], *, version: str, day: str) -> str:
    """The file of figures, from the rows of the bench."""
    keys = ("what", "measured", "unit", "promised")
    found = {
        "version": version,
        "day": day,
        "rows": [dict(zip(keys, row, strict=True)) for row in rows],
    }
    return json.dumps(found, indent=1) + "\n"


def with_figures(page: str, found: dict[str, Any]) -> str:
    """The page with a table of the figures in place of what stands under its last heading."""
    before, heading, _ = page.partition(HEADING)
    if not heading:
        raise ValueError(f"the page has no {HEADING!r}")
    lines = [
        "", f"By `bench reliability` of the source archive with version {found['version']}, "
            f"{found['day']}:", "",
        "| what | measured | promised |", "| --- | --- | --- |",
        *map(_line, found["rows"]),
    ]  # fmt: skip
    return f"{before}{HEADING}\n" + "\n".join(lines) + "\n"


def _value(measured: float) -> str:
    return (
        f"{measured:.0f}" if measured >= 100 or measured == round(measured) else f"{measured:.2g}"
    )


def _line(row: dict[str, Any]) -> str:
    measured = f"{_value(row['measured'])} {row['unit']}".rstrip()
    cells = (row["what"], measured, row["promised"] or "-")
    return "| " + " | ".join(cells) + " |"
