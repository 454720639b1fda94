"""How the clip in focus is read: what its file says of the camera; data set, band, axis, units,
object parameters."""

from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QGridLayout, QLabel, QWidget

from emberscope.base.errors import EmberscopeError
from emberscope.frames.said import said_rows
from emberscope.project import PutSources
from emberscope.project.model.project import SourceRef
from emberscope_app.pixels.frame_service import Frames, Priority, frame_service
from emberscope_app.pixels.read_errors import ReadFailure
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import Segmented, primary, text

_FIELDS = (  # object parameters: name, title, unit, decimals
    ("emissivity", "Emissivity", "", 3), ("reflected", "Reflected temperature", " \u00b0C", 1),
    ("distance", "Distance", " m", 1), ("air", "Temperature of the air", " \u00b0C", 1),
    ("humidity", "Humidity, 0 to 1", "", 2), ("window", "Temperature of a window", " \u00b0C", 1),
    ("transmission", "Transmission of a window", "", 3),
)
_ENDS = {
    "emissivity": (0.01, 1.0), "transmission": (0.01, 1.0), "humidity": (0.0, 1.0),
    "distance": (0.0, 100_000.0), "air": (-273.0, 200.0),
}  # fmt: skip
_DEGREES = (-273.0, 5000.0)  # of a temperature
_UNITS = (("counts", "Counts"), ("degC", "\u00b0C"), ("K", "K"))


class SourceSheet(Sheet):
    """The file is opened in a thread of the frame service. What is changed is one undo step; labels
    stay."""

    def __init__(self, session: Session, parent: QWidget, *, source: int) -> None:
        self._ref = session.project.sources[source]
        super().__init__("How a clip is read", parent, width=400)
        self._session, self._frames = session, frame_service(session)
        self.said: dict[str, Any] | None = None
        self.fields: dict[str, QDoubleSpinBox] = {}
        # Data set, band, axis: those that the file leaves open
        self.boxes: dict[str, QComboBox] = {}
        self.units: Segmented | None = None
        self.name, self.problem = text(self._ref.name, "secondary"), text("", "error")
        self.rows = QGridLayout()
        self.rows.setColumnStretch(1, 1)
        self.rows.setHorizontalSpacing(16)
        self.button = primary("Read it so")
        self.button.clicked.connect(self.accept)
        self.button.hide()
        for label in (self.name, self.problem):
            label.setWordWrap(True)
        self.body.addWidget(self.name)
        self.body.addLayout(self.rows)
        self.body.addWidget(self.problem)
        self.body.addWidget(self.button)
        self.body.addStretch(1)
        self._frames.ask(
            self,
            None,
            partial(_said, self._ref),
            priority=Priority.FILE,
            take=self._show,
            fail=self._fail,
        )

    def close_sheet(self) -> None:
        self._frames.cancel(self)
        super().close_sheet()

    def _show(self, said: dict[str, Any]) -> None:
        self.said = said
        for title, words in said_rows(said):
            if title != "Object":  # its fields follow
                self._row(title, _value(words))
        others = said.get("other_datasets") or []
        if others:
            self._choose(
                "dataset", "Data set", [(name, name) for name in (said["dataset"], *others)]
            )
        shape, bands = said.get("stored_shape", []), said.get("bands", 1)
        told = ("as the file tells", None)
        if bands > 1:
            self._choose("band", "Band", [told, *((f"{k}", k) for k in range(1, bands + 1))])
        if len(shape) > 2:
            axes = [(f"{axis}, of length {length}", axis) for axis, length in enumerate(shape)]
            self._choose("axis", "Frames by axis", [told, *axes])
        if "columns_first" in said:
            orders = [told, ("rows first", False), ("columns first, as MATLAB writes", True)]
            self._choose("columns_first", "Order of axes", orders)
        if "planck" in said:
            self.units = Segmented(_UNITS)
            self.units.set_value(said["units"])
            self._row("Read as", self.units)
            for name, title, unit, decimals in _FIELDS:
                self._row(title, self._field(name, title, unit, decimals))
        self.button.setVisible(bool(self.boxes) or self.units is not None)
        self.default = self.button

    def _choose(self, option: str, title: str, choices: list[tuple[str, Any]]) -> None:
        """A row that chooses the value of an option of the reader."""
        box = self.boxes[option] = QComboBox()
        box.setAccessibleName(title)
        for words, value in choices:
            box.addItem(words, value)
        box.setCurrentIndex(max(box.findData(self._ref.options.get(option)), 0))
        self._row(title, box)

    def _field(self, name: str, title: str, unit: str, decimals: int) -> QDoubleSpinBox:
        field = QDoubleSpinBox()
        field.setDecimals(decimals)
        low, high = _ENDS.get(name, _DEGREES)
        field.setRange(low, high)
        field.setSingleStep(0.01 if high == 1.0 else 1.0)
        field.setSuffix(unit)
        field.setValue(self.said["object"][name] if self.said else 0.0)
        field.setAccessibleName(title)
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        field.setFixedSize(110, 28)
        self.fields[name] = field
        return field

    def _row(self, title: str, widget: QWidget) -> None:
        at = self.rows.rowCount()
        beside = (
            Qt.AlignmentFlag.AlignTop
            if isinstance(widget, QLabel)
            else Qt.AlignmentFlag.AlignVCenter
        )
        self.rows.addWidget(text(title, "secondary"), at, 0, beside)
        self.rows.addWidget(widget, at, 1)

    def _fail(self, failure: ReadFailure) -> None:
        self.problem.setText(failure.words)

    def asked(self) -> dict[str, Any]:
        """The options that differ from how the clip is read now."""
        said = self.said or {}
        now = {**self._ref.options, "dataset": said.get("dataset")}
        found: dict[str, Any] = {option: box.currentData() for option, box in self.boxes.items()
                                 if box.currentData() != now.get(option)}
        if self.units is not None:
            if self.units.value != said["units"]:
                found["units"] = self.units.value
            step = {name: 10.0**-decimals / 2 for name, _, _, decimals in _FIELDS}
            found |= {name: round(field.value(), 6) for name, field in self.fields.items()
                      if abs(field.value() - said["object"][name]) > step[name]}
        return found

    def accept(self) -> None:
        """Read the clip as it is asked for: one undo step. Frames of another size are refused where
        labels lie on them."""
        from emberscope.project.exchange.sources import read_as

        asked = self.asked()
        if not asked:
            self.close_sheet()
            return
        try:
            new = read_as(self._ref, asked)
        except EmberscopeError as error:
            self.problem.setText(str(error))
            return
        labeled = any(label.source == self._ref.id for label in self._session.project.labels)
        same = (new.n_frames, new.rows, new.cols) == (
            self._ref.n_frames,
            self._ref.rows,
            self._ref.cols,
        )
        if labeled and not same:
            self.problem.setText(f"Its frames are {new.cols} x {new.rows} then, and labels lie on "
                                 f"{self._ref.cols} x {self._ref.rows}. Add it once more instead.")
            return
        title = f"Read {self._ref.name} otherwise"
        self._session.do(PutSources(title=title, before=[self._ref], after=[new]))
        self.close_sheet()


def _value(words: str) -> QWidget:
    label = text(words)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _said(ref: SourceRef, _: Frames) -> dict[str, Any]:
    """What the file says; in a thread."""
    from emberscope.project.exchange.sources import open_ref

    with open_ref(ref) as source:
        return source.meta()
