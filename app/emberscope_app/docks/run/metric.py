"""The metric of the Run panel: whether distances are learned from side information before the method."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from emberscope import catalogue
from emberscope.project import Recipe
from emberscope_app.docks.run.fields import labeled_row
from emberscope_app.state.method_choices import missing_words
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import text

_NONE = "none"
_HELP = "Learns distances from pairs first: what is the same comes near, what differs parts. The method sees these."
_IGNORE = "Ignore side information"
_IGNORE_HELP = "Runs the same without pairs, distances and the metric: what they change is what differs."


class MetricSection(QWidget):
    """A choice and a switch. `changed` after an edit."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice = QComboBox()
        self.choice.setAccessibleName("Metric")
        self.choice.setToolTip(_HELP)
        self.choice.setMinimumWidth(150)
        self.ignore = QCheckBox(_IGNORE)
        self.ignore.setToolTip(_IGNORE_HELP)
        self.ignore.setAccessibleDescription(_IGNORE_HELP)
        self.ignore.setFixedHeight(tokens.ROW)
        label = text("Metric", "secondary")
        label.setToolTip(_HELP)
        label.setBuddy(self.choice)
        heading = labeled_row(label, self.choice)
        heading.setContentsMargins(tokens.PAD, 0, tokens.PAD, 4)
        own = QHBoxLayout()
        own.setContentsMargins(tokens.PAD, 0, tokens.PAD, 0)
        own.addWidget(self.ignore)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(heading)
        column.addLayout(own)
        self._fill()
        self.choice.activated.connect(lambda _: self.changed.emit())
        self.ignore.clicked.connect(lambda _: self.changed.emit())

    @property
    def chosen(self) -> str:
        """Id of the metric, "" for none."""
        return self.choice.currentData() or ""

    def show_recipe(self, recipe: Recipe) -> None:
        """The metric of a recipe, and whether it ignores side information."""
        self.choice.setCurrentIndex(max(self.choice.findData(recipe.metric), 0))
        self.ignore.setChecked(recipe.ignore_side)

    def show_known(self, known: set[str], *, reads_side: bool) -> None:
        """What there is enough for can be chosen; the switch is there where it switches something.

        known : kinds of labels and of side information there are. reads_side : whether the method reads some itself.
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

    def _fill(self) -> None:
        model = QStandardItemModel(self.choice)
        for id, title in [("", _NONE), *((row.id, row.short) for row in catalogue.METRICS)]:
            item = QStandardItem(title)
            item.setData(id, Qt.ItemDataRole.UserRole)
            model.appendRow(item)
        self.choice.setModel(model)
