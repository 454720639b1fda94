"""What the method of the Run panel measures by: a metric that is learned first, or distances of
chips."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from emberscope import catalogue
from emberscope.base.param import Param, defaults
from emberscope.project import Recipe
from emberscope.project.model.recipe import Distances
from emberscope_app.docks.run.fields import ParamForm, choice_row
from emberscope_app.state.runs.method_choices import WITH_METRIC, missing_words, takes_no_distances
from emberscope_app.state.runs.run_params import metric_params
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import text

_NONE = "none"
_HELP = (
    "Learns distances from pairs first: what is the same comes near, what differs parts. The "
    "method sees these."
)
_IGNORE = "Ignore side information"
_IGNORE_HELP = (
    "Runs the same without pairs, known distances, the metric and distances of chips: what they "
    "change is what differs."
)
_MEASURES: dict[Distances, tuple[str, str]] = {
    "euclidean": ("of features", "As far apart as the features are."),
    "registration": (
        "of chips, best change",
        "Pixels of two chips are compared after the change that does not matter "
        "and brings them nearest.",
    ),
    "reconstruction": (
        "of chips, step by step",
        "The shortest way from chip to chip, each step after its best change: "
        "for chips that follow each other in small steps.",
    ),
    "tangent-correction": (
        "of chips, tangents",
        "Whether small changes alter two chips in the same way, after the change that does not "
        "matter and makes them most alike: 0 where they do, 1 at most.",
    ),
}


class MetricSection(QWidget):
    """A choice of metric, the parameters of what is chosen, a choice of distances, and a switch.

    `changed` after an edit of the metric or the switch; `measures` with the distances that were
    chosen.
    """

    changed = Signal()
    measures = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._params: Mapping[str, tuple[Param, ...]] = {}
        # By metric: looking at another loses nothing
        self._edited: dict[str, dict[str, object]] = {}
        self._form_of = ""
        self.form = ParamForm()
        self.form.hide()
        self.choice = QComboBox()
        self.choice.setAccessibleName("Metric")
        self.choice.setToolTip(_HELP)
        self.distances = QComboBox()
        self.distances.setAccessibleName("Distances")
        for kind, (title, about) in _MEASURES.items():
            self.distances.addItem(title, kind)
            self.distances.setItemData(
                self.distances.count() - 1, about, Qt.ItemDataRole.ToolTipRole
            )
        self.refused = text("", "error")
        self.refused.setWordWrap(True)
        self.refused.setContentsMargins(tokens.PAD, 0, tokens.PAD, 4)
        self.refused.hide()
        self.ignore = QCheckBox(_IGNORE)
        self.ignore.setToolTip(_IGNORE_HELP)
        self.ignore.setAccessibleDescription(_IGNORE_HELP)
        self.ignore.setFixedHeight(tokens.ROW)
        label = text("Metric", "secondary")
        label.setToolTip(_HELP)
        self._fill()
        self.measured = QWidget()
        self.measured.setLayout(choice_row(text("Distances", "secondary"), self.distances))
        own = QHBoxLayout()
        own.setContentsMargins(tokens.PAD, 0, tokens.PAD, 0)
        own.addWidget(self.ignore)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(choice_row(label, self.choice))
        column.addWidget(self.form)
        column.addWidget(self.measured)
        column.addWidget(self.refused)
        column.addLayout(own)
        self.choice.activated.connect(lambda _: self._on_choice())
        self.form.changed.connect(self._on_edit)
        self.distances.activated.connect(lambda _: self.measures.emit(self.distances.currentData()))
        self.ignore.clicked.connect(lambda _: self.changed.emit())

    @property
    def chosen(self) -> str:
        """Id of the metric, "" for none."""
        return self.choice.currentData() or ""

    def show_recipe(self, recipe: Recipe) -> None:
        """The metric of a recipe with its values, and whether it ignores side information."""
        if recipe.metric:
            self._edited[recipe.metric] = dict(recipe.metric_params)
        self.choice.setCurrentIndex(max(self.choice.findData(recipe.metric), 0))
        self.ignore.setChecked(recipe.ignore_side)
        self.distances.setCurrentIndex(self.distances.findData(recipe.distances))
        self._form_of = ""
        self._read_form()

    def take_params(self, params: Mapping[str, tuple[Param, ...]]) -> None:
        """The parameters of all methods, once the worker has sent them."""
        self._params = params
        self._read_form()

    def values(self) -> dict[str, object]:
        """The values that are not the usual ones. Raises ParamError where one is wrong."""
        if self.chosen and self._form_of == self.chosen:
            return self.form.changed_values()
        return dict(self._edited.get(self.chosen, {})) if self.chosen else {}

    def show_known(self, known: set[str], *, reads_side: bool) -> None:
        """What there is enough for can be chosen; the switch is there where it switches something.

        known : kinds of labels and of side information there are. reads_side : whether the method
        reads some itself.
        """
        model = self.choice.model()
        assert isinstance(model, QStandardItemModel)
        for at in range(1, self.choice.count()):
            row = catalogue.method(self.choice.itemData(at))
            missing = missing_words(catalogue.lacks(row, known))
            item = model.item(at)
            item.setEnabled(not missing)
            item.setToolTip(missing or row.summary)
        self.ignore.setVisible(bool(self.chosen) or reads_side or self.ignore.isChecked())

    def show_method(self, method: str, *, pixels: bool) -> None:
        """Distances can be chosen where the method takes them, and taken back where it does not;
        else they are not there, so that the usual methods have the shorter form.

        pixels : whether the features are pixels. A method whose rules find targets by the features
        better have others: it is offered distances of chips where pixels were chosen already.
        """
        takes_none = takes_no_distances(method)
        offered = not takes_none and (pixels or catalogue.method(method).measured != "embedding")
        refused = takes_none or (WITH_METRIC if self.chosen else "")
        of_chips = self.distances.currentIndex() > 0
        self.measured.setVisible(of_chips or offered)
        self.distances.setEnabled(not refused or of_chips)
        in_the_way = refused if of_chips and not self.ignore.isChecked() else ""
        self.refused.setText(in_the_way)
        self.refused.setVisible(bool(in_the_way))
        self.distances.setToolTip(refused or _MEASURES[self.distances.currentData()][1])
        self.distances.setAccessibleDescription(self.distances.toolTip())

    def _on_choice(self) -> None:
        self._read_form()
        self.changed.emit()

    def _on_edit(self) -> None:
        if self._form_of and not self.form.error():
            self._edited[self._form_of] = self.form.values()
        self.changed.emit()

    def _read_form(self) -> None:
        params = metric_params(self._params.get(self.chosen, ()))
        self.form.setVisible(bool(params))
        if params and self._form_of != self.chosen:
            usual = defaults(params)
            self.form.show_params(params, {**usual, **self._edited.get(self.chosen, {})}, usual)
        self._form_of = self.chosen if params else ""

    def _fill(self) -> None:
        model = QStandardItemModel(self.choice)
        for id, title in [
            ("", _NONE),
            *((row.id, _title(row.short)) for row in catalogue.METRICS),
        ]:
            item = QStandardItem(title)
            item.setData(id, Qt.ItemDataRole.UserRole)
            model.appendRow(item)
        self.choice.setModel(model)


def _title(short: str) -> str:
    """Without the word for its kind, which the row says or the name does not need."""
    return short.removesuffix(" metric").removesuffix(" network")
