"""Frames that the filter leaves out, pale on the timeline."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QRectF, Signal
from PySide6.QtGui import QColor, QPainter

from emberscope_app.frame_view.timeline.timeline_marks import runs_of
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.filter import filter_of
from emberscope_app.theme.look import current

_VEIL = 0.72  # how much of the ground covers what is left out
_LEAST, _MOST = 6.0, 12.0  # px on either side of a frame, so that its sign is covered


class LeftOut(QObject):
    """Stretches of the clip on show that the filter leaves out. `changed`: paint again."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.stretches: list[tuple[int, int]] = []  # first and last frames
        filter_of(session).changed.connect(self.read)

    def read(self) -> None:
        """The stretches of the clip on show."""
        source = self._session.focus.source
        ref = self._session.project.sources.get(-1 if source is None else source)
        frames = filter_of(self._session).left_out(ref.id, ref.n_frames) if ref is not None else []
        self.stretches = runs_of([int(frame) for frame in frames])
        self.changed.emit()

    def paint(self, painter: QPainter, area: QRectF, x_of: Callable[[float], float]) -> None:
        """A veil of the ground over them, within an area."""
        veil = QColor(current().bg1)
        veil.setAlphaF(_VEIL)
        half = min(max((x_of(1) - x_of(0)) / 2, _LEAST), _MOST)
        end = area.left()
        for first, last in self.stretches:
            left, right = max(x_of(first) - half, end), min(x_of(last) + half, area.right())
            if right > left:
                painter.fillRect(QRectF(left, area.top(), right - left, area.height()), veil)
                end = right
