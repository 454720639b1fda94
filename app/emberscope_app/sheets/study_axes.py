"""Axes of a study as a person writes them: their names, examples of values, a row for each."""

import contextlib
from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from emberscope_app.theme.controls import IconButton

AXES = {
    "r": "Looseness r of boxes", "u": "Chip u of the largest target", "share": "Share of labels",
    "noise": "Share of wrong labels", "drawn": "Labels drawn as",
    "minutes": "Minutes of labeling", "classifier": "Bag classifier",
    "d": "Dimensions d", "method": "Method", "features": "Features", "patch": "Patch, px",
    "reduce": "Components first",
    "split": "Split",
}  # fmt: skip
OF_FRAMES = ("r", "u", "features", "patch")  # axes that rows of points have not
EXAMPLES = {
    "r": "0.5, 1, 2, 3", "u": "1, 2, 3", "share": "0.25, 0.5, 1", "noise": "0, 0.1, 0.2",
    "drawn": "spot, frame, relaxed, box", "minutes": "2, 5, 10, 20",
    "classifier": "knn, svm-rbf, network",
    "d": "2, 3, 5, 10", "method": "pca, mi-umap", "features": "hog, infrared",
    "patch": "24, 32, 48", "reduce": "0, 50", "split": "clip; bags",
}  # fmt: skip


def base_words(recipe: Mapping[str, Any]) -> str:
    """"Its recipe: split column:range test=1500; features infrared.": what a study that comes along
    sets in the recipe of the Run panel."""
    parts = []
    for name, value in recipe.items():
        shown = value.values() if isinstance(value, Mapping) else [value]
        said = ", ".join("yes" if each is True else str(each) for each in shown)
        parts.append(f"{name.replace('_', ' ')} {said}")
    return f"Its recipe: {'; '.join(parts)}." if parts else ""


class AxisRow(QWidget):
    """The name of an axis and its values, as "2, 3, 5"."""

    def __init__(self, axis: str, values: str, names: list[str]) -> None:
        super().__init__()
        self.name, self.values = QComboBox(), QLineEdit(values)
        self.values.setCursorPosition(0)  # its first values show
        self.remove = IconButton("x", "Remove this axis", size=24)
        for key in names:
            self.name.addItem(AXES.get(key, key), key)
        if self.name.findData(axis) < 0:
            self.name.addItem(axis, axis)
        self.name.setCurrentIndex(self.name.findData(axis))
        self.name.setAccessibleName("Axis")
        self.values.setAccessibleName("Values")
        self.values.setPlaceholderText("values, with commas between")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.name, 2)
        row.addWidget(self.values, 3)
        row.addWidget(self.remove)

    @property
    def axis(self) -> str:
        """Its name in a study file."""
        return str(self.name.currentData())

    def read(self) -> list[object]:
        """Numbers as numbers; values with a comma in them are separated by semicolons."""
        words = self.values.text()
        parts = words.split(";") if ";" in words else words.split(",")
        return [_value(part.strip()) for part in parts if part.strip()]


def _value(word: str) -> object:
    if word in ("true", "false"):
        return word == "true"
    kinds: tuple[type, ...] = (int, float)
    for kind in kinds:
        with contextlib.suppress(ValueError):
            return kind(word)
    return word
