"""Questions "same or different?" about the run on show: which is next, answers, skips, what the answers are worth.

What they are drawn from is made once of a run, in the worker. The next question is then sought in a thread of the
window, so that it comes at once while the worker is busy with a run.
"""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal

from emberscope.base.errors import EmberscopeError
from emberscope.labels.side_info import SideRecord, conflicts
from emberscope.project import Changes, Project, PutSettings, Run, to_snapshot
from emberscope_app.state.jobs import Job
from emberscope_app.state.session import Session
from emberscope_app.state.share import polite
from emberscope_app.state.side import answer

if TYPE_CHECKING:  # scipy is imported in the thread
    from emberscope.metric.questions import Deck, Question, Standing

DECK = "emberscope.pipeline.questions:deck_task"
SKIPPED = "skipped_pairs"  # a setting of the project: attribute -> pairs of instance ids, the newest last
NO_RUN = "Questions are about the chips of a run. Run first."
READ_ONLY = "The project is open elsewhere: save it under another name to answer here."
NOTHING_LEFT = "Nothing is left to ask: every answer follows from those there are."
WAITING = "Reading the features of the run."
log = logging.getLogger(__name__)


def skipped_pairs(project: Project, attribute: str) -> list[tuple[int, int]]:
    """Pairs of instance ids that were skipped, the newest last. What else stands in the setting is left out."""
    found = project.settings.get(SKIPPED, {})
    pairs = found.get(attribute, []) if isinstance(found, dict) else []
    return [(int(two[0]), int(two[1])) for two in pairs if isinstance(two, list | tuple) and len(two) == 2]


class Questions(QObject):
    """`start` asks for the first question; `answer` and `skip` for the next.

    question : what is asked now, None while it is sought and where there is none. standing : what the answers are
    worth. words : why there is no question, "" where there is one. busy : it is being sought. on : somebody asked.
    changed() : any of it did. Undo of an answer or a skip brings its question back.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.on = False
        self.question: Question | None = None
        self.standing: Standing | None = None
        self._error = ""
        self._deck: Deck | None = None
        self._run: Run | None = None  # of the deck, or of the one that is being made
        self._job: Job | None = None
        self._asked = 0  # number of the search under way: results of older ones are dropped
        self.busy = False
        self._found = _Found(self)
        self._found.ready.connect(self._take)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        session.jobs.changed.connect(self._on_job)
        session.closing.connect(self._pool.waitForDone)

    @property
    def words(self) -> str:
        """Why there is no question; "" where there is one, or it comes in a moment."""
        if self._session.run is None:
            return NO_RUN
        if self._session.read_only:
            return READ_ONLY
        if self._error:
            return self._error
        if self._job is not None:
            return WAITING
        return NOTHING_LEFT if self.question is None and not self.busy and self._deck is not None else ""

    @property
    def may_start(self) -> bool:
        """Whether it helps to press a button: nothing is under way, and there is a run."""
        return self._session.run is not None and self._job is None and not self._session.read_only and (
            not self.on or bool(self._error))

    def start(self) -> None:
        """Ask about the run on show."""
        self.on, self._error = True, ""
        self._prepare()

    def stop(self) -> None:
        """No more questions; what is under way for them ends."""
        self.on = False
        self._drop()
        self.changed.emit()

    def answer(self, *, same: bool) -> None:
        """The two are alike, or differ: one step that can be undone."""
        if self.question is not None:
            answer(self._session, self.question.a, self.question.b, same=same)

    def skip(self) -> None:
        """Neither: it is not asked again. One step that can be undone."""
        if self.question is None:
            return
        project, attribute = self._session.project, self._session.focus.attribute
        old = project.settings.get(SKIPPED)
        known = dict(old) if isinstance(old, dict) else {}
        pairs = [*skipped_pairs(project, attribute), (self.question.a, self.question.b)]
        known[attribute] = [list(two) for two in pairs]
        self._session.do(PutSettings(title="Skip a question", before={SKIPPED: old}, after={SKIPPED: known}))

    @property
    def skipped(self) -> int:
        """How many questions were skipped."""
        return len(skipped_pairs(self._session.project, self._session.focus.attribute))

    @property
    def contradictions(self) -> int:
        """How many pairs contradict others."""
        return len(conflicts(self._session.project.side.values()))

    # --- what questions are drawn from

    def _prepare(self) -> None:
        """Have the deck of the run on show made, where it is not there."""
        run = self._session.run
        if not self.on or run is None or self._session.read_only:
            self._drop()
        elif run is not self._run:
            self._drop()
            self._run = run
            arguments = {"snapshot": to_snapshot(self._session.project), "run": run}
            self._job = self._session.jobs.submit(DECK, arguments, title=f"Questions about run {run.id}",
                                                  on_finished=lambda deck: self._keep(run, deck))
        elif self._deck is not None:
            self._seek()
        self.changed.emit()

    def _drop(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            self._session.jobs.cancel(job.id)
        self._run = self._deck = self.question = self.standing = None
        self._asked += 1
        self.busy = False

    def _keep(self, run: Run, deck: "Deck") -> None:
        if run is self._run:
            self._deck, self._job = deck, None
            self._seek()

    def _on_job(self, job: Job) -> None:
        """The worker could not, or a person stopped it."""
        if job is self._job and not job.active and job.state != "finished":
            self._drop()
            self._error = job.error or "Stopped."
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
        work = _Search(self._found, self._asked, lambda: _search(deck, records, attribute, skipped))
        self._pool.start(work)
        self.changed.emit()

    def _take(self, number: int, found: Any) -> None:
        if number != self._asked:
            return
        self.busy = False
        if isinstance(found, Exception):
            self._error = str(found)
        else:
            self.question, self.standing = found
        self.changed.emit()

    def _on_project(self, changes: Changes) -> None:
        if changes.everything:
            self.on, self._error = False, ""
            self._drop()
            self.changed.emit()
        elif self.on and (changes.touch("side") or SKIPPED in changes.settings):
            self._seek()
        elif changes.touch("runs"):
            self._prepare()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names and self._session.run is not self._run:
            self._error = ""
            self._prepare()
        elif "attribute" in names and self.on:
            self._seek()


class _Found(QObject):
    ready = Signal(int, object)  # number of the search, (question, standing) or what went wrong


class _Search(QRunnable):
    """One search, in a thread."""

    def __init__(self, found: _Found, number: int, work: Callable[[], Any]) -> None:
        super().__init__()
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
    deck: "Deck", records: list[SideRecord], attribute: str, skipped: list[tuple[int, int]]
) -> "tuple[Question | None, Standing]":
    from emberscope.metric.questions import questions, standing

    found = questions(deck, records, attribute=attribute, skipped=skipped)
    return (found[0] if found else None), standing(deck, records, attribute=attribute)
