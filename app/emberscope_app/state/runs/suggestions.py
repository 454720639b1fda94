"""What held-out bags say of the recipe: judged beside the work, as soon as labels are left alone,
or when asked for."""

from collections.abc import Sequence
from typing import Protocol

import msgspec
from PySide6.QtCore import QObject, Signal

from emberscope.bags.sizes import FittingSizes, JudgedSide, fitting_sizes
from emberscope.catalogue import BACKGROUND, TARGET
from emberscope.project import Project, to_snapshot
from emberscope.tasks.recipes import SuggestedRecipe, SuggestRecipe
from emberscope_app.state.core.focus import Focus
from emberscope_app.state.core.log_book import log_book
from emberscope_app.state.runs.jobs import Job, Jobs
from emberscope_app.state.runs.recipe_draft import RecipeDraft
from emberscope_app.state.runs.run_params import DEEP
from emberscope_app.when.timers import Later
from emberscope_app.words import method_title

# After the last label, before bags are asked: what a run would take has been asked for by then
SETTLE_MS = 2500
QUICK = "A quick guess, judging sizes ..."
AGAIN = "Labels changed, judging sizes ..."

# Under the ROC curve of held-out bags, and the ends of its 95 % interval
Area = tuple[float, float, float]


class HasJobs(Protocol):
    """What suggestions need of the session."""

    project: Project
    jobs: Jobs
    focus: Focus


class Suggestions(QObject):
    """The answer of `pipeline.suggest` for the labels at hand, which the command line has as well.

    Until it is there the draft shows what labels alone say. Nobody's hands are in the way: a recipe
    that a person edited, chose or took from a run stays, as does a suggestion that was run;
    `try_recipes` replaces it all the same.

    reasons : why the recipe of the last answer is the best one. standing : what the recipe on show
    is, until bags have answered. sizes : patches that fit the labels. trial : the last job that a
    person asked for.

    changed(set of str): what changed, of the names above.
    """

    changed = Signal(object)

    def __init__(self, session: HasJobs, draft: RecipeDraft) -> None:
        super().__init__()
        self._session, self._draft = session, draft
        self.reasons = ""
        self.sizes: FittingSizes | None = None
        self.trial: Job | None = None
        self._judging: Job | None = None         # nobody asked for it
        # What bags said of sizes in the last answer; labels say the rest
        self._judged: Sequence[JudgedSide] = ()
        # Of the answer, as long as the labels are those that it is about
        self._area: Area | None = None
        # The recipe on show may be replaced by a better one
        self._follows = True
        self._is_answer = False                  # it is the last answer, as it came
        self._answered = False                   # for these labels
        self._began = False
        self._settle = Later(self, self._judge)
        draft.changed.connect(self._follow_draft)
        session.jobs.changed.connect(self._follow_job)

    @property
    def may_try(self) -> bool:
        """Recipes can be tried: there are labels of target and background, and neither a run nor a
        trial is made."""
        busy = self._session.jobs.making_run is not None or (
            self.trial is not None and self.trial.active
        )
        return self._has_bags and not busy

    @property
    def standing(self) -> str:
        """What the recipe on show is, until bags have answered; "" where they have, or a person
        decided."""
        if self._answered or not self._follows or not self._has_bags:
            return ""
        return AGAIN if self._is_answer else QUICK

    @property
    def _has_bags(self) -> bool:
        """Of both kinds."""
        return {TARGET, BACKGROUND} <= self._draft.labeled and bool(self._session.project.sources)

    def begin(self) -> None:
        """The recipe is on show: ask what bags say of it."""
        self._began = True
        self._settle.start(SETTLE_MS)

    def try_recipes(self) -> None:
        """Have a few recipes judged by bags they have not seen; the best one is shown, with the
        reasons."""
        self._leave()
        self.trial = self._ask("Trying recipes", silent=False)
        self.changed.emit({"trial"})

    def take_area(self) -> Area | None:
        """For a run of the recipe on show, which stays from now on: the number that it was chosen
        by, None where it was not, or labels are others by now."""
        self._leave()
        if not self._is_answer:
            return None
        self._follows = False
        return self._area

    def read_sizes(self) -> None:
        """Find again which patches fit."""
        project = self._session.project
        self.sizes = fitting_sizes(
            project.labels.table(), project.classes, project.frame_sizes, judged=self._judged
        )
        self.changed.emit({"sizes"})

    def follow_labels(self) -> None:
        """Labels are others: what was said of the last ones is said of these later."""
        self._answered, self._area = False, None
        self._leave()
        self.changed.emit({"standing"})
        self._settle.start(SETTLE_MS)

    def forget(self) -> None:
        """Another project: nothing that was said of the last one counts."""
        self._leave()
        self.trial, self.sizes, self.reasons, self._judged = None, None, "", ()
        self._answered, self._area = False, None
        self.changed.emit({"reasons", "sizes", "trial", "standing"})
        if self._began:
            self._settle.start(SETTLE_MS)

    # --- asking

    def _judge(self) -> None:
        """Ask what bags say, unless somebody chose already; what else the worker was asked for
        comes first."""
        if not self._follows or self._answered or self._judging is not None:
            return
        if not self._draft.ready or any(job.active for job in self._session.jobs.jobs.values()):
            self._settle.start(SETTLE_MS)
        elif self.may_try:
            self._judging = self._ask("Judging recipes", silent=True)

    def _ask(self, title: str, *, silent: bool) -> Job:
        request = SuggestRecipe(snapshot=to_snapshot(self._session.project))
        job = self._session.jobs.ask(
            request, lambda found: self._take(job, found), title=title, silent=silent
        )
        return job

    def _leave(self) -> None:
        """Stop what nobody asked for: something else comes first."""
        job, self._judging = self._judging, None
        if job is not None:
            job.answered = None
            self._session.jobs.cancel(job.id)

    def _take(self, job: Job, found: SuggestedRecipe) -> None:
        asked = job is self.trial
        if job is self._judging:
            self._judging = None
        elif not asked:
            return
        self._judged = found.sizes.judged if found.sizes is not None else ()
        self._answered = True
        self.read_sizes()
        if asked or self._follows:
            self._show(found, opened=asked)
        self.changed.emit({"standing"})

    def _show(self, found: SuggestedRecipe, *, opened: bool) -> None:
        recipe = found.recipe
        # Two axes of three show less than two that are all
        wanted = DEEP if self._session.focus.maps == {3} else {}
        split = self._draft.given.split  # a suggestion chooses no split
        shown = msgspec.structs.replace(recipe, params={**wanted, **recipe.params}, split=split)
        self._draft.suggested = recipe.method
        self._draft.show(shown)
        self._follows = self._is_answer = True
        self._area = found.area if shown == recipe else None
        self.reasons = "  ".join(found.reasons)
        for reason in found.reasons:
            log_book().add(f"Suggested {method_title(recipe.method)}: {reason}")
        self.changed.emit({"reasons", "asked"} if opened else {"reasons"})

    # --- following others

    def _follow_draft(self, names: set[str]) -> None:
        if "edited" in names:
            self._follows = self._is_answer = False
            self._leave()
        elif "recipe" in names:
            self._follows, self._is_answer = not self._draft.by_hand, False
        self.changed.emit({"standing"})
        if "params" in names and self._began:  # what a run would take can be asked for now, and is
            self._settle.start(SETTLE_MS)

    def _follow_job(self, job: Job) -> None:
        if job is self.trial:
            self.changed.emit({"trial"})
        if job is self._judging and job.state in ("failed", "crashed", "stopped"):
            self._judging, self._answered = None, job.state != "stopped"  # it would fail again
            self.changed.emit({"standing"})
        elif not job.active and not job.silent and self._began and not self._answered:
            self._settle.start(SETTLE_MS)  # it may have been in the way
