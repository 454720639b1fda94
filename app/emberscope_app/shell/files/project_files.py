"""Opening, saving and remembering: files dropped or chosen become sources; projects are read and
written."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from emberscope.base.errors import Cancelled, EmberscopeError
from emberscope.project import Project, SourceRef
from emberscope.project.model.unfit_runs import left_out_note
from emberscope.project.store.generations import ChangedOnDisk
from emberscope.project.store.open_project import OpenProject, free_path
from emberscope.project.store.recoverable import Recoverable
from emberscope_app.pixels.source_checks import source_checks
from emberscope_app.shell.files.file_dialogs import SUFFIX, ask_where, with_suffix
from emberscope_app.shell.files.losses import (
    NEW,
    OPEN,
    QUIT,
    RECOVER,
    Losses,
    ask_losses,
    losses,
    running_words,
)
from emberscope_app.shell.files.open_files import Opener
from emberscope_app.shell.files.own_sources import OwnSources
from emberscope_app.shell.files.unsaved_work import LeftWork
from emberscope_app.shell.questions import Button, ask
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.reading.background import Aside
from emberscope_app.when.threads import threads
from emberscope_app.when.timers import Every

_ASK_MS = 2000  # between two questions whether the journal can be written


@dataclass(slots=True, eq=False)
class _Save:
    """One save under way: of which project, as of which edit, and what became of it."""

    project: Project
    path: Path
    edits: int
    old_path: Path | None
    anyway: bool = False      # replace what somebody else wrote
    wrong: str | None = None  # None until it ended, "" where the file was written
    changed: bool = False     # it failed because somebody else wrote the file


class _Written(QObject):
    done = Signal()


class _Writer:
    """Writes a frozen copy, off the thread that draws."""

    def __init__(self, save: _Save, opened: OpenProject, written: _Written) -> None:
        self._save, self._opened, self._written = save, opened, written
        self._copy, self._position = save.project.frozen(), opened.position

    def run(self) -> None:
        save = self._save
        wrong = f"{save.path.name} was not saved."  # should it end in a defect
        try:
            self._opened.save(self._copy, self._position, save.path, anyway=save.anyway)
            wrong = ""
        except (EmberscopeError, OSError) as error:
            wrong, save.changed = str(error), isinstance(error, ChangedOnDisk)
        finally:
            save.wrong = wrong
            self._written.done.emit()


def _prepared(opened: OpenProject) -> OpenProject:
    """With what every view asks for first, made in the thread that reads the project."""
    project = opened.project
    project.labels.table()
    RowIndex(project.runs.get(max(project.runs, default=0)))
    return opened


class ProjectFiles(QObject):
    """The way in and out of the session.

    `saved`: the file on disk is as new as the project. `sources_wanted`: a person asks which
    sources need a look. `map_wanted`: a project came that has runs and was not open lately.
    `data_added`: new sources came. `layout_wanted`: how frames lie in a file (a path) has to be
    said. `set_up_wanted`: how what was found in files (a SetUp) comes in has to be said.
    `left_changed`: what crashes left of projects that were never saved, to be offered.
    """

    saved = Signal()
    map_wanted = Signal()
    data_added = Signal()
    recent_changed = Signal()
    sources_wanted = Signal()
    layout_wanted = Signal(object)
    set_up_wanted = Signal(object)
    left_changed = Signal(list)

    def __init__(self, session: Session, preferences: Preferences, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._preferences, self._window = session, preferences, window
        self._written = _Written(self)
        self._written.done.connect(self._settle)
        self._pool = threads().pool(self, most=1, name="save")
        self._saves: list[_Save] = []
        self._aside = Aside(session, self)
        self._opener = Opener(session, self._aside)
        self._opener.added.connect(self.data_added)
        self._opener.layout_wanted.connect(self.layout_wanted)
        self._opener.set_up_wanted.connect(self.set_up_wanted)
        # (paths, folders whose images are single): at files on show
        self.look_again = self._opener.add
        self.left = LeftWork(session, window, self._aside)
        self.own_sources = OwnSources(window)
        self._trouble = ""
        Every(self, self.say_trouble, _ASK_MS).start()
        self._edits = 0
        # The project that was opened, until its files were compared
        self._opened: Project | None = None
        session.undo_stack.indexChanged.connect(self._count_edit)
        self._checks = source_checks(session)
        self._checks.compared.connect(self._say_changed)
        session.refused.connect(self._say_read_only)

    # --- in

    def open(self, paths: Iterable[str | Path]) -> None:
        """Open what a person gave: one project replaces what is open, everything else becomes
        sources."""
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
        return self._is_free(path) and self.may_close(OPEN) and self._read(path)

    def _is_free(self, path: Path) -> bool:
        """Whether a project can be opened now; says so where others are being opened."""
        if self._aside.busy:
            self._session.say(f"{path.name} was not opened: others are being opened.", level="warn")
        return not self._aside.busy

    def _read(self, path: Path) -> bool:
        from emberscope.project.exchange.sources import missing_note, missing_sources
        from emberscope.project.store.file import load

        path = path.resolve()
        if not self._is_free(path):
            return False
        opening, known = f"Opening {path.name}", self._losses()
        again = path == self._session.opened.path
        try:
            if again:
                # It stays open where this fails
                self._aside.wait(lambda: load(path), words=opening)
                self._session.opened.close(discard=True)
                # There is no way back: whatever is answered from here on, it is open in the end
                opening = ""
            there = self._aside.wait(
                lambda: _prepared(OpenProject.at(path)), words=opening, unwanted=OpenProject.close
            )
        except EmberscopeError as error:
            self._session.say(str(error), level="err")
            return False
        except Cancelled:
            return False
        # The window went on meanwhile
        if not again and self._losses().beyond(known) and not self.may_close(OPEN):
            there.close()
            return False
        opened = self.left.with_lock(there, path)
        if opened is None:
            if not again:
                return False
            opened = OpenProject.at(path)  # to look at: somebody else has it
        if not (self.left.settle(opened) and self.own_sources.settle(opened)) and not again:
            opened.close()
            return False
        project = opened.project
        is_new = path not in self._preferences.recent
        self._show(opened)
        self._remember(path)
        if is_new and project.runs:
            self.map_wanted.emit()  # later the workspace is the one that was left
        missing = missing_note(project, missing_sources(project))
        if self.own_sources.news:
            self._session.say(self.own_sources.news, level="warn", stays=True)
        if missing:
            self._session.say(f"{missing} A right click in Sources locates them.", level="warn")
        self._opened = project
        self._checks.compare(project.sources.values())
        return True

    def _show(self, opened: OpenProject) -> None:
        """Replace what is open; say what became of work that a crash left, and who else has the
        project open."""
        session, left = self._session, self.left
        self.remember_place()
        session.replace(opened.project, opened.path, opened=opened)
        place = self._preferences.place(opened.path) if opened.path is not None else None
        if place is not None:
            session.go(*place)
        if left.taken:
            session.undo_stack.resetClean()
            session.say(
                left.news,
                action="Save",
                on_action=self.save,
                level="warn" if left.bad else "info",
                stays=left.bad,
            )
        elif left.news:
            session.say(left.news, level="warn" if left.bad else "info", stays=True)
        for note in filter(None, (left_out_note(session.project), session.project.recipe_note)):
            session.say(note, level="warn", stays=True)
        if session.read_only:
            self._say_read_only()

    def remember_place(self) -> None:
        """Which frame is on show, for when the project is opened again."""
        path, focus = self._session.path, self._session.focus
        if path is not None and focus.source is not None:
            self._preferences.set_place(path, focus.source, focus.frame)

    def look_for_left(self) -> None:
        """Offer what crashes left of projects that were never saved."""
        self.left_changed.emit(self.left.never_saved())

    def recover(self, work: Recoverable) -> None:
        """Go on with work that was never saved."""
        if self._aside.busy or not self.may_close(RECOVER):
            return
        known = self._losses()
        try:
            opened = self._aside.wait(
                lambda: _prepared(OpenProject.recovered(work)),
                words=f"Recovering {work.words()}",
                unwanted=OpenProject.close,
            )
        except EmberscopeError as error:
            self._session.say(str(error), level="err")
            return
        except Cancelled:
            return
        # The window went on meanwhile
        if self._losses().beyond(known) and not self.may_close(RECOVER):
            opened.close()
            return
        self.left.recovered(work, opened)
        self._show(opened)
        self.look_for_left()

    def leave(self, work: Recoverable, *, keep: bool = False) -> None:
        """Set work aside that was never saved; `keep`: after writing it to a file of its own."""
        (self.left.keep if keep else self.left.leave)(work)
        self.look_for_left()

    def _say_changed(self, compared: list[SourceRef]) -> None:
        """Once after a project was opened: which sources are no longer what labels were drawn
        on."""
        from emberscope.project.exchange.sources import changed_note

        session = self._session
        if session.project is self._opened:
            self._opened = None
            words = changed_note(
                session.project, [ref for ref in compared if ref.id in self._checks.changed]
            )
            if words:
                session.say(
                    f"{words} Right click to take it as it is now, or to locate the old file.",
                    level="warn",
                    action="Show",
                    on_action=self.sources_wanted.emit,
                )

    def new(self) -> bool:
        """An empty project; False where a person wants to keep what is open."""
        if not self.may_close(NEW):
            return False
        self.remember_place()
        self._session.replace(Project(), None)
        return True

    # --- out

    def save(self) -> bool:
        """Write to the project's file; asks for one where there is none. True where a save is under
        way."""
        if self._session.path is None:
            return self.save_as()
        self.save_to(self._session.path)
        return True

    def save_as(self) -> bool:
        """Ask for a file and save there."""
        path = ask_where(self._window, "Save project", self._session.path, self._session.name)
        if path is None:
            return False
        self.save_to(path)
        return True

    def save_to(self, path: Path, *, anyway: bool = False) -> None:
        """Save, and go on with that file; with the old one where that fails. `anyway`: whoever else
        wrote it."""
        session, path = self._session, with_suffix(path)
        save = _Save(session.project, path, self._edits, session.path, anyway)
        session.path = path
        self._saves.append(save)
        self._pool.start(_Writer(save, session.opened, self._written).run)

    def wait(self) -> None:
        """Until no save is under way: before the program ends, and before it asks what is
        unsaved."""
        while self._saves:  # an answer may begin another
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
            if save.changed and still_open:
                self._end_changed(save.path)
            else:
                session.say(save.wrong, level="err", action="Save as", on_action=self.save_as)
            return
        self._remember(save.path)
        if still_open:
            if self._edits == save.edits:
                session.undo_stack.setClean()
            self.left.saved()
            self.saved.emit()
            session.saved.emit()

    def _end_changed(self, path: Path) -> None:
        """Somebody else wrote the file since it was opened here: both stay unless a person says
        otherwise."""
        answer = self.ask_changed(path)
        if answer == Button.Save:
            self.save_to(free_path(path))
        elif answer == Button.Apply:
            self._merge(path)
        elif answer == Button.Yes:
            self.save_to(path, anyway=True)
        elif answer == Button.Reset:
            self._read(path)

    def _merge(self, path: Path) -> None:
        """Do over what was done here on what somebody else saved, and save both. Undo begins
        anew."""
        session = self._session
        try:
            opened = session.opened
            # What is done meanwhile is merged too
            theirs = self._aside.wait_quietly(opened.read_theirs)
            if session.opened is not opened:
                return
            opened.merge(theirs)
        except Cancelled:  # the window closes
            return
        except EmberscopeError as error:
            session.say(
                str(error),
                level="err",
                action="Keep both",
                on_action=lambda: self.save_to(free_path(path)),
            )
            return
        session.replace(session.opened.project, path, opened=session.opened)
        session.undo_stack.resetClean()
        self.save_to(path)
        session.say(f"Merged with what somebody else saved in {path.name}.", stays=True)

    def say_trouble(self) -> None:
        """Once, what keeps the journal from being written."""
        before, self._trouble = self._trouble, self._session.opened.trouble
        if self._trouble and not before:
            self._session.say(self._trouble, level="err", action="Save as", on_action=self.save_as)

    def _say_read_only(self) -> None:
        words = (
            f"Read-only: {self._session.name} is open elsewhere ({self._session.opened.held_by})."
        )
        self._session.say(words, level="warn", action="Save as", on_action=self.save_as)

    def _count_edit(self, _index: int) -> None:
        self._edits += 1

    # --- dialogs

    def choose(self, ask: Callable[[QWidget, Path | None], list[Path]]) -> None:
        """Open what a person chooses in a dialog of `file_dialogs`."""
        self.open(ask(self._window, self._session.path.parent if self._session.path else None))

    def may_close(self, doing: str = QUIT) -> bool:
        """Ask about all that would be lost, jobs and unsaved work alike. True where going on is
        fine."""
        self.wait()
        lost = self._losses(quits=doing == QUIT)
        if not lost:
            return True
        answer = self.ask_losses(lost, doing)
        if answer == Button.Save:
            return self._save_now()
        return answer == Button.Discard

    def ask_losses(self, lost: Losses, doing: str) -> Button:
        return ask_losses(self._window, lost, doing)

    def _losses(self, *, quits: bool = False) -> Losses:
        return losses(self._session, edits=self._edits, opening=self._opener.busy, quits=quits)

    def _save_now(self) -> bool:
        """Save and wait for it. True where the file was written."""
        if not self.save():
            return False
        self.wait()
        return not self._session.dirty

    def ask_changed(self, path: Path) -> Button:
        words = f"Somebody else changed {path.name} since it was opened here."
        more = (
            "Merge repeats your changes on their version. Keep both saves yours beside it. Replace "
            f"saves yours and keeps theirs as {path.name}~. Reload shows theirs; your unsaved "
            "changes are lost."
        )
        jobs = running_words(self._losses().jobs)
        more += f" With Merge and Reload: {jobs}" if jobs else ""
        choices = {
            Button.Apply: "Merge",
            Button.Save: "Keep both",
            Button.Yes: "Replace",
            Button.Reset: "Reload",
        }
        return ask(self._window, words, more, choices, default=Button.Apply)

    def _remember(self, path: Path) -> None:
        self._preferences.add_recent(path)
        self.recent_changed.emit()
