"""The Data line of the Run panel: what the method will see, and behind a fold how it is made."""

from dataclasses import dataclass
from pathlib import Path

import msgspec
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from emberscope.bags.recipe import ROWS, gaps_in_words, sides_in_words
from emberscope.bags.sizes import FittingSizes
from emberscope.base.errors import ParamError
from emberscope.base.param import Param
from emberscope.project import BagRecipe, FeatureRecipe, Recipe
from emberscope_app.docks.run.fields import ParamForm, what_is_wrong
from emberscope_app.docks.run.network import NETWORK_PARAMS
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import quiet, text
from emberscope_app.theme.icons import icon
from emberscope_app.theme.look import look
from emberscope_app.words import counted

_BAGS = ("level", "patch", "stride", "also", "background", "background_rule")
_FITTED = ("patch", "stride", "also")
_FEATURES = ("kind", "chip", "bands", "file", "output", "mean", "std")
_REDUCE = "reduce"
KINDS = {
    "hog": "HOG",
    "hog-seed": "HOG, large chip",
    "statistics": "statistics",
    "pixels": "pixels",
    "hog+statistics": "HOG + statistics",
    "infrared": "infrared",
    "ehd": "EHD",
    "cnn": "network",
}


@dataclass(frozen=True, slots=True)
class Sides(Param):
    """Sides of patches, none or more, as a person writes them: "64, 96"."""

    def parse(self, text: str) -> tuple[int, ...]:
        try:
            found = tuple(int(part) for part in text.replace(",", " ").split())
        except ValueError:
            raise ParamError(
                f"{self.name} is {text!r}", hint="Give sides in px, for example 64, 96."
            ) from None
        self.check(found)
        return found

    def check(self, value: tuple[int, ...]) -> None:
        for side in value:
            if not self._in_range(side):
                raise ParamError(
                    f"{self.name} has {side}",
                    hint=f"Give sides of {self.range_text} px, as 64, 96.",
                )


PARAMS = (
    Param(
        "level",
        "str",
        "instance",
        choices=("instance", "chip"),
        title="Instances",
        help="instance: patches of a grid inside each label. chip: one instance per label, its "
             "box.",
    ),
    Param(
        "patch",
        "int",
        32,
        low=4,
        high=512,
        unit="px",
        title="Patch",
        when=("level", "instance"),
        help="Side of a grid patch.",
    ),
    Param(
        "stride",
        "int",
        16,
        low=1,
        high=512,
        unit="px",
        title="Stride",
        when=("level", "instance"),
        help="Step of the grid; smaller gives more instances.",
    ),
    Sides(
        "also",
        "str",
        (),
        low=4,
        high=512,
        unit="px",
        title="More sizes",
        when=("level", "instance"),
        help="Sides of further patches, as 64, 96, in steps of half a patch: for targets that "
             "differ in size.",
    ),
    Param(
        "background",
        "int",
        0,
        low=0,
        high=999,
        title="Background chips",
        help="Background sampled on every frame where each target is labeled.",
    ),
    Param(
        "background_rule",
        "str",
        "random",
        choices=("random", "same-place", "near"),
        title="Background where",
        help="random: anywhere outside the labels. same-place: where labels of targets lie on "
             "other frames; right where the camera stands still. near: next to labels of targets "
             "on the frame.",
    ),
    Param(
        "kind",
        "str",
        "hog",
        choices=tuple(KINDS),
        title="Features",
        help="What is measured of each chip.",
    ),
    *NETWORK_PARAMS,
    Param(
        "chip",
        "int",
        32,
        low=8,
        high=512,
        unit="px",
        title="Chip",
        help="Side of the square that every support is resampled to.",
    ),
    Param(
        "bands",
        "int",
        0,
        low=0,
        high=64,
        title="Bands",
        advanced=True,
        help="0: features of frames as they are shown. Else of each of the first so many bands, "
             "side by side: 3 of color, or the channels of a camera.",
    ),
    Param(
        "reduce",
        "int",
        50,
        low=0,
        high=999,
        title="Reduce to",
        help="Principal components kept of the features before the method; 0 keeps all features.",
    ),
)


class DataSection(QWidget):
    """One line; a click opens the settings, which are made then. `changed` after an edit."""

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
        self._form: ParamForm | None = None
        self._sizes: FittingSizes | None = None
        self.fit = quiet("Fit to labels")
        self.fit.setToolTip("Fill in patch, stride and more sizes")
        self.why = text("", "secondary")
        self.why.setWordWrap(True)
        self._fitting = self._fitting_row()
        self._unfolded(False)
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 4)
        column.setSpacing(0)
        head = QHBoxLayout()
        head.setContentsMargins(8, 0, 0, 0)
        head.addWidget(self.fold)
        head.addStretch(1)
        column.addLayout(head)
        column.addWidget(self.facts)
        column.addWidget(self._fitting)
        self.fold.toggled.connect(self._on_fold)
        self.fit.clicked.connect(self._take_sizes)
        look().changed.connect(self._tint)
        self._tint()
        self._summarize()

    @property
    def form(self) -> ParamForm:
        """The settings."""
        if self._form is None:
            self._form = ParamForm()
            self._form.show_params(
                self._params, self._values(), {param.name: param.default for param in self._params}
            )
            self._form.setVisible(self.fold.isChecked())
            self._form.changed.connect(self._on_edit)
            self._column.addWidget(self._form)
        return self._form

    def show_recipe(self, recipe: Recipe) -> None:
        """The data part of a recipe."""
        other = (recipe.bags.level == ROWS) != (self._keep.bags.level == ROWS)
        self._keep = recipe
        if other and self._form is not None:  # its rows are others, which it makes anew
            self._form.deleteLater()
            self._form = None
            self._unfolded(self.fold.isChecked())
        if self._form is not None:
            values = self._values()
            for name, row in self._form.rows.items():
                row.set_value(values[name])
            self._form.show_rows()
        self._summarize()

    def recipe(self) -> Recipe:
        """The recipe with what the form says. Raises ParamError where a value is wrong."""
        if self._form is None:
            return self._keep
        found = self._form.values()
        bags = msgspec.structs.replace(
            self._keep.bags, **{n: found[n] for n in _BAGS if n in found}
        )
        features = msgspec.structs.replace(
            self._keep.features, **{n: found[n] for n in _FEATURES if n in found}
        )
        return msgspec.structs.replace(
            self._keep, bags=bags, features=features, reduce=found["reduce"]
        )

    def error(self) -> str:
        """What is wrong with the settings, "" if nothing."""
        values = self._values()
        if self._form is None and not any(
            what_is_wrong(param, values[param.name])
            for param in self._params
            if param.when is None or values[param.when[0]] == param.when[1]
        ):
            return ""
        return self.form.error()

    def show_sizes(self, sizes: FittingSizes | None) -> None:
        """What would fit the labels as they are; a click on the button takes it. None: nobody knows
        yet."""
        self._sizes = sizes
        self._read_fit()

    @property
    def level(self) -> str:
        """instance or chip, as the form says."""
        return str(self._now("level"))

    def say(self, words: str) -> None:
        """What the labels give: "278 instances in 180 bags, 324 features"."""
        self.facts.setText(words)
        self.facts.setVisible(bool(words))

    @property
    def _params(self) -> tuple[Param, ...]:
        """What can be set: of point sets, whose rows are as they are, only how they are reduced."""
        if self._keep.bags.level != ROWS:
            return PARAMS
        return tuple(param for param in PARAMS if param.name == _REDUCE)

    def _values(self) -> dict[str, object]:
        """Those of the recipe, by the names of the form."""
        keep = self._keep
        return {**{name: getattr(keep.bags, name) for name in _BAGS},
                **{name: getattr(keep.features, name) for name in _FEATURES}, "reduce": keep.reduce}

    def _now(self, name: str) -> object:
        """A value as the form has it. Raises ParamError where it is wrong."""
        if self._form is None or name not in self._form.rows:
            return self._values()[name]
        return self._form.rows[name].value

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
        fits = sizes is not None and not self.error() and all(
            self._now(name) == getattr(sizes, name) for name in _FITTED)
        gaps = "" if self.error() else gaps_in_words(self.recipe().bags)
        self.why.setText("  ".join(filter(None, (gaps, sizes.why if sizes is not None else ""))))
        self.fit.setVisible(not fits)
        self._fitting.setVisible(
            self.fold.isChecked() and self.level == "instance" and sizes is not None
        )

    def _unfolded(self, on: bool) -> None:
        if on or self._form is not None:
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
        if self.error():
            return
        recipe = self.recipe()
        self.fold.setText(describe(recipe.bags, recipe.features))

    def _tint(self) -> None:
        self.fold.setIcon(icon("down" if self.fold.isChecked() else "right", size=12))


def describe(bags: BagRecipe, features: FeatureRecipe) -> str:
    """"Patches 32 px, HOG", or "Rows of 166 features"."""
    if bags.level == ROWS:
        return f"Rows of {counted(features.width, 'feature')}"
    what = (
        f"Patches {sides_in_words(bags.sides)} px"
        if bags.level == "instance"
        else "One chip per label"
    )
    file = Path(features.file).name if features.kind == "cnn" else ""
    bands = f" of {counted(features.bands, 'band')}" if features.bands else ""
    return f"{what}, {KINDS[features.kind]}{file and ' '}{file}{bands}"
