"""Maps of the run on show, as they look, in files for papers: the worker draws them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from emberscope.project import Run, to_snapshot
from emberscope.tasks.figures import SaveFigure
from emberscope_app.state.core.figures import Wanted, file_name, file_of, say_saved
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.shown_axes import WHOLE
from emberscope_app.theme.look import current


def ask_for_map(
    session: Session, figure: str, forms: tuple[str, ...], *, run: Run | None = None,
    look: Mapping[str, Any] | None = None,
) -> None:
    """Ask where a figure of a run goes that the worker draws, without one that of the run on show.
    figure : as the command line calls it, "map-2d" or the like. look : what else a `SaveFigure`
    has."""
    run = run or session.run
    if run is None:
        session.say("There is nothing to save here yet.")
        return

    def save(path: Path) -> None:
        focus = session.focus
        request = SaveFigure(
            snapshot=to_snapshot(session.project), run=run, figure=figure, path=str(path),
            file=file_of(session),
            color=focus.color_by.removesuffix(WHOLE), theme=current().name, round=focus.round,
            selected=session.selection.ids, **(look or {}),
        )  # fmt: skip
        session.jobs.ask(
            request, lambda made: say_saved(session, Path(made.path)), title=f"Figure {path.name}"
        )

    session.figure_wanted.emit(Wanted(file_name(figure, [run]), forms, save))
