"""Opening, saving and remembering: files dropped or chosen become sources; projects are read and written."""

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from emberscope.base.errors import EmberscopeError
from emberscope.labels.model import LabelSet
from emberscope.project import Project, SourceRef
from emberscope_app.pixels.source_checks import source_checks
from emberscope_app.shell.open_files import Opener
from emberscope_app.shell.questions import Button, ask
from emberscope_app.state.preferences import Preferences
from emberscope_app.state.session import Session

SUFFIX = ".ember"
_PROJECTS = f"Emberscope projects (*{SUFFIX})"


@dataclass(slots=True, eq=False)
class _Save:
    """One save under way: of which project, as of which edit, and what became of it."""

    project: Project
    path: Path
    edits: int
    old_path: Path | None
    wrong: str | None = None  # None until it ended, "" where the file was written


class _Told(QObject):
    done = Signal()


class _Writer(QRunnable):
    """Writes a frozen copy, off the thread that draws."""

    def __init__(self, save: _Save, told: _Told) -> None:
        super().__init__()
        self._save, self._copy, self._told = save, frozen(save.project), told

    def run(self) -> None:
        wrong = f"{self._save.path.name} was not saved."  # should `write` end in a defect
        try:
            wrong = write(self._copy, self._save.path)
        finally:
            self._save.wrong = wrong
            self._told.done.emit()


def _with_suffix(path: Path) -> Path:
    return path if path.suffix.lower() == SUFFIX else path.with_name(path.name + SUFFIX)


def write(project: Project, path: Path) -> str:
    """Save; returns what went wrong in one line, or ""."""
    from emberscope.project.file import save

    try:
        save(project, path)
    except (EmberscopeError, OSError) as error:
        return str(error)
    return ""


def frozen(project: Project) -> Project:
    """A copy that later edits do not touch. Its records are shared: they never change."""
    found = copy.copy(project)
    found.sources, found.classes = dict(project.sources), dict(project.classes)
    found.labels, found.marks = LabelSet(project.labels), dict(project.marks)
    found.runs, found.selections = dict(project.runs), dict(project.selections)
    found.settings = copy.deepcopy(project.settings)
    return found


class ProjectFiles(QObject):
    """The way in and out of the session.

    `saved`: the file on disk is as new as the project. `sources_wanted`: a person asks which sources need a look.
    `picture_wanted`: a project came that has pictures and was not open lately. `log_wanted`: the log says more.
    """

    saved = Signal()
    picture_wanted = Signal()
    recent_changed = Signal()
    sources_wanted = Signal()
    log_wanted = Signal()

    def __init__(self, session: Session, preferences: Preferences, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._preferences, self._window = session, preferences, window
        self._told = _Told(self)
        self._told.done.connect(self._settle)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._saves: list[_Save] = []
        self._opener = Opener(session)
        self._opener.log_wanted.connect(self.log_wanted)
        self._edits = 0
        self._opened: Project | None = None  # the project that was opened, until its files were compared
        session.undo_stack.indexChanged.connect(self._count_edit)
        self._checks = source_checks(session)
        self._checks.compared.connect(self._say_changed)

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
            self._opener.add(data)

    def open_project(self, path: Path) -> bool:
        """Read a project; what is open stays where that fails or the person wants to keep it."""
        from emberscope.project.file import load
        from emberscope.project.sources import missing_sources, said_missing

        if not self.may_close():
            return False
        try:
            project = load(path)
        except EmberscopeError as error:
            self._session.say(str(error), level="err")
            return False
        path = path.resolve()
        is_new = path not in self._preferences.recent
        self._session.replace(project, path)
        self._remember(path)
        if is_new and project.runs:
            self.picture_wanted.emit()  # later the workspace is the one that was left
        missing = said_missing(project, missing_sources(project))
        if missing:
            self._session.say(f"{missing} Right click it in Sources to locate it.", level="warn")
        self._opened = project
        self._checks.compare(project.sources.values())
        return True

    def _say_changed(self, compared: list[SourceRef]) -> None:
        """Once after a project was opened: which sources are no longer what labels were drawn on."""
        from emberscope.project.sources import said_changed

        session = self._session
        if session.project is self._opened:
            self._opened = None
            words = said_changed(session.project, [ref for ref in compared if ref.id in self._checks.changed])
            if words:
                session.say(f"{words} Right click to take it as it is now, or to locate the old file.", level="warn",
                            action="Show", on_action=self.sources_wanted.emit)

    def new(self) -> None:
        if self.may_close():
            self._session.replace(Project(), None)

    # --- out

    def save(self) -> bool:
        """Write to the project's file; asks for one where there is none. True where a save is under way."""
        if self._session.path is None:
            return self.save_as()
        self.save_to(self._session.path)
        return True

    def save_as(self) -> bool:
        """Ask for a file and save there."""
        path = self._ask_where()
        if path is None:
            return False
        self.save_to(path)
        return True

    def save_to(self, path: Path) -> None:
        """Save, and go on with that file; with the old one where that fails."""
        session, path = self._session, _with_suffix(path)
        save = _Save(session.project, path, self._edits, session.path)
        session.path = path
        self._saves.append(save)
        self._pool.start(_Writer(save, self._told))

    def wait(self) -> None:
        """Until no save is under way: before the program ends, and before it asks what is unsaved."""
        self._pool.waitForDone()
        self._settle()

    def _settle(self) -> None:
        """Take what became of the saves that ended."""
        while self._saves and self._saves[0].wrong is not None:
            self._end(self._saves.pop(0))

    def _end(self, save: _Save) -> None:
        session = self._session
        still_open = session.project is save.project
        if save.wrong:
            if still_open and session.path == save.path:
                session.path = save.old_path
            session.say(save.wrong, level="err", action="Save as", on_action=self.save_as)
            return
        self._remember(save.path)
        if still_open:
            if self._edits == save.edits:
                session.undo_stack.setClean()
            self.saved.emit()
            session.saved.emit()

    def _count_edit(self, _index: int) -> None:
        self._edits += 1

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
        self.wait()
        if not self._session.dirty:
            return True
        answer = self.ask_unsaved()
        if answer == Button.Save:
            return self._save_now()
        return answer == Button.Discard

    def ask_unsaved(self) -> Button:
        words, more = f"{self._session.name} has changes that are not saved.", "Without saving they are lost."
        choices = {Button.Save: "Save", Button.Discard: "Discard"}
        return ask(self._window, words, more, choices, default=Button.Save)

    def _save_now(self) -> bool:
        """Save and wait for it. True where the file was written."""
        if not self.save():
            return False
        self.wait()
        return not self._session.dirty

    def _ask_where(self) -> Path | None:
        start = self._session.path or Path.home() / f"{self._session.name}{SUFFIX}"
        name, _ = QFileDialog.getSaveFileName(self._window, "Save project", str(start), _PROJECTS)
        path = _with_suffix(Path(name)) if name else None
        # The dialog asked about the name as it was typed, not about the file that gets our suffix.
        if path is not None and path != Path(name) and path.exists() and not self.ask_replace(path):
            return None
        return path

    def ask_replace(self, path: Path) -> bool:
        words, more = f"{path.name} exists already.", f"The old file is kept as {path.name}~."
        return ask(self._window, words, more, {Button.Yes: "Replace"}, default=Button.Cancel) == Button.Yes

    def _folder(self) -> str:
        return str(self._session.path.parent if self._session.path else Path.home())

    def _remember(self, path: Path) -> None:
        self._preferences.add_recent(path)
        self.recent_changed.emit()
