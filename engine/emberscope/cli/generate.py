"""`emberscope generate`: write a generated point set."""

import argparse
from pathlib import Path

from emberscope.cli.arguments import USAGE, add_json, add_seed, whole
from emberscope.cli.printing import print_facts, print_json
from emberscope.console import ConsoleMonitor, complain, print_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """write a generated point set: surfaces, rolls, circles, moons, planted targets; without a
    name, list them"""
    parser.add_argument("name", nargs="?", metavar="SET", help="as the list names it")
    parser.add_argument("out", nargs="?", type=Path, metavar="OUT.npz",
                        help="what embed, classify and import read; replaced where it is there")
    parser.add_argument("--number", type=whole(1), metavar="n",
                        help="how many instances or bags, as the list counts them [of the list]")
    parser.add_argument("--noise", type=float, default=0.0, metavar="sd",
                        help="standard deviation that is added to every feature [0]")
    parser.add_argument("--irrelevant", type=whole(0), default=0, metavar="n",
                        help="features more that say nothing [0]")
    parser.add_argument("--bags", type=whole(0), default=0, metavar="n", help=(
        "put targets and background into random bags of 1 to n instances [0: none]"))
    add_seed(parser)
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Write a set, or list all; returns the exit code."""
    if a.name is None:
        return _list(as_json=a.json)
    if a.out is None:
        complain(f"generate {a.name}: name the file to write, as {a.name}.npz.")
        return USAGE
    from emberscope.tasks.points import MakePoints
    from emberscope.tasks.table import TABLE

    wanted = MakePoints(
        name=a.name, out=str(a.out), number=a.number, noise=a.noise, irrelevant=a.irrelevant,
        bag_size=a.bags, seed=a.seed,
    )  # fmt: skip
    with ConsoleMonitor(a.name) as monitor:
        report = TABLE.answer(wanted, monitor).facts
    print_facts(report, as_json=a.json)
    return 0


def _list(*, as_json: bool) -> int:
    from emberscope.datasets.generated import SETS

    if as_json:
        print_json([{"set": row.id, "title": row.title, "about": row.about,
                     "number": row.number, "counts": row.counts} for row in SETS])  # fmt: skip
    else:
        print_table(["set", "number", "what"], [
            [row.id, f"{row.number} {row.counts}", row.about] for row in SETS])  # fmt: skip
    return 0
