"""The Run dock: data, method, parameters, run; what runs now; the history of runs."""

from collections.abc import Sequence
from typing import Any

import msgspec
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from emberscope import catalogue
from emberscope.bags.sizes import fitting_sizes
from emberscope.base.param import Param
from emberscope.catalogue import BACKGROUND, TARGET
from emberscope.catalogue.usual import labelled_kinds, usual_recipe
from emberscope.project import Changes, PutRuns, PutSettings, Recipe, Run, Together, to_snapshot
from emberscope_app.docks.run.classifier import ClassifierSection
from emberscope_app.docks.run.data import DataSection, facts
from emberscope_app.docks.run.fields import labelled_row
from emberscope_app.docks.run.finished_runs import RunsHistory
from emberscope_app.docks.run.form import MethodForm
from emberscope_app.docks.run.method_list import MethodList
from emberscope_app.docks.run.progress import Running
from emberscope_app.docks.run.staleness import LabelsOfRuns
from emberscope_app.state.jobs import Job
from emberscope_app.state.learned_facts import without_verdict
from emberscope_app.state.method_choices import Choice, choices, short_list
from emberscope_app.state.session import Session
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Fitting, MessageBar, line, primary, quiet, text
from emberscope_app.words import counted, duration, percent

DESCRIBE, ESTIMATE, RUN = (f"emberscope.pipeline:{name}_task" for name in ("describe", "estimate", "run"))
SUGGEST = "emberscope.pipeline.suggest:suggest_task"
FOR_BOTH_MAPS = {"n_components": 3}
NO_LABELS = "Nothing is labeled yet. Label a target and some background."
READ_ONLY = "The project is open elsewhere: save it under another name to run here."
_SETTLE_MS = 350  # after the last edit, before the cost is asked for


class RunPanel(QWidget):
    """`start_run` runs what the panel shows; the finished run and its recipe are one undo step."""

    name = "run"
    title = "Run"
    count_changed = Signal(str)
    all_methods_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.choices: list[Choice] = []                # all methods, the fitting ones first
        self.extent = (0, 0)                             # instances and features, as last estimated
        self.count = ""
        self.method = ""
        self.job: Job | None = None
        self._described: Job | None = None             # the question for the parameters
        self._trial: Job | None = None                 # recipes are being tried
        self._reasons = ""                             # why the last one was suggested
        self._by_hand = False                          # the method was chosen; until then it is the suggested one
        self._data_by_hand = False                     # so were bags or features; until then they fit the labels
        self._wanted = False                           # run as soon as the parameters are there
        self._labels_of_runs = LabelsOfRuns()
        self._number = 0
        self._problem = ""
        self._labelled: set[str] = set()               # kinds of labels there are
        self._asked: Job | None = None
        self._make()
        self._lay_out()
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._ask)
        self._connect()
        self._show_project()
        self._describe()

    # --- making

    def _make(self) -> None:
        self.data = DataSection()
        self.fits = text("", "secondary")
        self.methods = MethodList()
        self.all_methods = quiet("All methods...")
        self.try_out = quiet("Try a few on my labels")
        self.try_out.setToolTip("Tries recipes on bags they have not seen, about ten seconds, and takes the best one")
        self.unlock = text("", "secondary")
        self.unlock.setWordWrap(True)
        self.unlock.setContentsMargins(tokens.PAD, 2, tokens.PAD, 0)
        self._method_form = MethodForm()
        self.form, self.loading = self._method_form.form, self._method_form.loading
        self.classifier = ClassifierSection()
        self.stale = text("", "secondary")
        self.same_again = quiet("Use its settings")
        self.advice = MessageBar()
        self.run_button = primary("Run   Ctrl+Enter", icon_name="run")
        self.run_button.setAccessibleName("Run")
        self.estimate = text("", "secondary")
        self.estimate.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.estimate.setWordWrap(True)
        self.running = Running()
        self.history = RunsHistory(self.session, self)

    def _lay_out(self) -> None:
        inside = QWidget()
        top = QVBoxLayout(inside)
        top.setContentsMargins(0, 0, 0, 4)
        top.setSpacing(0)
        top.addWidget(self.data)
        top.addWidget(line())
        heading = labelled_row(text("Method", "secondary"), self.fits)
        heading.setContentsMargins(tokens.PAD, 8, tokens.PAD, 4)
        top.addLayout(heading)
        top.addWidget(self.methods)
        more = QHBoxLayout()
        more.setContentsMargins(tokens.PAD + 22, 0, tokens.PAD, 0)
        more.addWidget(self.all_methods)
        more.addSpacing(12)
        more.addWidget(self.try_out)
        more.addStretch(1)
        top.addLayout(more)
        top.addWidget(self.unlock)
        top.addSpacing(6)
        top.addWidget(line())
        top.addSpacing(6)
        top.addWidget(self._method_form)
        top.addSpacing(6)
        top.addWidget(line())
        top.addSpacing(6)
        top.addWidget(self.classifier)
        top.addWidget(self.advice)
        top.addStretch(1)
        self._scroll = Fitting(inside)
        cut = line()  # under what goes on below
        self._scroll.verticalScrollBar().rangeChanged.connect(lambda _, most: cut.setVisible(most > 0))
        cut.hide()
        foot = QVBoxLayout()
        foot.setContentsMargins(tokens.PAD, 8, tokens.PAD, 8)
        foot.setSpacing(6)
        old = labelled_row(self.stale, self.same_again)
        old.setContentsMargins(0, 0, 0, 0)
        foot.addLayout(old)
        foot.addWidget(self.run_button)
        foot.addWidget(self.estimate)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._scroll, 100)  # what is asked for comes first, the history has the rest
        column.addWidget(cut)
        column.addLayout(foot)
        column.addWidget(self.running)
        column.addWidget(self.history, 1)
        column.addStretch(0)
        self.setFocusProxy(self.methods)

    def _connect(self) -> None:
        session = self.session
        self.methods.chosen.connect(self._choose)
        self.all_methods.clicked.connect(self.all_methods_wanted)
        self.try_out.clicked.connect(self.try_recipes)
        self.form.changed.connect(self._on_edit)
        self.classifier.changed.connect(self._on_edit)
        self.data.changed.connect(self._on_data)
        self.run_button.clicked.connect(self.start_run)
        self.running.cancel.clicked.connect(self.cancel)
        self.history.again.connect(self.show_recipe)
        self.same_again.clicked.connect(self._take_settings_on_show)
        session.changed.connect(self._on_project)
        session.focus.changed.connect(lambda names: self._read_stale() if "run" in names else None)
        session.jobs.changed.connect(self._follow)

    # --- what is asked for

    def _show_project(self) -> None:
        """The recipe the project keeps; in a project that never ran, the usual one of its labels, as a proposal."""
        self._method_form.forget()
        project = self.session.project
        kept = "recipe" in project.settings
        self.show_recipe(project.recipe if kept else usual_recipe(project)[0], exact=kept)
        self._read_stale()

    def show_recipe(self, recipe: Recipe, *, exact: bool = True) -> None:
        """Data, method and parameters of a recipe; not `exact`: as a proposal, to be replaced by a better one."""
        self.data.show_recipe(recipe)
        self.classifier.show_recipe(recipe)
        if exact:
            self._method_form.take_recipe(recipe)
        self._by_hand = self._data_by_hand = exact
        self.method = recipe.method
        self._read_methods()
        self._method_form.show_method(self.method)
        self._settle.start()

    def recipe(self) -> Recipe:
        """What would run now. Raises ParamError where a value is wrong."""
        params = self.form.changed_values()
        return msgspec.structs.replace(
            self.data.recipe(), method=self.method, params=params, classifier=self.classifier.method,
            classifier_params=self.classifier.values(), classifier_choose=self.classifier.chooses,
            seed=int(params.get("random_state") or 0),
        )

    def why_not(self) -> str:
        """Why nothing can run now, as a sentence; "" where it can."""
        choice = self._choice()
        if self.job is not None and self.job.active:
            return f"Run {self._number} is running."
        if self.session.read_only:  # what the run finds could not be kept
            return READ_ONLY
        if not len(self.session.project.labels) and self.session.project.sources:
            return NO_LABELS
        if choice is not None and choice.missing:
            return f"{choice.missing}."
        return self.why_not_asked() or self.classifier.why_not(self._labelled) or self._problem

    def why_not_asked(self) -> str:
        """What keeps the cost from being asked for: a value that is wrong."""
        return self.data.form.error() or self.form.error() or self.classifier.form.error()

    def _choice(self) -> Choice | None:
        return next((c for c in self.choices if c.method.id == self.method), None)

    def _read_methods(self) -> None:
        self._labelled = labelled_kinds(self.session.project)
        if not self._by_hand and not self._data_by_hand:
            self.data.show_recipe(usual_recipe(self.session.project)[0])
        rows = choices(self._labelled, level=self.data.level)
        self.choices = rows
        fitting = [c for c in rows if not c.missing]
        if not self._by_hand or self.method not in {c.method.id for c in fitting}:
            self.method = next(c.method.id for c in fitting if c.suggested)
        self._read_short_list()
        self.fits.setText(f"fits your labels: {len(fitting)} of {len(rows)}")
        words = catalogue.unlock_words(self._labelled)
        self.unlock.setText(words)
        self.unlock.setVisible(bool(words))
        self.classifier.show_labelled(self._labelled)

    def _read_short_list(self) -> None:
        used = [run.recipe.method for _, run in sorted(self.session.project.runs.items(), reverse=True)]
        self.methods.show_choices(short_list(self.choices, self.method, used), self.method)

    def choose(self, method: str) -> None:
        """Take a method, as a click on its row does."""
        self._choose(method)
        self._read_short_list()

    def _choose(self, method: str) -> None:
        self._method_form.remember(self.method)
        self.method, self._by_hand = method, True
        self._method_form.show_method(self.method)
        self._on_edit()

    def _on_data(self) -> None:
        """Other bags may suit another method."""
        self._data_by_hand = True
        self._read_methods()
        self._read_form_if_other()
        self._on_edit()

    def _on_edit(self) -> None:
        self._problem = ""
        self.estimate.setText("")
        self._settle.start()
        self._read_button()

    def _read_button(self) -> None:
        why = self.why_not()
        self.run_button.setEnabled(not why)
        busy = any(job is not None and job.active for job in (self._trial, self.job))
        tries = {TARGET, BACKGROUND} <= self._labelled and not busy
        self.try_out.setEnabled(tries and bool(self.session.project.sources))
        self.run_button.setToolTip(why or "Run (Ctrl+Enter)")

    # --- what the worker says: parameters, cost

    def _describe(self) -> None:
        self._described = self.session.jobs.submit(DESCRIBE, {}, title="Methods", silent=True,
                                                   on_finished=self._take_methods)

    def _take_methods(self, found: list[dict[str, Any]]) -> None:
        params = {row["id"]: tuple(Param.from_dict(p) for p in row["params"]) for row in found}
        self._method_form.take_params(params)
        self._method_form.show_method(self.method)
        self.classifier.take_params(params)
        self._settle.start()
        self._read_button()
        if self._wanted:
            self._wanted = False
            self.start_run()

    def _ask(self) -> None:
        """Ask what the run would take; the answer to the last question counts."""
        project = self.session.project
        self._read_stale()
        self.data.show_sizes(fitting_sizes(project.labels, project.classes, project.frame_sizes))
        if not project.sources or not len(project.labels) or not self._method_form.shows(self.method) \
                or self.why_not_asked():
            self.data.say("")
            self.estimate.setText(NO_LABELS if project.sources and not len(project.labels) else "")
            self._read_button()
            return
        wish = {"snapshot": to_snapshot(project), "recipe": msgspec.to_builtins(self.recipe())}
        job = self.session.jobs.submit(ESTIMATE, wish, title="Estimate", silent=True)
        job.on_finished = lambda found: self._take_estimate(job, found)
        self._asked = job

    def _take_estimate(self, job: Job, found: dict[str, Any]) -> None:
        if job is not self._asked:
            return
        self._problem = ""
        bags = found["bags"]
        self.extent = (found["instances"], found["features"])
        self.data.say(facts(found))
        took = duration(found["seconds"])
        about = took if took.startswith("under") else f"about {took}"
        self.estimate.setText(f"{about} on this computer  ·  {counted(bags, 'bag')}")
        self._show_advice(found.get("advice") or ())
        self._read_button()

    def _show_advice(self, sentences: Sequence[str]) -> None:
        """What the data say about the pictures they can have; once dismissed, only other words come back."""
        words = "  ".join(sentences)
        if self._reasons and self.advice.isVisible() and self.advice.words == self._reasons:
            return  # why this recipe was suggested stays until it is dismissed
        if not words:
            self.advice.hide()
        elif words != self.advice.words:
            self.advice.show_message(words, level="info")

    # --- running

    def start_run(self) -> None:
        """Run what the panel shows, unless something is missing: then say what."""
        self._read_methods()
        why = self.why_not()
        if why:
            self.session.say(why, level="warn")
            return
        if not self._method_form.shows(self.method):
            self._wait_for_form()
            return
        project, recipe = self.session.project, self.recipe()
        previous = self._goes_on_from(recipe)
        self._method_form.remember(self.method)
        self._number = max(project.next_run, max(project.runs, default=0) + 1)
        self._labels_of_runs.keep(self._number, project)
        wish = {"snapshot": to_snapshot(project), "recipe": msgspec.to_builtins(recipe), "run_id": self._number}
        wish |= {"previous": previous} if previous is not None else {}
        self.job = self.session.jobs.submit(
            RUN, wish, title=f"Run {self._number}", on_finished=self._take_run, makes_run=True
        )
        self._show_running(self.job)

    def _goes_on_from(self, recipe: Recipe) -> Run | None:
        """The run whose picture a layout goes on from: the one on show, where only labels changed since it was made.

        With the labels as they were, the same seed gives the same picture, from the start.
        """
        run = self.session.run
        return run if run is not None and run.recipe == recipe and self._is_stale(run) else None

    def _wait_for_form(self) -> None:
        """Nothing runs with values nobody saw: start when the parameters are there."""
        self._wanted = True
        self.estimate.setText("Starts when the methods are loaded")
        if self._described is None or not self._described.active:
            self._describe()

    def cancel(self) -> None:
        for job in (self.job, self._trial):
            if job is not None and job.active:
                self.session.jobs.cancel(job.id)

    def try_recipes(self) -> None:
        """Have a few recipes judged by bags they have not seen; the best one is shown, with the reasons."""
        arguments = {"snapshot": to_snapshot(self.session.project)}
        self._trial = self.session.jobs.submit(
            SUGGEST, arguments, title="Trying recipes", on_finished=self._take_suggestion
        )
        self.running.show_job(self._trial)
        self._read_button()

    def _take_suggestion(self, found: dict[str, Any]) -> None:
        recipe = msgspec.convert(found["recipe"], Recipe)
        self.show_recipe(msgspec.structs.replace(recipe, params={**FOR_BOTH_MAPS, **recipe.params}))
        self._reasons = "  ".join(found["reasons"])
        self.advice.show_message(self._reasons, level="info")

    def _take_run(self, run: Run) -> None:
        """The run and the settings it was made with: one undo step."""
        before = self.session.project.settings.get("recipe")
        settings = PutSettings(before={"recipe": before}, after={"recipe": msgspec.to_builtins(run.recipe)})
        title = f"Run {catalogue.method(run.recipe.method).short}"
        self.session.do(Together(title=title, steps=[PutRuns(after=[run]), settings]))
        self._read_stale()
        if without_verdict(run):
            self.session.say(without_verdict(run), level="warn")

    def _follow(self, job: Job) -> None:
        if job is self._asked and job.state in ("failed", "crashed"):
            self._problem = job.error if job.state == "failed" else ""  # a new process may do what the last one died of
            self.estimate.setText(job.error[:1].upper() + job.error[1:])
            self.data.say("")
            self._read_button()
        if job is self._described and job.state in ("failed", "crashed"):
            self._wanted = False
            self.estimate.setText(job.error)
        if job is self._trial and (self.job is None or not self.job.active):
            self.running.show_job(job)
            self._read_button()
        if job is self.job:
            self._show_running(job)  # why it failed stands in the window

    def _show_running(self, job: Job) -> None:
        was_on_cancel = self.running.cancel.hasFocus()
        self.running.show_job(job)
        self._read_button()
        if was_on_cancel and not job.active and self.run_button.isEnabled():
            self.run_button.setFocus()  # and not whatever comes after a button that hides
        self.count = f"{job.title}, {percent(job.fraction)}" if job.active else ""
        self.count_changed.emit(self.count)

    # --- following the project

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("labels", "marks", "classes", "sources"):
            self._read_methods()
            self._read_form_if_other()
            self._problem = ""
            self._settle.start()
            self._read_button()
        if changes.everything:  # another project
            self._labels_of_runs.forget()
            self._wanted = False
            self._show_project()

    def _read_form_if_other(self) -> None:
        if not self._method_form.shows(self.method):
            self._method_form.show_method(self.method)

    def _has_method_of(self, run: Run) -> bool:
        """Whether Run would make such a run again; another method may stand in the panel."""
        return (self.method, self.classifier.method) == (run.recipe.method, run.recipe.classifier)

    def _take_settings_on_show(self) -> None:
        if self.session.run is not None:
            self.show_recipe(self.session.run.recipe)
            self.run_button.setFocus()
            self._read_stale()

    def _is_stale(self, run: Run) -> bool:
        return self._labels_of_runs.changed_since(run, self.session.project)

    def _read_stale(self) -> None:
        """Say so where labels or marks are others than those of the run on show."""
        run = self.session.run
        stale = run is not None and self._is_stale(run)
        self.same_again.setVisible(stale and run is not None and not self._has_method_of(run))
        self.stale.setText(f"Labels changed since run {run.id}" if stale and run is not None else "")
        self.stale.setVisible(stale)
