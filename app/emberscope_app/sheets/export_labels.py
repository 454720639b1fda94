"""Choices of the export of labels to other programs: which format, and what it cannot hold, before
it is written."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QVBoxLayout, QWidget
from shiboken6 import isValid

from emberscope.labels.formats.table import FORMATS
from emberscope.project import to_snapshot
from emberscope.tasks.export import ExportLook, LabelChoice, LookAtExport
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Job
from emberscope_app.theme.controls import Segmented, text
from emberscope_app.when.timers import Later
from emberscope_app.words import counted

_SETTLE_MS = 300  # after the last change, before the worker is asked
_FRAMES = (("0", "None"), ("16", "16 bit"), ("8", "8 bit"))
_LOOKING = "Looking what the format cannot hold..."
_HOLDS_ALL = "The format holds all of it."


class LabelChoices(QWidget):
    """The format, whether frames are written beside, and what is lost. `looked` says that this is
    known anew."""

    looked = Signal()
    chosen = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._folder = Path()
        self._question: Job | None = None
        self.obstacles: list[str] = []
        self.form = QComboBox()
        self.form.setAccessibleName("Format")
        self.form.setFixedHeight(28)
        for row in FORMATS.values():
            self.form.addItem(row.title, row.id)
        self.frames = Segmented(_FRAMES)
        self.frames.set_value("0")
        self.files, self.lost = text("", "hint"), text("", "secondary")
        self.force = QCheckBox("Replace them")
        self.force.toggled.connect(lambda _: self.looked.emit())
        for words in (self.files, self.lost):
            words.setWordWrap(True)
        self._settle = Later(self, self._ask, _SETTLE_MS)
        self.form.currentIndexChanged.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for widget in (
            self.form,
            self.files,
            self.lost,
            text("Labeled frames as PNG images", "secondary"),
            self.frames,
            self.force,
        ):
            column.addWidget(widget)
        self._choose()

    @property
    def values(self) -> LabelChoice:
        """What was chosen besides the format."""
        return LabelChoice(frames=int(self.frames.value), force=self.force.isChecked())

    @property
    def free(self) -> bool:
        """Whether nothing is in the way, or may be replaced."""
        return not self.obstacles or self.force.isChecked()

    @property
    def problem(self) -> str:
        """What is in the way, "" for nothing."""
        if not self.obstacles:
            return ""
        count = len(self.obstacles)
        which = (
            self.obstacles[0]
            if count == 1
            else f"{counted(count, 'file')} such as {self.obstacles[0]}"
        )
        return (
            f"{which} in the folder would be replaced, which no export in this format left like "
            "this."
        )

    def look_at(self, folder: Path) -> None:
        """Ask what would be lost, and what lies in a folder, once nothing changes any more."""
        if folder != self._folder:
            self._folder = folder
            self._settle.start()

    def _choose(self, *_: object) -> None:
        row = FORMATS[self.form.currentData()]
        self.files.setText(f"Writes {row.files}.")
        self.lost.setText(_LOOKING)
        self._settle.start()
        self.chosen.emit()

    def _ask(self) -> None:
        if not self.isVisible():
            return
        request = LookAtExport(
            snapshot=to_snapshot(self._session.project),
            form=self.form.currentData(),
            folder=str(self._folder),
        )
        job = self._session.jobs.ask(
            request, lambda found: self._say(job, found), title="Looking what is lost", silent=True
        )
        self._question = job

    def _say(self, job: Job, found: ExportLook) -> None:
        if job is not self._question or not isValid(self):
            return
        self.obstacles = found.obstacles
        self.lost.setText("\n".join(found.lost) or _HOLDS_ALL)
        self.looked.emit()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self._settle.start()
