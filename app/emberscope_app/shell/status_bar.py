"""The status bar: what the tool in hand does, what is selected; at the right saved, jobs,
memory."""

from datetime import datetime
from pathlib import Path

from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from emberscope.base.grouping import score_text
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.evaluation import evaluation_of
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current
from emberscope_app.theme.text import Shortening, Text
from emberscope_app.when.timers import Every, later
from emberscope_app.words import counted, percent, spaced

_MEMORY_MS = 3000
_GIVE_WAY = ("tool", "hint", "jobs")  # where there is too little room; the others are whole
_TOOLS = {
    "select": "Select  ·  click a label, drag to move, Delete removes",
    "box": "Box  ·  drag around a target, Shift square, Alt from the center",
    "relaxed": "Relaxed box  ·  drag loosely around a target",
    "polygon": "Polygon  ·  click corners, Enter or double click closes, Backspace takes one back",
    "ellipse": "Ellipse  ·  drag around a target, Shift circle, Alt from the center",
    "line": "Line  ·  drag or click along a thin target, Enter ends it, [ and ] its width",
    "scribble": "Scribble  ·  paint over target pixels, right drag erases",
    "spot": "Spot  ·  click on a target, drag outward for its uncertainty",
    "frame": "Frame label  ·  1-9 what the frame contains, 0 empty",
    "ignore": "Ignore  ·  drag over what to leave out",
    "erase": "Erase  ·  click a label, drag over a scribble",
}
_POINTS = "Points  ·  click a row, its menu says which class its bag is"


class StatusBar(QWidget):
    """24 px of facts; nothing here can be pressed. They never ask for a wider window."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setFixedHeight(tokens.STATUS_H)
        self.setAccessibleName("Status")
        self._saved_at = ""
        self._saved_path: Path | None = None
        self._workspace = "label"
        self._evaluation = evaluation_of(session)
        self.parts: dict[str, Text] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(tokens.PAD, 1, tokens.PAD, 0)
        row.setSpacing(16)
        for name in ("tool", "hint", "selection"):
            row.addWidget(self._part(name))
        row.addStretch(1)
        for name in ("saved", "jobs", "memory"):
            row.addWidget(self._part(name))
        session.focus.changed.connect(self._show_tool)
        self._evaluation.changed.connect(self._show_tool)
        self._evaluation.moved.connect(self._show_tool)
        session.selection.changed.connect(self._show_selection)
        session.changed.connect(self._show_selection)
        session.changed.connect(self._show_saved)
        session.saved.connect(self._show_saved)
        session.jobs.changed.connect(self._show_jobs)
        Every(self, self._show_memory, _MEMORY_MS).start()
        later(self, self._show_memory, 500)
        self._show_tool()
        self._show_selection()
        self._show_saved()
        self._show_jobs()

    def set_workspace(self, workspace: str) -> None:
        """Which one is in front: its tool in hand is a label tool or a map tool, or runs are
        judged."""
        self._workspace = workspace
        self._show_tool()

    def mark_saved(self) -> None:
        """The project was written just now."""
        self._saved_at = datetime.now().strftime("%H:%M")
        self._saved_path = self._session.path
        self._show_saved()

    def forget_project(self) -> None:
        """Another project is open: what a gesture would have done, and when the last one was saved,
        are over."""
        self.hint("")
        self._saved_path = None

    def hint(self, words: str) -> None:
        """What a gesture in progress would do; "" ends it."""
        self._put("hint", words)

    def _part(self, name: str) -> Text:
        self.parts[name] = Shortening() if name in _GIVE_WAY else Text()
        self.parts[name].setProperty("role", "secondary")
        return self.parts[name]

    def _put(self, name: str, words: str) -> None:
        self.parts[name].setText(words)
        self.parts[name].setVisible(bool(words))

    def _show_tool(self, *_: object) -> None:
        words = "Shift adds, Alt subtracts, Esc clears"
        if self._workspace == "label" and self._session.project.of_points:
            words = _POINTS
        elif self._workspace == "label":
            words = _TOOLS.get(self._session.focus.tool, "")
        elif self._workspace == "evaluate":
            words = self._judged_words()
        self._put("tool", words if self._session.project.sources else "")

    def _judged_words(self) -> str:
        """"3 runs checked  ·  Threshold 0.42 on run 12"."""
        found = self._evaluation
        checked = f"{counted(len(found.checked), 'run')} checked"
        run = found.active
        if run is None or found.tally() is None:
            return checked
        return f"{checked}  ·  Threshold {score_text(found.threshold())} on run {run.id}"

    def _show_selection(self, *_: object) -> None:
        run, count = self._session.run, len(self._session.selection)
        total = f" of {spaced(len(run.ids))}" if run is not None else ""
        self._put("selection", f"{spaced(count)}{total} selected" if count else "")
        self._show_tool()

    def _show_saved(self, *_: object) -> None:
        session = self._session
        words = "Saved" if session.path else ""
        if session.read_only:
            words = "Read-only"
        elif session.dirty:
            words = "Not saved"
        elif words and session.path == self._saved_path:
            words = f"Saved {self._saved_at}"
        self._put("saved", words)

    def _show_jobs(self, *_: object) -> None:
        running = self._session.jobs.running
        if not running:
            self._put("jobs", "No jobs")
            return
        job = running[0]
        more = f", {len(running) - 1} more" if len(running) > 1 else ""
        self._put("jobs", f"{job.title}, {percent(job.fraction)}{more}")

    def _show_memory(self) -> None:
        import psutil

        used = psutil.Process().memory_info().rss
        self._put("memory", f"{used / 2**30:.1f} GB")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(current().bg1))
        painter.fillRect(0, 0, self.width(), 1, QColor(current().line))
