"""Set-up: what files and folders hold, whose truth is whose, what is left out, before any of it
comes in."""

from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget
from shiboken6 import isValid

from emberscope.labels.background import USUAL_COUNT
from emberscope.labels.weaken import Kind
from emberscope.project import to_snapshot
from emberscope.tasks.truth import ImportTruth
from emberscope_app.sheets.found_list import FoundList, summary
from emberscope_app.sheets.import_truth import KEEP_OUTLINES, put_truth
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.sheets.truth_table import TruthTable
from emberscope_app.state.core.new_sources import put_sources, say_left, waiting_words, with_new_ids
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Job
from emberscope_app.theme.controls import Segmented, primary, quiet, text
from emberscope_app.words import counted

if TYPE_CHECKING:
    from emberscope.project.exchange.set_up import SetUp

_KINDS = (
    ("relaxed", "Relaxed"),
    ("tight", "Tight"),
    ("spot", "Spot"),
    ("frame", "Frame"),
    ("none", "No truth"),
)
_LINES = 6  # of what is left out
_HINTS = {
    "relaxed": "Boxes as loose as the largest box of their class, and background beside them. "
               "Import truth in the File menu sets more.",
    "tight": "Boxes as they were drawn, and background beside them.",
    "spot": "A spot in the middle of each box, and background beside them.",
    "frame": "For each class, the frames that contain it.",
    "none": "Clips come in without labels.",
}

LookAgain = Callable[[list[Path], Collection[Path]], None]


class SetUpSheet(Sheet):
    """Shows a look at files, asks what is in doubt, and takes them in with their truth as one undo
    step.

    added(): new clips are in the project. look_again : has other groups of stills looked at; its
    result comes to `show_found`.
    """

    added = Signal()

    def __init__(
        self, session: Session, parent: QWidget, found: "SetUp", look_again: LookAgain
    ) -> None:
        super().__init__("What was found", parent, width=460)
        self._session, self._look_again = session, look_again
        # Of truth that may be of several clips: its path -> id of the clip
        self._choices: dict[str, int] = {}
        self._job: Job | None = None
        self.about, self.left, self.hint = text("", "secondary"), text("", "hint"), text("", "hint")
        self.list = FoundList()
        self.list.grouped.connect(self._group)
        self.table = TruthTable({})
        self.table.chosen.connect(self._choose_clip)
        self.truth_title = text("Truth", "title")
        self.kind = Segmented(_KINDS)
        self.kind.setAccessibleName("Labels of the truth")
        self.kind.set_value("relaxed")
        self.kind.chosen.connect(self._say_what_comes)
        self.outlines = QCheckBox("Keep outlines")
        self.outlines.setToolTip(KEEP_OUTLINES)
        self.progress, self.problem = text("", "secondary"), text("", "error")
        self.button = self.default = primary("Add")
        self.button.clicked.connect(self.accept)
        self.stop = quiet("Cancel")
        self.stop.clicked.connect(self._cancel)
        self._lay_out()
        session.jobs.changed.connect(self._follow_job)
        self.show_found(found)

    def _lay_out(self) -> None:
        for label in (self.about, self.left, self.hint, self.progress, self.problem):
            label.setWordWrap(True)
        row = QHBoxLayout()
        row.addWidget(self.progress, 1)
        row.addWidget(self.stop)
        self.body.addWidget(self.about)
        self.body.addWidget(self.list)
        self.body.addWidget(self.truth_title)
        self.body.addWidget(self.table)
        self.body.addWidget(self.kind)
        self.body.addWidget(self.outlines)
        self.body.addWidget(self.hint)
        self.body.addWidget(self.left)
        self.body.addWidget(self.problem)
        self.body.addLayout(row)
        self.body.addWidget(self.button)
        self.body.addStretch(1)
        for widget in (self.progress, self.problem, self.stop):
            widget.hide()

    def show_found(self, found: "SetUp") -> None:
        """Show a look at files in place of the one before."""
        self.found, self._choices = found, {}
        self.about.setText(f"{summary(found.found)}. Nothing is in the project yet.")
        self.list.show_found(found.found, apart=found.apart, paths=found.paths)
        self.table.show_names(self._names())
        self.table.show_rows(found.table)
        for widget in (self.truth_title, self.kind, self.outlines, self.hint):
            widget.setVisible(found.has_truth)
        lines = [*(f"Cannot be opened: {words}" for words in found.failed), *found.left_out,
                 *map(waiting_words, found.raw)]
        more = [f"and {counted(len(lines) - _LINES, 'line')} more"] if len(lines) > _LINES else []
        self.left.setText("\n".join([*lines[:_LINES], *more]))
        self.left.setVisible(bool(lines))
        self._say_what_comes()

    def _names(self) -> dict[int, str]:
        """Of clips by their ids; with their folder where several are called alike."""
        refs = [*self._session.project.sources.values(), *self.found.refs]
        counts = Counter(ref.name for ref in refs)
        return {
            ref.id: ref.name
            if counts[ref.name] == 1
            else f"{Path(ref.path).parent.name}/{ref.name}"
            for ref in refs
        }

    def _say_what_comes(self, *_: object) -> None:
        """What the button would do, and what the labels would be."""
        self.hint.setText(_HINTS[self.kind.value])
        self.outlines.setEnabled(self.kind.value not in ("frame", "none"))
        clips = counted(len(self.found.refs), "source")
        with_truth = self._with_truth()
        if self.found.refs:
            words = f"Add {clips} with truth" if with_truth else f"Add {clips}"
        else:
            words = "Import the truth" if with_truth else "Nothing to add"
        self.button.setText(words)
        self.button.setEnabled(bool(self.found.refs) or with_truth)

    def _with_truth(self) -> bool:
        """Whether labels come in."""
        given = any(row.state == "given" and not row.wrong for row in self.found.table)
        return self.kind.value != "none" and (given or any(self._choices.values()))

    def _choose_clip(self, truth: str, source: int) -> None:
        self._choices[truth] = source
        self._say_what_comes()

    def _group(self, folder: Path, apart: bool) -> None:
        """Have the stills of a folder looked at as single images, or as a sequence again."""
        found = self.found
        self._look_again(found.paths, found.apart | {folder} if apart else found.apart - {folder})
        if isValid(self) and self.found is found:  # it was canceled
            self.list.show_found(found.found, apart=found.apart, paths=found.paths)

    def accept(self) -> None:
        """Take in what is shown, as one undo step; labels are made by the worker, and the sheet
        stays until then."""
        if (self._job is not None and self._job.active) or not self._session.may_edit():
            return
        if not self._with_truth():
            put_sources(self._session, self.found.refs)
            self._end()
            return
        old, new = self.found.refs, with_new_ids(self._session, self.found.refs)
        ids = {before.id: after.id for before, after in zip(old, new, strict=True)}
        request = ImportTruth(
            snapshot=to_snapshot(self._session.project),
            source=None,
            sources=new,
            paths=[str(path) for path in self.found.truths],
            kind=cast(Kind, self.kind.value),
            n_background=USUAL_COUNT,
            outlines=self.outlines.isChecked(),
            choices={path: ids.get(one, one) for path, one in self._choices.items()},
        )
        self.problem.hide()
        self.button.setText("Adding...")
        self.button.setEnabled(False)
        self.stop.show()
        self._job = self._session.jobs.ask(
            request,
            partial(put_truth, self._session),
            title=f"Clips with truth: {counted(len(new), 'source')}",
        )

    def _cancel(self) -> None:
        if self._job is not None and self._job.active:
            self._session.jobs.cancel(self._job.id)

    def _follow_job(self, job: Job) -> None:
        """How far it is; the clips are there; or what was wrong, and everything stays as it was."""
        if job is not self._job:
            return
        self.progress.setText(job.message)
        self.progress.setVisible(job.active)
        if job.active:
            return
        if job.state == "finished":
            self._end()
            return
        self.stop.hide()
        self.problem.setText(job.error or "Stopped. Nothing was added.")
        self.problem.show()
        self._say_what_comes()

    def _end(self) -> None:
        self.close_sheet()
        say_left(self._session, self.found)
        self.added.emit()
