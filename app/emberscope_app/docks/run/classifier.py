"""The classifier of the Run panel: whether bags are scored beside the embedding, by which method,
with which values."""

import math
from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from emberscope import catalogue
from emberscope.base.param import Param, defaults
from emberscope.project import Recipe
from emberscope.project.model.recipe import FEATURES, MAP, Reads
from emberscope_app.docks.run.fields import ParamForm, choice_row
from emberscope_app.docks.run.fields import shown as shown_value
from emberscope_app.state.runs.method_choices import missing_words
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import text
from emberscope_app.theme.text import Text
from emberscope_app.words import counted

_NONE = "none"
_CHOOSE = "Choose values inside the folds"
_CHOOSE_MAP = "Choose values of the map, too"
_CHOOSE_MAP_HELP = (
    "Makes a map of parts of the training bags for each combination of values of its method that "
    "are not set above, and takes what tells bags apart best. Takes much longer."
)
_READS = "Reads"
_READ = ((FEATURES, "features"), (MAP, "the map"))
_READS_HELP = (
    "Features: those that the method reads. The map: coordinates, of maps made without the bags "
    "that are judged, which says how well the map itself tells bags apart. Takes longer."
)
_CHOOSE_HELP = (
    "Tries values on parts of the training bags; the bags that judge are not seen. "
    "Takes longer."
)
_HELP = (
    "Scores bags and instances by a classifier fitted on other bags: witness scores, "
    "accuracy, ROC area."
)


class ClassifierSection(QWidget):
    """A choice and, once one is made, its parameters. `changed` after an edit."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._params: Mapping[str, tuple[Param, ...]] = {}
        # By classifier: looking at another loses nothing
        self._edited: dict[str, dict[str, object]] = {}
        self._form_of = ""
        self.choice = QComboBox()
        self.choice.setAccessibleName("Bag classifier")
        self.choice.setToolTip(_HELP)
        self._fill()
        self.reads = QComboBox()
        self.reading = self._reading()
        self.form = ParamForm()
        self.form.hide()
        self.about = text("", "secondary")
        self.about.setWordWrap(True)
        self.about.setContentsMargins(tokens.PAD, 2, tokens.PAD, 4)
        self.about.hide()
        self.choose = QCheckBox(_CHOOSE)
        self.choose.setToolTip(_CHOOSE_HELP)
        self.choose.setAccessibleDescription(_CHOOSE_HELP)
        self.choose.setFixedHeight(tokens.ROW)
        self.choose.hide()
        self.choose_map = QCheckBox(_CHOOSE_MAP)
        self.choose_map.setToolTip(_CHOOSE_MAP_HELP)
        self.choose_map.setAccessibleDescription(_CHOOSE_MAP_HELP)
        self.choose_map.setFixedHeight(tokens.ROW)
        self.choose_map.hide()
        self.tried_maps = _tried()
        self._map_method, self._map_given = "", set[str]()
        self.tried = _tried()
        label = text("Bag classifier", "secondary")
        label.setToolTip(_HELP)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(choice_row(label, self.choice))
        column.addWidget(self.about)
        column.addWidget(self.reading)
        own = QHBoxLayout()
        own.setContentsMargins(tokens.PAD, 0, tokens.PAD, 0)
        own.addWidget(self.choose)
        column.addLayout(own)
        column.addWidget(self.tried)
        of_map = QHBoxLayout()
        of_map.setContentsMargins(tokens.PAD, 0, tokens.PAD, 0)
        of_map.addWidget(self.choose_map)
        column.addLayout(of_map)
        column.addWidget(self.tried_maps)
        column.addWidget(self.form)
        self.choice.activated.connect(lambda _: self._on_choice())
        for box in (self.choose, self.choose_map):
            box.clicked.connect(lambda _: self._on_choice())
        self.reads.activated.connect(lambda _: self._on_choice())
        self.form.changed.connect(self._on_edit)

    @property
    def method(self) -> str:
        """Id of the classifier, "" for none."""
        return self.choice.currentData() or ""

    @property
    def read(self) -> Reads:
        """What it reads: features, or the map."""
        return MAP if self.reads.currentData() == MAP else FEATURES

    @property
    def chooses(self) -> bool:
        """Whether values are chosen inside the training folds."""
        return bool(self.method) and self.choose.isChecked()

    @property
    def chooses_map(self) -> bool:
        """Whether values of the map are chosen there, too."""
        return bool(self.method) and self.read == MAP and self.choose_map.isChecked()

    def show_recipe(self, recipe: Recipe) -> None:
        """The classifier of a recipe with its values."""
        if recipe.classifier:
            self._edited[recipe.classifier] = dict(recipe.classifier_params)
        self.choice.setCurrentIndex(max(self.choice.findData(recipe.classifier), 0))
        self.choose.setChecked(recipe.classifier_choose)
        self.choose_map.setChecked(recipe.map_choose)
        self.show_map(recipe.method, recipe.params)
        self.reads.setCurrentIndex(self.reads.findData(recipe.classifier_reads))
        self._form_of = ""
        self._read_form()

    def show_map(self, method: str, given: Iterable[str]) -> None:
        """The method whose map may be read. given : its parameters that somebody set."""
        self._map_method, self._map_given = method, set(given)
        self._read_map()

    def show_labeled(self, labeled: set[str]) -> None:
        """What fits the labels there are can be chosen; the others say what they lack."""
        model = self.choice.model()
        assert isinstance(model, QStandardItemModel)
        for at in range(1, self.choice.count()):
            row = catalogue.method(self.choice.itemData(at))
            missing = missing_words(catalogue.lacks(row, labeled))
            item = model.item(at)
            item.setEnabled(not missing)
            item.setToolTip(missing or row.summary)

    def take_params(self, params: Mapping[str, tuple[Param, ...]]) -> None:
        """The parameters of all methods, once the worker has sent them."""
        self._params = params
        self._read_form()

    def values(self) -> dict[str, object]:
        """The values that are not the usual ones. Raises ParamError where one is wrong."""
        if self.method and self._form_of == self.method:
            return self.form.changed_values()
        given = self._edited.get(self.method, {}) if self.method else {}
        return {name: value for name, value in given.items() if name not in self._open()}

    def _fill(self) -> None:
        model = QStandardItemModel(self.choice)
        for id, title in [("", _NONE), *((row.id, row.short) for row in catalogue.CLASSIFIERS)]:
            item = QStandardItem(title)
            item.setData(id, Qt.ItemDataRole.UserRole)
            model.appendRow(item)
        self.choice.setModel(model)

    def _reading(self) -> QWidget:
        """The row that says what is read; hidden until there is a classifier."""
        self.reads.setAccessibleName("What the bag classifier reads")
        self.reads.setToolTip(_READS_HELP)
        for value, title in _READ:
            self.reads.addItem(title, value)
        label = text(_READS, "secondary")
        label.setToolTip(_READS_HELP)
        row = QWidget()
        row.setLayout(choice_row(label, self.reads))
        row.hide()
        return row

    def _on_choice(self) -> None:
        self._read_form()
        self.changed.emit()

    def _on_edit(self) -> None:
        if self._form_of and not self.form.error():
            self._edited.setdefault(self._form_of, {}).update(self.form.values())
        self.changed.emit()

    def _open(self) -> dict[str, Param]:
        """The parameters that are chosen, so that nobody sets them."""
        tried = {param.name: param for param in self._params.get(self.method, ()) if param.grid}
        return tried if self.chooses else {}

    def _read_map(self) -> None:
        """What may be tried of the map."""
        tried = [param for param in self._params.get(self._map_method, ())
                 if param.grid and not param.advanced and param.name not in self._map_given]
        self.choose_map.setVisible(bool(self.method) and self.read == MAP and bool(tried))
        self.tried_maps.setText(tried_words(tried))
        self.tried_maps.setVisible(self.chooses_map and bool(tried))

    def _read_form(self) -> None:
        method = self.method
        self._read_map()
        params = self._params.get(method) if method else None
        self.choose.setVisible(any(param.grid for param in params or ()))
        tried = self._open()
        self.tried.setText(tried_words(tuple(tried.values())))
        self.tried.setVisible(bool(tried))
        self.form.setVisible(bool(params))
        self.about.setVisible(bool(method))
        self.reading.setVisible(bool(method))
        self.about.setText(catalogue.method(method).summary if method else "")
        shown = [param for param in params or () if param.name not in tried]
        if params and (
            self._form_of != method or [param.name for param in shown] != list(self.form.rows)
        ):
            usual = defaults(shown)
            self.form.show_params(shown, {**usual, **self._edited.get(method, {})}, usual)
        self._form_of = method if params else ""


def _tried() -> Text:
    """What is tried, below the words of its box."""
    found = text("", "secondary")
    found.setWordWrap(True)
    found.setContentsMargins(tokens.PAD + 22, 0, tokens.PAD, 4)
    found.hide()
    return found


def tried_words(params: Sequence[Param]) -> str:
    """"Citers 4, 6; distance min, max: 4 combinations"."""
    if not params:
        return ""
    parts = [
        "\u00a0".join([param.label, *", ".join(map(shown_value, param.grid)).split()])
        for param in params
    ]
    count = math.prod(len(param.grid) for param in params)
    return f"{'; '.join(parts)}: {counted(count, 'combination')}"
