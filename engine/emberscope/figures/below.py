"""What stands below a figure: which run it is of, and the command that draws it."""

import shlex
from collections.abc import Sequence

from emberscope.project.model.project import Run

_PROJECT = "PROJECT"  # where it lies in no file


def below_figure(
    runs: Sequence[Run], titles: Sequence[str], *, project: str = "", figure: str = "",
    options: str = "",
) -> tuple[str, ...]:
    """Lines for `figure.Figure`. titles : of the methods of the runs. project : its file. figure :
    the name that the command line knows it by, "" where it knows none.
    options : what else the command says."""
    said = (
        f"Run {run.id}, {title}, seed {run.recipe.seed}"
        for run, title in zip(runs, titles, strict=True)
    )
    lines = ["; ".join(said)]
    if figure and len(runs) == 1:
        named = shlex.quote(project) if project else _PROJECT
        wanted = f"{figure} {options}".rstrip()
        lines.append(
            f"emberscope export {named} --run {runs[0].id} --figure {wanted} --to svg FILE"
        )
    return tuple(filter(None, lines))
