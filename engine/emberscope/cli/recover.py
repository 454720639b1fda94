"""`emberscope recover`: what a crash left."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from emberscope.cli.arguments import add_json
from emberscope.cli.printing import print_json
from emberscope.console import say

if TYPE_CHECKING:
    from emberscope.project.recovery import Recoverable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """what a crash left of a project, or of those that have no file; write it to a file"""
    parser.add_argument("project", type=Path, nargs="?", metavar="PROJECT")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the project with what the crash left")
    parser.add_argument("--merge", action="store_true",
                        help="do it over on what somebody else saved in the project meanwhile")
    parser.add_argument("--unlock", action="store_true",
                        help="take the project from a computer that is gone, or whoever else has it open")
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """List or save what was not saved before a crash; returns the exit code."""
    found = _of_project(a) if a.project is not None else _without_file(a.out)
    if a.json:
        print_json([work.facts() for work in found])
        return 0
    for work in found:
        say(f"{work.project or work.journal}: {work.words()}.")
    if not found:
        say("There is nothing to recover.")
    elif a.out is not None:
        say(f"Written to {a.out}.")
    return 0


def _of_project(a: argparse.Namespace) -> "list[Recoverable]":
    from emberscope.base.files import is_there
    from emberscope.project.lock import Locked
    from emberscope.project.open_project import OpenProject, real_path
    from emberscope.project.recovery import look_unsaved

    if not is_there(a.project):
        found = [work for work in look_unsaved() if work.project == real_path(a.project)]
        if found:
            return _taken(found, a.out)
    opened = OpenProject.at(a.project, anyway=a.unlock)
    try:
        if opened.held_by is not None:
            raise Locked(a.project, opened.held_by)
        work = opened.recoverable
        if work is not None and a.out is not None:
            opened.recover()
            if a.merge:
                opened.merge()
            opened.save(opened.project, opened.position, a.out)
    finally:
        opened.close()
    return [work] if work is not None else []


def _without_file(out: Path | None) -> "list[Recoverable]":
    from emberscope.project.recovery import look_unsaved

    return _taken(look_unsaved(), out)


def _taken(found: "list[Recoverable]", out: Path | None) -> "list[Recoverable]":
    """Write the first of them to a file, where one is named."""
    from emberscope.project.open_project import OpenProject

    if found and out is not None:
        opened = OpenProject.recovered(found[0])
        try:
            opened.save(opened.project, opened.position, out)
        finally:
            opened.close()
    return found
