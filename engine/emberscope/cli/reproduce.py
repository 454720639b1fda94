"""`emberscope reproduce`: published tables, measured again."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from emberscope.cli.arguments import add_json, add_seed, whole
from emberscope.cli.printing import print_json
from emberscope.console import ConsoleMonitor, TableRows, print_table, say_page

if TYPE_CHECKING:
    from emberscope.reproduction.tables import Line, Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """published tables, measured again: published | ours | difference | note; without a name, which
    there are"""
    parser.add_argument("table", nargs="?", help="name of a table that comes along, or a TOML file")
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="folder with the public data sets some tables need"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name has this in it")
    parser.add_argument(
        "--seeds", type=whole(0), default=0, metavar="n", help="draws per row [as the table says]"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="write the table too: .csv, .json or .md"
    )
    parser.add_argument("--to", type=Path, metavar="DIR", help=(
        "keep every draw there, and cells.csv: a call that was stopped goes on, and several calls "
        "may share DIR"))
    add_seed(parser)
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Measure published numbers again; returns the exit code."""
    from emberscope.reproduction.tables import fill_in, published_tables, read_table

    if a.table is None:
        found = {name: read_table(name) for name in published_tables()}
        if a.json:
            print_json(
                [
                    {"table": name, "title": table.title, "data": table.data}
                    for name, table in found.items()
                ]
            )
        else:
            print_table(
                ["table", "what it shows", "needs"],
                [[n, t.title, t.data] for n, t in found.items()],
            )
        return 0
    from emberscope.reproduction.kept import KeptDraws
    from emberscope.reproduction.measures import MEASURES
    from emberscope.reproduction.written import as_plain, check_suffix, write_table

    table = read_table(a.table)
    if a.out is not None:
        check_suffix(a.out)
    kept = None if a.to is None else KeptDraws(a.to, table, MEASURES, only=a.only, seeds=a.seeds,
                                               seed=a.seed)
    lines: list[Line] = []
    rows: TableRows | None = None
    try:
        with ConsoleMonitor(table.title) as monitor:
            for line in fill_in(
                table,
                MEASURES if kept is None else kept.measures,
                data=a.data,
                only=a.only,
                seeds=a.seeds,
                seed=a.seed,
                monitor=monitor,
            ):
                lines.append(line)
                if kept is not None:
                    kept.write_table()
                if not a.json:
                    rows = rows or _print_head(table)
                    rows.print_row(_cells(table, line))
    finally:  # whoever stops a long table has the rows until then
        if lines and a.json:
            print_json(as_plain(table, lines))
        if lines and a.out is not None:
            write_table(a.out, table, lines)
    return 0


def _print_head(table: "Table") -> TableRows:
    say_page(f"{table.title}\nSource: {table.source}.\n{table.about}".strip() + "\n")
    unit, names = f"in {table.unit}" if table.unit else "", max(len(row.name) for row in table.rows)
    return TableRows([unit, "published", "ours", "difference", "note"], [min(names, 44), 9, 12, 12])


def _cells(table: "Table", line: "Line") -> list[str]:
    from emberscope.reproduction.written import shown, verdict

    published, ours, difference = shown(line, table.unit)
    return [line.name, published, ours or "-", f"{difference} {verdict(line) or ' '}", line.note]
