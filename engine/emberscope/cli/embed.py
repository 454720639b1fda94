"""`emberscope embed`: coordinates of a point set."""

import argparse
from pathlib import Path

from emberscope.cli.arguments import add_points, settings
from emberscope.cli.printing import beside_split, print_facts, print_point_concepts
from emberscope.console import ConsoleMonitor


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
    )
    with ConsoleMonitor(a.method) as monitor:
        report = TABLE.answer(wanted, monitor).facts
    if not a.json:
        from emberscope.findings.headline import measured_words

        words = measured_words(report.pop("quality"))
        report |= beside_split(words, report.pop("split", ""), ("method_bag_auc",))
        rows = report.pop("concepts", [])
        report |= {"concepts": len(rows)} if rows else {}
    print_facts(report, as_json=a.json)
    if not a.json:
        print_point_concepts(rows)
    return 0
