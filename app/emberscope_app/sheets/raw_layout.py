"""How frames lie in a file of raw binary: a guess, fields to correct it, and what a frame looks
like then."""

from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QComboBox, QGridLayout, QWidget

from emberscope.base.errors import EmberscopeError
from emberscope_app.pixels.frame_service import Frames, Priority, frame_service
from emberscope_app.pixels.read_errors import ReadFailure
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import Segmented, number_field, primary, text
from emberscope_app.theme.text import Text
from emberscope_app.words import counted

_TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64")
_SIZE = (360, 288)  # px of the image
_USUAL = "640x512,uint16"
_CROOKED = "Slanted lines mean another width."


class Look(NamedTuple):
    """A layout, how many frames there are by it, and one of them as (h, w) uint8."""

    layout: str
    frames: int
    gray: NDArray[np.uint8]


class RawLayoutSheet(Sheet):
    """The file is read in a thread of the frame service, whenever a field changes. Adding it is one
    undo step."""

    def __init__(self, session: Session, parent: QWidget, *, path: Path) -> None:
        super().__init__("How frames lie in it", parent, width=400)
        self._session, self._frames, self._path = session, frame_service(session), path
        self.look: Look | None = None
        self.width_field, self.height_field = (
            number_field("Width", 1, 65_535),
            number_field("Height", 1, 65_535),
        )
        self.offset = number_field("Bytes before the first frame", 0, 2**31 - 1)
        self.kind = QComboBox()
        self.kind.addItems(_TYPES)
        self.kind.setAccessibleName("Type of numbers")
        self.order = Segmented([("little", "Small byte first"), ("big", "Large byte first")])
        self.image, self.note = Text(), text("", "hint")
        self.problem = text("", "error")
        self.button = primary("Add")
        self.button.clicked.connect(self.accept)
        self._lay_out()
        self.default = self.button
        self._ask(None)

    def close_sheet(self) -> None:
        self._frames.cancel(self)
        super().close_sheet()

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setColumnStretch(0, 1)
        rows = (
            ("Width", self.width_field),
            ("Height", self.height_field),
            ("Type of numbers", self.kind),
            ("Bytes before the first frame", self.offset),
        )
        for at, (title, widget) in enumerate(rows):
            grid.addWidget(text(title, "secondary"), at, 0)
            grid.addWidget(widget, at, 1)
        for label in (self.note, self.problem):
            label.setWordWrap(True)
        self.image.setFixedSize(*_SIZE)
        self.image.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.image.setAccessibleName("The frame in the middle")
        self.body.addWidget(text(self._path.name, "secondary"))
        self.body.addLayout(grid)
        for widget in (self.order, self.image, self.note, self.problem, self.button):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        for field in (self.width_field, self.height_field, self.offset):
            field.valueChanged.connect(self._changed)
        self.kind.currentIndexChanged.connect(self._changed)
        self.order.chosen.connect(self._changed)

    def layout_words(self) -> str:
        """The fields, as the option `raw` of readers takes them."""
        big = ",big" if self.order.value == "big" else ""
        offset = f",offset={self.offset.value()}" if self.offset.value() else ""
        size = f"{self.width_field.value()}x{self.height_field.value()}"
        return f"{size},{self.kind.currentText()}{big}{offset}"

    def _changed(self, *_: object) -> None:
        self._ask(self.layout_words())

    def _ask(self, layout: str | None) -> None:
        self._frames.cancel(self)
        self._frames.ask(
            self,
            None,
            partial(_looked, self._path, layout),
            priority=Priority.FILE,
            take=self._show,
            fail=self._fail,
        )

    def _show(self, look: Look) -> None:
        self.look = look
        self._fill(look.layout)
        rows, cols = look.gray.shape
        image = QImage(look.gray.tobytes(), cols, rows, cols, QImage.Format.Format_Grayscale8)
        scaled = QPixmap.fromImage(image).scaled(*_SIZE, Qt.AspectRatioMode.KeepAspectRatio)
        self.image.setPixmap(scaled)
        self.note.setText(
            f"{counted(look.frames, 'frame')}; the one in the middle is shown. {_CROOKED}"
        )
        self.problem.setText("")
        self.button.setEnabled(True)

    def _fail(self, failure: ReadFailure) -> None:
        if self.look is None and not self.width_field.value() > 1:
            self._fill(_USUAL)
        self.image.clear()
        self.note.setText("")
        self.problem.setText(failure.words)
        self.button.setEnabled(False)

    def _fill(self, layout: str) -> None:
        """Show a layout in the fields, without asking for it again."""
        from emberscope.frames.readers.raw import parse_setup

        setup = parse_setup(layout)
        for field, value in ((self.width_field, setup.width), (self.height_field, setup.height),
                             (self.offset, setup.offset)):
            field.blockSignals(True)
            field.setValue(value)
            field.blockSignals(False)
        self.kind.blockSignals(True)
        self.kind.setCurrentText(setup.dtype.name)
        self.kind.blockSignals(False)
        self.order.set_value("big" if ",big" in layout else "little")

    def accept(self) -> None:
        """Add the file as it is shown: one undo step."""
        from emberscope.project.exchange.sources import add_source

        try:
            step = add_source(self._session.project, self._path, raw=self.layout_words())
        except EmberscopeError as error:
            self.problem.setText(str(error))
            return
        (key,) = self._session.project.new_ids()
        self._session.do(step, focus={"source": key, "frame": 0, "labels": ()})
        self.close_sheet()



def _looked(path: Path, layout: str | None, _: Frames) -> Look:
    """A frame of the file as it is laid out, or as that is guessed; in a thread."""
    from emberscope.frames.registry import open_source
    from emberscope.frames.thumbnails import thumbnail

    with open_source(path, raw=layout or "auto") as source:
        frame = source.read(source.n_frames // 2)
        return Look(source.meta()["raw"], source.n_frames, thumbnail(frame, size=_SIZE))
