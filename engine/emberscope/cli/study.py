"""`emberscope study`: one recipe over a grid of axes."""

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from emberscope.base.errors import ParamError
from emberscope.base.grouping import about
from emberscope.base.process.slurm import place_in_array, script_of
from emberscope.cli.arguments import add_json, add_read_sources, whole
from emberscope.cli.printing import complain_of_changes, print_json, printed_json
from emberscope.console import ConsoleMonitor, complain, print_table, say, say_page

if TYPE_CHECKING:
    from emberscope.findings.studied.grid import PlaceScore
    from emberscope.tasks.studies import StudyFound

_STUDY = """\
A study file holds a recipe and the axes that it is run over, for example:

  title = "How loose may I label?"
  score = "inside_auc"       # the number that is compared; by default the first of the headline
  [recipe]                   # as in the file of a recipe: `emberscope run --help`
  split = "clip"
  [axes]
  r = [0, 1, 2, 3]           # looseness of boxes whose target is known; or u, the chip of the
                             # largest target times u
  method = ["pca", "mi-umap"]
  d = [2, 5, 10]             # dimensions; a method without it is run once
  features = ["hog", "infrared"]
  seed = [0, 1, 2]           # repeats: their spread is part of the interval

Further axes: share (of the labels that are kept), noise (share of the labels that are wrong), drawn
(targets as "spot", "frame", "relaxed" or "box"), minutes (of drawing labels), patch, stride, level,
split, reduce, metric, classifier, reads (whether that reads the features or the map), choose, and
any parameter of the method.
A study that is stopped goes on where it was. Several calls may share DIR, on several computers.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """run a recipe over a grid of axes: how loose, how many dimensions, which features, methods"""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, _STUDY
    parser.add_argument("study", type=Path, metavar="STUDY.toml", help=(
        "a study file, or the name of one that comes along"))
    parser.add_argument("--project", type=Path, required=True, metavar="P")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help=(
        "where cells.csv, report.html and the cells go; cells that are there are not computed "
        "again"))
    parser.add_argument("--workers", type=whole(1, 256), default=1, metavar="N", help=(
        "processes that share the work [1]"))
    parser.add_argument("--dask", default="", metavar="ADDRESS", help=(
        "a scheduler of Dask whose workers do it, as tls://host:8786, or local:N"))
    parser.add_argument("--fall-back", action="store_true", help=(
        "go on with --workers on this computer where the scheduler of --dask is gone"))
    parser.add_argument("--slurm", type=whole(1, 10000), default=0, metavar="N", help=(
        "compute nothing; print a script for sbatch, an array of N jobs that share DIR"))
    parser.add_argument("--again", action="store_true", help=(
        "try again what was given up because processes died at it"))
    parser.add_argument("--halving", action="store_true", help=(
        "successive halving: each place of the grid gets one seed, or a ninth of the labels where "
        "there is one seed, and only the better third goes on to three times as much"))
    parser.add_argument("--plan", action="store_true", help=(
        "say how many cells there are and about how long they take, and compute none"))
    parser.add_argument("--figure", type=Path, default=None, metavar="FILE", help=(
        "also draw the grid: svg, pdf or png by the ending of the file; csv for its data"))
    parser.add_argument("--curve", type=Path, metavar="FILE", help=(
        "draw the number that is compared over the axis of numbers with the most values: svg, pdf, "
        "png, or csv for its data"))
    parser.add_argument("--over", default="", metavar="AXIS", help=(
        "the axis of numbers that --curve goes along, alpha or d"))
    add_read_sources(parser)
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Fill a study; returns the exit code. Raises ParamError for two ways to share the work."""
    from msgspec import to_builtins

    from emberscope.base.files import absolute
    from emberscope.figures.figure import check_place
    from emberscope.project import to_snapshot
    from emberscope.project.model.study import read_study
    from emberscope.project.store.file import load
    from emberscope.project.store.own_sources import allow
    from emberscope.tasks.studies import FillStudy, PlanStudy
    from emberscope.tasks.table import TABLE

    if a.dask and a.workers > 1 and not a.fall_back:
        raise ParamError("--workers and --dask name two ways to share the work",
                         hint="Give one of them, or --fall-back for workers after Dask.")
    if a.fall_back and not a.dask:
        raise ParamError("--fall-back is from a cluster, and none is named",
                         hint="Give --dask ADDRESS, too.")
    if a.over and a.curve is None:
        raise ParamError("--over names an axis, and no curve is asked for",
                         hint="Give --curve FILE, too.")
    if a.slurm and (a.dask or a.workers > 1):
        raise ParamError("--slurm names a way to share the work, and so does "
                         f"{'--dask' if a.dask else '--workers'}", hint="Give one of them.")
    if a.figure is not None:
        check_place(a.figure)
    study, project, out = read_study(a.study), load(a.project), absolute(a.out)
    if a.slurm:
        say_page(script_of(_call(a, out), a.slurm))
        return 0
    if a.read_sources:
        allow(project, a.project)
    complain_of_changes(project, a.project)
    snapshot = to_snapshot(project)
    if a.plan:
        folder = str(out) if out.exists() else ""
        with ConsoleMonitor("Planning") as monitor:
            plan = TABLE.answer(PlanStudy(snapshot=snapshot, study=study, folder=folder), monitor)
        if printed_json(plan, as_json=a.json):
            return 0
        given_up = f", {plan.given_up} given up" if plan.given_up else ""
        say(f"{plan.cells} cells, {plan.done} done{given_up}; the others take "
            f"{about(plan.seconds)} in one process.")
        return 0
    request = FillStudy(snapshot=snapshot, study=study, folder=str(out), workers=a.workers,
                        dask=a.dask, fall_back=a.fall_back, begin=place_in_array(os.environ),
                        again=a.again, halving=a.halving,
                        curve=str(absolute(a.curve)) if a.curve else "", over=a.over)
    with ConsoleMonitor("Study") as monitor:
        found = TABLE.answer(request, monitor)
    if a.figure is not None:
        _draw(found, a)
    if a.json:
        print_json(to_builtins(found))
    else:
        _print(found)
    whole = found.done == found.cells or (a.halving and found.answer)
    return 0 if whole else 1


def _call(a: argparse.Namespace, out: Path) -> list[str]:
    """The call that every job of an array makes, by whole paths: jobs stand in other folders."""
    from emberscope.base.files import absolute, is_there

    study = str(absolute(a.study)) if is_there(a.study) else str(a.study)
    more = [flag for flag, is_on in (("--again", a.again), ("--halving", a.halving),
                                     ("--read-sources", a.read_sources)) if is_on]
    program = [sys.executable] if hasattr(sys, "frozen") else [sys.executable, "-m", "emberscope"]
    return [*program, "study", study, "--project", str(absolute(a.project)), "--out", str(out),
            *more]


def _draw(found: "StudyFound", a: argparse.Namespace) -> None:
    """The grid as a figure, with the command below it."""
    from emberscope.figures.figure import save_figure
    from emberscope.figures.study import study_figure

    words = ["emberscope", "study", str(a.study), "--project", a.project.name, "--out", a.out.name,
             *(["--halving"] if a.halving else []), "--figure", a.figure.name]  # fmt: skip
    title = found.title or a.study.stem
    save_figure(study_figure(title, found.places, found.score, (shlex.join(words),)), a.figure)


def _print(found: "StudyFound") -> None:
    from emberscope.findings.measures import title_of

    axes = list(dict.fromkeys(axis for place in found.places for axis in place.values))
    print_table([*axes, title_of(found.score), "95 %", "seeds", "note"],
                [[*("" if (value := place.values.get(axis)) is None else str(value)
                    for axis in axes),
                  "" if place.mean is None else f"{place.mean:.3f}", _interval(place),
                  str(place.seeds), "; ".join(place.errors)] for place in found.places])
    for note in found.notes:
        complain(note)
    say(found.answer or "No cell has the number that is asked for.")
    say(found.table)
    say(found.report)


def _interval(place: "PlaceScore") -> str:
    return "" if place.low is None or place.high is None else f"{place.low:.2f} to {place.high:.2f}"
