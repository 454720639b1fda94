"""`emberscope embed`: coordinates of a point set."""

import argparse
from pathlib import Path

from emberscope.cli.arguments import add_points, ends, settings
from emberscope.cli.printing import beside_split, print_facts, print_records
from emberscope.console import ConsoleMonitor

_TABLES = ("concepts", "actions", "ways", "together")  # records, a line each


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """coordinates of a point set: IN.npz with X and optionally y, bag, bag_y, X_new"""
    add_points(parser)
    parser.add_argument("--method", required=True, metavar="ID", help="see `emberscope methods`")
    first = (
        "a metric learned first from side information, for example equivalence-metric; --set "
        "metric.k=v"
    )
    parser.add_argument("--metric", default="", metavar="ID", help=first)
    table = (
        "a table (N, N) of distances between the rows of X, which the method takes in place of "
        "those of X"
    )
    parser.add_argument("--distances", type=Path, metavar="FILE.npy", help=table)
    parser.add_argument("--out", type=Path, required=True, metavar="OUT.npz")
    more = "fit twice more to see how far instances move with the seed or the number of neighbors"
    parser.add_argument("--spread", action="store_true", help=more)
    held = "fit once more per fold of the bags to see how well it separates bags that were not seen"
    parser.add_argument("--held-out", action="store_true", help=held)
    way = (
        "of --method are: the fewest actions that lead from one row of X, counted from 0, to "
        "another; several times for several ways"
    )
    parser.add_argument("--way", action="append", default=[], metavar="FROM:TO", help=way)
    both = "of --method are: the one motion that actions are in turn, with commas between them"
    parser.add_argument("--together", action="append", default=[], metavar="A,B", help=both)
    alone = "learn from labels of bags alone; labels of instances (y) only judge"
    parser.add_argument("--bags-only", action="store_true", help=alone)


def run(a: argparse.Namespace) -> int:
    """Embed a point set by one method; returns the exit code."""
    from emberscope.tasks.points import EmbedPoints
    from emberscope.tasks.table import TABLE

    wanted = EmbedPoints(
        path=str(a.input),
        out=str(a.out),
        method=a.method,
        settings=settings(a.set),
        metric=a.metric,
        distances=str(a.distances or ""),
        seed=a.seed,
        spread=a.spread,
        held_out=a.held_out,
        bags_only=a.bags_only,
        ways=[ends(words) for words in a.way],
        together=a.together,
    )
    with ConsoleMonitor(a.method) as monitor:
        report = TABLE.answer(wanted, monitor).facts
    if a.json:
        print_facts(report, as_json=True)
        return 0
    from emberscope.findings.headline import measured_words

    words = measured_words(report.pop("quality"))
    report |= beside_split(words, report.pop("split", ""), ("method_bag_auc",))
    tables = {name: report.pop(name) for name in _TABLES if report.get(name)}
    print_facts(report | {name: len(rows) for name, rows in tables.items()}, as_json=False)
    for rows in tables.values():
        print_records(rows)
    return 0
