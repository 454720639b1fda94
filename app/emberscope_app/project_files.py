"""Opening, saving and remembering: files dropped or chosen become sources; projects are read and written."""

import copy
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from emberscope.base.errors import EmberscopeError
from emberscope.labels.model import LabelSet
from emberscope.project import Project
from emberscope_app.memory import Memory
from emberscope_app.session import Session

SUFFIX = ".ember"
_PICTURES = {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".npy"}
_CLIPS = {".arf", ".mp4", ".avi", ".mkv", ".mov", ".h5", ".hdf5", ".npz"}
_PROJECTS = f"Emberscope projects (*{SUFFIX})"


class _Saved(QObject):
    done = Signal(object, str)  # path, what went wrong ("" = nothing)


class _Save(QRunnable):
    """Writes a frozen copy, off the thread that draws."""

    def __init__(self, project: Project, path: Path, told: _Saved) -> None:
        super().__init__()
        self._project, self._path, self._told = project, path, told

    def run(self) -> None:
        self._told.done.emit(self._path, write(self._project, self._path))


def write(project: Project, path: Path) -> str:
    """Save; returns what went wrong in one line, or ""."""
    from emberscope.project.file import save

    try:
        save(project, path)
    except EmberscopeError as error:
        return str(error)
    return ""


def clips_of(path: Path) -> list[Path]:
    """A file is one clip, a folder of pictures too; a folder of other clips (films, ARF) stands for those."""
    from emberscope.frames.registry import sniff

    if not path.is_dir():
        return [path]
    files = [file for file in sorted(path.iterdir()) if file.is_file()]
    if any(file.suffix.lower() in _PICTURES for file in files):
        return [path]
    return [file for file in files if file.suffix.lower() in _CLIPS and sniff(file)] or [path]


def frozen(project: Project) -> Project:
    """A copy that later edits do not touch. Its records are shared: they never change."""
    found = copy.copy(project)
    found.sources, found.classes = dict(project.sources), dict(project.classes)
    found.labels, found.marks = LabelSet(project.labels), dict(project.marks)
    found.runs, found.selections = dict(project.runs), dict(project.selections)
    found.settings = copy.deepcopy(project.settings)
    return found


class ProjectFiles(QObject):
    """The way in and out of the session. `saved`: the file on disk is as new as the project."""

    saved = Signal()
    recent_changed = Signal()

    def __init__(self, session: Session, memory: Memory, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._memory, self._window = session, memory, window
        self._told = _Saved(self)
        self._told.done.connect(self._on_saved)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._index_of_save = 0

    # --- in

    def open(self, paths: Iterable[str | Path]) -> None:
        """Open what a person gave: one project replaces what is open, everything else becomes sources."""
        given = [Path(path) for path in paths]
        projects = [path for path in given if path.suffix.lower() == SUFFIX]
        data = [path for path in given if path.suffix.lower() != SUFFIX]
        if projects and not self.open_project(projects[0]):
            return
        for other in projects[1:]:
            self._session.say(f"{other.name} was not opened: one project at a time.", level="warn")
        if data:
            self.add(data)

    def add(self, paths: Iterable[Path]) -> None:
        """Add files and folders as sources, one undo step; each that cannot be read says so in one line."""
        from emberscope.project.sources import add_sources

        paths = [clip for path in paths for clip in clips_of(path)]
        first = not self._session.project.sources
        operation, errors = add_sources(self._session.project, paths)
        if operation is not None:
            self._session.do(operation)
            if first or len(operation.after) == 1:
                self._session.go(operation.after[0].id, 0)
        for error in errors:
            self._session.say(str(error), level="err")
        if operation is None and not errors:
            self._session.say("These files are open already." if len(paths) > 1 else "This file is open already.")

    def open_project(self, path: Path) -> bool:
        """Read a project; what is open stays where that fails or the person wants to keep it."""
        from emberscope.project.file import load
        from emberscope.project.sources import missing_sources

        if not self.may_close():
            return False
        try:
            project = load(path)
        except EmberscopeError as error:
            self._session.say(str(error), level="err")
            return False
        self._session.replace(project, path.resolve())
        self._remember(path.resolve())
        missing = missing_sources(project)
        if missing:
            names = ", ".join(ref.name for ref in missing[:3]) + (" ..." if len(missing) > 3 else "")
            self._session.say(f"{len(missing)} of {len(project.sources)} sources are not where they were: {names}. "
                              "Right click one in Sources to locate it.", level="warn")
        return True

    def new(self) -> None:
        if self.may_close():
            self._session.replace(Project(), None)

    # --- out

    def save(self) -> bool:
        """Write to the project's file; asks for one where there is none. True where a save is under way."""
        path = self._session.path
        if path is None:
            return self.save_as()
        self._index_of_save = self._session.undo_stack.index()
        self._pool.start(_Save(frozen(self._session.project), path, self._told))
        return True

    def save_as(self) -> bool:
        """Ask for a file and save there."""
        path = self._ask_where()
        if path is None:
            return False
        self.save_to(path)
        return True

    def save_to(self, path: Path) -> None:
        """Save, and go on with that file."""
        self._session.path = path if path.suffix.lower() == SUFFIX else path.with_name(path.name + SUFFIX)
        self.save()

    def wait(self) -> None:
        """Until no save is under way: before the program ends."""
        self._pool.waitForDone()

    def _on_saved(self, path: Path, wrong: str) -> None:
        if wrong:
            self._session.say(wrong, level="err", action="Save as", on_action=self.save_as)
            return
        if self._session.undo_stack.index() == self._index_of_save:
            self._session.undo_stack.setClean()
        self._remember(path)
        self.saved.emit()
        self._session.saved.emit()

    # --- dialogs

    def choose_data(self) -> None:
        from emberscope.frames.registry import file_dialog_filter

        names, _ = QFileDialog.getOpenFileNames(self._window, "Open data", self._folder(), file_dialog_filter())
        self.open(names)

    def choose_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self._window, "Open a folder of frames", self._folder())
        if name:
            self.open([name])

    def choose_project(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self._window, "Open project", self._folder(), _PROJECTS)
        if name:
            self.open([name])

    def may_close(self) -> bool:
        """Ask what happens to unsaved work: it would be lost. True where going on is fine."""
        if not self._session.dirty:
            return True
        answer = self.ask_unsaved()
        if answer == QMessageBox.StandardButton.Save:
            return self._save_now()
        return answer == QMessageBox.StandardButton.Discard

    def ask_unsaved(self) -> QMessageBox.StandardButton:
        buttons = QMessageBox.StandardButton
        box = QMessageBox(self._window)
        box.setWindowTitle("Emberscope")
        box.setText(f"{self._session.name} has changes that are not saved.")
        box.setInformativeText("Without saving they are lost.")
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Save)
        return buttons(box.exec())

    def _save_now(self) -> bool:
        """Save and wait for it. True where the file was written."""
        path = self._session.path or self._ask_where()
        if path is None:
            return False
        self.wait()
        self._session.path = path
        self._index_of_save = self._session.undo_stack.index()
        wrong = write(self._session.project, path)
        self._on_saved(path, wrong)
        return not wrong

    def _ask_where(self) -> Path | None:
        start = self._session.path or Path.home() / f"{self._session.name}{SUFFIX}"
        name, _ = QFileDialog.getSaveFileName(self._window, "Save project", str(start), _PROJECTS)
        if not name:
            return None
        return Path(name) if name.lower().endswith(SUFFIX) else Path(name + SUFFIX)

    def _folder(self) -> str:
        return str(self._session.path.parent if self._session.path else Path.home())

    def _remember(self, path: Path) -> None:
        self._memory.add_recent(path)
        self.recent_changed.emit()
