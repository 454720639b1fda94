"""`emberscope score`: heat maps and detections on any clip, by what a run learned."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emberscope.cli.arguments import (
    add_json,
    add_read_sources,
    add_reading,
    reading_options,
    run_asked,
    whole,
)
from emberscope.cli.printing import print_json
from emberscope.console import ConsoleMonitor, complain, print_table, say

if TYPE_CHECKING:
    from emberscope.project import Project, Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """score every frame of any clips by what a run learned: detections and heat maps"""
    parser.add_argument("project", type=Path)
    clips = "a file, FILE::NAME, a folder of frames, or the name of a source of the project"
    parser.add_argument("source", nargs="+", help=clips)
    parser.add_argument("--to", type=Path, required=True, metavar="DIR", help=(
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
    add_reading(parser)
    add_read_sources(parser)
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Score clips; returns the exit code."""
    from msgspec import to_builtins

    from emberscope.project import to_snapshot
    from emberscope.project.store.file import load
    from emberscope.project.store.own_sources import allow
    from emberscope.tasks.scoring import LookAtClips, ScoreClips
    from emberscope.tasks.table import TABLE

    options = reading_options(a)
    project = load(a.project)
    if a.read_sources:
        allow(project, a.project)
    asked: dict[str, Any] = {"snapshot": to_snapshot(project), "run": _run_of(project, a),
                             "clips": a.source, "options": options}
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
             f"{row.threshold:.2f}"] for row in made.reached])
    for note in made.notes:
        say(note)
    say(made.table)
    return 0


def _run_of(project: "Project", a: argparse.Namespace) -> "Run":
    """The run that is asked for, else the last one that ranks instances, else the last one."""
    telling = [key for key, run in project.runs.items()
               if {"witness", "score"} & run.point_scores.keys()]
    return run_asked(project, a.project, a.run, max(telling, default=None))
