"""`emberscope demo`: the generated range scene, its labels, runs and report."""

import argparse
from pathlib import Path

from emberscope.cli.arguments import add_seed
from emberscope.cli.window import display_trouble, has_display, open_window
from emberscope.console import ConsoleMonitor, complain, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """the generated range scene with truth, whole loop"""
    parser.add_argument(
        "--headless", action="store_true", help="no window: write a project, images and report.html"
    )
    parser.add_argument(
        "--out", type=Path, default=None, metavar="DIR", help="folder to write to [emberscope-demo]"
    )
    add_seed(parser)


def run(a: argparse.Namespace) -> int:
    """Make the demonstration and run it; returns the exit code."""
    from emberscope.demo import run_demo
    from emberscope.tasks.synthetic import MakeSample
    from emberscope.tasks.table import TABLE

    out = a.out or Path("emberscope-demo")
    if a.headless or not has_display():
        with ConsoleMonitor("Demo") as monitor:
            written = run_demo(out, seed=a.seed, monitor=monitor)
        for path in written:
            say(str(path))
        return 0
    trouble = display_trouble()
    if trouble:
        complain(f"{trouble} Without a window: emberscope demo --headless.")
        return 1
    with ConsoleMonitor("Preparing the range scene") as monitor:
        made = TABLE.answer(MakeSample(folder=str(out), seed=a.seed), monitor)
    return open_window([made.path])
