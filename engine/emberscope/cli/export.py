"""`emberscope export`: write what a project holds."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from emberscope.base.errors import EmberscopeError
from emberscope.cli import figures
from emberscope.cli.arguments import add_conversion, add_read_sources, run_of, settings, whole
from emberscope.cli.printing import complain_of_changes
from emberscope.console import ConsoleMonitor, complain, say

if TYPE_CHECKING:
    from emberscope.project.model.project import Project
    from emberscope.tasks.export import MapChoice, VectorChoice


_FORMS = ("jsonl", "csv", "parquet", "npz", "features", "bags", "concepts", "side", "png", "html")
# The formats of `labels.formats.table`, which is not imported for a page of help.
LABELS = (
    "coco",
    "yolo",
    "voc",
    "cvat-images",
    "cvat-video",
    "labelme",
    "mot",
    "agt",
    "atr",
    "boxes",
    "masks",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """write what a project holds: labels (jsonl, or as other programs have them), points,
    features, bags, side, png, report"""
    parser.add_argument("project", type=Path)
    forms = list(dict.fromkeys((*_FORMS, *LABELS, *figures.FORMS)))
    parser.add_argument("--to", choices=forms, metavar="FORM", help=(
        f"{', '.join(_FORMS)}; labels for other programs: {', '.join(LABELS)}; a figure: "
        f"{', '.join(figures.FORMS)}"))
    parser.add_argument("folder", type=Path, metavar="DIR", help="with --figure a file")
    parser.add_argument("--figure", metavar="NAME", action=figures.Named, help=(
        "one figure of a run for a paper, or with --to csv or parquet its data; list: the names "
        "there are"))
    parser.add_argument(
        "--run", type=whole(1), default=None, metavar="n", help="this run only [all runs]"
    )
    labels = parser.add_argument_group("with labels for other programs")
    labels.add_argument(
        "--dry-run", action="store_true", help="say what the format cannot hold, and write nothing"
    )
    labels.add_argument(
        "--frames",
        type=int,
        choices=[8, 16],
        nargs="?",
        const=16,
        default=0,
        help=("write each labeled frame too, as PNG with so many bits [16]"),
    )
    labels.add_argument(
        "--force", action="store_true", help="replace files of others that are in the way"
    )
    look = parser.add_argument_group("with --to png, as the window shows a map")
    look.add_argument(
        "--color",
        metavar="CHOICE",
        default=None,
        help=(
            "class, bag, source, frame, patch, concept, imputed, or a score per instance such as "
            "witness or trustworthiness [class]"
        ),
    )
    look.add_argument(
        "--theme", choices=["light", "dark"], default=None, help="ground and colors [light]"
    )
    figures.add_arguments(parser.add_argument_group("with --figure"))
    add_read_sources(parser)
    add_conversion(
        parser.add_argument_group("with --to bags, one vector per bag, as in `emberscope convert`")
    )


def run(a: argparse.Namespace) -> int:
    """Export a project: report, images, tables; returns the exit code."""
    from emberscope.project import to_snapshot
    from emberscope.project.model.unfit_runs import left_out_note
    from emberscope.project.store.file import load
    from emberscope.project.store.own_sources import allow
    from emberscope.tasks.export import ExportProject
    from emberscope.tasks.table import TABLE

    _check_usage(a)
    choices = {"variant": a.variant, "projection": a.projection, "n_components": a.dimensions}
    usual = {"variant": "global", "projection": "pole", "n_components": None}
    if a.to != "bags" and (choices != usual or a.set):
        what = f"--variant, --projection, --dimensions and --set say nothing of {a.to}"
        raise EmberscopeError(what, hint="Leave them out, or give --to bags.")
    look = {
        name: value for name, value in (("color", a.color), ("theme", a.theme)) if value is not None
    }
    if a.to != "png" and look and not a.figure:
        raise EmberscopeError(
            f"--color and --theme say nothing of {a.to}", hint="Leave them out, or give --to png."
        )
    if (a.to not in LABELS or a.figure) and (a.dry_run or a.frames or a.force):
        what = f"--dry-run, --frames and --force say nothing of {a.to}"
        raise EmberscopeError(what, hint="Leave them out, or give --to coco or the like.")
    project = load(a.project)
    if a.read_sources:
        allow(project, a.project)
    if a.frames or a.to == "html":  # they show what files hold now
        complain_of_changes(project, a.project)
    if a.to in LABELS:
        return _export_labels(project, a)
    if a.run is not None:
        project = project.with_run(run_of(project, a.run, a.project).id)
    if a.figure:
        return figures.draw(project, a)
    request = ExportProject(
        snapshot=to_snapshot(project),
        runs=list(project.runs.values()),
        form=a.to,
        folder=str(a.folder),
        name=a.project.stem,
        choices=_choices(a),
    )
    with ConsoleMonitor(f"Export {a.to}") as monitor:
        made = TABLE.answer(request, monitor)
    for path in made.paths:
        say(path)
    for note in filter(None, [left_out_note(project), *made.notes]):
        complain(note)
    return 0


def _check_usage(a: argparse.Namespace) -> None:
    """A figure may take its form from the name of its file; everything else needs one."""
    if not a.figure and (said := figures.said(a)):
        raise EmberscopeError(
            f"{', '.join(said)}: only figures have that", hint="Give --figure map-2d or the like."
        )
    if a.to is None and not a.figure:
        raise EmberscopeError(
            "an export needs a form", hint=f"Give --to {', '.join(_FORMS)} or the like."
        )
    if a.figure and a.to not in (None, *figures.FORMS):
        raise EmberscopeError(
            f"a figure cannot be {a.to}", hint=f"Give --to {', '.join(figures.FORMS)}."
        )
    if not a.figure and a.to not in (*_FORMS, *LABELS):
        raise EmberscopeError(
            f"{a.to} is a form of figures", hint="Say which one: --figure NAME, or --figure list."
        )


def _export_labels(project: "Project", a: argparse.Namespace) -> int:
    """Say what is lost, then write; returns the exit code."""
    from emberscope.base.monitor import Silent
    from emberscope.project import to_snapshot
    from emberscope.tasks.export import ExportProject, LabelChoice, LookAtExport
    from emberscope.tasks.table import TABLE

    snapshot, folder = to_snapshot(project), str(a.folder)
    choices = LabelChoice(frames=a.frames, force=a.force)
    asked = LookAtExport(
        snapshot=snapshot, form=a.to, folder=folder, choices=None if a.dry_run else choices
    )
    look = TABLE.answer(asked, Silent())
    for words in look.lost:
        say(words)
    if a.dry_run:
        for name in look.obstacles:
            say(f"{a.folder / name} is there, and would be replaced with --force only.")
        return 0
    request = ExportProject(
        snapshot=snapshot, runs=[], form=a.to, folder=folder, name=a.project.stem,
        choices=choices,
    )
    with ConsoleMonitor(f"Export {a.to}") as monitor:
        made = TABLE.answer(request, monitor)
    say(f"{a.folder}: {len(made.paths)} files, {Path(made.paths[-1]).name} among them")
    for note in made.notes:
        say(note)
    return 0


def _choices(a: argparse.Namespace) -> "MapChoice | VectorChoice | None":
    from emberscope.tasks.export import MapChoice, VectorChoice

    if a.to == "png":
        return MapChoice(color=a.color or "class", theme=a.theme or "light")
    if a.to != "bags":
        return None
    return VectorChoice(
        variant=a.variant,
        projection=a.projection,
        n_components=a.dimensions,
        settings=settings(a.set),
    )
