"""Generated point sets: made in the worker, opened as a project of their own."""

from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtWidgets import QFileDialog

from emberscope.tasks.points import MakePoints, PointReport
from emberscope_app.shell.files.file_dialogs import may_replace, with_suffix
from emberscope_app.shell.host import Host
from emberscope_app.state.core.last_folders import DATA, last_folder, remember_folder
from emberscope_app.state.core.qt_paths import from_qt, to_qt

_SUFFIX = ".npz"


def new_points(window: Host) -> None:
    """The sheet that asks which set, how many, how noisy."""
    from emberscope_app.sheets.generate import GenerateSheet

    window.show_sheet(GenerateSheet(window, partial(_make, window)))


def _make(window: Host, wanted: MakePoints) -> None:
    """Ask where it is kept, since a project reads its points from a file; make it, and open it
    instead of what is open."""
    start = from_qt(last_folder(DATA)) / f"{wanted.name}{_SUFFIX}"
    typed, _ = QFileDialog.getSaveFileName(
        window, "Save the points", to_qt(start), f"Point sets (*{_SUFFIX})"
    )
    if not typed:
        return
    path = with_suffix(from_qt(typed), _SUFFIX)
    if path != from_qt(typed) and not may_replace(window, path, "The old file is written over."):
        return
    remember_folder(DATA, path)
    request = msgspec.structs.replace(wanted, out=str(path))
    window.session.jobs.ask(request, partial(_open, window), title="Points")


def _open(window: Host, made: PointReport) -> None:
    """A new project of what was made; where somebody wants to keep what is open, only the file."""
    if window.session.project.sources and not window.files.new():
        window.session.say(f"The points are in {made.facts['path']}.")
        return
    window.files.open([Path(made.facts["path"])])
