"""Choices of the export of bags as single vectors: whose map, learned by what, how many numbers."""


from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from emberscope.tasks.export import VectorChoice
from emberscope_app.theme.controls import Segmented, number_field, text
from emberscope_app.theme.sign import Sign

CONCEPTS = "concepts"
# id, title, what it is, whether that is a warning
_VARIANTS = (
    (
        "global",
        "Global",
        "One map, learned from all instances. Coordinates mean the same in every bag.",
        False,
    ),
    (
        "mixed",
        "Mixed",
        "One map, half of whose neighbors lie within bags. Coordinates mean the same in every bag.",
        False,
    ),
    (
        "per-bag",
        "Per bag",
        "A map for each bag: coordinates of different bags cannot be compared, and small bags get "
        "zeros, which tell a classifier their size. Prefer Global.",
        True,
    ),
    (
        "aligned",
        "Aligned",
        "A map for each bag, turned toward the others. In tests that made coordinates no more "
        "comparable. Prefer Global.",
        True,
    ),
    (
        CONCEPTS,
        "Concepts",
        "Distances to target concepts, found in all bags of the run with their labels: scores of a "
        "classifier on these vectors are too hopeful.",
        False,
    ),
)
_PROJECTIONS = (("pole", "pOLE"), ("lpp", "LPP"), ("pca", "PCA"))
_USUAL = 10
_MOST = 200  # concepts, as of FCMI


class VectorChoices(QWidget):
    """What `emberscope convert` asks for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.variant = Segmented([(id, title) for id, title, *_ in _VARIANTS])
        self.variant.set_value("global")
        self.projection = Segmented(_PROJECTIONS)
        self.projection.set_value("pole")
        self.dimensions = number_field("Numbers per bag", 1, _USUAL)
        self.dimensions.setValue(_USUAL)
        self.concepts = number_field("Concepts", 0, _MOST)
        self.concepts.setSpecialValueText("auto")
        self.rows: dict[str, QWidget] = {}
        self.glyph, self.about, self.range = Sign("warn"), text("", "secondary"), text("", "hint")
        self.about.setWordWrap(True)
        self._lay_out()
        self.variant.chosen.connect(self._show)
        self._show()

    @property
    def values(self) -> VectorChoice:
        """What was chosen about the conversion."""
        if self.variant.value == CONCEPTS:
            count = self.concepts.value()
            return VectorChoice(
                variant=CONCEPTS, settings={"n_concepts": str(count)} if count else {}
            )
        return VectorChoice(variant=self.variant.value, projection=self.projection.value,
                            n_components=self.dimensions.value())

    @property
    def warns(self) -> bool:
        """Whether the choice comes with a warning."""
        return next(bad for id, _, _, bad in _VARIANTS if id == self.variant.value)

    def limit(self, features: int) -> None:
        """No more numbers per bag than there are features."""
        self.dimensions.setMaximum(max(features, 1))
        self.range.setText(f"1 \u2013 {self.dimensions.maximum()}")

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        about_row = QHBoxLayout()
        about_row.setSpacing(8)
        about_row.addWidget(self.glyph, 0, Qt.AlignmentFlag.AlignTop)
        about_row.addWidget(self.about, 1)
        column.addWidget(text("Map", "secondary"))
        column.addWidget(self.variant)
        column.addLayout(about_row)
        for title, *fields in (
            ("Learned by", self.projection),
            ("Numbers per bag", self.range, self.dimensions),
            ("Concepts", self.concepts),
        ):
            self.rows[title] = QWidget()
            column.addWidget(self.rows[title])
            row = QHBoxLayout(self.rows[title])
            row.setContentsMargins(0, 0, 0, 0)
            row.addWidget(text(title))
            row.addStretch(1)
            for field in fields:
                row.addWidget(field)

    def _show(self, *_: object) -> None:
        """What the variant means; PCA has no graph that could be mixed."""
        self.about.setText(next(about for id, _, about, _ in _VARIANTS if id == self.variant.value))
        self.glyph.setVisible(self.warns)
        for title, row in self.rows.items():
            row.setVisible((title == "Concepts") == (self.variant.value == CONCEPTS))
        mixed = self.variant.value == "mixed"
        if mixed and self.projection.value == "pca":
            self.projection.set_value("pole")
        self.projection.button("pca").setEnabled(not mixed)
        self.projection.button("pca").setToolTip("Has no neighbors to mix" if mixed else "")

