"""The split of the Run panel: what is held out where the run is judged, and on which side the clips
lie."""

import re

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from emberscope.bags.clip_sides import ClipSides
from emberscope.bags.split_recipe import (
    COLUMN,
    SHARED,
    SplitRecipe,
    split_text,
    values_of,
    values_text,
)
from emberscope.base.errors import ParamError
from emberscope.project.nouns import OF_FRAMES, Nouns
from emberscope_app.docks.run.fields import choice_row
from emberscope_app.docks.run.split_strip import SplitStrip
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import text

_HELP = "What is held out where the run is judged: the numbers of a run are of bags it did not see"
_FIXED = (
    ("default", "clips or blocks", "Whole clips where three have bags of both kinds, else frames"),
    ("clip", "whole clips", "Whole clips, dealt into folds"),
    ("bags", "single bags", "Bags one by one: frames of one clip are on both sides"),
)
_OF_POINTS = (
    ("default", "single bags", "Whole point sets where three have bags of both kinds, else bags"),
    ("clip", "whole point sets", "Whole point sets, dealt into folds"),
    ("bags", "bags, always", "Bags one by one, however many point sets there are"),
)
_VALUES = "all, in folds; or 1500, 1400..1600"
_OTHERS = "learned from: all others; or 1000, 2000"
_OWN = "as written"
_AT_THE_END = re.compile(rf"(?:^|\s){SHARED}\s*$")


class SplitSection(QWidget):
    """A choice, the values that judge where a column decides, and the strip. `changed` after an
    edit."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = SplitRecipe()
        self.choice = QComboBox()
        self.choice.setAccessibleName("Held out")
        self.choice.setToolTip(_HELP)
        for key, words, about in _FIXED:
            self.choice.addItem(words, key)
            self.choice.setItemData(self.choice.count() - 1, about, Qt.ItemDataRole.ToolTipRole)
        self.values = QLineEdit()
        self.values.setAccessibleName("Values that judge")
        self.values.setPlaceholderText(_VALUES)
        self.values.setToolTip(
            "Values of the column that judge. A number takes what lies within one twentieth of it. "
            "A value with a comma stands in double quotes. Empty: all values, in folds. Add "
            f"{SHARED} to let frames of one clip lie on both sides"
        )
        self.taught = QLineEdit()
        self.taught.setAccessibleName("Values that are learned from")
        self.taught.setPlaceholderText(_OTHERS)
        self.taught.setToolTip(
            "Values of the column that are learned from, where values that judge are named. Empty: "
            "all others"
        )
        self.strip = SplitStrip()
        self.said = text("", "secondary")
        self.said.setWordWrap(True)
        self.said.setContentsMargins(tokens.PAD, 0, tokens.PAD, 4)
        label = text("Held out", "secondary")
        label.setToolTip(_HELP)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(choice_row(label, self.choice))
        for field in (self.values, self.taught):
            field.setFixedHeight(28)
            field.hide()
            field.editingFinished.connect(self._on_values)
            own = QHBoxLayout()
            own.setContentsMargins(tokens.PAD, 0, tokens.PAD, 4)
            own.addWidget(field)
            column.addLayout(own)
        column.addWidget(self.strip)
        column.addWidget(self.said)
        self.show_sides(())
        self.choice.activated.connect(lambda _: self._on_choice())

    def split(self) -> SplitRecipe:
        """What is chosen. Raises ParamError for values that cannot be read."""
        key = str(self.choice.currentData())
        if not key.startswith(f"{COLUMN}:"):
            return self._shown if key == _OWN else SplitRecipe(kind=key)
        given, shared = self.values.text().strip(), False
        if found := _AT_THE_END.search(given):
            given, shared = given[: found.start()], True
        return SplitRecipe(kind=COLUMN, column=key.partition(":")[2], test=values_of(given),
                           train=values_of(self.taught.text()), shared=shared)

    def error(self) -> str:
        """What is wrong with it, "" for nothing."""
        try:
            self.split()
        except ParamError as error:
            return str(error)
        return ""

    def show_split(self, split: SplitRecipe) -> None:
        """The split of a recipe; one that the choices cannot say stands as it is written."""
        self._shown = split
        key = f"{COLUMN}:{split.column}" if split.kind == COLUMN else split.kind
        own = bool(split.sources or split.folds)
        self._drop(_OWN)
        if own or self.choice.findData(key) < 0:
            if split.kind == COLUMN and not own:
                self.choice.addItem(f"by {split.column}", key)
            else:
                self.choice.addItem(split_text(split), _OWN)
                key = _OWN
        self.choice.setCurrentIndex(self.choice.findData(key))
        self.values.setText(" ".join([values_text(split.test, ", "),
                                      *([SHARED] if split.shared else [])]).strip())
        self.taught.setText(values_text(split.train, ", "))
        self._show_values()

    def show_nouns(self, nouns: Nouns) -> None:
        """Say what is held out in the words of a project."""
        for key, words, about in _FIXED if nouns is OF_FRAMES else _OF_POINTS:
            at = self.choice.findData(key)
            if at >= 0:
                self.choice.setItemText(at, words)
                self.choice.setItemData(at, about, Qt.ItemDataRole.ToolTipRole)
        self.strip.nouns = nouns

    def show_columns(self, names: list[str]) -> None:
        """The columns by which may be split."""
        chosen = self.choice.currentData()
        for at in reversed(range(self.choice.count())):
            key = str(self.choice.itemData(at))
            if key.startswith(f"{COLUMN}:") and key != chosen:
                self.choice.removeItem(at)
        for name in names:
            if self.choice.findData(f"{COLUMN}:{name}") < 0:
                self.choice.addItem(f"by {name}", f"{COLUMN}:{name}")

    def show_sides(self, sides: tuple[ClipSides, ...]) -> None:
        """On which side the clips lie, as the estimate has it."""
        self.strip.show_sides(sides)
        words = self.strip.words() if sides else ""
        self.said.setText(words[:1].upper() + words[1:])
        self.said.setVisible(bool(words))

    def _drop(self, key: str) -> None:
        at = self.choice.findData(key)
        if at >= 0:
            self.choice.removeItem(at)

    def _on_choice(self) -> None:
        if self.choice.currentData() != f"{COLUMN}:{self._shown.column}":
            self.values.clear()  # what is no value of another column
            self.taught.clear()
        self._show_values()
        self.changed.emit()

    def _show_values(self) -> None:
        for field in (self.values, self.taught):
            field.setVisible(str(self.choice.currentData()).startswith(f"{COLUMN}:"))

    def _on_values(self) -> None:
        if self.error() or self.split() != self._shown:
            self.changed.emit()
