"""`emberscope export --figure`: one figure of a run for a paper, or its data."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from emberscope.base.errors import EmberscopeError
from emberscope.console import ConsoleMonitor, print_table, say

if TYPE_CHECKING:
    from emberscope.project import Project

FORMS = ("svg", "pdf", "png", "csv", "parquet")  # the last one only to say why not
LIST = "list"


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


def draw(project: "Project", a: argparse.Namespace) -> int:
    """Draw the figure of the run that is asked for, else of the newest; returns the exit code."""
    from emberscope.project import to_snapshot
    from emberscope.tasks.figures import SaveFigure
    from emberscope.tasks.table import TABLE

    if not project.runs:
        raise EmberscopeError(
            "the project has no run yet", where=str(a.project), hint="Run a method first."
        )
    run = project.runs[a.run if a.run is not None else max(project.runs)]
    request = SaveFigure(
        snapshot=to_snapshot(project), run=run, figure=a.figure, path=str(a.folder),
        form=a.to or "", file=str(a.project), color=a.color or "class", theme=a.theme or "light",
    )  # fmt: skip
    with ConsoleMonitor(f"Figure {a.figure}") as monitor:
        say(TABLE.answer(request, monitor).path)
    return 0
