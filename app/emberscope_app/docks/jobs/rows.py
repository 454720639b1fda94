"""Rows of the Jobs dock: what the worker does or did, and how a row is painted."""

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from emberscope_app.guard import saved
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.job_clock import JobClock
from emberscope_app.state.runs.jobs import Job
from emberscope_app.theme import tokens
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, font
from emberscope_app.theme.table import RIGHT, paint_words

ROW, DETAIL = 36, 32
JOB = Qt.ItemDataRole.UserRole
_STATES = {"waiting": ("history", "t3", "waiting"), "running": ("run", "t1", "running"),
           "finished": ("check", "ok", "done"), "failed": ("warn", "err", "failed"),
           "crashed": ("warn", "err", "crashed"), "stopped": ("stop", "t3", "stopped")}
Index = QModelIndex | QPersistentModelIndex


class JobModel(QAbstractListModel):
    """Jobs that are not silent, the newest first."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.jobs: list[Job] = []
        self.clock = JobClock()
        self.read()

    def read(self) -> None:
        """Take the session's jobs; only a change of their number resets the list."""
        jobs = [job for job in reversed(self._session.jobs.jobs.values()) if not job.silent]
        if [job.id for job in jobs] != [job.id for job in self.jobs]:
            self.beginResetModel()
            self.jobs = jobs
            self.endResetModel()

    def follow(self, job: Job) -> None:
        """A job moved."""
        self.clock.follow(job)
        self.read()
        if job in self.jobs:
            index = self.index(self.jobs.index(job), 0)
            self.dataChanged.emit(index, index)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.jobs)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        job = self.jobs[index.row()]
        if role == JOB:
            return job
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{job.title}, {_STATES[job.state][2]}, {round(100 * job.fraction)} percent, {state_text(job)}"
        return None


def state_text(job: Job) -> str:
    """What a job is doing now, or what came of it."""
    return job.error or job.message or _STATES[job.state][2]


def button_words(job: Job, *, is_run: bool) -> str:
    """The button of a row; "" where there is nothing to do."""
    if job.active:
        return "Cancel"
    if job.state in ("failed", "crashed"):
        return "Copy details"
    return "Show" if job.state == "finished" and is_run else ""


class JobDelegate(QStyledItemDelegate):
    """State icon, name, what now, bar, time left, button; a failed job unfolds its message."""

    def __init__(self, model: JobModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self.runs: dict[int, int] = {}  # job whose result is a run -> the run

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        job: Job = index.data(JOB)
        return QSize(200, ROW + (DETAIL if job.error else 0))

    def button(self, rect: QRect, job: Job) -> QRect:
        """Where the button of a row is; empty without one."""
        words = button_words(job, is_run=job.id in self.runs)
        wide = {"": 0, "Cancel": 64, "Show": 56, "Copy details": 96}[words]
        return QRect(rect.right() - tokens.PAD - wide + 1, rect.y() + (ROW - 26) // 2, wide, 26) if wide else QRect()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t, job, rect = current(), index.data(JOB), QRect(option.rect)  # type: ignore[attr-defined]
        icon, color, _ = _STATES[job.state]
        ratio = painter.device().devicePixelRatioF()
        painter.drawPixmap(QRect(QPoint(rect.x() + tokens.PAD, rect.y() + 10), QSize(16, 16)),
                           pixmap(icon, getattr(t, color), 16, ratio))
        button = self.button(rect, job)
        right = (button.left() if not button.isEmpty() else rect.right() - tokens.PAD) - 12
        line = QRect(rect.x() + 38, rect.y(), 0, ROW)
        name, time_, bar = 150, 84, 140
        paint_words(painter, QRect(line.x(), line.y(), name, ROW), job.title, weight=600)
        paint_words(painter, QRect(right - time_, line.y(), time_, ROW), self._model.clock.words(job), align=RIGHT,
                    px=tokens.PX_SMALL, color="t2")
        end = right - time_ - 12
        if job.active and end - bar > line.x() + name + 80:
            self._paint_bar(painter, QRect(end - bar, line.y() + ROW // 2 - 2, bar, 4), job)
            end -= bar + 12
        if not job.error:
            paint_words(painter, QRect(line.x() + name + 12, line.y(), max(end - line.x() - name - 12, 0), ROW),
                        state_text(job), px=tokens.PX_SMALL, color="t2")
        else:
            wide = rect.right() - tokens.PAD - line.x()
            self._paint_error(painter, QRect(line.x(), rect.y() + ROW - 6, wide, DETAIL), job)
        if not button.isEmpty():
            self._paint_button(painter, button, button_words(job, is_run=job.id in self.runs))
        painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, QColor(t.line))

    def _paint_bar(self, painter: QPainter, rect: QRect, job: Job) -> None:
        """Progress is the one bar in ember."""
        t = current()
        painter.fillRect(rect, QColor(t.bg4))
        painter.fillRect(QRect(rect.x(), rect.y(), round(rect.width() * job.fraction), rect.height()), QColor(t.acc))

    def _paint_error(self, painter: QPainter, rect: QRect, job: Job) -> None:
        painter.setFont(font(tokens.PX_SMALL))
        painter.setPen(QColor(current().err))
        flags = Qt.AlignmentFlag.AlignLeft.value | Qt.AlignmentFlag.AlignTop.value | Qt.TextFlag.TextWordWrap.value
        painter.drawText(rect, flags, job.error)

    def _paint_button(self, painter: QPainter, rect: QRect, words: str) -> None:
        t = current()
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QColor(t.line2))
            painter.setBrush(QColor(t.bg2))
            box = rect.toRectF().adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(box, tokens.RADIUS_FIELD, tokens.RADIUS_FIELD)
        paint_words(painter, rect, words, align=Qt.AlignmentFlag.AlignCenter, weight=500)
