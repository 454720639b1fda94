"""`emberscope replay`: make a run once more, and say whether it is the same to the bit."""

import argparse
from pathlib import Path

import msgspec

from emberscope.cli.arguments import add_json, add_read_sources, run_asked, whole
from emberscope.cli.printing import print_json
from emberscope.console import ConsoleMonitor, complain, print_table, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """make a run once more from its recipe, bags and frames: equal to the bit, or what differs
    first"""
    parser.add_argument("project", type=Path)
    parser.add_argument("--run", type=whole(1), default=None, metavar="n",
                        help="the run [the last one]")
    add_read_sources(parser)
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Replay a run; returns the exit code, 1 where something differs."""
    from emberscope.project import to_snapshot
    from emberscope.project.store.file import load
    from emberscope.project.store.own_sources import allow
    from emberscope.tasks.replay import ReplayRun
    from emberscope.tasks.table import TABLE

    project = load(a.project)
    if a.read_sources:
        allow(project, a.project)
    chosen = run_asked(project, a.project, a.run)
    request = ReplayRun(snapshot=to_snapshot(project), run=chosen,
                        previous=project.runs.get(chosen.made_by.went_on_from))
    with ConsoleMonitor(f"Run {chosen.id}") as monitor:
        found = TABLE.answer(request, monitor)
    if a.json:
        print_json({**msgspec.to_builtins(found), "words": found.words})
    else:
        print_table(["stage", "result"], [
            [name, "another" if name in found.other else "equal"] for name in found.compared])
        for note in found.notes:
            complain(note)
        say(found.words)
    return 0 if found.equal else 1
