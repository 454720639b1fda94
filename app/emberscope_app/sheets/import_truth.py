"""Import truth as weak labels: boxes somebody drew become labels, as loose as one wants to test with."""

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QPushButton, QSpinBox, QWidget

from emberscope.project import to_snapshot
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.session import Session
from emberscope_app.theme.controls import Segmented, primary, text
from emberscope_app.theme.text import Text
from emberscope_app.words import counted

IMPORT = "emberscope.pipeline.tasks:import_truth_task"
_KINDS = (("tight", "Tight"), ("relaxed", "Relaxed"), ("spot", "Spot"), ("frame", "Frame"))
_RULES = (
    ("auto", "Auto", "By the clip: same place (still camera), between (several targets) or matched"),
    ("same-place", "Same place", "Where a target is on another frame and none is now"),
    ("between", "Between", "Single patches beside and between the boxes of targets"),
    ("matched", "Matched", "On ground that looks like that around targets"),
    ("random", "Random", "Anywhere without a target: the ground may then tell the bags apart"),
)
_SUFFIXES = "Truth (*.agt *.xml *.csv *.json *.jsonl *.txt);;All files (*)"
_USUAL = ("Background: ", "u = ")  # how notes begin that are good to know, with nothing amiss


class ImportTruthSheet(Sheet):
    """For the clip on show, or all clips: file or folder, kind of label, size u, every n-th frame, background boxes
    and where they are drawn, seed."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__("Import truth as weak labels", parent)
        self._session = session
        source = session.project.sources.get(session.focus.source or 0)
        self._source = source
        self.path = QLineEdit(_beside(Path(source.path)) if source else "")
        self.path.setPlaceholderText("AGT, VOC folder, table or tracker file")
        self.path.setAccessibleName("Truth file or folder")
        self.path.setFixedHeight(28)
        self.clips = Segmented((("one", "This clip"), ("all", f"All {len(session.project.sources)} clips")))
        self.clips.set_value("one")
        self.clips.setVisible(len(session.project.sources) > 1)
        self.clips.chosen.connect(self._show_clips)
        self.kind = Segmented(_KINDS)
        self.kind.set_value("relaxed")
        self.kind.chosen.connect(self._show_kind)
        self.u = _number(1, 0, 3, "Size u, times the largest box")
        self.every = _number(1, 1, 100_000, "Every n-th frame")
        self.background = _number(1, 0, 100, "Background boxes per frame")
        self.rule = Segmented([(key, title) for key, title, _ in _RULES])
        self.rule.set_value("auto")
        self.rule.chosen.connect(self._show_rule)
        self.background.valueChanged.connect(self._show_rule)
        self.seed = _number(0, 0, 2**31 - 1, "Seed")
        self.problem = text("", "error")
        self.problem.setWordWrap(True)
        self.button = self.default = primary("Import")
        self.button.clicked.connect(self.accept)
        self._lay_out()
        self._show_kind()
        self.path.setFocus()

    def _lay_out(self) -> None:
        self.about = text("", "secondary")
        self.about.setWordWrap(True)
        file, folder = QPushButton("File..."), QPushButton("Folder...")
        file.clicked.connect(self._choose_file)
        folder.clicked.connect(self._choose_folder)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.path, 1)
        row.addWidget(file)
        row.addWidget(folder)
        self.body.addWidget(self.about)
        self.body.addWidget(self.clips)
        self._show_clips()
        self.body.addSpacing(4)
        self.body.addLayout(row)
        self.body.addWidget(self.kind)
        self._u_row = _row(self.body, "Size u, times the largest box", self.u, "0 tight, 1 to 3")
        _row(self.body, "Every n-th frame", self.every)
        _row(self.body, "Background boxes per frame", self.background)
        self.body.addWidget(self.rule)
        self.rule_hint = text("", "hint")
        self.rule_hint.setWordWrap(True)
        self.body.addWidget(self.rule_hint)
        self._show_rule()
        _row(self.body, "Seed", self.seed)
        self.body.addSpacing(8)
        self.body.addWidget(self.problem)
        self.body.addWidget(self.button)
        self.body.addStretch(1)
        self.button.setEnabled(self._source is not None)

    def accept(self) -> None:
        """Have the truth read in the worker; the labels it makes are one undo step."""
        if self._source is None or not self.path.text().strip():
            self.problem.setText("Choose a truth file or folder.")
            return
        numbers = {"u": self.u, "every": self.every, "n_background": self.background, "seed": self.seed}
        every = self.clips.value == "all"
        arguments = {"snapshot": to_snapshot(self._session.project), "source": None if every else self._source.id,
                     "kind": self.kind.value, "rule": self.rule.value, "path": self.path.text().strip(),
                     **{name: box.value() for name, box in numbers.items()}}
        put = partial(put_truth, self._session)
        title = "Truth of all clips" if every else f"Truth of {self._source.name}"
        self._session.jobs.submit(IMPORT, arguments, title=title, on_finished=put)
        self.close_sheet()

    def _show_clips(self, *_: object) -> None:
        """Whose labels these will be."""
        one = f"Labels for {self._source.name}, as one undo step." if self._source else "Open a clip first."
        every = "A folder of truth files named like their clips, or of VOC xml. One undo step."
        self.about.setText(every if self.clips.value == "all" else one)

    def _show_kind(self, *_: object) -> None:
        loose = self.kind.value == "relaxed"
        self.u.setEnabled(loose)
        self._u_row.setEnabled(loose)

    def _show_rule(self, *_: object) -> None:
        """What the rule does; without background boxes there is nothing to choose."""
        self.rule.setEnabled(self.background.value() > 0)
        self.rule_hint.setEnabled(self.background.value() > 0)
        self.rule_hint.setText(next(hint for key, _, hint in _RULES if key == self.rule.value) + ".")

    def _choose_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Truth file", self.path.text() or self._folder(), _SUFFIXES)
        if name:
            self.path.setText(name)

    def _choose_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Truth folder", self.path.text() or self._folder())
        if name:
            self.path.setText(name)

    def _folder(self) -> str:
        return str(Path(self._source.path).parent) if self._source else ""


def put_truth(session: Session, result: dict[str, Any]) -> None:
    """Labels that the worker made come into the project: one undo step, whatever was edited meanwhile."""
    from emberscope.project.truth import renumber

    before = len(session.project.labels)
    session.do(renumber(result["operation"], session.project))
    count = len(session.project.labels) - before
    session.say(f"{counted(count, 'label')} imported, one undo step.")
    for note in result["notes"]:
        usual = any(note.startswith(start) or f": {start}" in note for start in _USUAL)
        session.say(note, level="info" if usual else "warn", stays=True)


def _beside(path: Path) -> str:
    """The AGT file with the same name, where there is one."""
    found = next((other for suffix in (".agt", ".AGT") if (other := path.with_suffix(suffix)).exists()), None)
    return str(found) if found else ""


def _number(value: int, low: int, high: int, name: str) -> QSpinBox:
    box = QSpinBox()
    box.setRange(low, high)
    box.setValue(value)
    box.setFixedSize(110, 28)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    box.setAccessibleName(name)
    return box


def _row(body: object, title: str, field: QWidget, hint: str = "") -> Text:
    row = QHBoxLayout()
    label = text(title)
    row.addWidget(label)
    row.addStretch(1)
    if hint:
        row.addWidget(text(hint, "hint"))
    row.addWidget(field)
    body.addLayout(row)  # type: ignore[attr-defined]
    return label
