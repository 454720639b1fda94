"""Import truth as weak labels: boxes somebody drew become labels, as loose as one wants to test
with."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import cast

from PySide6.QtWidgets import QCheckBox, QFileDialog, QHBoxLayout, QLineEdit, QPushButton, QWidget
from shiboken6 import isValid

from emberscope.labels.background import USUAL_COUNT, BackgroundRule
from emberscope.labels.weaken import Kind
from emberscope.project import Project, PutSources, to_snapshot
from emberscope.project.exchange.chip_base import LARGEST, Basis
from emberscope.project.exchange.truth_places import TruthCount
from emberscope.tasks.truth import CountTruth, FindTruth, FoundTruth, ImportedTruth, ImportTruth
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.sheets.truth_table import TruthTable
from emberscope_app.state.core.last_folders import TRUTH, last_folder, remember_folder
from emberscope_app.state.core.many_lines import say_lines
from emberscope_app.state.core.new_sources import shown_with
from emberscope_app.state.core.qt_paths import from_qt, to_qt
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Job
from emberscope_app.theme.controls import Segmented, number_field, primary, text
from emberscope_app.theme.text import Text
from emberscope_app.when.timers import Later
from emberscope_app.words import counted, spaced

_SETTLE_MS = 300  # after the last letter of the path, before what it holds is counted
_SHOWN = 6        # clips named one by one
_KINDS = (("tight", "Tight"), ("relaxed", "Relaxed"), ("spot", "Spot"), ("frame", "Frame"))
_RULES = (
    (
        "auto",
        "Auto",
        "By the clip: same place (still camera), between (several targets) or matched",
    ),
    ("same-place", "Same place", "Where a target is on another frame and none is now"),
    ("between", "Between", "Single patches beside and between the boxes of targets"),
    ("matched", "Matched", "On ground that looks like that around targets"),
    ("random", "Random", "Anywhere without a target: the ground may then tell the bags apart"),
)
_SIZES = (
    ("clip", "Largest of clip", "u times the largest box of its class in its clip"),
    ("all", "Largest of all", "u times the largest box of its class in all clips: the size of a "
     "box does not say at which range its clip was taken"),
    ("pixels", "In pixels", "u times this width and height, whatever the class"),
)  # fmt: skip
_SUFFIXES = "Truth (*.agt *.xml *.csv *.json *.jsonl *.txt);;All files (*)"
KEEP_OUTLINES = (  # what the switch does
    "Polygons, ellipses and lines of the truth as they are drawn, not boxes around them."
)
_USUAL = ("Background: ", "u = ")  # how notes begin that are good to know, with nothing amiss


class ImportTruthSheet(Sheet):
    """For the clip on show, or all clips: file or folder, kind of label, size u, every n-th frame,
    background boxes and where they are drawn, seed. Says what the truth holds and whose it is, asks
    where that is in doubt, and closes once its labels are there."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__("Import truth as weak labels", parent)
        self._session = session
        source = session.project.sources.get(session.focus.source or 0)
        self._source = source
        self._offered = {"one": "", "all": ""}  # truth that was found
        self._job: Job | None = None       # imports
        self._question: Job | None = None  # counts
        self._settle = Later(self, self._count, _SETTLE_MS)
        self.path = QLineEdit()
        self.path.setPlaceholderText("VOC, COCO, CVAT, AGT, table, folder")
        self.path.setAccessibleName("Truth file or folder")
        self.path.setFixedHeight(28)
        self.clips = Segmented(
            (("one", "This clip"), ("all", f"All {counted(len(session.project.sources), 'clip')}"))
        )
        self.clips.setVisible(len(session.project.sources) > 1)
        self.clips.chosen.connect(self._show_clips)
        self.held = text("", "secondary")
        self.held.setWordWrap(True)
        self.table = TruthTable({ref.id: ref.name for ref in session.project.sources.values()})
        self.table.chosen.connect(self._choose_clip)
        # Of truth that may be of several clips: its path -> id of the clip
        self._choices: dict[str, int] = {}
        self.kind = Segmented(_KINDS)
        self.kind.set_value("relaxed")
        self.kind.chosen.connect(self._show_kind)
        self.outlines = QCheckBox("Keep outlines")
        self.outlines.setToolTip(KEEP_OUTLINES)
        self.u = number_field("Size u, 0 is tight", 0, 3, 1)
        self.box_size = Segmented([(key, title) for key, title, _ in _SIZES])
        self.box_size.setAccessibleName("Size of relaxed boxes")
        for key, _, hint in _SIZES:
            self.box_size.button(key).setToolTip(f"{hint}.")
        self.box_size.set_value("clip")
        self.box_size.chosen.connect(self._show_kind)
        self.width_px = number_field("Width of boxes, pixels", 1, LARGEST, 121)
        self.height_px = number_field("Height of boxes, pixels", 1, LARGEST, 51)
        self.per_frame = number_field("Target chips per frame", 0, 1000, 0)
        self.per_frame.setSpecialValueText("1 a target")
        self.every = number_field("Every n-th frame", 1, 100_000, 1)
        self.background = number_field("Background boxes per frame", 0, 100, USUAL_COUNT)
        self.rule = Segmented([(key, title) for key, title, _ in _RULES])
        self.rule.set_value("auto")
        self.rule.chosen.connect(self._show_rule)
        self.background.valueChanged.connect(self._show_rule)
        self.seed = number_field("Seed", 0, 2**31 - 1, 0)
        self.problem = text("", "error")
        self.problem.setWordWrap(True)
        self.button = self.default = primary("Import")
        self.button.clicked.connect(self.accept)
        self._lay_out()
        self._show_kind()
        self.clips.set_value("one")
        self._show_clips()
        self.path.textChanged.connect(lambda _: self._ask())
        self.every.valueChanged.connect(lambda _: self._ask())
        session.jobs.changed.connect(self._follow_job)
        self.path.setFocus()
        self._find()

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
        self.body.addSpacing(4)
        self.body.addLayout(row)
        self.body.addWidget(self.held)
        self.body.addWidget(self.table, 100)  # takes the room that the stretch below has without it
        self.body.addWidget(self.kind)
        self.body.addWidget(self.outlines)
        self._u_row = _row(self.body, "Size u, 0 is tight", self.u, "times this size")
        self.body.addWidget(self.box_size)
        pixels = QHBoxLayout()
        pixels.setSpacing(4)
        self.times, self.size_px = text("×", "secondary"), text("Width × height, px")
        pixels.addWidget(self.size_px)
        pixels.addStretch(1)
        for widget in (self.width_px, self.times, self.height_px):
            pixels.addWidget(widget)
        self.body.addLayout(pixels)
        self._chips_row = _row(self.body, "Target chips per frame", self.per_frame)
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
        """Have the truth read in the worker; the labels it makes are one undo step. What was put in
        stays until they are there."""
        if self._source is None or not self.path.text().strip():
            self.problem.setText("Choose a truth file or folder.")
            return
        if self._job is not None and self._job.active:
            return
        every = self.clips.value == "all"
        request = ImportTruth(
            snapshot=to_snapshot(self._session.project),
            source=None if every else self._source.id,
            path=str(from_qt(self.path.text().strip())),
            kind=cast(Kind, self.kind.value),
            u=self.u.value(),
            every=self.every.value(),
            n_background=self.background.value(),
            rule=cast(BackgroundRule, self.rule.value),
            seed=self.seed.value(),
            outlines=self.outlines.isChecked(),
            base=self._base(),
            per_frame=self.per_frame.value() if self.kind.value == "relaxed" else 0,
            choices=self._choices if every else {},
        )
        title = "Truth of all clips" if every else f"Truth of {self._source.name}"
        self.problem.setText("")
        self.button.setText("Importing...")
        self.button.setEnabled(False)
        self._job = self._session.jobs.ask(request, partial(put_truth, self._session), title=title)

    def _base(self) -> Basis:
        """How large relaxed boxes are at u = 1."""
        if self.box_size.value == "pixels":
            return self.height_px.value(), self.width_px.value()
        return "all" if self.box_size.value == "all" else "clip"

    def _follow_job(self, job: Job) -> None:
        """The labels are there; or what was wrong, and everything stays as it was put in."""
        if job is self._question and job.state in ("failed", "crashed"):
            self.held.setText(job.error)
        if job is not self._job or job.active:
            return
        if job.state == "finished":
            self.close_sheet()
            return
        self.problem.setText(job.error or "Stopped. Nothing was imported.")
        self.button.setText("Import")
        self.button.setEnabled(True)

    # --- what the truth holds

    def _ask(self) -> None:
        """Count what the path holds, once it is written."""
        self._question = None
        self.held.setText("")
        self.table.show_rows([])
        self._settle.start()

    def _count(self) -> None:
        path = self.path.text().strip()
        if self._source is None or not path:
            return
        every = self.clips.value == "all"
        request = CountTruth(
            snapshot=to_snapshot(self._session.project),
            path=path,
            every=self.every.value(),
            source=None if every else self._source.id,
            choices=self._choices,
        )
        job = self._session.jobs.ask(
            request, lambda found: self._say(job, found.lines), title="Counting truth", silent=True
        )
        self._question = job

    def _say(self, job: Job, found: list[TruthCount]) -> None:
        if job is not self._question or not isValid(self):
            return
        several = self.clips.value == "all"
        self.held.setText(held_words(self._session.project, found, several=several))
        self.table.show_rows(found if several or any(row.notes for row in found) else [])

    def _choose_clip(self, truth: str, source: int) -> None:
        """A person says whose a truth is that may be of several clips; the table is asked for
        again."""
        self._choices[truth] = source
        self._count()

    def _find(self) -> None:
        """Look for truth beside the clip and in the folder of all clips, and offer it."""
        if self._source is not None:
            request = FindTruth(snapshot=to_snapshot(self._session.project), source=self._source.id)
            self._session.jobs.ask(request, self._offer, title="Looking for truth", silent=True)

    def _offer(self, found: FoundTruth) -> None:
        """What was found, unless a person wrote a path meanwhile."""
        if not isValid(self) or self.path.text():
            return
        self._offered = {"one": found.one, "all": found.all}
        self.clips.set_value("all" if found.all and not found.one else "one")
        self._show_clips()

    def _show_clips(self, *_: object) -> None:
        """Whose labels these will be; the path that was offered gives way to the other one."""
        if self.path.text() in ("", *self._offered.values()):
            self.path.setText(self._offered[self.clips.value])
        self._ask()
        one = (
            f"Labels for {self._source.name}, as one undo step."
            if self._source
            else "Open a clip first."
        )
        every = (
            "A folder of truth files named like their clips, or with a folder per clip. One "
            "undo step."
        )
        self.about.setText(every if self.clips.value == "all" else one)
        if self.clips.value == "one" and self.box_size.value == "all":
            self.box_size.set_value("clip")
        self.box_size.button("all").setEnabled(self.clips.value == "all")

    def _show_kind(self, *_: object) -> None:
        loose = self.kind.value == "relaxed"
        self.outlines.setEnabled(self.kind.value != "frame")
        for widget in (self.u, self._u_row, self.box_size, self.per_frame, self._chips_row):
            widget.setEnabled(loose)
        for field in (self.size_px, self.width_px, self.times, self.height_px):
            field.setVisible(self.box_size.value == "pixels")
            field.setEnabled(loose)

    def _show_rule(self, *_: object) -> None:
        """What the rule does; without background boxes there is nothing to choose."""
        self.rule.setEnabled(self.background.value() > 0)
        self.rule_hint.setEnabled(self.background.value() > 0)
        self.rule_hint.setText(
            next(hint for key, _, hint in _RULES if key == self.rule.value) + "."
        )

    def _choose_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Truth file", self._start(), _SUFFIXES)
        if name:
            self._take(name)

    def _choose_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Truth folder", self._start())
        if name:
            self._take(name)

    def _take(self, name: str) -> None:
        remember_folder(TRUTH, name)
        self.path.setText(name)

    def _start(self) -> str:
        """Where the dialogs begin."""
        return self.path.text() or last_folder(TRUTH, self._folder())

    def _folder(self) -> str:
        return to_qt(Path(self._source.path).parent) if self._source else ""


def put_truth(session: Session, made: ImportedTruth) -> None:
    """Labels that the worker made, and the clips that come with them, come into the project: one
    undo step, whatever was edited meanwhile."""
    from emberscope.project.exchange.renumber import renumber

    before = len(session.project.labels)
    operation = renumber(made.operation, session.project)
    new = [ref for step in operation.steps if isinstance(step, PutSources) for ref in step.after]
    session.do(operation, focus=shown_with(session, new))
    count = len(session.project.labels) - before
    session.say(f"{counted(count, 'label')} imported, one undo step.")
    usual = [note for note in made.notes
             if any(note.startswith(start) or f": {start}" in note for start in _USUAL)]
    amiss = [note for note in made.notes if note not in usual]
    say_lines(
        session,
        usual,
        level="info",
        summary=f"{counted(len(usual), 'remark')} on how labels were made.",
    )
    say_lines(
        session, amiss, level="warn", summary=f"{counted(len(amiss), 'remark')} on the truth."
    )


def held_words(project: Project, found: list[TruthCount], *, several: bool) -> str:
    """"151 objects on 120 frames: 120 Person, 31 Car"; of several clips how many have truth, and
    what is in doubt."""
    objects: Counter[str] = Counter()
    for one in found:
        objects.update(one.objects)
    frames = sum(one.frames for one in found)
    names = ", ".join(f"{spaced(count)} {name}" for name, count in objects.most_common(_SHOWN))
    total = f"{counted(sum(objects.values()), 'object')} on {counted(frames, 'frame')}"
    lines = [total + (f": {names}" if names else "")]
    if several:
        given = {one.source for one in found if one.state == "given"}
        lines.append(f"{len(given)} of {counted(len(project.sources), 'clip')} have truth there.")
        doubt = sum(one.state == "tie" for one in found)
        if doubt:
            lines.append(
                f"Of {counted(doubt, 'truth file')} it is in doubt whose they are: choose below."
                if doubt > 1
                else "Of 1 truth file it is in doubt whose it is: choose below."
            )
    return "\n".join([*lines, *(one.wrong for one in found if one.wrong and not several)])



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
