"""Questions "same or different?" about the run on show: which is next, answers, skips, what the
answers are worth.

What they are drawn from is made once of a run, in the worker. The next question is then sought in a
thread of the window, so that it comes at once while the worker is busy with a run.
"""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from emberscope.base.errors import EmberscopeError
from emberscope.labels.side_info import SideRecord, conflicts
from emberscope.metric.pairs import Deck
from emberscope.project import Changes
from emberscope.project.model.skipped_questions import SKIPPED, skip, skipped_pairs
from emberscope.tasks.questions import PrepareQuestions
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.side import answer
from emberscope_app.state.runs.asked_of_run import OfRun
from emberscope_app.when.threads import polite, threads

if TYPE_CHECKING:  # scipy is imported in the thread
    from emberscope.metric.questions import Question, Standing

NO_RUN = "Questions are about the chips of a run. Run first."
READ_ONLY = "The project is open elsewhere: save it under another name to answer here."
NOTHING_LEFT = "Nothing is left to ask: every answer follows from those there are."
WAITING = "Reading the features of the run."
log = logging.getLogger(__name__)


class Questions(QObject):
    """`start` asks for the first question; `answer` and `skip` for the next.

    question : what is asked now, None while it is sought and where there is none. standing : what
    the answers are worth. contradictions : how many pairs contradict others. words : why there is
    no question, "" where there is one.
    busy : it is being sought. on : somebody asked.
    changed() : any of it did. Undo of an answer or a skip brings its question back.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._made = OfRun(session, PrepareQuestions, "Questions about", self)
        self.question: Question | None = None
        self.standing: Standing | None = None
        self.contradictions = 0
        self._error = ""
        self._deck: Deck | None = None
        self._asked = 0  # number of the search under way: results of older ones are dropped
        self.busy = False
        self._found = _Found(self)
        self._found.ready.connect(self._take)
        self._pool = threads().pool(self, most=1, name="next question")
        self._made.changed.connect(self._on_deck)
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        session.closing.connect(self._pool.waitForDone)

    @property
    def on(self) -> bool:
        """Somebody asked."""
        return self._made.on

    @property
    def words(self) -> str:
        """Why there is no question; "" where there is one, or it comes in a moment."""
        if self._session.run is None:
            return NO_RUN
        if self._session.read_only:
            return READ_ONLY
        if self._error or self._made.error:
            return self._error or self._made.error
        if self._made.waiting:
            return WAITING
        return (
            NOTHING_LEFT
            if self.question is None and not self.busy and self._deck is not None
            else ""
        )

    @property
    def may_start(self) -> bool:
        """Whether it helps to press a button."""
        return self._made.may_start and not self._session.read_only

    def start(self) -> None:
        """Ask about the run on show."""
        self._error = ""
        if not self._session.read_only:
            self._made.start()
        self.changed.emit()

    def set_in_sight(self, seen: bool) -> None:
        """Whether the questions are on show."""
        self._made.set_in_sight(seen)

    def answer(self, *, same: bool) -> None:
        """The two are alike, or differ: one step that can be undone."""
        if self.question is not None:
            answer(self._session, self.question.a, self.question.b, same=same)

    def skip(self) -> None:
        """Neither: it is not asked again. One step that can be undone."""
        if self.question is not None:
            session, asked = self._session, self.question
            session.do(skip(session.project, session.focus.attribute, asked.a, asked.b))

    @property
    def skipped(self) -> int:
        """How many questions were skipped."""
        return len(skipped_pairs(self._session.project, self._session.focus.attribute))

    def _on_deck(self) -> None:
        """There is another deck, or none any more."""
        if self._made.result is not self._deck:
            self._deck, self._error = self._made.result, ""
            self.question = self.standing = None
            self._asked += 1
            self.busy = False
            self._seek()
        self.changed.emit()

    # --- the next one

    def _seek(self) -> None:
        """Search the next question in a thread; what is on show meanwhile cannot be answered."""
        deck = self._deck
        if deck is None:
            return
        project, attribute = self._session.project, self._session.focus.attribute
        records, skipped = list(project.side.values()), skipped_pairs(project, attribute)
        self._asked += 1
        self.question, self.busy, self._error = None, True, ""
        run = self._session.run
        seed = run.recipe.seed if run is not None else 0
        work = _Search(
            self._found, self._asked, lambda: _search(deck, records, attribute, skipped, seed)
        )
        self._pool.start(work.run)
        self.changed.emit()

    def _take(self, number: int, found: Any) -> None:
        if number != self._asked:
            return
        self.busy = False
        if isinstance(found, Exception):
            self._error = str(found)
        else:
            self.question, self.standing, self.contradictions = found
        self.changed.emit()

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("side") or SKIPPED in changes.settings:
            self._seek()

    def _on_focus(self, names: set[str]) -> None:
        if "attribute" in names:
            self._seek()


class _Found(QObject):
    ready = Signal(int, object)  # number of the search, (question, standing) or what went wrong


class _Search:
    """One search, in a thread."""

    def __init__(self, found: _Found, number: int, work: Callable[[], Any]) -> None:
        self._found, self._number, self._work = found, number, work

    def run(self) -> None:
        try:
            with polite():
                result = self._work()
        except EmberscopeError as error:
            result = error
        except Exception as error:
            log.exception("the next question was not found")
            result = error
        self._found.ready.emit(self._number, result)


def _search(
    deck: "Deck",
    records: list[SideRecord],
    attribute: str,
    skipped: list[tuple[int, int]],
    seed: int,
) -> "tuple[Question | None, Standing, int]":
    from emberscope.metric.questions import questions, standing

    found = questions(deck, records, attribute=attribute, skipped=skipped, seed=seed)
    worth = standing(deck, records, attribute=attribute)
    return (found[0] if found else None), worth, len(conflicts(records))
