"""A new study: its axes, what it takes, the grid as it fills, what it says."""

from typing import Any

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from emberscope.base.errors import EmberscopeError
from emberscope.findings.headline import HEADLINE
from emberscope.findings.measures import title_of
from emberscope.findings.studied.curve import CURVE, curve_axes, study_curve
from emberscope.findings.studied.grid import PlaceScore, grid_panels
from emberscope.project.model.study import SEED, Study, read_study, sample_studies
from emberscope.tasks.studies import StudyFound
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.sheets.study_axes import AXES, EXAMPLES, OF_FRAMES, AxisRow, base_words
from emberscope_app.state.core.figures import (
    DATA,
    PICTURES,
    Shown,
    ask_for_study,
    offer_plot,
)
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.computing import computing
from emberscope_app.state.runs.studying import TITLE, Studying
from emberscope_app.theme.controls import (
    Scrolling,
    number_field,
    primary,
    text,
)
from emberscope_app.theme.plot_view import PlotView
from emberscope_app.theme.tile_panels import TilePanels
from emberscope_app.theme.tile_view import TileView
from emberscope_app.words import about, counted

_ABOUT = (
    "A study runs the recipe of the Run panel once for every combination of the values below, and "
    "says which is best. Cells that are done are kept: it can be stopped at any time."
)
_OWN = "Axes of your own"
_OF_CLASSIFIER = ("bag_auc", "bag_accuracy")
_HALVING = "Drop the worse places early"
_HALVING_HELP = (
    "Successive halving: every place gets one repeat, or a ninth of the labels without repeats, "
    "and only the better third goes on to three times as much. Faster; the best may be missed."
)
_NO_REPORT = "It is there once a study has ended. Cells that are done are not computed again."
_MOST_SEEDS = 20
_GRID = 300  # px of the grid that are always seen where it is as high


class StudySheet(Sheet):
    """Writing a study asks what it takes; the grid fills while it runs."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(TITLE, parent, width=560)
        self._session, self.studying = session, session.only(Studying)
        self.start_from, self.score = QComboBox(), QComboBox()
        self.seeds = number_field("Repeats", 1, _MOST_SEEDS, 3)
        self.axes: list[AxisRow] = []
        self.more = QPushButton("Add an axis")
        self.cost, self.answer, self.said = text("", "secondary"), text("", "title"), text("")
        self.run_place, self.go = QPushButton("Run this place"), primary("Start")
        self.halving = QCheckBox(_HALVING)
        self.halving.setToolTip(_HALVING_HELP)
        self.halving.setAccessibleDescription(_HALVING_HELP)
        self.base = text("", "secondary")
        self.given: dict[str, Any] = {}
        self.again = QPushButton("Try again what was given up")
        self.default = self.go
        self.grid = TilePanels()
        self.grid_area = Scrolling(self.grid)
        self.grid.chosen.connect(self._choose)
        self.figure, self.data = QPushButton("Save figure..."), QPushButton("Save its data...")
        self.report = QPushButton("Save report...")
        self.curve, self.over = PlotView(150), QComboBox()
        self.over.setAccessibleName("Axis of the curve")
        self.over.activated.connect(lambda _: self._show_grid())
        offer_plot(self.curve, session, lambda: Shown(self.curve.plot, CURVE, ()))
        self._chosen = -1
        self._rows = QVBoxLayout()
        for words in (self.cost, self.answer, self.said, self.base):
            words.setWordWrap(True)
        self._lay_out()
        self._fill_choices()
        self.start_from.activated.connect(lambda _: self._begin_with())
        self.score.activated.connect(lambda _: self._write())
        self.seeds.valueChanged.connect(lambda _: self._write())
        self.more.clicked.connect(lambda: self._add())
        self.go.clicked.connect(self._start_or_stop)
        self.again.clicked.connect(lambda: self._start(again=True))
        self.run_place.clicked.connect(self._run_place)
        self.studying.changed.connect(self._read)
        if self.studying.study is None:
            self._begin_with()
        else:
            self._go_on(self.studying.study)

    def _lay_out(self) -> None:
        about = text(_ABOUT, "secondary")
        about.setWordWrap(True)
        self.body.addWidget(about)
        form = QGridLayout()
        form.setHorizontalSpacing(12)
        form.setColumnStretch(1, 1)
        fields = (("Begin with", self.start_from), ("Compared by", self.score),
                  ("Repeats", self.seeds))
        for row, (name, field) in enumerate(fields):
            label = text(name)
            label.setBuddy(field)
            field.setAccessibleName(name)
            form.addWidget(label, row, 0)
            form.addWidget(field, row, 1)
        self.body.addLayout(form)
        self.body.addWidget(self.base)
        self._rows.setSpacing(6)
        self.body.addLayout(self._rows)
        self.body.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self.body.addWidget(self.halving)
        self.body.addLayout(_beside(self.cost, self.go))
        self.body.addWidget(self.again, 0, Qt.AlignmentFlag.AlignRight)
        self.body.addWidget(self.answer)
        self.body.addWidget(self.grid_area, 1)
        self.body.addWidget(self.over, 0, Qt.AlignmentFlag.AlignRight)
        self.body.addWidget(self.curve)
        self.body.addLayout(_beside(self.said, self.run_place))
        self.figure.clicked.connect(lambda: self.save(PICTURES))
        self.data.clicked.connect(lambda: self.save(DATA))
        self.report.clicked.connect(self.studying.ask_for_report)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.figure)
        foot.addWidget(self.data)
        foot.addWidget(self.report)
        foot.addStretch(1)
        self.body.addLayout(foot)

    def _fill_choices(self) -> None:
        for name in sample_studies():
            study = read_study(name)
            if set(study.axes) - {SEED} <= set(self.names()):
                self.start_from.addItem(study.title, name)
        self.start_from.addItem(_OWN, "")
        self.score.addItem("The first of the headline", "")
        for key in (*HEADLINE, *_OF_CLASSIFIER):
            self.score.addItem(title_of(key), key)

    # --- writing

    def _begin_with(self) -> None:
        """Show the axes of a study that comes along, or one to begin with."""
        name = self.start_from.currentData()
        study = read_study(name) if name else Study(axes={"d": [2, 3, 5, 10]})
        self.given = study.recipe
        self._show(study)

    def _go_on(self, study: Study) -> None:
        """Show the study that was written before, as the sheet was closed."""
        own = self.start_from.findData("")
        self.start_from.setCurrentIndex(max(self.start_from.findText(study.title), 0))
        if self.start_from.currentText() != study.title:
            self.start_from.setCurrentIndex(own)
        self.given = self.studying.given
        self.seeds.setValue(len(study.axes.get(SEED, (0,))))
        self._show(study)

    def _show(self, study: Study) -> None:
        self.score.setCurrentIndex(max(self.score.findData(study.score), 0))
        self.base.setText(base_words(self.given))
        self.base.setVisible(bool(self.given))
        for row in list(self.axes):
            self._remove(row, write=False)
        for axis, values in study.axes.items():
            if axis != SEED:
                self._add(axis, ", ".join(map(str, values)), write=False)
        self._write()

    def _add(self, axis: str = "", values: str = "", *, write: bool = True) -> None:
        there = {row.axis for row in self.axes}
        axis = axis or next((name for name in self.names() if name not in there), "d")
        row = AxisRow(axis, values or EXAMPLES[axis], [*self.names(), *self._parameters()])
        row.values.textEdited.connect(lambda _: self._edited())
        row.name.activated.connect(lambda _: self._rename(row))
        row.remove.clicked.connect(lambda: self._remove(row))
        self.axes.append(row)
        self._rows.addWidget(row)
        if write:
            row.values.setFocus()
            self._edited()

    def names(self) -> list[str]:
        """Axes that are offered, without parameters of the method: of points none of frames."""
        of_points = self._session.project.of_points
        return [name for name in AXES if not (of_points and name in OF_FRAMES)]

    def _edited(self) -> None:
        """A person changed an axis: it is not the study any more that came along."""
        self.start_from.setCurrentIndex(self.start_from.findData(""))
        self._write()

    def _rename(self, row: AxisRow) -> None:
        row.values.setText(EXAMPLES.get(row.axis, ""))
        row.values.setFocus()
        self._edited()

    def _remove(self, row: AxisRow, *, write: bool = True) -> None:
        self.axes.remove(row)
        self._rows.removeWidget(row)
        row.hide()
        row.deleteLater()
        if write:
            self._edited()

    def _parameters(self) -> list[str]:
        """Parameters of the method in the Run panel that are no axis by another name."""
        draft = self._session.runs.draft
        names = [param.name for param in draft.params.get(draft.method, ())]
        return [name for name in names if name not in ("n_components", "random_state")]

    def _write(self) -> None:
        """Another study is wanted."""
        axes = {row.axis: row.read() for row in self.axes}
        if len(axes) < len(self.axes):
            self.studying.write(None, "Two rows are of one axis.")
            return
        axes[SEED] = list(range(self.seeds.value()))
        recipe = msgspec.to_builtins(self._session.runs.draft.recipe)
        recipe.pop(SEED, None)
        recipe |= self.given
        try:
            study = Study(title=self.start_from.currentText(), score=self.score.currentData(),
                          recipe=recipe, axes=axes)
        except EmberscopeError as error:
            self.studying.write(None, str(error))
            return
        self.studying.given = self.given
        self.studying.write(study)

    # --- filling

    def _start_or_stop(self) -> None:
        if self.studying.filling:
            self.studying.stop()
        else:
            self._start()

    def _start(self, *, again: bool = False) -> None:
        self.studying.start(again=again, halving=self.halving.isChecked())

    def _read(self) -> None:
        studying = self.studying
        self.cost.setText(self._cost_words())
        self.go.setText("Stop" if studying.filling else "Start")
        self.go.setEnabled(studying.filling or (studying.plan is not None and not studying.error))
        self.again.setVisible(bool(studying.plan and studying.plan.given_up))
        self.again.setEnabled(self.go.isEnabled() and not studying.filling)
        for field in (self.start_from, self.score, self.seeds, self.more, self.halving,
                      *self.axes):
            field.setEnabled(not studying.filling)
        self.answer.setText(self.found.answer if self.found else "")
        self.answer.setVisible(bool(self.answer.text()))
        self._show_grid()
        there = bool(self.places)
        for button in (self.figure, self.data):
            button.setEnabled(there)
        self.report.setEnabled(self.found is not None)
        self.report.setToolTip("" if self.report.isEnabled() else _NO_REPORT)
        self._say(self._chosen)

    def _cost_words(self) -> str:
        studying = self.studying
        if studying.filling:
            done = sum(place.mean is not None for place in studying.places)
            return f"{done} of {counted(len(studying.places), 'place')} done."
        if studying.error:
            return studying.error
        if studying.plan is None:
            return "Counting the cells." if studying.planning else ""
        plan = studying.plan
        ready = f", {plan.done} done" if plan.done else ""
        ready += f", {plan.given_up} given up" if plan.given_up else ""
        left = plan.done + plan.given_up < plan.cells
        took = f", {about(plan.seconds)}" if left else ""
        said = [*(self.found.notes if self.found else []), *plan.notes]
        where = computing().words if left else ""
        cells = f"{counted(plan.cells, 'cell')}{ready}{took}."
        return " ".join(filter(None, [cells, where, *said[:1]]))

    def _show_grid(self) -> None:
        panels = grid_panels(self.places, self.measure)
        self.grid.show_panels(panels, self._chosen)
        self.grid_area.setMinimumHeight(min(self.grid.sizeHint().height(), _GRID) if panels else 0)
        self._show_curve(self.places, self.measure)

    @property
    def places(self) -> list[PlaceScore]:
        """Of the study that the fields say."""
        studying = self.studying
        return studying.places_planned if studying.of_plan else studying.places_known

    @property
    def measure(self) -> str:
        """That these places are compared by."""
        plan = self.studying.plan if self.studying.of_plan else None
        return plan.score if plan is not None and plan.score else self.studying.score_known

    @property
    def found(self) -> StudyFound | None:
        """What that study came to, None as long as it has not ended."""
        return None if self.studying.of_plan else self.studying.found

    @property
    def views(self) -> list[TileView]:
        """A table for each panel of the grid."""
        return self.grid.views

    def _show_curve(self, places: list[PlaceScore], score: str) -> None:
        """The curve over the axis that is chosen, where there are several."""
        axes = curve_axes(places)
        if [self.over.itemData(at) for at in range(self.over.count())] != axes:
            self.over.clear()
            for axis in axes:
                self.over.addItem(f"Over {AXES.get(axis, axis)}", axis)
        chosen = self.over.currentData() or ""
        there = self.curve.show_plot(study_curve(places, score, chosen))
        self.curve.setVisible(there)
        self.over.setVisible(there and len(axes) > 1)

    def save(self, forms: tuple[str, ...]) -> None:
        """Ask where the grid goes as a figure, or its data."""
        ask_for_study(self._session, self.studying.title, self.places, self.measure, forms)

    def _say(self, number: int) -> None:
        """Say what a place reached."""
        known = [] if self.studying.of_plan else self.studying.places
        self._chosen = number if number < len(known) else -1
        there = self._chosen >= 0
        self.said.setText(self.studying.places[number].spoken if there else "")
        self.run_place.setVisible(there)
        able = there and number < len(self.studying.recipes) and (
            self.studying.recipes[number] is not None)
        self.run_place.setEnabled(able and not self.studying.filling)
        self.run_place.setToolTip("" if able else "The study changed labels for it.")

    def _choose(self, number: int) -> None:
        self._say(number)
        self._show_grid()

    def _run_place(self) -> None:
        if self.studying.run_place(self._chosen):
            self.close_sheet()


def _beside(left: QWidget, right: QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addWidget(left, 1)
    row.addWidget(right, 0, Qt.AlignmentFlag.AlignTop)
    return row
