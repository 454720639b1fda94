"""Runs: why the recipe cannot run now, what it would take, starting it, taking its result.

A controller without a widget: the Run dock is a form over it, commands and tests call it directly.
"""

from collections.abc import Sequence
from typing import Protocol

import msgspec
from PySide6.QtCore import QObject, Signal

from emberscope import catalogue
from emberscope.bags.clip_sides import ClipSides
from emberscope.course.estimate import Estimate
from emberscope.findings.notes import UNKNOWN, weighed
from emberscope.project import (
    Changes,
    Operation,
    Project,
    PutRuns,
    PutSettings,
    Recipe,
    Run,
    Together,
    to_snapshot,
)
from emberscope.tasks.runs import EstimateRun, MakeRun
from emberscope_app.state.core.focus import Focus
from emberscope_app.state.knowledge.learned_facts import without_verdict
from emberscope_app.state.runs.jobs import Job, Jobs
from emberscope_app.state.runs.method_params import MethodParams
from emberscope_app.state.runs.recipe_draft import RecipeDraft
from emberscope_app.state.runs.staleness import LabelsOfRuns
from emberscope_app.state.runs.suggestions import Suggestions
from emberscope_app.when.timers import Later
from emberscope_app.when.turns import Turns
from emberscope_app.words import about, counted

READ_ONLY = "The project is open elsewhere: save it under another name to run here."
NO_LABELS = "Nothing is labeled yet. Label a target and some background."
_SETTLE_MS = 350  # after the last edit, before the cost is asked for


class RunSession(Protocol):
    """What the controller needs of the session it belongs to."""

    project: Project
    jobs: Jobs
    focus: Focus

    @property
    def run(self) -> Run | None: ...

    @property
    def read_only(self) -> bool: ...

    @property
    def turns(self) -> Turns: ...

    def do(self, operation: Operation) -> bool: ...

    def say(self, words: str, *, level: str = "info") -> None: ...


class Runs(QObject):
    """`start` runs `draft.recipe`, unless `why_not()`; the finished run and its recipe are one undo
    step.

    Nothing is asked of the worker before `prepare`; `start` prepares by itself.

    estimate, facts : sentences: what a run would take, what data it would see. sides : of the split
    that the recipe names, clip by clip. extent : its
    instances and features.
    advice : sentences about the data. stale : the run on show, where labels changed since it was
    made.
    job : the last run. alike : a run of the same instances as that one, in the same order, None
    where none is known.
    methods : the parameters of all methods. suggestions : what held-out bags say of the recipe.

    changed(set of str): what changed, of the names above; with "estimate" `facts` and `why_not`
    too.
    """

    changed = Signal(object)

    def __init__(self, session: RunSession) -> None:
        super().__init__()
        self._session = session
        self.draft = RecipeDraft(session)
        self.methods = MethodParams(session.jobs)
        self.suggestions = Suggestions(session, self.draft)
        self.estimate = self.facts = ""
        self.sides: tuple[ClipSides, ...] = ()
        self.extent = (0, 0)
        self.advice: Sequence[str] = ()
        self.stale: Run | None = None
        self.job: Job | None = None
        self.alike: Run | None = None
        self._problem = ""                 # why the worker refuses the recipe
        self._start_later = False          # as soon as the parameters are there
        self._number = 0                   # of the last run started
        self._labels_of_runs = LabelsOfRuns()
        self._prepared = False
        self._question: Job | None = None  # asks for the cost
        self._settle = Later(self, self.ask, _SETTLE_MS)
        self.draft.changed.connect(self._follow_draft)
        self.methods.ready.connect(self._take_params)
        self.methods.failed.connect(self._say_no_params)
        session.jobs.changed.connect(self._follow_job)
        session.focus.changed.connect(self._follow_focus)

    def prepare(self) -> None:
        """Show the recipe of the project and ask the worker for the parameters; once."""
        if not self._prepared:
            self._prepared = True
            self.draft.take_params(self.methods.params)
            self.draft.show_project()
            self.methods.ask()
            self.suggestions.begin()

    # --- before a run

    def why_not(self) -> str:
        """Why nothing can run now, as a sentence; "" where it can."""
        if self.job is not None and self.job.active:
            return f"Run {self._number} is running."
        if self._session.read_only:  # what the run finds could not be kept
            return READ_ONLY
        if not len(self._session.project.labels) and self._session.project.sources:
            return NO_LABELS
        return self.draft.why_not() or self._problem

    def ask(self) -> None:
        """Ask the worker what the recipe would take; the answer to the last question counts."""
        project, draft = self._session.project, self.draft
        self._read_stale()
        self.suggestions.read_sizes()
        if not project.sources or not len(project.labels) or not draft.ready or draft.wrong:
            self.facts, self.sides = "", ()
            self.estimate = NO_LABELS if project.sources and not len(project.labels) else ""
            self.changed.emit({"estimate"})
            return
        request = EstimateRun(snapshot=to_snapshot(project), recipe=draft.recipe)
        job = self._session.jobs.ask(
            request, lambda found: self._take_estimate(job, found), title="Estimate", silent=True
        )
        self._question = job

    def _take_estimate(self, job: Job, found: Estimate) -> None:
        if job is not self._question:
            return
        self._problem = ""
        self.extent, self.sides = (found.instances, found.features), found.sides
        bags = counted(found.bags, "bag")
        self.facts = (
            f"{counted(self.extent[0], 'instance')} in {bags}, {counted(self.extent[1], 'feature')}"
        )
        self.estimate = f"{about(found.seconds)} on this computer  ·  {bags}"
        notes = weighed(found.advice, {})  # remarks stand in the notes of the run alone
        self.advice = [note.text for note in notes if note.weight != "remark" or note.id == UNKNOWN]
        self.changed.emit({"estimate", "advice"})

    def _take_params(self) -> None:
        self.draft.take_params(self.methods.params)
        if self._start_later:
            self._start_later = False
            self.estimate = ""  # it said what the run waited for
            self.start()
            self.changed.emit({"estimate"})

    def _say_no_params(self, error: str) -> None:
        """The worker failed over the parameters: nothing can start now."""
        self._start_later = False
        self.estimate = error
        self.changed.emit({"estimate"})

    # --- running

    def start(self) -> None:
        """Run the recipe, unless something is missing: then say what."""
        self.prepare()
        self.draft.follow_labels()
        why = self.why_not()
        if why:
            self._session.say(why, level="warn")
        elif not self.draft.ready:
            self._wait_for_params()
        else:
            self._submit(self.draft.recipe)

    def cancel(self) -> None:
        """Stop the run and the trial, whichever is under way."""
        for job in (self.job, self.suggestions.trial):
            if job is not None and job.active:
                self._session.jobs.cancel(job.id)

    def _wait_for_params(self) -> None:
        """Nothing runs with values nobody could see: start when the parameters are there."""
        self._start_later = True
        self.estimate = "Starts when the methods are loaded"
        self.changed.emit({"estimate"})
        self.methods.ask()

    def _submit(self, recipe: Recipe) -> None:
        project, previous = self._session.project, self._goes_on_from(recipe)
        self.alike = self._of_same_instances(recipe)
        self._number = max(project.next_run, max(project.runs, default=0) + 1)
        self._labels_of_runs.keep(self._number, project)
        request = MakeRun(
            snapshot=to_snapshot(project),
            recipe=recipe,
            run_id=self._number,
            previous=previous,
            chosen=self.suggestions.take_area(),
        )
        self.job = self._session.jobs.ask(
            request, self._take_run, title=f"Run {self._number}", makes_run=True
        )
        self.changed.emit({"job"})

    def _of_same_instances(self, recipe: Recipe) -> Run | None:
        """The run on show, where bags are made in the same way of the same labels: what is shown of
        a run while it is made looks like it."""
        run = self._session.run
        same = run is not None and run.recipe.bags == recipe.bags and not self._is_stale(run)
        return run if same else None

    def _goes_on_from(self, recipe: Recipe) -> Run | None:
        """The run whose embedding a layout starts from: the one on show, where only labels changed
        since it was made.

        With the labels as they were, the same seed gives the same embedding from the start.
        """
        run = self._session.run
        return run if run is not None and run.recipe == recipe and self._is_stale(run) else None

    def _take_run(self, run: Run) -> None:
        """The run and the settings it was made with: one undo step."""
        before = self._session.project.settings.get("recipe")
        settings = PutSettings(
            before={"recipe": before}, after={"recipe": msgspec.to_builtins(run.recipe)}
        )
        title = f"Run {catalogue.method(run.recipe.method).short}"
        self._session.do(Together(title=title, steps=[PutRuns(after=[run]), settings]))
        self._read_stale()
        if without_verdict(run):
            self._session.say(without_verdict(run), level="warn")

    # --- following others

    def follow_project(self, changes: Changes) -> None:
        """The project changed, or is another one."""
        if changes.everything:
            self._forget()
            self._start_later = False
        if not self._prepared or not changes.touch("labels", "marks", "classes", "side", "sources"):
            return
        self._problem = ""
        if changes.everything:
            self._session.turns.take(self.draft.show_project)
        else:
            self._session.turns.take(self.draft.follow_labels)
            self._settle.start()
            self.suggestions.follow_labels()

    def _forget(self) -> None:
        """Another project: no number, advice or job of the last one counts, nor an answer that is
        on its way."""
        self._labels_of_runs.forget()
        self.suggestions.forget()
        self.estimate = self.facts = self._problem = ""
        self.extent, self.advice, self.sides = (0, 0), (), ()
        self.stale = self.alike = self.job = self._question = None
        self.changed.emit({"estimate", "advice", "stale", "job"})

    def _follow_draft(self, names: set[str]) -> None:
        if "edited" in names:
            self._problem = self.estimate = ""
            self.changed.emit({"estimate"})
        if names & {"edited", "recipe", "params"}:
            self._settle.start()
        if "recipe" in names:
            self._read_stale()

    def _follow_focus(self, names: set[str]) -> None:
        if "run" in names:
            self._read_stale()

    def _follow_job(self, job: Job) -> None:
        died = job.state in ("failed", "crashed")
        if job is self._question and died:
            # A new process may do what the last one died of
            self.estimate, self.facts = job.error[:1].upper() + job.error[1:], ""
            self._problem = self.estimate if job.state == "failed" else ""
            self.sides = ()
            self.changed.emit({"estimate"})
        if job is self.job:
            self.changed.emit({"job"})

    def _is_stale(self, run: Run) -> bool:
        return self._labels_of_runs.changed_since(run, self._session.project)

    def _read_stale(self) -> None:
        """Find the run on show that was made of other labels or marks."""
        run = self._session.run
        self.stale = run if run is not None and self._is_stale(run) else None
        self.changed.emit({"stale"})
