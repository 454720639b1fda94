"""What the graph of neighbors joins, chosen where it says its parts: how many nearest, or how
far."""

from PySide6.QtCore import QRectF, QSignalBlocker, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QVBoxLayout, QWidget

from emberscope_app.latent_view.plates import paint_plate
from emberscope_app.theme.controls import Segmented, number_field, text

NEAREST, RADIUS = "k", "r"


class GraphPlate(QWidget):
    """chosen() : another kind or number was."""

    chosen = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.kinds = Segmented(((NEAREST, "Nearest"), (RADIUS, "Radius")))
        self.kinds.setAccessibleName("What the graph joins")
        self.kinds.set_value(NEAREST)
        self.count = number_field("Nearest neighbors that are joined", 1, 99, 5)
        self.count.setFixedWidth(64)
        self.radius = QDoubleSpinBox()
        self.radius.setAccessibleName("Distance in the features up to which instances are joined")
        self.radius.setDecimals(3)
        self.radius.setRange(0.0, 1e6)
        self.radius.setFixedSize(92, 28)
        self.radius.setSpecialValueText("measuring")  # of 0, where nobody knows one yet
        self.radius.hide()
        self.words = text("")
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        for part in (self.kinds, self.count, self.radius):
            row.addWidget(part)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 6)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.words)
        self.kinds.chosen.connect(self._on_kind)
        self.count.valueChanged.connect(lambda _value: self.chosen.emit())
        self.radius.valueChanged.connect(lambda _value: self.chosen.emit())

    @property
    def kind(self) -> str:
        return self.kinds.value

    def limit(self, most: int) -> None:
        """So many neighbors of each instance are known."""
        with QSignalBlocker(self.count):
            self.count.setMaximum(max(most, 1))

    def offer_radius(self, radius: float) -> None:
        """Begin with this one, in steps that suit it."""
        with QSignalBlocker(self.radius):
            self.radius.setSingleStep(max(radius / 20, 0.001))
            self.radius.setValue(radius)

    def say(self, words: str, *, waits: bool = False) -> None:
        """waits : distances are being measured, and no radius can be chosen."""
        self.radius.setEnabled(not waits)
        self.words.setText(words)
        self.adjustSize()

    def _on_kind(self, kind: str) -> None:
        self.kinds.set_value(kind)
        self.count.setVisible(kind == NEAREST)
        self.radius.setVisible(kind == RADIUS)
        self.adjustSize()
        self.chosen.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_plate(QPainter(self), QRectF(self.rect()))
