"""`emberscope score`: heat maps and detections on any clip, by what a run learned."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emberscope.base.errors import ParamError
from emberscope.base.grouping import about, how_many, score_text
from emberscope.cli.arguments import (
    add_json,
    add_read_sources,
    add_reading,
    reading_options,
    run_asked,
    whole,
)
from emberscope.cli.printing import print_json, printed_json
from emberscope.console import ConsoleMonitor, complain, print_table, say

if TYPE_CHECKING:
    from emberscope.project import Project, Run
    from emberscope.tasks.scoring import PlanClips


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """score every frame of any clips by what a run learned: detections and heat maps"""
    parser.add_argument("project", type=Path)
    clips = "a file, FILE::NAME, a folder of frames, or the name of a source of the project"
    parser.add_argument("source", nargs="+", help=clips)
    parser.add_argument("--to", type=Path, metavar="DIR", help=(
        "where detections.csv and heat go; a call that was stopped goes on from what is there"))
    parser.add_argument("--run", type=whole(1), default=None, metavar="n", help=(
        "the run that has learned [the last one that scores instances]"))
    parser.add_argument("--also", nargs="+", choices=("atr", "labels", "images", "video"),
                        default=[], metavar="WHAT", help=(
        "atr: declarations as JSON; labels: a layer to import as suggestions; images: PNG of every "
        "frame with heat and boxes; video: MP4 of them"))
    parser.add_argument("--truth", type=Path, default=None, metavar="PATH", help=(
        "truth of the one clip: how many of its targets are found at so many false alarms"))
    parser.add_argument("--other-sizes", action="store_true", help=(
        "look for targets 0.7 and 1.4 times as large as the labeled ones, too: for clips from "
        "another distance; takes three times as long"))
    parser.add_argument("--plan", action="store_true", help=(
        "say how many frames, blocks and tasks there are, how large they are, and about how long "
        "it takes; read headers alone, and score nothing"))
    add_reading(parser)
    add_read_sources(parser)
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Score clips; returns the exit code. Raises ParamError without a folder to write to."""
    from msgspec import to_builtins

    from emberscope.project import to_snapshot
    from emberscope.project.store.file import load
    from emberscope.project.store.own_sources import allow
    from emberscope.tasks.scoring import LookAtClips, PlanClips, ScoreClips
    from emberscope.tasks.table import TABLE

    if a.to is None and not a.plan:
        raise ParamError("--to is missing", hint="Name a folder for detections and heat, --to DIR.")
    options = reading_options(a)
    project = load(a.project)
    if a.read_sources:
        allow(project, a.project)
    asked: dict[str, Any] = {"snapshot": to_snapshot(project), "run": _run_of(project, a),
                             "clips": a.source, "options": options}
    if a.plan:
        return _plan(PlanClips(**asked, other_sizes=a.other_sizes), a)
    with ConsoleMonitor("Looking at the clips") as monitor:
        looks = TABLE.answer(LookAtClips(**asked), monitor)
    far = [look.words for look in looks.clips if look.words]
    for note in [*looks.notes, *far]:
        complain(note)
    with ConsoleMonitor("Scoring") as monitor:
        made = TABLE.answer(ScoreClips(**asked, folder=str(a.to), also=a.also,
                                       truth=str(a.truth or ""),
                                       other_sizes=a.other_sizes), monitor)
    clips = [{"source": clip.source, "path": clip.path, "frames": clip.frames,
              "detections": clip.found, "computed": clip.computed, "novelty": look.novelty,
              "heat": clip.heat} for clip, look in zip(made.clips, looks.clips, strict=True)]
    notes = [*looks.notes, *far, *made.notes]
    if a.json:
        reached = [to_builtins(row) for row in made.reached]
        print_json({"run": asked["run"].id, "table": made.table, "clips": clips, "notes": notes,
                    **({"reached": reached} if reached else {})})
        return 0
    print_table(["source", "frames", "detections", "novelty"], [
        [clip.source, str(clip.frames), str(clip.found), f"{look.novelty:.0%}"]
        for clip, look in zip(made.clips, looks.clips, strict=True)])
    if made.reached:
        print_table(["false alarms per frame", "found", "95 %", "score from"], [
            [f"{row.false_alarms:g}", f"{row.found:.0%}", f"{row.low:.0%} to {row.high:.0%}",
             score_text(row.threshold)] for row in made.reached])
    for note in made.notes:
        say(note)
    say(made.table)
    return 0


def _plan(request: "PlanClips", a: argparse.Namespace) -> int:
    from emberscope.tasks.table import TABLE

    with ConsoleMonitor("Planning") as monitor:
        plan = TABLE.answer(request, monitor)
    if printed_json(plan, as_json=a.json):
        return 0
    say(f"{how_many(plan.clips, 'task')}, one a clip, of {how_many(plan.frames, 'frame')} in "
        f"{how_many(plan.blocks, 'block')}.")
    say(f"{_size(plan.bytes)} are read, heat takes {_size(plan.heat)}, a process holds "
        f"{_size(plan.held)} of frames and features.")
    say(f"It takes {about(plan.seconds)} on a computer with two cores.")
    return 0


def _size(count: int) -> str:
    """ "1.5 GiB"."""
    size, units = float(count), ("B", "KiB", "MiB", "GiB")
    for unit in units:
        if size < 1024:
            return f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} TiB"


def _run_of(project: "Project", a: argparse.Namespace) -> "Run":
    """The run that is asked for, else the last one that ranks instances, else the last one."""
    telling = [key for key, run in project.runs.items()
               if {"witness", "score"} & run.point_scores.keys()]
    return run_asked(project, a.project, a.run, max(telling, default=None))
