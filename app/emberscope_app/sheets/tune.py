"""A network tuned on bag labels: how bags are made of chips, what it begins with, how long."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QComboBox, QFileDialog, QPushButton, QWidget

from emberscope.project import Recipe, to_snapshot
from emberscope.project.model.tuned_network import LARGEST, SMALLEST, Tuning
from emberscope.tasks.tuning import TuneNetwork, lacking
from emberscope_app.sheets.sheet import Sheet, fields_below_each_other
from emberscope_app.state.core.last_folders import NETWORK, last_folder, remember_folder
from emberscope_app.state.core.qt_paths import from_qt
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import number_field, primary, text
from emberscope_app.words import listed, verb

_ABOUT = (
    "A residual network learns features from chips and bag labels alone, and is written to a file "
    "that the next run reads. Without a graphics card it takes long."
)
_HEADS = (("attention", "Attention"), ("noisy-or", "Noisy-or"))
_WEIGHTS = "Weights (*.safetensors *.onnx);;All files (*)"
_DRAWN = "random weights"
_TEACHES_NOTHING = "What the split of the run holds out by name teaches nothing, and judges it."
_ALL_TEACH = (
    "The split of the run names no clips that judge: all labels teach, and scores of these clips "
    "prove nothing then. Choose what is held out first."
)
_INSTALL = 'pip install "emberscope[deep]"'
_MOST_EPOCHS = 1000
_USUAL = Tuning()


class TuneSheet(Sheet):
    """`tune` is called with what to do, without its file."""

    def __init__(
        self, session: Session, parent: QWidget, recipe: Recipe,
        tune: Callable[[TuneNetwork], object]
    ) -> None:
        super().__init__("Tune a network", parent, width=460)
        self._session, self._recipe, self._tune = session, recipe, tune
        self._start: Path | None = None
        self.head = QComboBox()
        self.head.setAccessibleName("Bags by")
        for kind, title in _HEADS:
            self.head.addItem(title, kind)
        self.start = text(_DRAWN, "secondary")
        self.choose = QPushButton("Choose...")
        self.choose.setAccessibleName("Choose weights to begin with")
        self.side = number_field("Chips", SMALLEST, LARGEST, _USUAL.side)
        self.epochs = number_field("Epochs", 1, _MOST_EPOCHS, _USUAL.epochs)
        names_judges = recipe.split.names_judges
        self.split = text(_TEACHES_NOTHING if names_judges else _ALL_TEACH,
                          "secondary" if names_judges else "warn")
        self.lacks = text("", "warn")
        self.button = self.default = primary("Tune and save...")
        self.choose.clicked.connect(self._choose)
        self.button.clicked.connect(self.accept)
        self._lay_out()
        missing = lacking()
        if missing:
            self.lacks.setText(_lacks_words(missing))
        self.lacks.setVisible(bool(missing))
        self.split.setVisible(not missing)  # one reason is enough
        self.button.setEnabled(not missing)

    def _lay_out(self) -> None:
        about = text(_ABOUT, "secondary")
        for words in (about, self.split, self.lacks):
            words.setWordWrap(True)
        self.body.addWidget(about)
        self.body.addWidget(self.lacks)
        self.body.addLayout(fields_below_each_other((
            ("Bags by", self.head, text("what makes a bag of its chips", "secondary")),
            ("Begin with", self.choose, self.start),
            ("Chips", self.side, text("px", "secondary")),
            ("Epochs", self.epochs, text("at most", "secondary")),
        )))
        self.body.addWidget(self.split)
        self.body.addWidget(self.button)
        self.body.addStretch(1)

    def _choose(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Weights", last_folder(NETWORK), _WEIGHTS)
        if name:
            self._start = from_qt(name)
            remember_folder(NETWORK, self._start)
            self.start.setText(self._start.name)

    def accept(self) -> None:
        """Hand over what was chosen."""
        settings = Tuning(head=self.head.currentData(), epochs=self.epochs.value(),
                          side=self.side.value(), start=str(self._start or ""),
                          seed=self._recipe.seed)
        self._tune(TuneNetwork(snapshot=to_snapshot(self._session.project), recipe=self._recipe,
                               path="", settings=settings))


def _lacks_words(missing: Sequence[str]) -> str:
    """What to install, and where a program that brings its own Python does not take it."""
    which = f"Tuning needs {listed(missing)}"
    if hasattr(sys, "frozen"):
        return (f"{which}, which this program comes without. Install the Python package, "
                f"{_INSTALL}, and tune there with emberscope tune; this program reads the file.")
    return (f"{which}, which {verb(len(missing), 'are')} not installed here. To install: "
            f"{_INSTALL}. All else works without.")
