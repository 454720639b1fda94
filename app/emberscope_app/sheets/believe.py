"""How far to believe this map: what a run measured about itself, as curves, numbers and colors of
the maps."""

import math
from collections.abc import Mapping
from functools import partial

from PySide6.QtWidgets import QGridLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from emberscope.findings.diagrams import agreement_curve, shepard_map
from emberscope.findings.headline import (
    HEADLINE,
    NAMES,
    beside_words,
    chosen_split_words,
    headline,
    instead_words,
    made_from_words,
    part_records,
    worst_words,
)
from emberscope.findings.measures import MEASURES
from emberscope.findings.notes import beside, notes_of
from emberscope.findings.score_words import in_order
from emberscope.findings.shown_axes import NUMBERS as OF_AXES
from emberscope.findings.shown_axes import Axes, axes_words, dimensions, is_part
from emberscope.project import Changes, Project, Run
from emberscope.project.nouns import nouns_of, nouns_of_run
from emberscope_app.plain import menu_text
from emberscope_app.sheets.believe_numbers import Numbers, Row, figure_of
from emberscope_app.sheets.believe_parts import Parts
from emberscope_app.sheets.measure_bar import MeasureBar
from emberscope_app.sheets.notes import NoteList
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.figures import Shown, offer_plot, runs_on_show
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.shown_axes import color_names, shown_axes, title_on_show
from emberscope_app.state.runs.measuring import AXES, CEILING, LACKING
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Scrolling, line, text
from emberscope_app.theme.plot_view import PlotView
from emberscope_app.words import counted, method_title

TITLE, WIDTH = "How far to believe this map", 420
_UNMEANT = ("score", "witness")  # say something of the target, not of the embedding
_COLUMNS = 3


# What each rests on comes after it; of the first that says it all.
MEANINGS = {key: MEASURES[key].means if key != "method_bag_auc" else "" for key in HEADLINE}
NUMBERS = (
    "trustworthiness",
    "continuity",
    "r_nx_auc",
    "q_nx",
    "spearman_global",
    "stress",
    "spread",
    "purity",
    "intrinsic_dimension",
    "short_circuits",
)
_COUNTS = {"short_circuits": 0, "intrinsic_dimension": 1}  # decimals of what is no share


def figure(run: Run, key: str) -> str:
    """A metric with its interval, or its standard error where it is estimated; "" where the run has
    none."""
    return figure_of(run.metrics, key, _COUNTS.get(key, 2))


def headline_rows(project: Project, run: Run, shown: Mapping[str, float], axes: Axes) -> list[Row]:
    """The headline, with what each number rests on, and what spoils it. shown : metrics of the axes
    on show."""
    rows = []
    for found in headline(project, run):
        title = found.title
        if is_part(run, axes) and found.key in OF_AXES:
            rows.append(_of_axes(found.key, MEANINGS[found.key], shown, axes))
            title = f"{title}, all {dimensions(run)} axes"
        beneath = beside_words(run.metrics, found.key, nouns_of_run(run))
        rests = ", ".join(filter(None, (beneath, chosen_split_words(run, found.key))))
        means = "; ".join(filter(None, (MEANINGS[found.key], rests)))
        chance = "; 0.5 is chance" if found.key == "method_bag_auc" and rests else ""
        spoiling = (
            worst_words(project, run, found.key),
            *(note.short for note in beside(run, found.key)),
        )
        spoiled = ", ".join(filter(None, spoiling))
        rows.append(Row(title, found.value, _sentence(f"{means}{chance}"), _sentence(spoiled),
                        _ends(run.metrics, found.key), run.metrics.get(f"{found.key}_ceiling")))
    return rows


def number_rows(run: Run, shown: Mapping[str, float], axes: Axes) -> list[Row]:
    """All other numbers; of a run of more axes than are on show those of these first. shown :
    metrics of these."""
    rows = []
    for key in NUMBERS:
        measure = MEASURES[key]
        scale = "" if measure.counted else measure.unit
        made_from = made_from_words(run.metrics) if key == "purity" else ""
        means, title = "; ".join(filter(None, (measure.means, scale, made_from))), measure.title
        if is_part(run, axes) and key in OF_AXES and figure(run, key):
            rows.append(_of_axes(key, means, shown, axes))
            title = f"{title}, all {dimensions(run)} axes"
        if value := figure(run, key):
            rows.append(Row(title, value, means))
    return rows


def _of_axes(key: str, means: str, shown: Mapping[str, float], axes: Axes) -> Row:
    """The same of the axes on show."""
    value = figure_of(shown, key) or "not measured yet"
    return Row(
        f"{NAMES[key]}, {axes_words(axes)}",
        value,
        means,
        ends=_ends(shown, key),
        best=shown.get(f"{key}_ceiling"),
    )


def _ends(metrics: Mapping[str, float], key: str) -> tuple[float, float] | None:
    """Of the interval of a number that stands in the headline."""
    low, high = (metrics.get(f"{key}_{end}", math.nan) for end in ("low", "high"))
    return (low, high) if math.isfinite(low + high) and not instead_words(metrics, key) else None


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


class BelieveSheet(Sheet):
    """Follows the run on show."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(TITLE, parent, width=WIDTH)
        self._session = session
        self.about = text("", "secondary")
        self.curve, self.shepard = PlotView(188), PlotView(208)
        self._offer_figures()
        self.headline, self.numbers, self.parts = Numbers(), Numbers(), Parts()
        self.measure, self.ceiling, self.flat = (
            MeasureBar(session, what) for what in (LACKING, CEILING, AXES)
        )
        self.colors = _Colors(session)
        self.heavy, self.notes = NoteList(), NoteList()
        self._heavy_part = _part("What spoils these numbers", self.heavy)
        self._parts_part = _part("By clip and class", self.parts)
        self._curve_part = _part("Neighbors kept, above chance", self.curve)
        self._shepard_part = _part("Distances", self.shepard)
        self._notes_part = _part("Other notes of this run", self.notes)
        shown_axes(session).ready.connect(self._read)
        self._lay_out()
        session.changed.connect(self._on_changed)
        session.focus.changed.connect(self._on_focus)
        self._read()

    def _offer_figures(self) -> None:
        for view, name in ((self.curve, "neighbors-kept"), (self.shepard, "distances")):
            offer_plot(view, self._session, partial(self._shown, view, name))

    def _shown(self, view: PlotView, name: str) -> Shown:
        return Shown(view.plot, name, runs_on_show(self._session), by_command=True)

    def _lay_out(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(tokens.PAD, 4, tokens.PAD, tokens.PAD)
        column.setSpacing(tokens.PAD)
        column.addWidget(self.about)
        column.addWidget(self.headline)
        for widget in (self.measure, self.flat, self.ceiling, self._heavy_part, self._parts_part):
            column.addWidget(widget)
        column.addWidget(_part("Color both maps by", self.colors))
        for part in (self._curve_part, self.numbers, self._shepard_part, self._notes_part):
            column.addWidget(part)
        column.addStretch(1)
        self.body.setContentsMargins(0, 4, 0, 0)
        self.body.addWidget(Scrolling(inside), 1)

    def _read(self) -> None:
        run = self._session.run
        if run is None:
            self.close_sheet()
            return
        words = (
            f"Run {run.id}, {method_title(run.recipe.method)}, {counted(len(run.ids), 'instance')}"
        )
        self.about.setText(words)
        project, shown = self._session.project, shown_axes(self._session)
        of_axes = shown.numbers(run), shown.axes(run)
        self.headline.show_rows(headline_rows(project, run, *of_axes), _keys_words(run))
        self.numbers.show_rows(number_rows(run, *of_axes))
        parts = part_records(project, run)
        self._parts_part.setVisible(self.parts.show_records(parts, nouns_of_run(run)))
        for bar in (self.measure, self.flat, self.ceiling):
            bar.setVisible(bar.show_run(run))
        self._curve_part.setVisible(self.curve.show_plot(agreement_curve(run.diagnostics)))
        rank = run.metrics.get("spearman_global", math.nan)
        self._shepard_part.setVisible(self.shepard.show_plot(shepard_map(run.diagnostics, rank)))
        notes = notes_of(run)
        self._heavy_part.setVisible(
            self.heavy.show_notes([note for note in notes if note.weight != "remark"])
        )
        self._notes_part.setVisible(
            self.notes.show_notes([note for note in notes if note.weight == "remark"])
        )
        self.colors.read()

    def _on_changed(self, changes: Changes) -> None:
        if changes.touch("runs", "sources", "classes"):
            self._read()

    def _on_focus(self, names: set[str]) -> None:
        if names & {"run", "axes"}:
            self._read()
        elif "color_by" in names:
            self.colors.read()


class _Colors(QWidget):
    """A button for the class and one for every number of an instance that the run has."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.buttons: dict[str, QToolButton] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(6)

    def read(self) -> None:
        run = self._session.run
        scores = color_names(run, in_order(run.point_scores)) if run is not None else []
        wanted = ["class", *(name for name in scores if name not in _UNMEANT)]
        if list(self.buttons) != wanted:
            for old in self.buttons.values():
                old.hide()
                old.deleteLater()
            self.buttons = {name: self._make(name, at) for at, name in enumerate(wanted)}
        for name, button in self.buttons.items():
            button.setChecked(name == self._session.focus.color_by)

    def _make(self, name: str, at: int) -> QToolButton:
        button = QToolButton()
        title = title_on_show(name, nouns_of(self._session.project))
        button.setText(menu_text(title))
        button.setAccessibleName(f"Color by {title}")
        button.setCheckable(True)
        button.setProperty("role", "chip")
        button.setFixedHeight(24)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.clicked.connect(lambda: self._choose(name))
        self._grid.addWidget(button, at // _COLUMNS, at % _COLUMNS)
        return button

    def _choose(self, name: str) -> None:
        self._session.focus.set(color_by=name)
        self.read()  # a click on the chosen one leaves it chosen


def _keys_words(run: Run) -> str:
    """What files and the command line call the numbers of the headline."""
    found = ", ".join(f"{NAMES[key]} is {key}" for key in MEANINGS if key in run.metrics)
    return f"In files and on the command line: {found}" if found else ""


def _part(title: str, inside: QWidget) -> QWidget:
    """A heading over something."""
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(6)
    column.addWidget(line())
    column.addWidget(text(title, "title"))
    column.addWidget(inside)
    return holder
