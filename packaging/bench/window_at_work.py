"""A window at work, to be killed: `python window_at_work.py PROJECT SEED`.

The whole program opens a project, takes what a crash left, and labels, undoes, marks, saves, starts
runs with its own worker and switches workspaces, so that maps paint. Its output, a line each:
"open" with the process of the worker and whether the project is read-only; "step" after each step;
"state" with the state of the labels (see `state_of`) whenever they may be others, before the
journal hears of it: what it keeps was said.
"""

import contextlib
import hashlib
import random
import sys

from emberscope.labels import Spot
from emberscope.project import Project, PutLabels
from emberscope.project.store.open_project import OpenProject


def state_of(project: Project) -> str:
    """A short mark of which labels there are, and where."""
    labels = sorted(repr(label) for label in project.labels)
    return hashlib.blake2b("\n".join(labels).encode(), digest_size=8).hexdigest()


class Work:
    """Does one step after the other in a window."""

    def __init__(self, window, seed: int) -> None:
        from PySide6.QtCore import QTimer

        self._window, self._session, self._draw = window, window.session, random.Random(seed)
        self._timer = QTimer(window, interval=12)
        self._timer.timeout.connect(self._step)
        self._timer.start()
        _say("open", self._session.jobs.start().pid, int(self._session.read_only))

    def _step(self) -> None:
        steps = (
            self._label,
            self._undo,
            self._redo,
            self._mark,
            self._save,
            self._run,
            self._workspace,
            self._theme,
        )
        self._draw.choices(steps, (40, 12, 8, 8, 2, 4, 6, 1))[0]()
        _say("step")

    def _label(self) -> None:
        project, draw = self._session.project, self._draw
        spot = Spot(
            id=project.new_label_ids()[0],
            source=10,
            frame=draw.randrange(6),
            x=draw.random() * 60,
            y=9.0,
        )
        self._session.do(PutLabels(title="Add spot", after=[spot]))

    def _undo(self) -> None:
        self._session.undo_stack.undo()

    def _redo(self) -> None:
        self._session.undo_stack.redo()

    def _mark(self) -> None:
        if self._session.run is not None:
            self._session.selection.select(self._session.run.ids[: self._draw.randrange(1, 40)])
            self._session.mark_selection(self._draw.choice((0, 1, 2)))

    def _save(self) -> None:
        self._window.files.save()

    def _run(self) -> None:
        if self._session.jobs.making_run is None and len(self._session.project.runs) < 5:
            self._session.runs.start()

    def _workspace(self) -> None:
        self._window.show_workspace(self._draw.choice(("label", "explore")))

    def _theme(self) -> None:
        self._window.toggle_theme()


def _say(*words: object) -> None:
    print(*words, flush=True)


def _say_states() -> None:
    """From now on whatever the journal is told is said first."""
    for name in ("did", "undid", "redid"):
        tell = getattr(OpenProject, name)
        setattr(OpenProject, name, lambda opened, operation, tell=tell: (
            _say("state", state_of(opened.project)), tell(opened, operation))[1])


def main(path: str, seed: str) -> int:
    from emberscope.jobs import client
    from emberscope_app import main as entry
    from emberscope_app.shell.files import own_sources, project_files, unsaved_work
    from emberscope_app.shell.questions import Button

    make = client.Worker
    client.Worker = lambda: make(warm=False)  # what it would compile ahead says nothing here
    for module in (unsaved_work, own_sources, project_files):  # nobody sits here to answer
        with contextlib.suppress(AttributeError):
            module.ask = lambda *a, **k: Button.Yes
    _say_states()
    begin, working = entry.begin, []

    def begin_work(window, paths) -> None:
        begin(window, paths)
        working.append(Work(window, int(seed)))

    entry.begin = begin_work
    return entry.main([path])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
