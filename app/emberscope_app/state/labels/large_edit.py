"""An edit that adds very many labels: a thread makes them, and all that the project takes over at
the end."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from emberscope.labels.table import LabelTable
from emberscope.project import Project, PutLabels
from emberscope_app.state.core.session import Session
from emberscope_app.when.threads import polite, threads

MANY = 2000  # labels that are made in a thread, 5 us each
Make = Callable[[LabelTable, int], PutLabels]


class LargeEdit(QObject):
    """One at a time. What is done meanwhile comes before it; another project that is opened
    meanwhile ends it."""

    # Out of the thread: the project it is for, the edit, its first free id, what makes it anew,
    # what to say.
    _ended = Signal(object, object, object, object, str)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._project: Project | None = None  # it is made for
        self._ended.connect(self._do)

    @property
    def busy(self) -> bool:
        return self._project is self._session.project

    def start(self, make: Make, *, words: str) -> None:
        """Have a thread call ``make(labels, first)``, which returns an edit that only adds labels
        to those there are, with ids ascending from `first`; then do it and say `words`. Nothing
        where one is under way."""
        if not self.busy:
            self._make(make, words)

    def _make(self, make: Make, words: str) -> None:
        project = self._project = self._session.project
        outlook, first = project.labels.outlook(), project.next_label

        def work() -> None:
            made: PutLabels | None = None
            try:
                with polite():
                    made = make(outlook[0], first)
                    project.labels.prepare(made.after, outlook)
            finally:
                if isValid(self):  # the session may be gone
                    self._ended.emit(project, made, first, partial(self._make, make, words), words)

        threads().begin(work, name="large edit")

    def _do(
        self,
        project: Project,
        made: PutLabels | None,
        first: int,
        again: Callable[[], None],
        words: str,
    ) -> None:
        if project is not self._session.project:
            return
        # Labels came meanwhile, and have these ids
        if made is not None and project.next_label != first:
            again()
            return
        self._project = None
        if made is not None and made.after and self._session.do(made):
            self._session.say(words)


def large_edit(session: Session) -> LargeEdit:
    """The one of a session."""
    return session.only(LargeEdit)
