"""`emberscope convert`: one vector per bag."""

import argparse
from pathlib import Path

from emberscope.cli.arguments import add_conversion, add_json, settings
from emberscope.cli.printing import print_facts
from emberscope.console import ConsoleMonitor


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """one vector per bag of a point set, as a point set that any classifier reads"""
    parser.add_argument("input", type=Path, metavar="IN.npz")
    parser.add_argument("output", type=Path, metavar="OUT.npz")
    add_conversion(parser)
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Make one vector of each bag of a point set; returns the exit code."""
    from emberscope.tasks.points import ConvertPoints
    from emberscope.tasks.table import TABLE

    wanted = ConvertPoints(
        path=str(a.input), out=str(a.output), variant=a.variant, projection=a.projection,
        n_components=a.dimensions, settings=settings(a.set),
    )
    with ConsoleMonitor("Converting") as monitor:
        report = TABLE.answer(wanted, monitor).facts
    print_facts(report, as_json=a.json)
    return 0
