"""`emberscope evaluate`: what runs find on bags that were held out, and where they are weak."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emberscope.base.errors import EmberscopeError
from emberscope.base.grouping import how_many
from emberscope.cli.arguments import add_json, run_asked
from emberscope.cli.printing import print_json
from emberscope.console import ConsoleMonitor, print_table, say

if TYPE_CHECKING:
    from emberscope.findings.judged.levels import Judged, Level, SliceAxis
    from emberscope.findings.judged.pair import Compared
    from emberscope.project import Project, Run

_MOST_RUNS = 4
_SHOWN = 5  # of the weakest slices
_MEASURE = "`emberscope run` with --measure makes a run that holds bags out, whatever that takes."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """what runs find on bags that were held out, how sure that is, and where they are weak"""
    parser.add_argument("project", type=Path)
    parser.add_argument("--runs", default="", metavar="1,2", help=(
        "up to four runs; each is compared with the first [the last one]"))
    parser.add_argument("--level", choices=["instance", "bag", "detection"], default=None, help=(
        "by instances, by bags, or by what would be reported on frames [all]"))
    parser.add_argument("--by", choices=["method", "classifier"], default="method", help=(
        "whose held-out scores: of the method, or of the classifier of the run [method]"))
    parser.add_argument("--slice", default="", metavar="A,B", help=(
        "one or two of class, clip, part and the columns of labels, such as range: the AUC of each "
        "slice, and what is found there at the threshold"))
    parser.add_argument("--threshold", type=float, default=None, metavar="T", help=(
        "score from which on something is a target [a balanced one; of detections, one false alarm "
        "per frame]"))
    parser.add_argument("--study", action="store_true", help=(
        "what the runs of the project say of each setting in which they differ alone from one, "
        "instead: a score, its interval, and what lies within one standard error of the best"))
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Judge runs; returns the exit code."""
    from emberscope.findings.judged.levels import LEVELS
    from emberscope.findings.judged.words import judged_record
    from emberscope.project import to_snapshot
    from emberscope.project.store.file import load
    from emberscope.tasks.evaluation import CompareRuns, JudgeRun
    from emberscope.tasks.table import TABLE

    project = load(a.project)
    runs = _runs_of(project, a)
    if a.study:
        return _study(project, runs, as_json=a.json)
    names = (a.level,) if a.level else LEVELS
    snapshot = to_snapshot(project)
    with ConsoleMonitor("Judging runs") as monitor:
        judged = [TABLE.answer(JudgeRun(snapshot=snapshot, run=one, by=a.by), monitor)
                  for one in runs]
        against = [TABLE.answer(CompareRuns(snapshot=snapshot, first=runs[0], second=one, by=a.by),
                                monitor) for one in runs[1:]]
    _check(judged, names)
    slices = [rows for found in judged
              for rows in _sliced(a, project, found, names)] if a.slice else []
    if a.json:
        records = [judged_record(project, found, names, a.threshold) for found in judged]
        for record in records:
            record["slices"] = [row for rows in slices for row in rows
                                if row["run"] == record["run"]]
        print_json({"runs": records, "compared": [_record(each) for each in against]})
        return 0
    for found in judged:
        _print_run(project, found, names, a.threshold)
    _print_slices(slices)
    _print_pairs(against)
    return 0


def _study(project: "Project", about: list["Run"], *, as_json: bool) -> int:
    """Each setting in which runs differ from one alone; returns the exit code."""
    from emberscope.catalogue import METHODS
    from emberscope.findings.judged.study import score_words, studies, study_record
    from emberscope.findings.measures import MEASURES

    titles = {row.id: row.title.split(",")[0] for row in METHODS}
    found = [studies(project.runs.values(), run, title=lambda name: titles.get(name, name))
             for run in about]  # fmt: skip
    if as_json:
        print_json({"studies": [study_record(one) for one in found]})
        return 0
    for one in found:
        if one.why_not:
            say(one.why_not)
        for study in one.found:
            print_table([study.title, MEASURES[study.measure].title, "runs", "near the best"], [
                [point.words, score_words(point.score), ", ".join(map(str, point.runs)),
                 "yes" if at in study.within else ""] for at, point in enumerate(study.points)])
            say(study.words)
        if one.left_out:
            say(f"{how_many(one.left_out, 'run')} of other labels than run {one.about}: left out.")
    return 0


def _record(pair: "Compared") -> dict[str, Any]:
    from emberscope.findings.judged.pair import pair_record

    return {"first": pair.first, "second": pair.second, "words": pair.words,
            "pairs": [pair_record(level) for level in pair.pairs],
            "changes": [[row.title, row.before, row.after] for row in pair.changes]}


def _print_slices(slices: list[list[dict[str, Any]]]) -> None:
    from emberscope.findings.judged.levels import DETECTION
    from emberscope.findings.judged.words import TITLES

    for rows in slices:
        areas = rows[0]["level"] != DETECTION
        say(f"Slices of run {rows[0]['run']}, {TITLES[rows[0]['level']].lower()}; found from a "
            f"score of {rows[0]['threshold']:.3g} on:")
        print_table(["slice", *["AUC"] * areas, "found", "targets", *["ground"] * areas], [
            [row["title"], *[row["words"]] * areas, _found_words(row), str(row["targets"]),
             *[str(row["ground"])] * areas] for row in rows])


def _found_words(row: dict[str, Any]) -> str:
    if row["found"] is None:
        return ""
    return f"{row['found']:.2f} ({row['found_low']:.2f} \u2013 {row['found_high']:.2f})"


def _print_pairs(pairs: list["Compared"]) -> None:
    for pair in pairs:
        say(f"Run {pair.second} against run {pair.first}:")
        print_table(["what", "before", "now"],
                    [[row.title, row.before, row.after] for row in pair.changes])
        for words in pair.words:
            say(words)


def _runs_of(project: "Project", a: argparse.Namespace) -> list["Run"]:
    """Those that are asked for, else the last one."""
    words = [word.strip() for word in a.runs.split(",") if word.strip()]
    try:
        numbers: list[int | None] = [*dict.fromkeys(map(int, words))] or [None]
    except ValueError:
        raise EmberscopeError(f"--runs {a.runs} is no list of numbers",
                              hint="For example --runs 1,2.") from None
    if len(numbers) > _MOST_RUNS:
        raise EmberscopeError(f"{len(numbers)} runs are too many to set side by side",
                              hint=f"Name {_MOST_RUNS} or fewer.")
    return [run_asked(project, a.project, number) for number in numbers]


def _check(judged: list["Judged"], names: tuple[str, ...]) -> None:
    """Raises EmberscopeError where no run can be judged at any level that is asked for."""
    levels = [found.level(name) for found in judged for name in names]
    if all(level.why_not for level in levels):
        raise EmberscopeError(levels[0].why_not.rstrip("."),
                              hint=_MEASURE if levels[0].remedy == "measure" else "")


def _print_run(
    project: "Project", found: "Judged", names: tuple[str, ...], threshold: float | None
) -> None:
    from emberscope.findings.judged.levels import Tally
    from emberscope.findings.judged.words import (
        TITLES,
        at_words,
        confusion_names,
        estimate_words,
        slice_words,
    )

    for name in names:
        level = found.level(name)
        if level.why_not:
            remedy = f" {_MEASURE}" if level.remedy == "measure" else ""
            say(f"Run {found.run}, {TITLES[name].lower()}: {level.why_not}{remedy}")
            continue
        tally = Tally(level)
        at = tally.at(level.start if threshold is None else threshold)
        say(f"Run {found.run} {at_words(level, at)}, from a score of {at.threshold:.3g} on.")
        rows = [
            ["AUC", estimate_words(level.area)],
            [_partial(level), estimate_words(level.partial)],
            ["average precision", estimate_words(level.average_precision)],
            ["judged rightly", estimate_words(at.right)],
            ["rests on", level.rests_on],
        ]
        print_table(["what", "value"], [row for row in rows if row[1]])
        if level.note:
            say(level.note)
        (kinds, said), counts = confusion_names(project, tally), tally.confusion(at.threshold)
        print_table(
            ["truth / said", *said],
            [
                [kind, *(str(n) for n in row)]
                for kind, row in zip(kinds, counts.tolist(), strict=True)
            ],
        )
        if level.weakest:
            print_table([f"weakest of {level.looked} slices", "AUC", "targets", "weaker"], [
                [one.title, slice_words(one.area, one.groups), str(one.targets),
                 "yes" if one.weak else ""] for one in level.weakest[:_SHOWN]])
    say(f"Label conflicts of run {found.run}: {found.conflicts} in {found.conflict_bags} bags.")


def _partial(level: "Level") -> str:
    return "found, mean up to 1 false alarm per frame" if level.per_frame else "AUC up to 0.1 false"


def _sliced(
    a: argparse.Namespace, project: "Project", found: "Judged", names: tuple[str, ...]
) -> list[list[dict[str, Any]]]:
    """The slices of one or two axes at the first level that has areas, and of detections."""
    known = [level for name in names if not (level := found.level(name)).why_not]
    areas = [level for level in known if not level.per_frame][:1]
    levels = [*areas, *(level for level in known if level.per_frame)]
    axes = [_axes(a.slice, project, level) for level in levels[:1]]
    axes += [_axes(a.slice, project, level) for level in levels[1:]
             if {axis.id for axis in axes[0] if axis} <= {axis.id for axis in level.axes}]
    return [_rows_of(found.run, level, *pair, a.threshold)
            for level, pair in zip(levels, axes, strict=False)]


def _rows_of(
    run: int, level: "Level", first: "SliceAxis", second: "SliceAxis | None",
    threshold: float | None,
) -> list[dict[str, Any]]:
    """All slices of a level, a row each, those without an entry too."""
    from emberscope.base.monitor import Silent
    from emberscope.findings.judged.levels import GROUND, crossed, found_in_cells
    from emberscope.findings.judged.words import slice_words
    from emberscope.tasks.evaluation import CutSlices
    from emberscope.tasks.table import TABLE

    at = level.start if threshold is None else threshold
    wide = len(second.names) if second is not None else 1
    cell, cells = crossed(first, second), len(first.names) * wide
    share, targets = found_in_cells(level, cell, cells, at)
    areas = TABLE.answer(CutSlices(
        target=level.truth != GROUND, score=level.score, group=level.group,
        cell=cell, cells=cells), Silent())
    out, found_areas = [], areas.estimates()
    for n in range(cells):
        names_of = [first.names[n // wide], *([second.names[n % wide]] if second else [])]
        area, groups, known = found_areas[n], int(areas.groups[n]), bool(areas.known[n])
        known &= not level.per_frame
        hit = level.share(round(share[n] * targets[n]) if targets[n] else 0, int(targets[n]))
        out.append({"run": run, "level": level.name, "title": ", ".join(names_of),
                    "words": slice_words(area, groups) if known else "too few",
                    "auc": area.value if known else None, "low": area.low if known else None,
                    "high": area.high if known else None, "threshold": at,
                    "found": hit.value if targets[n] else None, "found_low": hit.low,
                    "found_high": hit.high,
                    "targets": int(targets[n]), "ground": int(areas.ground[n]),
                    "groups": groups})
    return out


def _axes(
    words: str, project: "Project", level: "Level"
) -> tuple["SliceAxis", "SliceAxis | None"]:
    """Those that are named. Raises EmberscopeError for another name, and for a column in which what
    is judged does not differ."""
    from emberscope.project.columns import wordings

    names = [word.strip() for word in words.split(",") if word.strip()]
    known = {axis.id: axis for axis in level.axes}
    wrong = next((name for name in names if name not in known), None)
    hint = f"This run has: {', '.join(known) or 'nothing'}."
    if not 1 <= len(names) <= 2:
        raise EmberscopeError(f"--slice {words} is not one name or two", hint=hint)
    if wrong in wordings(project):
        raise EmberscopeError(f"what is judged does not differ in {wrong}", hint=hint)
    if wrong is not None:
        raise EmberscopeError(f"there is nothing to slice by called {wrong}", hint=hint)
    return known[names[0]], known[names[1]] if len(names) == 2 else None
