"""`emberscope labels`: the labels of a project that are probably wrong."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emberscope.base.grouping import how_many
from emberscope.cli.arguments import add_json, add_read_sources, run_asked, whole
from emberscope.cli.printing import print_json
from emberscope.console import ConsoleMonitor, complain, print_table, say

if TYPE_CHECKING:
    from emberscope.project import Project, Recipe

_TOP = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """list the labels of a project that are probably wrong, the most doubtful first"""
    parser.add_argument("project", type=Path)
    parser.add_argument("--doubtful", action="store_true", required=True,
                        help="by probabilities of held-out bags")
    parser.add_argument("--top", type=whole(1), default=_TOP, metavar="n",
                        help=f"how many are listed [{_TOP}]")
    parser.add_argument("--run", type=whole(1), default=None, metavar="n", help=(
        "the run whose patches and features are looked at [the last one, else the usual ones]"))
    add_read_sources(parser)
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """List doubtful labels; returns the exit code."""
    from emberscope.project import to_snapshot
    from emberscope.project.model.doubtful_labels import change, reason
    from emberscope.project.nouns import nouns_of
    from emberscope.project.store.file import load
    from emberscope.project.store.own_sources import allow
    from emberscope.tasks.doubtful import FindDoubtful
    from emberscope.tasks.table import TABLE

    project = load(a.project)
    if a.read_sources:
        allow(project, a.project)
    request = FindDoubtful(snapshot=to_snapshot(project), recipe=_recipe(project, a))
    with ConsoleMonitor("Labels") as monitor:
        found = TABLE.answer(request, monitor)
    shown = found.rows[: a.top]
    rows: list[dict[str, Any]] = [
        {"label": row.label, "source": project.sources[row.source].name, "frame": row.frame,
         "kind": row.kind, "wrong": row.wrong, "change": change(row, project),
         "box": row.box, "reason": reason(row, project)} for row in shown]
    if a.json:
        print_json({"judged": found.judged, "doubtful": len(found.rows), "labels": rows,
                    "notes": found.notes})
        return 0
    nouns = nouns_of(project)
    if rows:
        print_table(["label", "source", nouns.frame, "wrong", "change", "why"], [
            [str(row["label"]), str(row["source"]), str(row["frame"] + 1),
             f"{row['wrong']:.0%}", str(row["change"]), str(row["reason"])] for row in rows])
    for note in found.notes:
        complain(note)
    say(f"{how_many(found.judged, 'label')} judged, each by trees that have not seen its "
        f"{nouns.frame}s; doubtful: {len(found.rows)}, listed: {len(rows)}.")
    return 0


def _recipe(project: "Project", a: argparse.Namespace) -> "Recipe":
    from emberscope.catalogue.usual import usual_recipe

    if a.run is None and not project.runs:
        return usual_recipe(project)[0]
    return run_asked(project, a.project, a.run).recipe
