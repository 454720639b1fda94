"""`emberscope recover`: what a crash left."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from emberscope.base.out_folders import check_out_file
from emberscope.cli.arguments import add_json
from emberscope.cli.printing import print_json
from emberscope.console import say

if TYPE_CHECKING:
    from emberscope.project.store.recoverable import Recoverable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """what a crash left of a project, or of those that have no file; write it to a file"""
    parser.add_argument("project", type=Path, nargs="?", metavar="PROJECT")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="write the project with what the crash left"
    )
    parser.add_argument("--merge", action="store_true",
                        help="do it over on what somebody else saved in the project meanwhile")
    parser.add_argument(
        "--unlock",
        action="store_true",
        help="take the project from a computer that is gone, or whoever else has it open",
    )
    add_json(parser)


class _Found(NamedTuple):
    """What a crash left, whether it was written, and the damaged journals that are kept."""

    works: "list[Recoverable]"
    written: bool
    kept: list[Path]


def run(a: argparse.Namespace) -> int:
    """List or save what was not saved before a crash; returns the exit code, 1 where a journal is
    not whole."""
    if a.out is not None:
        check_out_file(a.out)
    found = _of_project(a) if a.project is not None else _without_file(a.out)
    damaged = any(work.is_damaged or work.wrong for work in found.works)
    if a.json:
        kept = [str(path) for path in found.kept]
        print_json([{**work.facts(), "kept": kept} for work in found.works])
        return int(damaged)
    for work in found.works:
        say(f"{work.project or work.journal}: {work.words()}.")
    if not found.works:
        say("There is nothing to recover.")
    elif not any(work.entries for work in found.works):
        say("Nothing of it comes back.")
    if found.written:
        say(f"Written to {a.out}.")
    for path in found.kept:
        say(f"The damaged journal is kept: {path}")
    return int(damaged)


def _of_project(a: argparse.Namespace) -> _Found:
    from emberscope.base.files import is_there
    from emberscope.project.store.journal import asides, is_damaged_path, journal_path
    from emberscope.project.store.lock import Locked
    from emberscope.project.store.open_project import OpenProject, real_path
    from emberscope.project.store.recovery import look_unsaved

    if not is_there(a.project):
        found = [work for work in look_unsaved() if work.project == real_path(a.project)]
        if found:
            return _taken(found, a.out)
    opened = OpenProject.at(a.project, anyway=a.unlock)
    try:
        if opened.held_by is not None:
            raise Locked(a.project, opened.held_by)
        work = opened.recoverable
        written = work is not None and a.out is not None
        if written:
            opened.recover()
            if a.merge:
                opened.merge()
            opened.save(opened.project, opened.position, a.out)
    finally:
        opened.close()
    left = work or opened.unreadable
    beside = asides(journal_path(opened.path)) if opened.path is not None else []
    return _Found(
        [left] if left is not None else [],
        written,
        [path for path in beside if is_damaged_path(path)],
    )


def _without_file(out: Path | None) -> _Found:
    from emberscope.project.store.recovery import look_unsaved

    return _taken(look_unsaved(), out)


def _taken(found: "list[Recoverable]", out: Path | None) -> _Found:
    """Write the first of them that something comes back of to a file, where one is named."""
    from emberscope.project.store.open_project import OpenProject

    there = [work for work in found if work.entries]
    if not there or out is None:
        return _Found(found, False, [])
    opened = OpenProject.recovered(there[0])
    try:
        opened.save(opened.project, opened.position, out)
    finally:
        opened.close()
    return _Found(found, True, [opened.kept] if opened.kept is not None else [])
