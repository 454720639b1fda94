"""`emberscope compare`: how equal the maps of two runs are."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emberscope.base.errors import EmberscopeError
from emberscope.base.out_folders import check_out_file
from emberscope.cli.arguments import add_json, run_of, whole
from emberscope.cli.printing import print_json
from emberscope.console import ConsoleMonitor, print_table, say

if TYPE_CHECKING:
    from emberscope.findings.comparison.maps import MapComparison
    from emberscope.project import Project, Run
    from emberscope.project.nouns import Nouns

_SHOWN = 10  # movers that are printed; JSON has all


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """how equal the maps of two runs are: laid over each other, neighbors kept, what moved"""
    parser.add_argument("project", type=Path)
    parser.add_argument("first", type=whole(1), metavar="RUN", help="the run to compare with")
    parser.add_argument("second", type=whole(1), metavar="RUN", help="the run that is laid over it")
    parser.add_argument("--neighbors", type=whole(1, 1000), default=15, metavar="k", help=(
        "how many nearest neighbors of each instance are compared [15]"))  # fmt: skip
    parser.add_argument("--to", type=Path, metavar="FILE", help=(
        ".csv or .parquet: both places, neighbors kept and how far it moved, of every instance; "
        ".json: what is printed with --json"))  # fmt: skip
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Compare two runs; returns the exit code."""
    from emberscope.project.nouns import nouns_of
    from emberscope.project.store.file import load
    from emberscope.tasks.comparison import CompareMaps
    from emberscope.tasks.table import TABLE

    if a.to is not None and a.to.suffix not in (".csv", ".parquet", ".json"):
        what = f"{a.to.name} is neither a table nor JSON"
        raise EmberscopeError(what, hint="End it in .csv, .parquet or .json.")
    if a.to is not None:
        check_out_file(a.to)
    if a.first == a.second:
        raise EmberscopeError(
            f"run {a.first} was named twice", hint="Name two runs to compare."
        )
    project = load(a.project)
    runs = [run_of(project, number, a.project) for number in (a.first, a.second)]
    with ConsoleMonitor("Comparing maps") as monitor:
        made = TABLE.answer(CompareMaps(runs=runs, k=a.neighbors), monitor)
    if made.missing:
        raise EmberscopeError(made.missing[a.second], where=str(a.project))
    (found,) = made.found
    record = _record(project, runs, found)
    if a.to is not None:
        _write(a.to, runs, found, record)
    if a.json:
        print_json(record)
        return 0
    _print(found, record, nouns_of(project))
    if a.to is not None:
        say(str(a.to))
    return 0


def _record(project: "Project", runs: "list[Run]", found: "MapComparison") -> dict[str, Any]:
    first, second = runs
    return {
        "first": first.id, "second": second.id, "shared": len(found.rows_first),
        "only_first": len(first.ids) - len(found.rows_first),
        "only_second": len(second.ids) - len(found.rows_first),
        "residual": found.residual, "neighbors": found.k, "kept": found.overall,
        "kept_by_chance": found.by_chance,
        "movers": [_mover(project, first, found, place) for place in found.movers.tolist()],
    }  # fmt: skip


def _mover(project: "Project", first: "Run", found: "MapComparison", place: int) -> dict[str, Any]:
    row = int(found.rows_first[place])
    source = project.sources.get(int(first.source[row]))
    return {
        "instance": int(first.ids[row]), "source": source.name if source is not None else "",
        "frame": int(first.frame[row]), "moved": float(found.moved[place]),
        "kept": float(found.kept[place]),
    }  # fmt: skip


def _print(found: "MapComparison", record: dict[str, Any], nouns: "Nouns") -> None:
    """Frames count from 1, as in the window."""
    from emberscope.base.ids import instance_name
    from emberscope.findings.comparison.maps import comparison_words

    for words in comparison_words(found):
        say(words)
    if record["movers"]:
        say("What moved most beside its neighbors, in radii of the first map:")
        print_table(["instance", "source", nouns.frame, "moved", "kept"], [
            [instance_name(mover["instance"]), mover["source"], str(mover["frame"] + 1),
             f"{mover['moved']:.2f}", f"{mover['kept']:.0%}"]
            for mover in record["movers"][:_SHOWN]
        ])  # fmt: skip


def _write(
    path: Path, runs: "list[Run]", found: "MapComparison", record: dict[str, Any]
) -> None:
    from emberscope.base.csv_cells import Digits
    from emberscope.base.files import written_whole
    from emberscope.base.tables.table_files import table_file

    with written_whole(path) as partly:
        if path.suffix == ".json":
            partly.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
            return
        first, laid = runs[0], found.laid[found.rows_second]
        head = ["instance", "kept", "moved"]
        head += [f"first_z{k + 1}" for k in range(first.Z.shape[1])]
        head += [f"second_z{k + 1}" for k in range(laid.shape[1])]
        values = zip(
            first.ids[found.rows_first].tolist(), found.kept, found.moved,
            first.Z[found.rows_first], laid, strict=True,
        )  # fmt: skip
        partly.write_bytes(table_file([head, *(
            [instance, *(Digits(f"{v:.7g}") for v in (kept, moved, *old, *new))]
            for instance, kept, moved, old, new in values
        )], path.suffix.removeprefix(".")))  # fmt: skip
