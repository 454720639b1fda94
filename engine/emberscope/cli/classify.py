"""`emberscope classify`: out-of-fold scores of a classifier of bags."""

import argparse
from pathlib import Path
from typing import Any

from emberscope.cli.arguments import add_points, settings, whole
from emberscope.cli.printing import beside_split, print_facts, print_records
from emberscope.console import ConsoleMonitor, print_table

# Numbers of bags that no fit has seen
_HELD_OUT = ("accuracy", "auc", "instance_auc", "class_accuracy")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """out-of-fold bag classification of a point set; where there are bags, y only judges"""
    from emberscope.catalogue import CLASSIFIERS

    add_points(parser)
    ids = [row.id for row in CLASSIFIERS]
    parser.add_argument("--method", required=True, metavar="ID", choices=ids, help=", ".join(ids))
    parser.add_argument(
        "--reduce", metavar="ID", help="a method fitted on the training folds before the classifier"
    )
    parser.add_argument("--classes", action="store_true", help=(
        "name the class of every bag (bag_class), each pair of classes apart and by votes"))
    parser.add_argument("--folds", type=whole(2), default=10, metavar="n")
    parser.add_argument("--repeats", type=whole(1), default=1, metavar="n")
    parser.add_argument("--out", type=Path, metavar="OUT.npz")


def run(a: argparse.Namespace) -> int:
    """Classify the bags of a point set, in nested cross-validation; returns the exit code."""
    from emberscope.tasks.points import ClassifyPoints
    from emberscope.tasks.table import TABLE

    wanted = ClassifyPoints(
        path=str(a.input),
        out=str(a.out or ""),
        method=a.method,
        reduce=a.reduce,
        classes=a.classes,
        settings=settings(a.set),
        folds=a.folds,
        repeats=a.repeats,
        seed=a.seed,
    )
    with ConsoleMonitor(a.method) as monitor:
        report = TABLE.answer(wanted, monitor).facts
    if not a.json and "chosen" in report:
        report["chosen"] = "; ".join(
            f"{name} = "
            + ", ".join(f"{value} in {_folds(count)}" for value, count in counts.items())
            for name, counts in report["chosen"].items()
        )
    rows = [] if a.json else report.pop("concepts", [])
    if not a.json and "confusion" in report:
        _print_confusion(report.pop("confusion"))
    print_facts(report if a.json else _in_words(report), as_json=a.json)
    print_records(rows)
    return 0


def _print_confusion(counts: dict[str, dict[str, int]]) -> None:
    """A row for each true class, a column for each that was said."""
    def named(kind: str) -> str:
        return "background" if kind == "0" else f"class {kind}"

    said = list(next(iter(counts.values())))
    print_table(["truth / said", *map(named, said)],
                [[named(kind), *(str(row[other]) for other in said)]
                 for kind, row in counts.items()])


def _in_words(report: dict[str, Any]) -> dict[str, Any]:
    """The report for a person: its numbers with titles, intervals and units, then the rest of
    it."""
    from emberscope.findings.headline import measured_words

    numbers = {name: value for name, value in report.items() if isinstance(value, float)}
    ends = {f"{name.removesuffix('_interval')}_{end}": float(value)
            for name, pair in report.items() if name.endswith("_interval")
            for end, value in zip(("low", "high"), pair, strict=True)}
    rest = {
        name: value
        for name, value in report.items()
        if name not in numbers and not name.endswith("_interval")
    }
    words = measured_words({**numbers, **ends})
    return {**beside_split(words, rest.pop("split"), _HELD_OUT), **rest}


def _folds(count: int) -> str:
    return f"{count} fold{'' if count == 1 else 's'}"
