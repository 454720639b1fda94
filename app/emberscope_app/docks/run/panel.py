"""The Run dock: data, method, parameters, run; what runs now; the history of runs."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from emberscope import catalogue
from emberscope.project.nouns import nouns_of
from emberscope_app.docks.run.classifier import ClassifierSection
from emberscope_app.docks.run.data import DataSection
from emberscope_app.docks.run.fields import labeled_row
from emberscope_app.docks.run.form import MethodForm
from emberscope_app.docks.run.invariances import InvarianceSection
from emberscope_app.docks.run.method_list import MethodList
from emberscope_app.docks.run.metric import MetricSection
from emberscope_app.docks.run.progress import Running
from emberscope_app.docks.run.reasons import Reasons
from emberscope_app.docks.run.runs_history import RunsHistory
from emberscope_app.docks.run.split import SplitSection
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.filter import filter_of
from emberscope_app.state.runs.method_choices import reads_side, short_list
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import (
    Fitting,
    Folding,
    MessageBar,
    line,
    primary,
    quiet,
    text,
    trigger,
)
from emberscope_app.theme.panel import Panel
from emberscope_app.words import percent


class RunPanel(Panel):
    """A form over `session.runs` and its draft: it shows what they hold and sets what a person
    edits."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._runs, self._draft = session.runs, session.runs.draft
        self._suggestions = session.runs.suggestions
        self._make()
        self._lay_out()
        self._runs.prepare()
        self._connect()
        self._show_columns()
        self._show_draft({"recipe", "choices", "params"})
        self._show_runs({"estimate", "stale", "job"})
        self._show_suggestions({"sizes", "reasons", "standing", "trial"})

    def show_data(self) -> None:
        """Unfold how patches are made, and point at it."""
        self.data.fold.setChecked(True)
        self.data.fold.setFocus()

    def show_settings(self) -> None:
        """Point at the parameters of the method."""
        self.form.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._share_room()
        return done

    def _share_room(self) -> None:
        """The form leaves room to the history, and scrolls."""
        items = [
            item
            for at in range(self._column.count())
            if (item := self._column.itemAt(at)) is not None
        ]
        others = [
            item
            for item in items
            if item.widget() not in (self._scroll, self.history) and not item.isEmpty()
        ]
        room = (
            self.height()
            - sum(item.sizeHint().height() for item in others)
            - self.history.wanted(self.height())
        )
        self._scroll.setMaximumHeight(max(room, self._scroll.minimumSizeHint().height()))

    # --- making

    def _make(self) -> None:
        self.data = DataSection()
        self.fits = text("", "secondary")
        self.methods = MethodList()
        self.all_methods = quiet("All methods...")
        self.try_out = quiet("Try a few on my labels")
        self.try_out.setToolTip(
            "Tries recipes on bags they have not seen, about ten seconds, and takes the best one"
        )
        self.reasons = Reasons()
        self.unlock = text("", "secondary")
        self.unlock.setWordWrap(True)
        self.unlock.setContentsMargins(tokens.PAD, 2, tokens.PAD, 0)
        self._method_form = MethodForm()
        self.form, self.loading = self._method_form.form, self._method_form.loading
        # Made for the first method that can forgive changes of chips
        self.forgiven: InvarianceSection | None = None
        self._forgiven_place = QVBoxLayout()
        self.learned = MetricSection()
        self.classifier = ClassifierSection()
        self.split = SplitSection()
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
        self._scroll = Fitting(inside)
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        # What is asked for comes first, the history has the rest
        column.addWidget(self._scroll, 100)
        # In its place before it is full: Qt walks over all that is in a widget
        self._lay_out_form(QVBoxLayout(inside))
        cut = line()  # under what goes on below
        self._scroll.verticalScrollBar().rangeChanged.connect(
            lambda _, most: cut.setVisible(most > 0)
        )
        cut.hide()
        foot = QVBoxLayout()
        foot.setContentsMargins(tokens.PAD, 8, tokens.PAD, 8)
        foot.setSpacing(6)
        old = labeled_row(self.stale, self.same_again)
        old.setContentsMargins(0, 0, 0, 0)
        foot.addLayout(old)
        foot.addWidget(self.run_button)
        foot.addWidget(self.estimate)
        column.addWidget(cut)
        column.addLayout(foot)
        column.addWidget(self.running)
        column.addWidget(self.history, 1)
        column.addStretch(0)
        self.setFocusProxy(self.methods)

    def _lay_out_form(self, top: QVBoxLayout) -> None:
        top.setContentsMargins(0, 0, 0, 4)
        top.setSpacing(0)
        top.addWidget(self.data)
        top.addWidget(line())
        heading = labeled_row(text("Method", "secondary"), self.fits)
        heading.setContentsMargins(tokens.PAD, 8, tokens.PAD, 4)
        top.addLayout(heading)
        top.addWidget(self.methods)
        more = Folding(self.all_methods, self.try_out)
        more.setContentsMargins(tokens.PAD + 22, 0, tokens.PAD, 0)
        top.addWidget(more)
        top.addWidget(self.reasons)
        top.addWidget(self.unlock)
        top.addSpacing(6)
        top.addWidget(line())
        top.addSpacing(6)
        top.addWidget(self._method_form)
        top.addLayout(self._forgiven_place)
        top.addSpacing(6)
        top.addWidget(line())
        top.addSpacing(6)
        top.addWidget(self.learned)
        top.addWidget(self.classifier)
        top.addWidget(self.split)
        top.addWidget(self.advice)
        top.addStretch(1)

    def _connect(self) -> None:
        runs, draft = self._runs, self._draft
        self.methods.chosen.connect(draft.choose)
        self.all_methods.clicked.connect(lambda: trigger(self, "run.methods"))
        self.try_out.clicked.connect(self._suggestions.try_recipes)
        self.data.changed.connect(self._set_data)
        self.form.changed.connect(self._set_values)
        self.learned.changed.connect(self._set_metric)
        self.learned.measures.connect(draft.set_distances)
        self.classifier.changed.connect(self._set_classifier)
        self.split.changed.connect(self._set_split)
        filter_of(self.session).read.connect(self._show_columns)
        self.run_button.clicked.connect(runs.start)
        self.running.cancel.clicked.connect(runs.cancel)
        self.history.again.connect(draft.show)
        self.same_again.clicked.connect(self._take_settings_on_show)
        draft.changed.connect(self._show_draft)
        runs.changed.connect(self._show_runs)
        self._suggestions.changed.connect(self._show_suggestions)

    # --- from the forms to the draft

    def _set_data(self) -> None:
        self._set("data", self.data.error(), lambda: self._draft.set_data(self.data.recipe()))

    def _set_values(self) -> None:
        self._set(
            "params", self.form.error(), lambda: self._draft.set_values(self.form.changed_values())
        )

    def _set_metric(self) -> None:
        found = self.learned
        self._set("metric", found.form.error(), lambda: self._draft.set_metric(
            found.chosen, found.values(), ignore_side=found.ignore.isChecked()))

    def _set_classifier(self) -> None:
        found = self.classifier
        self._set("classifier", found.form.error(), lambda: self._draft.set_classifier(
            found.method, found.values(), choose=found.chooses, reads=found.read,
            choose_map=found.chooses_map))

    def _set_split(self) -> None:
        self._set(
            "split", self.split.error(), lambda: self._draft.set_split(self.split.split())
        )

    def _show_columns(self) -> None:
        self.split.show_columns(filter_of(self.session).of_labels)

    def _set(self, part: str, error: str, take: Callable[[], None]) -> None:
        """Take the part of a form, unless one of its values is wrong."""
        if error:
            self._draft.refuse(part, error)
        else:
            take()

    def _take_settings_on_show(self) -> None:
        if self.session.run is not None:
            self._draft.show(self.session.run.recipe)
            self.run_button.setFocus()

    # --- from the draft to the forms

    def _show_draft(self, names: set[str]) -> None:
        draft = self._draft
        if names & {"recipe", "data"}:
            self.data.show_recipe(draft.given)
        if "recipe" in names:
            self.learned.show_recipe(draft.given)
            self.classifier.show_recipe(draft.given)
            nouns = nouns_of(self.session.project)
            self.split.show_nouns(nouns)
            self.reasons.show_nouns(nouns)
            self.split.show_split(draft.given.split)
        if "params" in names:
            self.learned.take_params(draft.params)
            self.classifier.take_params(draft.params)
        self.classifier.show_map(draft.method, draft.given.params)
        if "choices" in names:
            self._show_choices()
        if "method" in names and self.methods.method != draft.method:
            self._show_short_list()
        if names & {"recipe", "params", "method"} or not self._method_form.shows(draft.method):
            self._method_form.show_method(
                draft.method, draft.params.get(draft.method), draft.values
            )
        reads = reads_side(draft.method) or draft.given.distances != "euclidean"
        self.learned.show_known(draft.labeled, reads_side=reads)
        self.learned.show_method(draft.method, pixels=draft.given.features.is_chip)
        self._show_forgiven()
        if names - {"edited"}:
            self._refuse_what_is_wrong()
        self._read_button()

    def _show_forgiven(self) -> None:
        draft = self._draft
        if self.forgiven is None and draft.may_compare_chips:
            self.forgiven = InvarianceSection(self.session)
            self.forgiven.compare_chips.connect(draft.compare_chips)
            self._forgiven_place.addWidget(self.forgiven)
        if self.forgiven is not None:
            self.forgiven.show_method(takes=draft.may_compare_chips, looks=draft.compares_chips,
                                      side=draft.given.features.chip)

    def _show_choices(self) -> None:
        draft = self._draft
        self._show_short_list()
        fitting = sum(not choice.missing for choice in draft.choices)
        self.fits.setText(f"fits your labels: {fitting} of {len(draft.choices)}")
        unlocks = catalogue.unlock_words(draft.labeled)
        self.unlock.setText(unlocks)
        self.unlock.setVisible(bool(unlocks))
        self.classifier.show_labeled(draft.labeled)

    def _show_short_list(self) -> None:
        used = [
            run.recipe.method for _, run in sorted(self.session.project.runs.items(), reverse=True)
        ]
        self.methods.show_choices(
            short_list(self._draft.choices, self._draft.method, used), self._draft.method
        )

    def _refuse_what_is_wrong(self) -> None:
        """A recipe from elsewhere may hold what the forms do not take."""
        errors = {
            "data": self.data.error(),
            "params": self.form.error(),
            "metric": self.learned.form.error(),
            "classifier": self.classifier.form.error(),
        }
        for part, error in errors.items():
            if error and not self._draft.wrong:
                self._draft.refuse(part, error)

    # --- runs

    def _show_runs(self, names: set[str]) -> None:
        runs = self._runs
        if "estimate" in names:
            self.estimate.setText(runs.estimate)
            self.data.say(runs.facts)
            self.split.show_sides(runs.sides)
        if "advice" in names:
            self._show_advice()
        if "stale" in names:
            self._show_stale()
        if "job" in names:
            self._show_job()
        self._read_button()

    def _show_suggestions(self, names: set[str]) -> None:
        found, job = self._suggestions, self._runs.job
        if "sizes" in names:
            self.data.show_sizes(found.sizes)
        if "reasons" in names:
            self.reasons.say(found.reasons, opened="asked" in names)
        if "standing" in names:
            self.reasons.say_standing(found.standing)
        if "trial" in names and found.trial is not None and (job is None or not job.active):
            self.running.show_job(found.trial)
        self._read_button()

    def _read_button(self) -> None:
        why = self._runs.why_not()
        self.run_button.setEnabled(not why)
        self.run_button.setToolTip(why or "Run (Ctrl+Enter)")
        self.try_out.setEnabled(self._suggestions.may_try)

    def _show_advice(self) -> None:
        """What the data say about the embeddings they can have; once dismissed, only another advice
        comes back."""
        advice = "  ".join(self._runs.advice)
        if not advice:
            self.advice.hide()
        elif advice != self.advice.words:
            self.advice.show_message(advice, level="info")

    def _show_job(self) -> None:
        job = self._runs.job
        if job is None:
            self.running.hide()
            self.set_count("")
            return
        was_on_cancel = self.running.cancel.hasFocus()
        self.running.show_job(job)  # why it failed stands in the window
        self._read_button()
        if was_on_cancel and not job.active and self.run_button.isEnabled():
            self.run_button.setFocus()  # and not whatever comes after a button that hides
        self.set_count(f"{job.title}, {percent(job.fraction)}" if job.active else "")

    def _show_stale(self) -> None:
        """Say so where labels or marks are others than those of the run on show."""
        run, given = self._runs.stale, self._draft.given
        other = run is not None and (given.method, given.classifier) != (
            run.recipe.method,
            run.recipe.classifier,
        )
        self.same_again.setVisible(other)
        self.stale.setText(f"Labels changed since run {run.id}" if run is not None else "")
        self.stale.setVisible(run is not None)
