"""A generated point set: which, how many, how noisy, from which seed."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QWidget

from emberscope.datasets.generated import LARGEST, SETS, GeneratedSet
from emberscope.tasks.points import MakePoints
from emberscope_app.sheets.sheet import Sheet, fields_below_each_other
from emberscope_app.theme.controls import number_field, primary, text

_MOST_IRRELEVANT, _LARGEST_BAG, _LARGEST_SEED = 10_000, 1000, 2**31 - 1
_NO_BAGS = "none"


class GenerateSheet(Sheet):
    """`make` is called with what to make, without its file."""

    def __init__(self, parent: QWidget, make: Callable[[MakePoints], object]) -> None:
        super().__init__("New from generated points", parent, width=440)
        self._make = make
        self.choice = QComboBox()
        self.choice.setAccessibleName("Set")
        for row in SETS:
            self.choice.addItem(row.title, row.id)
        self.about = text("", "secondary")
        self.about.setWordWrap(True)
        self.number = number_field("Number", 1, LARGEST)
        self.counts = text("", "secondary")
        self.noise = QDoubleSpinBox()
        self.noise.setRange(0, 1000)
        self.noise.setDecimals(3)
        self.noise.setSingleStep(0.05)
        self.noise.setFixedSize(110, 28)
        self.noise.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.noise.setAccessibleName("Noise")
        self.irrelevant = number_field("Irrelevant features", 0, _MOST_IRRELEVANT)
        self.bags = number_field("Largest bag", 0, _LARGEST_BAG)
        self.bags.setSpecialValueText(_NO_BAGS)
        self.seed = number_field("Seed", 0, _LARGEST_SEED)
        self.button = self.default = primary("Make and open...")
        self.choice.currentIndexChanged.connect(lambda _: self._read())
        self.button.clicked.connect(self.accept)
        self._lay_out()
        self._read()
        self.choice.setFocus()

    def _lay_out(self) -> None:
        self.body.addWidget(self.choice)
        self.body.addWidget(self.about)
        self.body.addLayout(fields_below_each_other((
            ("Number", self.number, self.counts),
            ("Noise", self.noise, text("standard deviation", "secondary")),
            ("Irrelevant features", self.irrelevant, text("that say nothing", "secondary")),
            ("Largest bag", self.bags, text("of random bags", "secondary")),
            ("Seed", self.seed, text("the same makes the same", "secondary")),
        )))
        self.body.addWidget(self.button)
        self.body.addStretch(1)

    def _read(self) -> None:
        """Another set is chosen: its usual number; bags only where it has none of its own."""
        row = self._row
        self.about.setText(row.about)
        self.counts.setText(row.counts)
        self.number.setMinimum(row.least)
        self.number.setValue(row.number)
        self.bags.setEnabled(row.takes_bags)
        if not row.takes_bags:
            self.bags.setValue(0)

    @property
    def _row(self) -> GeneratedSet:
        return SETS[self.choice.currentIndex()]

    def accept(self) -> None:
        """Hand over what was chosen."""
        self._make(MakePoints(
            name=self._row.id, out="", number=self.number.value(), noise=self.noise.value(),
            irrelevant=self.irrelevant.value(), bag_size=self.bags.value(), seed=self.seed.value(),
        ))  # fmt: skip
