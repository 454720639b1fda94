"""`emberscope export --figure`: one figure of a run for a paper, or its data."""

import argparse
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from emberscope.base.errors import EmberscopeError
from emberscope.console import ConsoleMonitor, print_table, say

if TYPE_CHECKING:
    from emberscope.project import Project

FORMS = ("svg", "pdf", "png", "csv", "parquet")
LIST = "list"
_NUMBER = re.compile(r"[1-9][0-9]{0,3}")
_RADIUS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?|\.[0-9]{1,9}")


class Named(argparse.Action):
    """The name of a figure. For `list` the names are printed and nothing else is done: no file is
    needed."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace,
        values: str | Sequence[Any] | None, option_string: str | None = None,
    ) -> None:
        if values == LIST:
            _print_names()
            parser.exit()
        setattr(namespace, self.dest, values)


def _print_names() -> None:
    from emberscope.base.monitor import Silent
    from emberscope.tasks.figures import NameFigures
    from emberscope.tasks.table import TABLE

    found = TABLE.answer(NameFigures(), Silent())
    print_table(["figure", "shows"], [[figure.name, figure.title] for figure in found.figures])


def add_arguments(group: "argparse._ArgumentGroup") -> None:
    """What a figure shows; nothing is checked that the engine checks."""
    group.add_argument("--axes", type=axes, default=None, metavar="A,B", help=(
        "which two axes of a run map-2d shows, or which one a strip [1,2]"))
    group.add_argument("--points", default=None, metavar="WHAT", help=(
        "what the points of a map are: instances, outlined, means, witnesses, outlines "
        "[instances]"))
    group.add_argument("--histograms", action="store_true", help=(
        "histograms of every class along the edges of map-2d"))
    group.add_argument("--graph", type=graph, default=None, metavar="kK or rR", help=(
        "join instances on map-2d: k5 with 5 nearest in the features, r0.8 with those within .8"))
    group.add_argument("--level", choices=["instance", "bag"], default=None, help=(
        "what a ranking ranks [instance]"))
    group.add_argument("--by", choices=["method", "classifier"], default=None, help=(
        "whose held-out scores a ranking ranks and curves judge [method]"))
    group.add_argument("--threshold", type=number, default=None, metavar="T", help=(
        "where a ranking is cut [what Evaluate begins with]"))


def said(a: argparse.Namespace) -> list[str]:
    """Which of these arguments were given."""
    given = {"--axes": a.axes, "--points": a.points, "--histograms": a.histograms or None,
             "--graph": a.graph, "--level": a.level, "--by": a.by,
             "--threshold": a.threshold}  # fmt: skip
    return [name for name, value in given.items() if value is not None]


def axes(words: str) -> tuple[int, int]:
    """"1,3" as (0, 2), "2" as (1, 1)."""
    parts = words.split(",")
    if not 1 <= len(parts) <= 2 or not all(_NUMBER.fullmatch(part) for part in parts):
        raise argparse.ArgumentTypeError(f"{words[:20]!r} are no axes; give 1,3 or 2")
    return int(parts[0]) - 1, int(parts[-1]) - 1


def graph(words: str) -> str:
    """"k5" as "k 5", "r0.8" as "r 0.8"."""
    kind, value = words[:1], words[1:].strip()
    if kind == "k" and _NUMBER.fullmatch(value):
        return f"k {int(value)}"
    if kind == "r" and _RADIUS.fullmatch(value) and float(value) > 0:
        return f"r {float(value):g}"
    raise argparse.ArgumentTypeError(f"{words[:20]!r} is no graph; give k5 or r0.8")


def number(words: str) -> float:
    """A finite number."""
    try:
        found = float(words)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise argparse.ArgumentTypeError(f"{words[:20]!r} is no number")
    return found


def draw(project: "Project", a: argparse.Namespace) -> int:
    """Draw the figure of the run that is asked for, else of the newest; returns the exit code."""
    from emberscope.project import to_snapshot
    from emberscope.tasks.figures import RankingCut, SaveFigure
    from emberscope.tasks.table import TABLE

    if not project.runs:
        raise EmberscopeError(
            "the project has no run yet", where=str(a.project), hint="Run a method first."
        )
    run = project.runs[a.run if a.run is not None else max(project.runs)]
    request = SaveFigure(
        snapshot=to_snapshot(project), run=run, figure=a.figure, path=str(a.folder),
        form=a.to or "", file=str(a.project), color=a.color or "class", theme=a.theme or "light",
        axes=a.axes or (0, 1), points=a.points or "instances", histograms=a.histograms,
        graph=a.graph or "", cut=RankingCut(a.level or "instance", a.threshold,
                                                a.by or "method"),
    )  # fmt: skip
    with ConsoleMonitor(f"Figure {a.figure}") as monitor:
        say(TABLE.answer(request, monitor).path)
    return 0
