"""The Data line of the Run panel: what the method will see, and behind a fold how it is made."""

from dataclasses import dataclass

import msgspec
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from emberscope.bags.recipe import sides_in_words
from emberscope.bags.sizes import FittingSizes
from emberscope.base.errors import ParamError
from emberscope.base.param import Param
from emberscope.project import BagRecipe, FeatureRecipe, Recipe
from emberscope_app.docks.run.fields import ParamForm
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import quiet, text
from emberscope_app.theme.icons import icon
from emberscope_app.theme.look import look

_BAGS = ("level", "patch", "stride", "also", "background", "background_rule")
_FITTED = ("patch", "stride", "also")
_FEATURES = ("kind", "chip")
KINDS = {"hog": "HOG", "hog-seed": "HOG, large chip", "statistics": "statistics", "pixels": "pixels",
         "hog+statistics": "HOG + statistics", "infrared": "infrared", "ehd": "EHD"}


@dataclass(frozen=True, slots=True)
class Sides(Param):
    """Sides of patches, none or more, as a person writes them: "64, 96"."""

    def parse(self, text: str) -> tuple[int, ...]:
        try:
            found = tuple(int(part) for part in text.replace(",", " ").split())
        except ValueError:
            raise ParamError(f"{self.name} is {text!r}", hint="Give sides in px, for example 64, 96.") from None
        self.check(found)
        return found

    def check(self, value: tuple[int, ...]) -> None:
        for side in value:
            if not self._in_range(side):
                raise ParamError(f"{self.name} has {side}", hint=f"Give sides of {self.range_text} px, as 64, 96.")


PARAMS = (
    Param("level", "str", "instance", choices=("instance", "chip"), title="Instances",
          help="instance: patches of a grid inside each label. chip: one instance per label, its box."),
    Param("patch", "int", 32, low=4, high=512, unit="px", title="Patch", when=("level", "instance"),
          help="Side of a grid patch."),
    Param("stride", "int", 16, low=1, high=512, unit="px", title="Stride", when=("level", "instance"),
          help="Step of the grid; smaller gives more instances."),
    Sides("also", "str", (), low=4, high=512, unit="px", title="More sizes", when=("level", "instance"),
          help="Sides of further patches, as 64, 96, in steps of half a patch: for targets that differ in size."),
    Param("background", "int", 0, low=0, high=999, title="Background chips",
          help="Background sampled on every frame where each target is labeled."),
    Param("background_rule", "str", "random", choices=("random", "same-place", "near"), title="Background where",
          help="random: anywhere outside the labels. same-place: where labels of targets lie on other frames; right "
          "where the camera stands still. near: next to labels of targets on the frame."),
    Param("kind", "str", "hog", choices=tuple(KINDS), title="Features", help="What is measured of each chip."),
    Param("chip", "int", 32, low=8, high=512, unit="px", title="Chip",
          help="Side of the square that every support is resampled to."),
    Param("reduce", "int", 50, low=0, high=999, title="Reduce to",
          help="Principal components kept of the features before the method; 0 keeps all features."),
)


class DataSection(QWidget):
    """One line; a click opens the settings. `changed` after an edit."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keep = Recipe()  # fields the form does not show stay as they came
        self.fold = QToolButton()
        self.fold.setCheckable(True)
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.setIconSize(QSize(12, 12))
        self.fold.setFixedHeight(24)
        self.fold.setAccessibleName("Data settings")
        self.facts = text("", "secondary")
        self.facts.setContentsMargins(tokens.PAD + 16, 0, tokens.PAD, 4)
        self.facts.setWordWrap(True)
        self.form = ParamForm()
        usual = {param.name: param.default for param in PARAMS}
        self.form.show_params(PARAMS, usual, usual)
        self._sizes: FittingSizes | None = None
        self.fit = quiet("Fit to labels")
        self.fit.setToolTip("Fill in patch, stride and more sizes")
        self.why = text("", "secondary")
        self.why.setWordWrap(True)
        self._fitting = self._fitting_row()
        self._unfolded(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 4)
        column.setSpacing(0)
        head = QHBoxLayout()
        head.setContentsMargins(8, 0, 0, 0)
        head.addWidget(self.fold)
        head.addStretch(1)
        column.addLayout(head)
        column.addWidget(self.facts)
        column.addWidget(self._fitting)
        column.addWidget(self.form)
        self.fold.toggled.connect(self._on_fold)
        self.form.changed.connect(self._on_edit)
        self.fit.clicked.connect(self._take_sizes)
        look().changed.connect(self._tint)
        self._tint()
        self._summarize()

    def show_recipe(self, recipe: Recipe) -> None:
        """The data part of a recipe."""
        self._keep = recipe
        values: dict[str, object] = {**{name: getattr(recipe.bags, name) for name in _BAGS},
                                  **{name: getattr(recipe.features, name) for name in _FEATURES},
                                  "reduce": recipe.reduce}
        for name, value in values.items():
            self.form.rows[name].set_value(value)
        self.form._show_rows()
        self._summarize()

    def recipe(self) -> Recipe:
        """The recipe with what the form says. Raises ParamError where a value is wrong."""
        found = self.form.values()
        bags = msgspec.structs.replace(self._keep.bags, **{n: found[n] for n in _BAGS if n in found})
        features = msgspec.structs.replace(self._keep.features, **{n: found[n] for n in _FEATURES if n in found})
        return msgspec.structs.replace(self._keep, bags=bags, features=features, reduce=found["reduce"])

    def show_sizes(self, sizes: FittingSizes) -> None:
        """What would fit the labels as they are; a click on the button takes it."""
        self._sizes = sizes
        self.why.setText(sizes.why)
        self._read_fit()

    @property
    def level(self) -> str:
        """instance or chip, as the form says."""
        return str(self.form.rows["level"].value)

    def say(self, words: str) -> None:
        """What the labels give: "278 instances in 180 bags, 324 features"."""
        self.facts.setText(words)
        self.facts.setVisible(bool(words))

    def _fitting_row(self) -> QWidget:
        """What would fit and why, and a button that fills it in, as long as something else is."""
        out = QWidget()
        row = QHBoxLayout(out)
        row.setContentsMargins(tokens.PAD, 4, tokens.PAD, 4)
        row.setSpacing(8)
        row.addWidget(self.why, 1)
        row.addWidget(self.fit, 0, Qt.AlignmentFlag.AlignTop)
        return out

    def _take_sizes(self) -> None:
        assert self._sizes is not None  # the button is hidden until then
        for name in _FITTED:
            self.form.rows[name].set_value(getattr(self._sizes, name))
        self._on_edit()

    def _read_fit(self) -> None:
        sizes = self._sizes
        fits = sizes is not None and not self.form.error() and all(
            self.form.rows[name].value == getattr(sizes, name) for name in _FITTED)
        self.fit.setVisible(not fits)
        self._fitting.setVisible(self.fold.isChecked() and self.level == "instance" and sizes is not None)

    def _unfolded(self, on: bool) -> None:
        self.form.setVisible(on)
        self._read_fit()

    def _on_edit(self) -> None:
        self._summarize()
        self.changed.emit()

    def _on_fold(self, on: bool) -> None:
        self._unfolded(on)
        self._tint()
        self.updateGeometry()

    def _summarize(self) -> None:
        self._read_fit()
        if self.form.error():
            return
        recipe = self.recipe()
        self.fold.setText(describe(recipe.bags, recipe.features))

    def _tint(self) -> None:
        self.fold.setIcon(icon("down" if self.fold.isChecked() else "right", size=12))


def describe(bags: BagRecipe, features: FeatureRecipe) -> str:
    """"Patches 32 px, HOG"."""
    what = f"Patches {sides_in_words(bags.sides)} px" if bags.level == "instance" else "One chip per label"
    return f"{what}, {KINDS[features.kind]}"
