"""`emberscope import`: add sources and truth to a project, and say what is done."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from emberscope.base.errors import ParamError
from emberscope.cli.arguments import (
    USAGE,
    add_json,
    add_read_sources,
    add_reading,
    add_seed,
    reading_flags,
    reading_options,
    whole,
)
from emberscope.cli.printing import print_json
from emberscope.console import ConsoleMonitor, complain, print_table, say

if TYPE_CHECKING:
    from emberscope.project.exchange.batch import TruthLine
    from emberscope.project.exchange.chip_base import Basis
    from emberscope.project.exchange.found_sources import FoundSource
    from emberscope.tasks.imports import ImportedFiles

_SHOWN = 3  # lines of one kind; of more than one above that, the others are counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """add sources (and truth as weak labels) to a project, say what is done; makes the project
    where there is none"""
    parser.add_argument("project", type=Path)
    holds = (
        "a file, FILE::NAME for a data set of one, or a folder of images, clips or folders of such"
    )
    parser.add_argument("source", type=Path, nargs="*", help=holds)
    named = (
        "truth files or folders, named like their sources or in their order; labels that were "
        "exported (jsonl, or a folder with its side file)"
    )
    parser.add_argument("--truth", type=Path, nargs="+", default=[], help=named)
    _add_tables(parser)
    _add_looseness(parser)
    clips = (
        "clips that are done, as info names them; CLIP:1-20,25 some frames of one, counted "
        "from 1; all"
    )
    parser.add_argument("--done", nargs="+", default=[], metavar="CLIP", help=clips)
    parser.add_argument(
        "--not-done", nargs="+", default=[], metavar="CLIP", help="those that are not, after all"
    )
    single = (
        "images are each a source by itself: those right in these folders; without names, "
        "those of all folders"
    )
    parser.add_argument(
        "--single-images", dest="apart", type=Path, nargs="*", metavar="FOLDER", help=single
    )
    add_reading(parser)
    alone = (
        "of point sets: learn from labels of bags alone; labels of instances in them only judge"
    )
    parser.add_argument("--bags-only", action="store_true", help=alone)
    looks = (
        "say what is found and left out, which truth goes to which source and why; write nothing"
    )
    parser.add_argument("--dry-run", action="store_true", help=looks)
    parser.add_argument(
        "--verbose", action="store_true", help="every line, however many are of one kind"
    )
    add_seed(parser)
    add_read_sources(parser)
    add_json(parser)


def _add_tables(parser: argparse.ArgumentParser) -> None:
    table = (
        "pairs or distances of instances: columns a, b (ids), kind (same or different) or distance "
        "and, where wanted, attribute, weight, unit"
    )
    parser.add_argument(
        "--pairs",
        "--distances",
        dest="tables",
        type=Path,
        nargs="+",
        default=[],
        metavar="CSV",
        help=table,
    )
    known = (
        "what is known besides, as range or day: a column clip or image, frame (from 0), target id "
        "or label says of what; the others are kept under their names"
    )
    parser.add_argument(
        "--table", dest="columns", type=Path, nargs="+", default=[], metavar="CSV", help=known
    )
    steps = (
        "actions along a track, each table named like its source: columns frame and action, or "
        "frame and azimuth"
    )
    parser.add_argument("--actions", type=Path, nargs="+", default=[], metavar="CSV", help=steps)


def _add_looseness(parser: argparse.ArgumentParser) -> None:
    loose = (
        "how loose boxes are: 0 tight; 1, 2, 3 that many times the size of the largest box of "
        "their class [1]"
    )
    parser.add_argument("--weaken", type=whole(0, 3), default=1, metavar="u", help=loose)
    size = (
        "that size: clip, all (one for all clips, so that it does not say at which range one was "
        "taken), or width x height in pixels, as 121x51 [clip]"
    )
    parser.add_argument("--box-size", type=_size, metavar="size", help=size)
    chips = "target chips per frame, shared out among its targets [one label per target]"
    parser.add_argument("--per-frame", type=whole(1), default=0, metavar="n", help=chips)
    kept = "keep polygons, ellipses and lines of truth as they are drawn [the boxes around them]"
    parser.add_argument("--outlines", action="store_true", help=kept)
    parser.add_argument(
        "--every", type=whole(1), default=1, metavar="n", help="take truth of every n-th frame [1]"
    )
    many = (
        "background boxes per frame, or as many patches as would fill these where they lie "
        "between labels [4]"
    )
    parser.add_argument("--background", type=whole(0), default=4, metavar="n", help=many)
    rules = ["auto", "same-place", "between", "near", "matched", "random"]
    parser.add_argument(
        "--background-rule", choices=rules, default="auto", help="where these are drawn [auto]"
    )


def _size(text: str) -> "Basis":
    """Reads a size of boxes; argparse says what is wrong with any other text."""
    from emberscope.project.exchange.chip_base import basis_from

    try:
        return basis_from(text)
    except ParamError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(a: argparse.Namespace) -> int:
    """Put sources and truth into a project; returns the exit code."""
    from emberscope.project.exchange.say_done import say_done

    brings = bool(a.source or a.truth or a.tables or a.columns or a.actions)
    if not (brings or a.done or a.not_done):
        complain("nothing to import. Name files or folders, or labels with --truth.")
        return USAGE
    if (a.box_size or a.per_frame) and not a.truth:
        flag = "--box-size" if a.box_size else "--per-frame"
        complain(f"{flag} says how truth becomes labels. Name the truth too, with --truth.")
        return USAGE
    given = [*reading_flags(a), *(["--bags-only"] if a.bags_only else [])]
    if given and not a.source:
        complain(f"{given[0]} says how a source is read. Name the source too.")
        return USAGE
    found = _import(a) if brings else None
    lines, failed = (found.lines, found.failed) if found else ([], [])
    sources, truth = (found.sources, found.truth) if found else ([], [])
    if (a.done or a.not_done) and not a.dry_run:
        lines = [*lines, *say_done(a.project, a.done, a.not_done, read_sources=a.read_sources)]
    if a.json:
        print_json({"dry_run": a.dry_run, "sources": [asdict(source) for source in sources],
                    "truth": [_facts(line) for line in truth], "lines": lines, "errors": failed})
        return 1 if failed else 0
    if a.dry_run:
        _print_sources(sources)
        _print_truth(truth)
    for line in lines if a.verbose else folded(lines):
        say(line)
    for words in failed if a.verbose else folded(failed):
        complain(words)
    return 1 if failed else 0


def _import(a: argparse.Namespace) -> "ImportedFiles":
    from emberscope.project.exchange.batch import Loosely
    from emberscope.tasks.imports import ImportFiles, SourceChoice
    from emberscope.tasks.table import TABLE

    reading = reading_options(a) | ({"bags_only": True} if a.bags_only else {})
    how = Loosely(
        u=a.weaken, every=a.every, background=a.background, rule=a.background_rule, seed=a.seed,
        outlines=a.outlines, base=a.box_size or "clip", per_frame=a.per_frame,
    )  # fmt: skip
    files = {
        name: [str(path) for path in getattr(a, name)] for name in ("tables", "columns", "actions")
    }
    wanted = ImportFiles(
        project=str(a.project),
        sources=[SourceChoice(str(path), reading) for path in a.source],
        truths=[str(path) for path in a.truth],
        how=how,
        read_sources=a.read_sources,
        dry_run=a.dry_run,
        **files,
        apart=[] if a.apart is None else [str(path) for path in a.apart] or None,
    )
    with ConsoleMonitor("Importing") as monitor:
        return TABLE.answer(wanted, monitor)


def _facts(line: "TruthLine") -> dict[str, object]:
    """A line of the table of truth, for machines."""
    count = line.count
    return {
        "truth": count.truth, "state": count.state, "sources": line.sources, "why": count.why,
        "objects": count.objects, "frames": count.frames, "notes": count.notes,
        "wrong": count.wrong,
    }  # fmt: skip


def _print_sources(found: Sequence["FoundSource"]) -> None:
    """What was found: kinds, sizes, depth, and the truth beside each."""
    if not found:
        return
    rows = [
        [
            source.path,
            source.kind if source.new else f"{source.kind}, in the project already",
            str(source.frames),
            f"{source.cols} x {source.rows}",
            source.depth or "unknown",
            source.truth or "none",
            source.why,
        ]
        for source in found
    ]
    print_table(
        ["found", "kind", "frames", "size", "depth", "truth beside it", "why together"], rows
    )


def _print_truth(table: Sequence["TruthLine"]) -> None:
    """Which truth goes to which source and why, and what was left out of it."""
    if not table:
        return
    rows = []
    for line in table:
        count = line.count
        where = " or ".join(line.sources) if count.state != "none" else "none"
        total = sum(count.objects.values())
        held = count.wrong or (
            f"{total} on {count.frames} frames" if count.state == "given" else ""
        )
        if count.state != "given" and line.sources:
            where = f"{count.state}: {where}"
        rows.append([where, count.truth, count.why, held])
    print_table(["source", "truth", "why", "objects"], rows)
    for line in table:
        for note in line.count.notes:
            say(f"{line.count.truth}: {note}")


def folded(lines: Sequence[str]) -> list[str]:
    """Lines "place: words", of many that differ in the place and in numbers only the first three
    and a count."""
    kinds: dict[str, list[str]] = {}
    for line in lines:
        kinds.setdefault(re.sub(r"\d+", "#", line.partition(": ")[2]), []).append(line)
    shown = list[str]()
    for alike in kinds.values():
        many = len(alike) > _SHOWN + 1
        shown += alike[:_SHOWN] if many else alike
        if many:
            shown.append(f"  and {len(alike) - _SHOWN} more like this; --verbose shows them")
    return shown
