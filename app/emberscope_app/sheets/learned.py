"""What this run learned: verdicts on bags, labels imputed round by round, what axes are made of,
where witnesses come from."""

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from emberscope.findings.concept_counts import counts_of
from emberscope.findings.concepts import concepts_of
from emberscope.findings.diagrams import changes_plot, roc_plot
from emberscope.findings.imputed_rounds import IMPUTED, Rounds, rounds_of
from emberscope.findings.point_looks import CONCEPT
from emberscope.project import Changes, Project, Run
from emberscope_app.sheets.learned_axes import AxisGlyph, Bars
from emberscope_app.sheets.learned_concepts import ConceptTable, concept_rows
from emberscope_app.sheets.learned_fit import FitPart
from emberscope_app.sheets.learned_part import Part
from emberscope_app.sheets.learned_plots import Confusion, Figures
from emberscope_app.sheets.learned_rules import RulesPart
from emberscope_app.sheets.learned_search import SearchPlots
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.figures import Shown, offer_plot, runs_on_show
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import concepts_edited
from emberscope_app.state.knowledge.imputed_rounds import round_words
from emberscope_app.state.knowledge.learned_facts import (
    Loadings,
    Verdicts,
    chosen_words,
    edge_strokes,
    loadings_of,
    pixel_values,
    rows_of_bags,
    size_words,
    strokes,
    verdicts,
    without_verdict,
    witness_words,
)
from emberscope_app.theme import plot_view, tokens
from emberscope_app.theme.controls import (
    Empty,
    IconButton,
    Scrolling,
    Segmented,
    line,
    text,
    trigger,
)
from emberscope_app.theme.plot_view import PlotView
from emberscope_app.theme.text import Text
from emberscope_app.when.timers import Every
from emberscope_app.words import counted, grouped, method_title, percent

TITLE, WIDTH = "What this run learned", 420
NOTHING = (
    "This run has nothing to show here: its method imputes no labels, finds no concepts, has no "
    "straight axes and keeps no steps of its fit, and no bag classifier was asked for."
)
STEP_MS = 600  # of a round while playing


class LearnedSheet(Sheet):
    """Follows the run on show."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(TITLE, parent, width=WIDTH)
        self._session = session
        self._run: Run | None = None
        self.about = text("", "secondary")
        self.bags, self.rounds, self.axes = (
            BagsPart(session),
            RoundsPart(session),
            AxesPart(session),
        )
        self.rules, self.concepts, self.witnesses = (
            RulesPart(session),
            ConceptsPart(session),
            WitnessPart(session),
        )
        self.fit = FitPart(session)
        self.parts = (self.bags, self.rules, self.concepts, self.rounds, self.axes, self.fit,
                      self.witnesses)
        self.empty = Empty(
            NOTHING, action="Choose a method", on_action=lambda: trigger(self, "run.methods")
        )
        self._lay_out()
        session.changed.connect(self._on_changed)
        session.focus.changed.connect(self._on_focus)
        self._read()

    def close_sheet(self) -> None:
        """Maps that show a round go back to the labels that were kept."""
        self.rounds.stop()
        self._session.focus.set(round=None)
        super().close_sheet()

    def _lay_out(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(tokens.PAD, 4, tokens.PAD, tokens.PAD)
        column.setSpacing(tokens.PAD)
        column.addWidget(self.about)
        for part in self.parts:
            column.addWidget(part)
        column.addWidget(self.empty, 100)
        column.addStretch(1)
        self.pages = Scrolling(inside)
        self.body.setContentsMargins(0, 4, 0, 0)
        self.body.addWidget(self.pages, 1)

    def _read(self) -> None:
        run = self._session.run
        if run is None:
            self.close_sheet()
            return
        if run is self._run:
            return
        self._run = run
        self._session.focus.set(round=None)
        words = (
            f"Run {run.id}, {method_title(run.recipe.method)}, {counted(len(run.ids), 'instance')}"
        )
        self.about.setText(words)
        shown = [part.show_run(run) for part in self.parts]
        for part, there in zip(self.parts, shown, strict=True):
            part.setVisible(there)
        self.empty.sentence.setText(without_verdict(run) or NOTHING)
        self.empty.setVisible(not any(shown))

    def _on_changed(self, changes: Changes) -> None:
        if changes.touch("runs"):
            self._read()
        elif self._session.run is not None and (
            changes.touch("classes", "marks") or concepts_edited(changes)
        ):
            self.bags.show_run(self._session.run)
            self.concepts.show_run(self._session.run)

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names:
            self._read()


class BagsPart(Part):
    """How well the classifier separates bags that it had not seen."""

    def __init__(self, session: Session) -> None:
        super().__init__("Bags by the classifier")
        self._session = session
        self._found: Verdicts | None = None
        self.roc, self.figures, self.confusion = PlotView(236), Figures(), Confusion()
        self.chosen = text("", "secondary")
        self.chosen.setWordWrap(True)
        self.doubt = text("")
        self.doubt.setWordWrap(True)
        for part in (self.roc, self.figures, self.doubt, self.chosen, line(), self.confusion):
            self.column.addWidget(part)
        self.confusion.wanted.connect(self._select)
        offer_plot(
            self.roc, session, lambda: Shown(self.roc.plot, "bags-roc", runs_on_show(session))
        )

    def show_run(self, run: Run) -> bool:
        self._found = verdicts(run)
        if self._found is None:
            return False
        self.note.setText(f"on frames {self._found.title} was not fitted on")
        false, true = self._found.at_zero
        words = f"{percent(true)} found, {percent(false)} false"
        self.roc.show_plot(roc_plot(self._found.fpr, self._found.tpr, self._found.at_zero, words))
        self.figures.show_rows(self._found.figures)
        self.doubt.setText(size_words(run))
        self.doubt.setVisible(bool(self.doubt.text()))
        self.chosen.setText(chosen_words(run))
        self.chosen.setVisible(bool(self.chosen.text()))
        self.confusion.show_verdicts(self._found, glyphs(self._session.project, run))
        return True

    def _select(self, bags: np.ndarray, mode: str) -> None:
        run = self._session.run
        if run is not None:
            self._session.selection.select(run.ids[rows_of_bags(run, bags)], mode=mode, origin=self)


class ConceptsPart(Part):
    """The kinds of targets the run found, as they are shown now; a click selects the instances of
    one."""

    def __init__(self, session: Session) -> None:
        super().__init__("Target concepts")
        self._session = session
        self.words, self.table = text("", "secondary"), ConceptTable()
        self.words.setWordWrap(True)
        self.table.asked.connect(self._select)
        color = QPushButton("Color by concept")
        color.clicked.connect(lambda: session.focus.set(color_by=CONCEPT))
        foot = QHBoxLayout()
        foot.addWidget(color)
        foot.addStretch(1)
        for part in (self.words, self.table):
            self.column.addWidget(part)
        self.column.addLayout(foot)
        self.search = SearchPlots(session)
        self.column.addWidget(self.search)

    def show_run(self, run: Run) -> bool:
        self.search.setVisible(self.search.show_run(run))
        found = concepts_of(run, self._session.project)
        if found is None:
            return False
        self.words.setText(grouped(counts_of(found).sentence))
        self.table.show_rows(concept_rows(self._session.project, found))
        return True

    def _select(self, k: int) -> None:
        run = self._session.run
        found = concepts_of(run, self._session.project)
        if run is not None and found is not None and k < len(found):
            self._session.selection.select(run.ids[found.members(k)], origin=self)


class RoundsPart(Part):
    """Labels after every round of the imputation: a curve, and a slider that colors the maps."""

    def __init__(self, session: Session) -> None:
        super().__init__("Labels imputed")
        self._session = session
        self._found: Rounds | None = None
        self.note.setText("share of labels that each round changed")
        self.plot = PlotView(130, clicks=True)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Round")
        self.slider.setPageStep(1)
        self.slider.setFixedHeight(24)
        self.play = IconButton("play", "Play the rounds", size=24)
        self.words = text("")
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._timer = Every(self, self._next, STEP_MS)
        self._lay_out()
        offer_plot(self.plot, session, lambda: Shown(
            self.plot.plot, "labels-changed", runs_on_show(session), by_command=True))
        self.plot.chosen.connect(lambda x: self._take(round(x)))
        self.slider.valueChanged.connect(self._moved)
        self.slider.sliderPressed.connect(self.stop)
        self.play.clicked.connect(self._toggle)

    def _lay_out(self) -> None:
        self.column.addWidget(self.plot)
        # The knob stands below its round: half of its 12 px further out than the curve
        along = QHBoxLayout()
        along.setContentsMargins(0, 0, plot_view.RIGHT - 6, 0)
        along.setSpacing(0)
        along.addWidget(self.play)
        along.addSpacing(plot_view.LEFT - 6 - self.play.width())
        along.addWidget(self.slider, 1)
        self.column.addLayout(along)
        self.column.addWidget(self.words)

    def show_run(self, run: Run) -> bool:
        self.stop()
        found = rounds_of(run)
        self._found = found if found is not None and found.last else None
        if self._found is None:
            return False
        self.slider.blockSignals(True)
        self.slider.setRange(0, self._found.last)
        self.slider.setValue(self._found.kept)
        self.slider.blockSignals(False)
        self.plot.show_plot(changes_plot(self._found, self._found.kept))
        self._say(self._found.kept)
        return True

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def stop(self) -> None:
        self._timer.stop()
        self._name_button()

    def _toggle(self) -> None:
        if self.playing or self._found is None:
            self.stop()
            return
        self.slider.setValue(0 if self.slider.value() == self._found.last else self.slider.value())
        self._show(self.slider.value())
        self._timer.start()
        self._name_button()

    def _name_button(self) -> None:
        title = "Pause" if self.playing else "Play the rounds"
        self.play.set_icon("pause" if self.playing else "play")
        self.play.setToolTip(title)
        self.play.setAccessibleName(title)

    def _next(self) -> None:
        if self._found is None or self.slider.value() >= self._found.last:
            self.stop()
            return
        self.slider.setValue(self.slider.value() + 1)
        if self.slider.value() == self._found.last:
            self.stop()

    def _take(self, number: int) -> None:
        """A round clicked on; the one already chosen colors the maps too."""
        self.stop()
        self.slider.setFocus()
        self.slider.setValue(number)
        self._show(number)

    def _moved(self, number: int) -> None:
        self._say(number)
        if self._found is not None:
            self.plot.show_plot(changes_plot(self._found, number))
        self._show(number)

    def _show(self, number: int) -> None:
        self._session.focus.set(color_by=IMPUTED, round=number)

    def _say(self, number: int) -> None:
        words = round_words(self._found, number) if self._found is not None else ""
        self.words.setText(grouped(words))
        self.words.setToolTip(words)
        self.slider.setAccessibleDescription(words)


class AxesPart(Part):
    """The features that go most with an axis, and where in the chip they are."""

    def __init__(self, session: Session) -> None:
        super().__init__("What the axes are made of")
        self._session = session
        self._found: Loadings | None = None
        self._axis = 0
        self.segments = Segmented([])
        self.head.addWidget(self.segments)
        self.bars, self.axis_glyph = Bars(), AxisGlyph()
        self.copy = QPushButton("Copy as CSV")
        self.copy.setToolTip("All features with their correlations")
        self.copy.clicked.connect(self._copy)
        hint = text(
            "Correlation with the axis: 1 = the axis is that feature, 0 = no part in it",
            "secondary",
        )
        for part in (hint, self.bars, self.axis_glyph):
            self.column.addWidget(part)
        foot = QHBoxLayout()
        foot.addWidget(self.copy)
        foot.addStretch(1)
        self.column.addLayout(foot)

    def show_run(self, run: Run) -> bool:
        self._found = loadings_of(run)
        if self._found is None:
            return False
        self._axis = min(self._axis, self._found.axes - 1)
        self._offer(self._found.axes)
        self._show_axis(self._axis)
        return True

    def _offer(self, count: int) -> None:
        """One segment per axis."""
        self.head.removeWidget(self.segments)
        self.segments.hide()
        self.segments.deleteLater()
        self.segments = Segmented([(str(i), str(i + 1)) for i in range(count)])
        for i in range(count):
            self.segments.button(str(i)).setAccessibleName(f"Axis {i + 1}")
        self.segments.chosen.connect(lambda key: self._show_axis(int(key)))
        self.head.addWidget(self.segments)
        self.segments.setVisible(count > 1)

    def _show_axis(self, axis: int) -> None:
        if self._found is None:
            return
        self._axis = axis
        self.segments.set_value(str(axis))
        self.bars.show_rows(self._found.strongest(axis))
        values, names = self._found.values[:, axis], self._found.names
        self.axis_glyph.setVisible(self.axis_glyph.show_axis(
            axis, strokes(names, values), pixel_values(names, values), edge_strokes(names, values)))

    def _copy(self) -> None:
        if self._found is not None:
            QGuiApplication.clipboard().setText(self._found.table())
            self._session.say(
                f"Copied {counted(len(self._found.names), 'feature')} with their correlations."
            )


class WitnessPart(Part):
    """Which method the witness scores come from."""

    def __init__(self, session: Session) -> None:
        super().__init__("Witnesses")
        self._session = session
        self.words = Text()
        self.words.setWordWrap(True)
        self.words.setProperty("role", "secondary")
        self.color = QPushButton("Color by witness")
        self.color.clicked.connect(lambda: session.focus.set(color_by="witness"))
        row = QHBoxLayout()
        row.setSpacing(tokens.PAD)
        row.addWidget(self.words, 1)
        row.addWidget(self.color, 0, Qt.AlignmentFlag.AlignTop)
        self.column.addLayout(row)

    def show_run(self, run: Run) -> bool:
        self.words.setText(witness_words(run))
        return bool(self.words.text())


def glyphs(project: Project, run: Run) -> tuple[int, int]:
    """Glyph slots of positive and of negative bags: those of their most frequent classes."""
    found = []
    for sign, usual in ((1, 1), (-1, 2)):
        ids, counts = np.unique(run.bag_classes[run.bag_labels == sign], return_counts=True)
        info = project.classes.get(int(ids[counts.argmax()])) if len(ids) else None
        found.append(info.slot if info is not None else usual)
    return found[0], found[1]
