"""A table of a report."""

import html
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a report: cells as they shall be read.

    best_from : the largest number of a row from that column on is set in bold; 0 = none.
    """

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: str = ""
    note: str = ""
    best_from: int = 0


def table_html(table: Table) -> str:
    """The table with its heading, as HTML."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in table.head)
    body = "".join(f"<tr>{_cells(row, table.best_from)}</tr>" for row in table.rows)
    text = f"<p>{html.escape(table.text)}</p>" if table.text else ""
    note = f'<p class="note">{html.escape(table.note)}</p>' if table.note else ""
    return (
        f'<h2>{html.escape(table.title)}</h2>{text}<div class="scroll"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}"
    )


def _cells(row: Sequence[str], best_from: int) -> str:
    values = [float(cell.split()[0]) if i >= best_from > 0 else -1.0 for i, cell in enumerate(row)]
    top = max(values)
    marks = [' class="best"' if value == top > 0 else "" for value in values]
    return "".join(
        f"<td{mark}>{html.escape(cell)}</td>" for cell, mark in zip(row, marks, strict=True)
    )
