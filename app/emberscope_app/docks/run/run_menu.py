"""What can be done with a finished run."""

from collections.abc import Callable

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from emberscope.findings.run_command import run_command
from emberscope.project import PutRuns, Recipe, Run
from emberscope.project.model.run_notes import put_run_note, run_note
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.measuring import lacking, start_measuring
from emberscope_app.state.runs.replaying import start_replay
from emberscope_app.theme.controls import trigger

_SEED = "random_state"


def run_menu(
    history: QWidget, session: Session, run: Run, use: Callable[[Recipe], object]
) -> QMenu:
    """The menu of a row of the history. use : takes the settings of the run for the next one."""
    pinned = run_note(session.project, run.id).pinned
    menu = QMenu(history)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.addAction("Show", lambda: session.focus.set(run=run.id))
    menu.addAction("What this run learned", lambda: _show_learned(session, run))
    if lacking(run):
        menu.addAction("Measure what it lacks", lambda: start_measuring(session, run))
    menu.addSeparator()
    menu.addAction("Name and note...", lambda: _write_note(history, session, run))
    menu.addAction("Unpin" if pinned else "Pin to the top", lambda: _pin(session, run, not pinned))
    menu.addSeparator()
    menu.addAction("Use its settings again", lambda: use(run.recipe))
    again = menu.addAction("Run again with another seed", lambda: _run_again(session, run))
    again.setEnabled(reads_seed(session, run))
    again.setToolTip("" if again.isEnabled() else "Its method draws no random numbers")
    menu.addAction("Replay: does it come out the same?", lambda: start_replay(session, run))
    menu.addAction("Copy as a command", lambda: _copy_command(session, run))
    menu.addSeparator()
    delete = PutRuns(title=f"Delete run {run.id}", before=[run])
    menu.addAction("Delete", lambda: session.do(delete))
    return menu


def reads_seed(session: Session, run: Run) -> bool:
    """Whether the method of a run draws random numbers; so it may where nobody knows its
    parameters yet."""
    params = session.runs.methods.params.get(run.recipe.method)
    return params is None or any(param.name == _SEED for param in params)


def other_seed(session: Session, run: Run) -> Recipe:
    """The recipe of a run with the first seed that no run of the same recipe has."""
    alike = [
        other.recipe.seed for other in session.project.runs.values()
        if _seeded(other.recipe, 0) == _seeded(run.recipe, 0)
    ]  # fmt: skip
    return _seeded(run.recipe, max(alike) + 1)


def _seeded(recipe: Recipe, seed: int) -> Recipe:
    """A seed is both a field of a recipe and a parameter of its method."""
    params = {**recipe.params, _SEED: seed}
    return msgspec.structs.replace(recipe, params=params, seed=seed)


def _run_again(session: Session, run: Run) -> None:
    session.runs.prepare()
    session.runs.draft.show(other_seed(session, run))
    session.runs.start()


def _show_learned(session: Session, run: Run) -> None:
    session.focus.set(run=run.id)
    session.learned_wanted.emit()


def _write_note(history: QWidget, session: Session, run: Run) -> None:
    session.focus.set(run=run.id)
    trigger(history, "run.note")


def _pin(session: Session, run: Run, on: bool) -> None:
    title = f"{'Pin' if on else 'Unpin'} run {run.id}"
    session.do(put_run_note(session.project, run.id, title=title, pinned=on))


def _copy_command(session: Session, run: Run) -> None:
    QGuiApplication.clipboard().setText(run_command(run, str(session.path or "")))
    session.say(f"Copied the command that makes run {run.id} again.")
