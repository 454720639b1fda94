"""What a person sees before anything is open: the ways in, and the projects opened last."""

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from emberscope.base.errors import shortened
from emberscope.base.own_files import is_own_file
from emberscope.base.plain_text import plain, showable
from emberscope.project.store.journal import is_whole, journal_path
from emberscope.project.store.lock import holder
from emberscope.project.store.recoverable import Recoverable
from emberscope_app.shell.header import paint_mark
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import offer_data, primary, quiet, text
from emberscope_app.theme.look import current, font, look
from emberscope_app.words import moment

_WIDTH = 560
_MOST = 6
_MOST_LEFT = 3
_LONGEST_NAME = 24  # characters of the name of a project that is gone


class _BigMark(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(64, 64)
        look().changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_mark(painter, QPointF(28, 32), 24.0)


class _RecentRow(QToolButton):
    """A project: its name, where it lies, and when it was written last or that a crash left work of
    it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.setFixedHeight(44)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"Open {showable(path.stem)}")
        self.news = _left_of(path) or _day_of(path)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH + 2 * tokens.PAD, 44)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current()
        painter = QPainter(self)
        if self.underMouse() or self.hasFocus():
            painter.fillRect(self.rect(), QColor(t.bg3))
        if self.hasFocus():
            painter.fillRect(0, 0, 2, self.height(), QColor(t.ink))
        painter.setFont(font(tokens.PX_BODY, 600))
        painter.setPen(QColor(t.t1))
        painter.drawText(12, 18, showable(self.path.stem, 60))
        painter.setFont(font(tokens.PX_SMALL))
        painter.setPen(QColor(t.t3))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect().adjusted(12, 0, -12, 0), right, self.news)
        room = self.width() - 36 - painter.fontMetrics().horizontalAdvance(self.news)
        painter.setPen(QColor(t.t2))
        words = painter.fontMetrics().elidedText(
            plain(str(self.path.parent)), Qt.TextElideMode.ElideMiddle, room
        )
        painter.drawText(12, 34, words)


class _LeftRow(QWidget):
    """Work that a crash left of a project without a file: how much, of what time, and what may
    become of it; of which project, where its file is gone since."""

    def __init__(self, work: Recoverable) -> None:
        super().__init__()
        self.work = work
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        row = QHBoxLayout()
        row.setSpacing(8)
        column.addLayout(row)
        words = QVBoxLayout()
        words.setSpacing(2)
        head, _, kinds = work.actions().partition(": ")
        head = head or "A journal of which nothing comes back"
        if work.project is not None:
            kinds = f"{kinds}. {shortened(work.project.name, _LONGEST_NAME)} is gone"
        self.head, self.kinds = text(head), text(kinds, "secondary")
        for label in (self.head, self.kinds):
            words.addWidget(label)
            label.setHidden(not label.text())
        row.addLayout(words, 1)
        self.recover = QPushButton("Recover")
        self.leave = quiet("Leave")
        self.leave.setToolTip("Not offered again; its journal stays")
        self.keep = quiet("Keep as file")
        self.keep.setToolTip("Writes it to a project of its own; what is open stays open")
        for button in (self.leave, self.keep, self.recover):
            row.addWidget(button)
            button.setHidden(button is not self.leave and not work.entries)
        self.damage = text(f"{work.damage()}." if work.damage() else "", "secondary", parent=self)
        self.damage.setWordWrap(True)
        self.damage.ensurePolished()
        below = self.damage.heightForWidth(_WIDTH) if self.damage.text() else 0
        self.damage.setFixedHeight(below)
        column.addWidget(self.damage)
        self.setFixedHeight(44 + below)


class StartPage(QWidget):
    """Open data, open a project, try the sample, take what a crash left, or go on where you
    were."""

    action = Signal(str)       # id of an action of the table
    recent = Signal(object)    # Path
    recover = Signal(object)   # Recoverable
    leave = Signal(object)     # Recoverable
    keep = Signal(object)      # Recoverable

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Start page")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        middle = QWidget()
        # Rows of recent projects are wider, their text is not
        middle.setFixedWidth(_WIDTH + 2 * tokens.PAD)
        self._column = QVBoxLayout(middle)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        top = QVBoxLayout()
        top.setContentsMargins(tokens.PAD, 0, tokens.PAD, 0)
        top.setSpacing(8)
        self._column.addLayout(top)
        head = QHBoxLayout()
        head.addWidget(_BigMark())
        head.addSpacing(8)
        title = QVBoxLayout()
        title.setSpacing(2)
        title.addStretch(1)
        title.addWidget(text("Label loosely, see the manifold", "big"))
        where = "Drop infrared files, a folder of frames or a project anywhere in this window."
        title.addWidget(text(where, "secondary"))
        title.addStretch(1)
        head.addLayout(title, 1)
        top.addLayout(head)
        top.addSpacing(16)
        top.addLayout(self._buttons())
        opens = text(
            "Opens ARF, FLIR, PTW, ENVI, TIFF, PNG, JPEG, NPY, HDF5, MP4, AVI, and folders of "
            "these; and point sets: NPZ with labels or bags, tables of bags, ARFF and MATLAB.",
            "hint",
        )
        opens.setWordWrap(True)
        top.addWidget(opens)
        top.addSpacing(24)
        self._left = QWidget()
        self._left_column = QVBoxLayout(self._left)
        self._left_column.setContentsMargins(0, 0, 0, 24)
        self._left_column.setSpacing(4)
        self._left_column.addWidget(text("Not saved when the program stopped", "secondary"))
        self._left.hide()
        self.left_rows: list[_LeftRow] = []
        top.addWidget(self._left)
        self._recent_title = text("Recent projects", "secondary")
        top.addWidget(self._recent_title)
        self._rows: list[_RecentRow] = []
        self._column.addStretch(1)
        row = QHBoxLayout(self)
        row.addStretch(1)
        outer = QVBoxLayout()
        outer.addStretch(2)
        outer.addWidget(middle)
        outer.addStretch(3)
        row.addLayout(outer)
        row.addStretch(1)

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self.open_data = primary("Open data", icon_name="film")
        self.open_project = QPushButton("Open project")
        self.sample = QPushButton("Try the sample")
        self.open_data.clicked.connect(lambda _=False: offer_data(self.open_data))
        for button, name in ((self.open_project, "file.open"), (self.sample, "file.sample")):
            button.clicked.connect(lambda _=False, name=name: self.action.emit(name))
        for button in (self.open_data, self.open_project, self.sample):
            button.setFixedHeight(tokens.PRIMARY_H)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            row.addWidget(button)
        return row

    def show_recent(self, paths: list[Path]) -> None:
        """The projects opened last."""
        for row in self._rows:
            self._column.removeWidget(row)
            row.deleteLater()
        self._rows = [_RecentRow(path) for path in paths[:_MOST]]
        self._recent_title.setVisible(bool(self._rows))
        for row in self._rows:
            row.clicked.connect(lambda _=False, path=row.path: self.recent.emit(path))
            self._column.insertWidget(self._column.count() - 1, row)

    def show_left(self, found: list[Recoverable]) -> None:
        """What crashes left of projects that were never saved, newest first."""
        for row in self.left_rows:
            self._left_column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.left_rows = [_LeftRow(work) for work in found[:_MOST_LEFT]]
        for row in self.left_rows:
            row.recover.clicked.connect(lambda _=False, work=row.work: self.recover.emit(work))
            row.keep.clicked.connect(lambda _=False, work=row.work: self.keep.emit(work))
            row.leave.clicked.connect(lambda _=False, work=row.work: self.leave.emit(work))
            self._left_column.addWidget(row)
        self._left.setVisible(bool(self.left_rows))

    @property
    def rows(self) -> list[_RecentRow]:
        return self._rows

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), QColor(current().bg1))


def _left_of(path: Path) -> str:
    """What to say of a journal beside a project that nobody has open; "" where there is none."""
    journal = journal_path(path)
    if not is_own_file(journal) or holder(path) is not None:
        return ""
    return "Work to recover" if is_whole(journal) else "Work to recover, damaged"


def _day_of(path: Path) -> str:
    """When a file was written: "09:24" today, else with the day; "" where it cannot be asked."""
    try:
        then = datetime.fromtimestamp(path.stat().st_mtime)
    except OSError:
        return ""
    return moment(then)
