"""The bags that a run would make of the labels now: made once for every view that counts or lists
them."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from emberscope.bags.make import MadeBags
from emberscope.project import Changes
from emberscope_app.state.core.session import Session
from emberscope_app.when.threads import polite, threads

AT_ONCE = 300  # labels; the bags of more are made in a thread (1000 on one frame take 0.2 s)


class LabelBags(QObject):
    """Dropped with an edit of what bags are made of, made again when somebody asks.

    came(): bags that somebody asked for are there.
    """

    came = Signal()
    _ended = Signal(object, object)  # the task, its bags: out of the thread

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._made: MadeBags | None = None
        self._task: object = None  # the one in the thread
        self._stale = False        # its labels changed since
        session.changed.connect(self._forget)
        self._ended.connect(self._take)

    @property
    def made(self) -> MadeBags | None:
        """Instances and bags by the recipe of the project; None until `came` where there are very
        many labels."""
        if self._made is None and len(self._session.project.labels) <= AT_ONCE:
            self._made = self._work()()
        if self._made is None and self._task is None:
            self._start()
        return self._made

    def _work(self) -> Callable[[], MadeBags]:
        from emberscope.bags.make import make_bags

        project = self._session.project
        labels, classes, marks = project.labels.copy(), dict(project.classes), project.marks.copy()
        sizes, recipe = project.frame_sizes, project.recipe.bags
        return lambda: make_bags(labels, classes, sizes, recipe, marks=marks)

    def _start(self) -> None:
        task, work = object(), self._work()
        self._task, self._stale = task, False
        threads().begin(lambda: self._run(task, work), name="bags of labels")

    def _run(self, task: object, work: Callable[[], MadeBags]) -> None:
        made: MadeBags | None = None
        try:
            with polite():
                made = work()
        finally:
            if isValid(self):  # the session may be gone
                self._ended.emit(task, made)

    def _take(self, task: object, made: MadeBags | None) -> None:
        if task is not self._task:
            return
        self._task = None
        if self._stale:
            self._start()
        elif made is not None:
            self._made = made
            self.came.emit()

    def _forget(self, changes: Changes) -> None:
        if changes.touch("labels", "marks", "classes", "sources", "settings"):
            self._made, self._stale = None, True


def label_bags(session: Session) -> LabelBags:
    """The one of a session."""
    return session.only(LabelBags)
