"""The part of the preferences on where studies are computed."""

import os

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.computing import (
    LONGEST_ADDRESS,
    MOST_WORKERS,
    ClusterLook,
    Computing,
    computing,
    set_computing,
)
from emberscope_app.theme.controls import number_field, text
from emberscope_app.when.timers import Every, Later
from emberscope_app.words import counted

_LOOK_MS, _SETTLE_MS = 5000, 600
_ABOUT = (
    "A study shares its cells among these processes, or gives them to the workers of a Dask "
    "scheduler. Certificates for tls:// are those of Dask's own settings. Whoever reaches a "
    "scheduler without certificates can run code on its workers, and here."
)


class ComputingPart(QWidget):
    """Whatever is changed counts from the next study on."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        chosen = computing()
        self.look = session.only(ClusterLook)
        self.workers = number_field("Processes of this computer", 1, MOST_WORKERS, chosen.workers)
        self.address = QLineEdit(chosen.dask)
        self.address.setAccessibleName("Address of a Dask scheduler")
        self.address.setMaxLength(LONGEST_ADDRESS)
        self.address.setPlaceholderText("tls://host:8786, or none")
        self.address.setFixedHeight(28)
        self.fall_back = QCheckBox("Go on here where the cluster is gone")
        self.fall_back.setChecked(chosen.fall_back)
        self.load, self.problem = text("", "secondary"), text("", "error")
        self._lay_out()
        self._settled = Later(self, self._ask, _SETTLE_MS)
        self._again = Every(self, self._ask, _LOOK_MS)
        self.workers.valueChanged.connect(lambda _: self._keep())
        self.fall_back.toggled.connect(lambda _: self._keep())
        self.address.textEdited.connect(lambda _: self._readdress())
        self.look.changed.connect(self._read)
        self.look.forget()
        self._ask()
        self._again.start()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        processes = QHBoxLayout()
        label = text("Processes of this computer")
        label.setBuddy(self.workers)
        processes.addWidget(label, 1)
        processes.addWidget(self.workers)
        about = text(_ABOUT, "hint")
        cores = text(f"It has {counted(os.cpu_count() or 1, 'processor')}.", "hint")
        for words in (about, self.load, self.problem):
            words.setWordWrap(True)
        column.addLayout(processes)
        column.addWidget(cores)
        for widget in (text("Dask scheduler", "secondary"), self.address, self.load,
                       self.problem, self.fall_back, about):
            column.addWidget(widget)

    def _readdress(self) -> None:
        self._keep()
        self.look.forget()
        self._settled.start()

    def _keep(self) -> None:
        set_computing(Computing(self.workers.value(), self.address.text(),
                                self.fall_back.isChecked()))
        self._read()

    def _ask(self) -> None:
        self.look.look(computing().dask)

    def _read(self) -> None:
        there = bool(computing().dask)
        self.fall_back.setEnabled(there)
        known = self.look.load.spoken if self.look.load is not None else ""
        self.problem.setText(self.look.error)
        self.problem.setVisible(there and bool(self.look.error))
        self.load.setText(known or "Looking for its workers.")
        self.load.setVisible(there and bool(known or not self.look.error))
