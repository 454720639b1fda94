"""Files and folders become sources: a thread looks at them, so that the window goes on
meanwhile."""

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.project import Project, Together
from emberscope_app.state.core.new_sources import put_sources, say_left
from emberscope_app.state.core.session import Session
from emberscope_app.state.reading.background import Aside
from emberscope_app.words import counted

if TYPE_CHECKING:
    from emberscope.project.exchange.set_up import SetUp


class _Looking:
    """One look, in a thread. say : hears how far it is."""

    def __init__(
        self,
        project: Project,
        paths: list[Path],
        apart: Collection[Path],
        say: Callable[[str], None],
    ) -> None:
        self._project, self._paths, self._apart, self._say = project.frozen(), paths, apart, say
        self.unwanted = False  # a person canceled, or the window closes

    def look(self) -> "SetUp":
        from emberscope.project.exchange.set_up import look_at

        watch = Watch(lambda _fraction, words: self._say(words), stop=lambda: self.unwanted)
        return look_at(self._project, self._paths, apart=self._apart, monitor=watch)


class Opener(QObject):
    """Looks at what it is given in a thread, while the window goes on. Says how far it is through
    `session.hinted`. One file without truth comes in at once; all else is shown before it does.

    added(): new sources are in the project. layout_wanted(path): somebody must say how frames lie
    in a file of raw binary. set_up_wanted(SetUp): somebody must say how what was found comes in.
    """

    added = Signal()
    layout_wanted = Signal(object)
    set_up_wanted = Signal(object)
    _progressed = Signal(str)  # out of the thread

    def __init__(self, session: Session, aside: Aside) -> None:
        super().__init__()
        self._session, self._aside = session, aside
        self._waiting: list[Path] = []
        self.busy = False  # files are on their way into the project
        self._progressed.connect(self._hint)

    def add(self, paths: Iterable[Path], apart: Collection[Path] = ()) -> None:
        """Take in files and folders as sources, one undo step; each that cannot be read says so in
        one line.

        Those given while others are on their way come along with them. apart : folders whose images
        are each a source by itself.
        """
        given = list(paths)
        if self._aside.busy and not self.busy:
            self._session.say(
                f"{given[0].name} was not opened: a project is being opened.", level="warn"
            )
            return
        self._waiting += [path for path in given if path not in self._waiting]
        if not self.busy:
            self._open(apart)

    def _open(self, apart: Collection[Path]) -> None:
        project, paths, found = self._session.project, list[Path](), None
        self.busy = True
        try:
            while self._waiting and project is self._session.project:
                paths, self._waiting = [*paths, *self._waiting], []
                looking = _Looking(project, paths, apart, self._progressed.emit)
                try:
                    what = paths[0].name if len(paths) == 1 else counted(len(paths), "file")
                    found = self._aside.wait(looking.look, words=f"Opening {what}")
                except Cancelled:
                    looking.unwanted, found = True, None
                    break
        finally:
            self.busy, self._waiting = False, []
            self._session.hinted.emit("")
        if found is not None and project is self._session.project:
            self._show(found)

    def _hint(self, words: str) -> None:
        if self.busy:
            self._session.hinted.emit(words)

    def _show(self, found: "SetUp") -> None:
        """Take in one plain file, show all else before it comes in. Sources that were lost are
        found again at once."""
        if found.located:
            count = len(found.located)
            title = f"Locate {counted(count, 'source')}" if count > 1 else found.located[0].title
            self._session.do(Together(title=title, steps=list(found.located)))
        if found.refs or found.has_truth:
            if not found.is_plain:
                self.set_up_wanted.emit(found)
                return
            put_sources(self._session, found.refs)
            self.added.emit()
        elif found.found and not (found.failed or found.raw or found.located):
            known = len(found.found)
            self._session.say(
                "These files are open already." if known > 1 else "This file is open already."
            )
        for line in found.table if not (found.refs or found.has_truth) else ():
            self._session.say(f"{Path(line.truth).name} was not taken: {line.why}.", level="warn")
        say_left(self._session, found)
        if found.raw:
            self.layout_wanted.emit(found.raw[0])
