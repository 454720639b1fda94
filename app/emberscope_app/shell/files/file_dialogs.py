"""Dialogs that ask which files: each begins where the last of its kind was left."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from emberscope_app.shell.questions import Button, ask
from emberscope_app.state.core.last_folders import DATA, PROJECT, last_folder, remember_folder
from emberscope_app.state.core.qt_paths import from_qt, to_qt

SUFFIX = ".ember"
_PROJECTS = f"Emberscope projects (*{SUFFIX})"


def ask_data(window: QWidget, beside: Path | None) -> list[Path]:
    """Files of frames; empty where none was chosen. beside : where the first one begins."""
    from emberscope.frames.registry import file_dialog_filter

    names, _ = QFileDialog.getOpenFileNames(
        window, "Open data", last_folder(DATA, beside), file_dialog_filter()
    )
    return _remembered(DATA, names)


def ask_folder(window: QWidget, beside: Path | None) -> list[Path]:
    """A folder of frames or of clips."""
    name = QFileDialog.getExistingDirectory(
        window, "Open a folder of frames", last_folder(DATA, beside)
    )
    return _remembered(DATA, [name] if name else [])


def ask_project(window: QWidget, beside: Path | None) -> list[Path]:
    """A project to open."""
    name, _ = QFileDialog.getOpenFileName(
        window, "Open project", last_folder(PROJECT, beside), _PROJECTS
    )
    return _remembered(PROJECT, [name] if name else [])


def ask_where(window: QWidget, title: str, now: Path | None, name: str) -> Path | None:
    """Where to save a project, with our suffix; None where a person decided otherwise. now : its
    file, where it has one, else `name` is what it is called."""
    start = now or from_qt(last_folder(PROJECT)) / f"{name}{SUFFIX}"
    typed, _ = QFileDialog.getSaveFileName(window, title, to_qt(start), _PROJECTS)
    if not typed:
        return None
    path = with_suffix(from_qt(typed))
    kept = f"The old file is kept as {path.name}~."
    if path != from_qt(typed) and not may_replace(window, path, kept):
        return None
    remember_folder(PROJECT, path)
    return path


def with_suffix(path: Path, suffix: str = SUFFIX) -> Path:
    return path if path.suffix.lower() == suffix else path.with_name(path.name + suffix)


def may_replace(window: QWidget, path: Path, more: str) -> bool:
    """Ask about a file that would be written over: a dialog asks about the name as it was typed,
    not about the file that gets our suffix. more : what becomes of the old one."""
    if not path.exists():
        return True
    words, choices = f"{path.name} exists already.", {Button.Yes: "Replace"}
    return ask(window, words, more, choices, default=Button.Cancel) == Button.Yes


def _remembered(kind: str, names: list[str]) -> list[Path]:
    if names:
        remember_folder(kind, names[0])
    return [from_qt(name) for name in names]
