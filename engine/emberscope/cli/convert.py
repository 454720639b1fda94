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
    from emberscope.datasets.points import read_points
    from emberscope.point_tasks import check_place, convert_points, save_arrays

    points = read_points(a.input)
    check_place(a.output)
    with ConsoleMonitor("Converting") as monitor:
        arrays, report = convert_points(
            points, variant=a.variant, projection=a.projection, n_components=a.dimensions,
            settings=settings(a.set), monitor=monitor,
        )
    save_arrays(a.output, arrays)
    print_facts(report, as_json=a.json)
    return 0
