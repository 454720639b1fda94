"""`emberscope export`: write what a project holds."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from emberscope.base.errors import EmberscopeError
from emberscope.cli.arguments import add_conversion, add_read_sources, settings, whole
from emberscope.console import ConsoleMonitor, complain, say

if TYPE_CHECKING:
    from emberscope.tasks.export import MapChoice, VectorChoice


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """write what a project holds: labels (jsonl), points (csv, npz), bags, concepts, side, png, report (html)"""
    parser.add_argument("project", type=Path)
    forms = ["jsonl", "csv", "npz", "bags", "concepts", "side", "png", "html"]
    parser.add_argument("--to", required=True, choices=forms)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--run", type=whole(1), default=None, metavar="n", help="this run only [all runs]")
    look = parser.add_argument_group("with --to png, as the window shows a map")
    look.add_argument("--color", metavar="CHOICE", default=None, help=(
        "class, bag, source, frame, patch, concept, imputed, or a score per instance such as witness or "
        "trustworthiness [class]"))
    look.add_argument("--theme", choices=["light", "dark"], default=None, help="ground and colors [light]")
    add_read_sources(parser)
    add_conversion(parser.add_argument_group("with --to bags, one vector per bag, as in `emberscope convert`"))


def run(a: argparse.Namespace) -> int:
    """Export a project: report, images, tables; returns the exit code."""
    from emberscope.project import to_snapshot
    from emberscope.project.model.unfit_runs import left_out_note
    from emberscope.project.store.file import load
    from emberscope.project.store.own_sources import allow
    from emberscope.tasks.export import ExportProject
    from emberscope.tasks.table import TABLE

    choices = {"variant": a.variant, "projection": a.projection, "n_components": a.dimensions}
    usual = {"variant": "global", "projection": "pole", "n_components": None}
    if a.to != "bags" and (choices != usual or a.set):
        what = f"--variant, --projection, --dimensions and --set say nothing of {a.to}"
        raise EmberscopeError(what, hint="Leave them out, or give --to bags.")
    look = {name: value for name, value in (("color", a.color), ("theme", a.theme)) if value is not None}
    if a.to != "png" and look:
        raise EmberscopeError(f"--color and --theme say nothing of {a.to}", hint="Leave them out, or give --to png.")
    project = load(a.project)
    if a.read_sources:
        allow(project, a.project)
    if a.run is not None:
        if a.run not in project.runs:
            known = ", ".join(str(number) for number in sorted(project.runs)) or "none"
            raise EmberscopeError(f"there is no run {a.run}", where=str(a.project), hint=f"Its runs: {known}.")
        project = project.with_run(a.run)
    request = ExportProject(
        snapshot=to_snapshot(project), runs=list(project.runs.values()), form=a.to, folder=str(a.folder),
        name=a.project.stem, choices=_choices(a),
    )
    with ConsoleMonitor(f"Export {a.to}") as monitor:
        made = TABLE.answer(request, monitor)
    for path in made.paths:
        say(path)
    for note in filter(None, [left_out_note(project), *made.notes]):
        complain(note)
    return 0


def _choices(a: argparse.Namespace) -> "MapChoice | VectorChoice | None":
    from emberscope.tasks.export import MapChoice, VectorChoice

    if a.to == "png":
        return MapChoice(color=a.color or "class", theme=a.theme or "light")
    if a.to != "bags":
        return None
    return VectorChoice(variant=a.variant, projection=a.projection, n_components=a.dimensions, settings=settings(a.set))
