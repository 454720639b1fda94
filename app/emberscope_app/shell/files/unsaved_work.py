"""What a crash left, work or a lock: asked about when its project is opened, offered where it was
never saved."""

from pathlib import Path

from PySide6.QtWidgets import QWidget

from emberscope.base.errors import Cancelled, EmberscopeError, ProjectError
from emberscope.project.store.lock import Owner
from emberscope.project.store.open_project import OpenProject, keep
from emberscope.project.store.recoverable import Recoverable
from emberscope.project.store.recovery import look_unsaved, set_aside
from emberscope_app.shell.files.file_dialogs import ask_where
from emberscope_app.shell.questions import Button, ask
from emberscope_app.state.core.message import Message
from emberscope_app.state.core.session import Session
from emberscope_app.state.reading.background import Aside
from emberscope_app.words import counted

_CHOICES = {Button.Yes: "Recover", Button.No: "Open without", Button.Save: "Keep both"}


class LeftWork:
    """Looks for what crashes left and does what a person says of it. `news` is what to say once the
    project is open, `bad` whether something is lost."""

    def __init__(self, session: Session, window: QWidget, aside: Aside) -> None:
        self._session, self._window, self._aside = session, window, aside
        self.news, self.bad = "", False
        self.taken = False  # whether the project that comes holds steps that its file does not

    def never_saved(self) -> list[Recoverable]:
        """What may be recovered of projects that have no file, newest first."""
        return look_unsaved()

    def with_lock(self, opened: OpenProject, path: Path) -> OpenProject | None:
        """The project as opened; where another computer has it, as a person says: to look at, taken
        over, or None."""
        if opened.held_by is None or opened.held_by.is_known:
            return opened
        answer = self.ask_take_over(path, opened.held_by)
        if answer == Button.Open:
            return opened
        opened.close()
        try:
            if answer == Button.Yes:
                return self._aside.wait_quietly(lambda: OpenProject.at(path, anyway=True))
        except EmberscopeError as error:
            self._session.say(str(error), level="err")
        except Cancelled:
            pass  # the window closes
        return None

    def settle(self, opened: OpenProject) -> bool:
        """Ask what becomes of the work that is not in the file. True where the project may be
        shown."""
        self.news, self.taken, self.bad = "", False, False
        work = opened.recoverable
        if work is None:
            if opened.unreadable is not None:
                self._say_damage(opened.unreadable, opened)
            return True
        answer = self.ask(work)
        try:
            if answer == Button.Yes:
                self._aside.wait_quietly(opened.recover)
                self.recovered(work, opened)
            elif answer == Button.No:
                opened.open_without()
                self._say_damage(work, opened)
            elif answer == Button.Save:
                self.news = (
                    f"What was not saved is in {self._aside.wait_quietly(opened.keep_both).name}."
                )
                self._say_damage(work, opened)
            else:
                return False
        except ProjectError as error:
            self._session.say(str(error), level="err")
            return False
        except Cancelled:  # the window closes
            return False
        return True

    def saved(self) -> None:
        """A file holds what was recovered: the advice to save it is taken back."""
        if self.taken and not self.bad:
            self._session.settled.emit(Message(self.news))

    def recovered(self, work: Recoverable, opened: OpenProject) -> None:
        """Put down what to say of work that was taken."""
        count = opened.recovered_steps
        self.taken = True
        self.news = f"{counted(count, 'action')} recovered. A file holds them once you save."
        if count < work.count:
            self.news = f"{counted(work.count - count, 'action')} could not be read. {self.news}"
        self._say_damage(work, opened)

    def _say_damage(self, work: Recoverable, opened: OpenProject) -> None:
        """Add what of it is lost, and where the damaged journal is kept."""
        words = [f"{work.damage()}."] if work.damage() else []
        words += (
            [f"The damaged journal is kept as {opened.kept.name}."]
            if opened.kept is not None
            else []
        )
        self.bad = bool(words)
        self.news = " ".join([*filter(None, [self.news]), *words])

    def ask(self, work: Recoverable) -> Button:
        name = (work.project or Path(work.journal)).name
        words = f"{name} has work that was not saved when the program stopped."
        more = (
            f"{work.words()}.\n\nOpen without leaves it aside; Keep both writes it to a file of "
            "its own."
        )
        if work.is_damaged:
            more += " The damaged journal is kept in any case."
        return ask(self._window, words, more, _CHOICES, default=Button.Yes)

    def ask_take_over(self, path: Path, owner: Owner) -> Button:
        words = f"{path.name} is open on another computer: {owner}."
        more = (
            "Look opens it read-only. Take over only where that computer is gone: it could not "
            "save any more."
        )
        return ask(
            self._window,
            words,
            more,
            {Button.Open: "Look", Button.Yes: "Take over"},
            default=Button.Open,
        )

    def keep(self, work: Recoverable) -> None:
        """Write work that was never saved to a project file, which the person names; what is open
        stays open."""
        path = ask_where(self._window, "Keep as a project", None, "recovered")
        if path is None:
            return
        try:
            self._aside.wait_quietly(lambda: keep(work, path))
        except ProjectError as error:
            self._session.say(str(error), level="err")
        except Cancelled:
            pass  # the window closes
        else:
            self._session.say(f"It is in {path.name}.", stays=True)

    def leave(self, work: Recoverable) -> None:
        """Do not offer it again; its journal stays."""
        try:
            aside = set_aside(work)
        except ProjectError as error:
            self._session.say(str(error), level="err")
        else:
            self._session.say(f"It will not be offered again. It stays as {aside}.")
