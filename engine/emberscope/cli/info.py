"""`emberscope info`: what a source, a project or a point set holds."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from emberscope.bags.sizes import open_sizes
from emberscope.base.errors import EmberscopeError, FormatError
from emberscope.base.grouping import how_many
from emberscope.base.out_folders import check_out_file
from emberscope.cli.arguments import (
    add_json,
    add_read_sources,
    add_reading,
    reading_flags,
    reading_options,
    whole,
)
from emberscope.cli.printing import (
    print_agreement,
    print_columns,
    print_concepts,
    print_facts,
    print_learned,
    print_parts,
)
from emberscope.console import ConsoleMonitor, complain, print_table, say
from emberscope.frames.said import said_rows

ORIGIN_WORDS = ("manual", "imported", "propagated", "model", "sampled")  # as in `labels.origins`


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """what a source, a project or a point set holds"""
    parser.add_argument(
        "path", type=Path, help="a file, FILE::NAME for a data set of one, a folder or a project"
    )
    add_reading(parser)
    best = (
        "of a project: also what a classifier that knows every target reaches on the features "
        "of the next run"
    )
    parser.add_argument("--ceiling", action="store_true", help=best)
    ask = (
        "of a project: the N pairs of instances whose answer, same or different, would teach a "
        "metric most [10]"
    )
    parser.add_argument(
        "--questions", type=whole(1, 1000), nargs="?", const=10, metavar="N", help=ask
    )
    by = "attribute that the questions are about [the pairs that have none]"
    parser.add_argument("--attribute", default="", metavar="NAME", help=by)
    table = (
        "a table of the questions: write same or different under kind, and import it with --pairs"
    )
    parser.add_argument("--out", type=Path, metavar="CSV", help=table)
    known = "of a project: the columns of its clips, frames and labels, with counts and ranges"
    parser.add_argument("--columns", action="store_true", help=known)
    kinds = (
        "of a project: where labels of two origins agree: manual, imported, propagated, model "
        "or sampled"
    )
    parser.add_argument("--compare", nargs=2, choices=ORIGIN_WORDS, metavar=("A", "B"), help=kinds)
    add_read_sources(parser)
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Describe a source, point set or project; returns the exit code. Raises FormatError."""
    from emberscope.datasets.matlab_bags import matlab_facts
    from emberscope.datasets.points import is_point_set
    from emberscope.datasets.unread_formats import could_be_bags, what_instead
    from emberscope.findings.describe import describe_path
    from emberscope.frames.registry import UNKNOWN_FILE

    _check(a)
    if a.read_sources:
        _allow_sources(a.path)
    frames_inside = _holds_frames(a.path)
    if not frames_inside and is_point_set(a.path):
        _refuse_reading(a, "a point set", "Leave it out.")
        from emberscope.tasks.points import DescribePoints
        from emberscope.tasks.table import TABLE

        with ConsoleMonitor("Neighbors") as monitor:
            found = TABLE.answer(DescribePoints(path=str(a.path)), monitor).facts
        print_facts(found, as_json=a.json)
        return 0
    if not frames_inside and (facts := matlab_facts(a.path)) is not None:
        _refuse_reading(a, "a set of bags", "Leave it out.")
        print_facts(facts, as_json=a.json)
        return 0
    try:
        with ConsoleMonitor("Frames") as monitor:
            found = describe_path(a.path, monitor=monitor, **reading_options(a))
    except FormatError as error:
        if error.what != UNKNOWN_FILE or not could_be_bags(a.path):
            raise
        raise FormatError(
            str(a.path), None, error.what, f"A set of bags? {what_instead(a.path)[1]}"
        ) from error
    odd = [finding["text"] for finding in found.get("quality", {}).get("findings", ())]
    for warning in (*found.get("warnings", ()), *odd):
        complain(f"{a.path}: {warning}")
    if found["kind"] == "project":
        found |= _asked_of_project(a)
    if a.json:
        print_facts(found, as_json=True)
        return 0
    _print(found)
    return 0


def _print(found: dict[str, Any]) -> None:
    """Facts first, then a table of each thing of which there may be several."""
    from emberscope.project.nouns import OF_FRAMES, OF_POINTS

    nouns = OF_POINTS if found.get("points") else OF_FRAMES
    handled = (
        "meta",
        "warnings",
        "quality",
        "conflicts",
        "missing",
        "changed",
        "runs",
        "fitting sizes",
        "ceiling",
        "holds",
        "questions",
        "done by source",
        "agreement",
        "columns",
    )
    shown = {key: value for key, value in found.items() if key not in handled}
    if found["kind"] == "project":
        shown = _of_project(shown, found)
    if found["kind"] == "source":
        shown |= {title.lower(): words for title, words in said_rows(found["meta"])}
    print_facts(shown, as_json=False)
    if found.get("holds"):
        keys = ("source", "format", "frames", "rows", "cols")
        print_table(list(keys), [[str(held[key]) for key in keys] for held in found["holds"]])
    if found.get("done by source"):
        _print_done(found["done by source"])
    if found.get("runs"):
        _print_runs(found["runs"])
        newest = found["runs"][-1]
        say(f"Run {newest['id']}, split {newest['split']['words']}.")
        print_parts(newest["by_clip_and_class"], nouns, of=f"Run {newest['id']}")
        print_learned(newest["learned"], of=f"run {newest['id']}")
    if found.get("ceiling"):
        _print_ceiling(found["ceiling"])
    if found.get("questions"):
        _print_questions(found["questions"])
    if found.get("columns"):
        print_columns(found["columns"], nouns)
    if found.get("agreement"):
        print_agreement(found["agreement"])


def _of_project(shown: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """The facts of a project for a person: of points, none that only frames have."""
    if not found["points"]:
        left = {key: value for key, value in shown.items() if key not in ("points", "features")}
        return left | {"runs": len(found["runs"]), "patches": found["fitting sizes"]["why"]}
    of_frames = ("frames", "features", "labels", "labels by kind", "labels by class", "done")
    left = {key: value for key, value in shown.items() if key not in of_frames}
    bags, features = how_many(found["frames"], "bag"), how_many(found["features"], "feature")
    left["points"] = f"{bags} of {features}"
    return left | {"bags by class": found["labels by class"], "runs": len(found["runs"])}


def _print_done(rows: list[dict[str, Any]]) -> None:
    """What is done of each source, frames counted from 1 as in the window."""
    print_table(
        ["source", "done"],
        [[row["source"], "all" if row["clip"] else spans(row["frames"])] for row in rows],
    )


def spans(frames: Sequence[int]) -> str:
    """Frames from 0, ascending, as stretches that count from 1: "1-3, 7"."""
    ends = [
        k for k, frame in enumerate(frames) if k + 1 == len(frames) or frames[k + 1] != frame + 1
    ]
    starts = [0, *(k + 1 for k in ends)]
    return ", ".join(f"{frames[a] + 1}-{frames[b] + 1}" if b > a else f"{frames[a] + 1}"
                     for a, b in zip(starts, ends, strict=False))


def _asked_of_project(a: argparse.Namespace) -> dict[str, Any]:
    """What needs frames: the sizes of patches that fit, and what the options ask for."""
    found = _sizes_of(a.path)
    if a.ceiling:
        found |= _ceiling_of(a.path)
    if a.questions:
        found |= _questions_of(a.path, a.attribute, a.questions)
        if a.out:
            _write_questions(a.out, found["questions"], a.attribute)
    if a.columns:
        from emberscope.project.run_columns import describe_columns
        from emberscope.project.store.file import load

        found["columns"] = describe_columns(load(a.path))
    if a.compare:
        found["agreement"] = _agreement(a.path, *a.compare)
    return found


def _check(a: argparse.Namespace) -> None:
    if a.ceiling and a.path.suffix != ".ember":
        raise EmberscopeError(
            f"{a.path} is no project", hint="A ceiling needs labels that know their targets."
        )
    if a.questions and a.path.suffix != ".ember":
        raise EmberscopeError(
            f"{a.path} is no project", hint="Questions are about the instances of a run."
        )
    if a.columns and a.path.suffix != ".ember":
        raise EmberscopeError(f"{a.path} is no project", hint="Columns are those of a project.")
    if a.compare and a.path.suffix != ".ember":
        raise EmberscopeError(
            f"{a.path} is no project", hint="Labels to compare are those of a project."
        )
    for name, given in (("--out", a.out), ("--attribute", a.attribute)):
        if given and not a.questions:
            raise EmberscopeError(f"{name} is for questions", hint="Ask for some with --questions.")
    if a.out is not None:
        check_out_file(a.out)
    if a.path.suffix == ".ember":
        _refuse_reading(a, "a project", "Give it to import, with the source.")


def _refuse_reading(a: argparse.Namespace, what: str, hint: str) -> None:
    """Raises EmberscopeError where an option says how frames are read of what holds none."""
    if given := reading_flags(a):
        raise EmberscopeError(
            f"{given[0]} says how frames are read, and {a.path} is {what}", hint=hint
        )


def _holds_frames(path: Path) -> bool:
    """Whether a path is a folder with frames in it, whatever lies beside them, a table of
    temperatures, or a clip that MATLAB 7.3 wrote."""
    from emberscope.frames.holdings import sources_at
    from emberscope.frames.registry import open_source, sniff

    try:
        if sniff(path) == "points":
            return False
        if path.is_dir():
            return bool(sources_at(path))
        if sniff(path) == "table":
            return True
        if path.suffix.lower() != ".mat" or sniff(path) != "hdf5":
            return False
        with open_source(path) as source:
            # One array of rows and columns is rather a table of features
            return source.n_frames > 1
    except FormatError:
        return False


def _allow_sources(path: Path) -> None:
    from emberscope.project.store.file import load
    from emberscope.project.store.own_sources import allow

    if path.suffix != ".ember":
        raise EmberscopeError(f"{path} is no project", hint="Leave out --read-sources.")
    allow(load(path), path)


def _sizes_of(path: Path) -> dict[str, Any]:
    """What fits the targets of a project, as `run` would take it; what labels alone say where
    frames cannot be read."""
    from dataclasses import asdict

    from emberscope.project.store.file import load

    project = load(path)
    table = project.labels.table()
    if project.of_points or not open_sizes(table, project.classes, project.frame_sizes):
        return {}
    from emberscope.project import to_snapshot
    from emberscope.tasks.recipes import JudgeSizes
    from emberscope.tasks.table import TABLE

    try:
        with ConsoleMonitor("Sizes of patches") as monitor:
            return {
                "fitting sizes": asdict(
                    TABLE.answer(JudgeSizes(snapshot=to_snapshot(project)), monitor)
                )
            }
    except EmberscopeError as error:
        complain(f"{path}: sizes of patches could not be judged: {error}")
        return {}


def _ceiling_of(path: Path) -> dict[str, Any]:
    """The ceiling of the sources of a project, and what the next run would look at."""
    from emberscope.findings.comparison.run_differences import data_words
    from emberscope.project import to_snapshot
    from emberscope.project.store.file import load
    from emberscope.tasks.measures import MeasureCeilings
    from emberscope.tasks.table import TABLE

    wanted = MeasureCeilings(snapshot=to_snapshot(load(path)))
    with ConsoleMonitor("Ceiling") as monitor:
        found = TABLE.answer(wanted, monitor)
    return {"ceiling": found.rows, "ceiling of": data_words(found.recipe), "notes": found.notes}


def _print_ceiling(rows: list[dict[str, Any]]) -> None:
    from emberscope.findings.headline import with_interval

    shown = {"pointing": "pointing at best", "pointing_chance": "chance", "auc": "AUC inside bags",
             "balanced": "balanced accuracy"}
    print_table(["source", *shown.values(), "bags", "instances"], [
        [row["source"], *(with_interval(row, name) or "\u2013" for name in shown), str(row["bags"]),
         str(row["instances"])]
        for row in rows
    ])  # fmt: skip


def _questions_of(path: Path, attribute: str, count: int) -> dict[str, Any]:
    """The next best questions about the newest run of a project, and what the answers so far are
    worth."""
    from emberscope.base.ids import instance_name
    from emberscope.project import to_snapshot
    from emberscope.project.store.file import load
    from emberscope.tasks.questions import ChooseQuestions
    from emberscope.tasks.table import TABLE

    project = load(path)
    if not project.runs:
        raise EmberscopeError(
            f"{path} has no run", hint="Questions are about the instances of one: emberscope run."
        )
    newest = project.runs[max(project.runs)]
    wanted = ChooseQuestions(
        snapshot=to_snapshot(project), run=newest, attribute=attribute, count=count
    )
    with ConsoleMonitor("Questions") as monitor:
        found = TABLE.answer(wanted, monitor)
    row = {int(instance): at for at, instance in enumerate(newest.ids)}

    def where(instance: int) -> str:
        at = row[instance]
        return f"{project.sources[int(newest.source[at])].name}, {int(newest.frame[at]) + 1}"

    rows = [
        {
            "a": q.a,
            "b": q.b,
            "names": f"{instance_name(q.a)} and {instance_name(q.b)}",
            "frame of a": where(q.a),
            "frame of b": where(q.b),
            "alike": q.alike,
            "change": q.change,
        }
        for q in found.asked
    ]
    worth = found.standing
    low, high = worth.agreement.interval.tolist()
    return {"questions": rows, "questions about": f"run {newest.id}", "answered": worth.answered,
            "held-out agreement": worth.agreement.share, "held-out agreement interval": [low, high]}


def _write_questions(path: Path, rows: list[dict[str, Any]], attribute: str) -> None:
    from emberscope.project.exchange.side_tables import write_questions

    places = {row[end]: row[f"frame of {end}"] for row in rows for end in ("a", "b")}
    write_questions(path, [(row["a"], row["b"]) for row in rows], places, attribute=attribute)


def _print_questions(rows: list[dict[str, Any]]) -> None:
    names = {"names": "same or different?", "frame of a": "frame of a", "frame of b": "frame of b"}
    print_table(
        [*names.values(), "likely alike", "changes the metric by"],
        [
            [*(row[key] for key in names), f"{row['alike']:.0%}", f"{row['change']:.1%}"]
            for row in rows
        ],
    )


def _print_runs(runs: list[dict[str, Any]]) -> None:
    """A line per run, with the numbers that tell runs apart; all of them are under --json."""
    from emberscope.findings.headline import with_interval

    named = {"method_bag_auc": "held-out bag AUC", "chosen_bag_auc": "bag AUC of the trial",
             "witness_found": "witness found", "inside_auc": "AUC inside bags",
             "map_accuracy": "map accuracy", "trustworthiness": "trust"}
    shown = {
        name: title for name, title in named.items() if any(name in run["metrics"] for run in runs)
    }
    rows = [
        [str(run["id"]), run["method"], run["data"], _since(run), str(run["instances"]),
         str(run["bags"]), *(with_interval(run["metrics"], name) or "\u2013" for name in shown),
         run["split"]["short"] or "\u2013", run["created"][:16].replace("T", " ")]
        for run in runs
    ]
    print_table(["run", "method", "data", "differs in", "instances", "bags", *shown.values(),
                 "split", "created"], rows)
    for run in runs:
        beside = run["beside"]
        words = ". ".join(filter(None, (beside["name"], beside["note"])))
        if words or beside["pinned"]:
            say(f"Run {run['id']}{', pinned' if beside['pinned'] else ''}: {words}".rstrip(": "))
        print_concepts(run, of=f"run {run['id']}")


def _since(run: dict[str, Any]) -> str:
    """What differs from the run before, and marks that the run does not know."""
    marks = run["marks since"]
    since = [f"{marks} mark{'s' * (marks != 1)} since"] if marks else []
    return ", ".join([*run["differs"], *since]) or "\u2013"


def _agreement(path: Path, first: str, second: str) -> dict[str, Any]:
    """The table of a project for labels of two origins, and the list of differences. Raises
    ProjectError."""
    from emberscope.labels.agreement import agreement, by_class
    from emberscope.labels.origins import WORDS, code_of
    from emberscope.project.store.file import load

    project = load(path)
    sets = [
        [label for label in project.labels if WORDS[code_of(label.origin)] == word]
        for word in (first, second)
    ]
    found = agreement(*sets)
    names = {key: target.name for key, target in project.classes.items()}
    sources = {key: ref.name for key, ref in project.sources.items()}
    rows = [
        {
            "class": names.get(row.class_id, "unknown"),
            "both": row.both,
            "only_first": row.only_a,
            "only_second": row.only_b,
            "other_class": row.mixed,
        }
        for row in by_class(found)
    ]
    differences = [{"source": sources.get(one.source, ""), "frame": one.frame, "why": one.why,
                    "first": one.a.id if one.a else None, "second": one.b.id if one.b else None}
                   for one in found.differences]
    return {
        "first": first,
        "second": second,
        "share": found.share,
        "classes": rows,
        "differences": differences,
    }
