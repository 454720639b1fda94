"""`emberscope methods`: the catalogue, and the page of one method."""

import argparse

from emberscope.cli.arguments import add_json
from emberscope.cli.printing import print_json
from emberscope.console import print_table, say_page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """the catalogue of methods"""
    parser.add_argument(
        "id", nargs="?", help="show the page of one method: idea, equations, parameters"
    )
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """List the methods, or describe one; returns the exit code."""
    from emberscope import catalogue

    if a.id is not None:
        return _one_method(a.id, as_json=a.json)
    if a.json:
        print_json(catalogue.describe())
        return 0
    rows = [[row.id, row.title, row.family, row.needs, row.summary] for row in catalogue.METHODS]
    print_table(["id", "title", "family", "labels", "what it does"], rows)
    return 0


def _one_method(name: str, *, as_json: bool) -> int:
    from emberscope import catalogue
    from emberscope.catalogue import pages

    row, params = catalogue.method(name), catalogue.load(name).params
    if as_json:
        entry = next(entry for entry in catalogue.describe() if entry["id"] == name)
        print_json({**entry, "page": pages.page(name, params)})
        return 0
    before, heading, after = pages.text(name).partition("## What to distrust\n")
    say_page(f"{row.id}: {row.title}\n")
    say_page(
        pages.plain(
            f"{row.summary}\n\n{row.when}\n\n{pages.distances_taken(row)}{before}Parameters"
        )
    )
    head = ["parameter", "default", "range", "unit", "meaning"]
    cells = [
        [p.name, "auto" if p.default is None else str(p.default), p.range_text, p.unit, p.help]
        for p in params
    ]
    if any(p.grid for p in params):  # what `emberscope classify --set k=auto` chooses among
        head.insert(3, "tried")
        for cell, p in zip(cells, params, strict=True):
            cell.insert(3, ", ".join(str(value) for value in p.grid))
    print_table(head, cells)
    say_page(pages.plain(f"{heading}{after}\nIn equations {pages.NOTATION}"))
    return 0
