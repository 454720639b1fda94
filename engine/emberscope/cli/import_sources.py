"""`emberscope import`: add sources and truth to a project."""

import argparse
from pathlib import Path

from emberscope.cli.arguments import add_seed, whole
from emberscope.console import ConsoleMonitor, complain, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """add sources (and truth as weak labels) to a project; makes the project where there is none"""
    parser.add_argument("project", type=Path)
    parser.add_argument("source", type=Path, nargs="+")
    parser.add_argument("--truth", type=Path, nargs="+", default=[], help="one truth file or folder per source")
    loose = "looseness of the boxes, 0 tight to 3 [1]"
    parser.add_argument("--weaken", type=whole(0, 3), default=1, metavar="u", help=loose)
    parser.add_argument("--every", type=whole(1), default=1, metavar="n", help="take truth of every n-th frame [1]")
    parser.add_argument("--background", type=whole(0), default=4, metavar="n", help="background boxes per frame [4]")
    rules = ["auto", "same-place", "near", "matched", "random"]
    parser.add_argument("--background-rule", choices=rules, default="auto", help="where these are drawn [auto]")
    add_seed(parser)


def run(a: argparse.Namespace) -> int:
    from emberscope.project.batch import Loosely, import_files

    with ConsoleMonitor("Importing") as monitor:
        how = Loosely(u=a.weaken, every=a.every, background=a.background, rule=a.background_rule, seed=a.seed)
        lines, failed = import_files(a.project, a.source, truths=a.truth, how=how, monitor=monitor)
    for line in lines:
        say(line)
    for error in failed:
        complain(str(error))
    return 1 if failed else 0
