"""The tracks of the timeline: ruler, frame labels, one row per class, the playhead. Painted from
arrays."""

from functools import partial

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from emberscope.labels.model import BACKGROUND
from emberscope.project.model.done import done_of
from emberscope_app.frame_view.timeline.action_row import ActionRow
from emberscope_app.frame_view.timeline.hit_row import HitRow
from emberscope_app.frame_view.timeline.left_out import LeftOut
from emberscope_app.frame_view.timeline.playhead import paint_playhead, playhead_box
from emberscope_app.frame_view.timeline.seek import seek_key
from emberscope_app.frame_view.timeline.timeline_marks import (
    BINNED_FROM,
    Band,
    Marks,
    Track,
    binned,
    read_marks,
    runs_of,
    ticks,
)
from emberscope_app.guard import saved
from emberscope_app.plain import menu_text
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.actions import select_stretch
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import paint_glyph
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, font, look

_GUTTER, _RULER, _TRACK = 124, 24, tokens.ROW
_PAD = 14  # px left and right of the first and last frame
_MOST_NAMES = 40  # actions that a menu offers


class TimelineView(QWidget):
    """Painted from arrays; a click or drag seeks, in the row of actions it paints or chooses.

    Alt+wheel zooms time, the wheel alone moves a zoomed view.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.marks = Marks()
        self.span: tuple[float, float] | None = None  # frames in view while zoomed; None = all
        self._hover: int | None = None
        self.action_row = ActionRow(session, self)
        self.action_row.changed.connect(self._fit_rows)
        self.hit_row = HitRow(session, self)
        self.hit_row.changed.connect(self._fit_rows)
        self.left_out = LeftOut(session, self)
        self.left_out.changed.connect(self.update)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self.setAccessibleName("Timeline")
        look().changed.connect(self.update)

    def reload(self) -> None:
        source = self.session.focus.source
        self.marks = read_marks(self.session.project, source) if source is not None else Marks()
        self.action_row.read()
        self.hit_row.read()
        self.left_out.read()

    def _fit_rows(self) -> None:
        self.setMinimumHeight(self.sizeHint().height())
        self.update()

    def sizeHint(self) -> QSize:
        below = self.action_row.shown + self.hit_row.shown
        return QSize(400, _RULER + _TRACK * (1 + len(self.marks.tracks) + below) + 4)

    def _on_actions(self, y: float) -> bool:
        """Whether a height is that of the row of actions."""
        return self.action_row.shown and 0 <= y - self._top(1 + len(self.marks.tracks)) < _TRACK

    @property
    def n_frames(self) -> int:
        ref = self.session.project.sources.get(self.session.focus.source or -1)
        return ref.n_frames if ref else 0

    def _range(self) -> tuple[float, float]:
        return self.span if self.span is not None else (0.0, max(self.n_frames - 1, 1))

    def x_of(self, frame: float) -> float:
        first, last = self._range()
        return (
            _GUTTER
            + _PAD
            + (frame - first) / max(last - first, 1e-9) * (self.width() - _GUTTER - 2 * _PAD)
        )

    def frame_at(self, x: float) -> int:
        first, last = self._range()
        found = first + (x - _GUTTER - _PAD) / max(self.width() - _GUTTER - 2 * _PAD, 1) * (
            last - first
        )
        return int(np.clip(round(found), 0, max(self.n_frames - 1, 0)))

    # --- gestures

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if event.button() != Qt.MouseButton.LeftButton or at.x() < _GUTTER:
            return
        if self._on_actions(at.y()):
            self.action_row.press(self.frame_at(at.x()))
        if not self.action_row.busy:
            self.session.go(frame=self.frame_at(at.x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.action_row.busy:
            self.action_row.drag(self.frame_at(event.position().x()))
        elif event.buttons() & Qt.MouseButton.LeftButton and event.position().x() >= _GUTTER - 20:
            self.session.go(frame=self.frame_at(event.position().x()))
        frame = self.frame_at(event.position().x()) if event.position().x() >= _GUTTER else None
        if frame != self._hover:
            self._hover = frame
            self.setToolTip(f"Frame {frame + 1}" if frame is not None else "")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.action_row.busy:
            self.action_row.release()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Go to the mark under the pointer and select its labels; of an action the chips."""
        if self._on_actions(event.position().y()):
            stretch = self.action_row.at(self.frame_at(event.position().x()))
            if stretch is not None:
                self.session.go(frame=stretch.first)
                select_stretch(self.session, stretch, origin=self)
            return
        row = int((event.position().y() - _RULER) // _TRACK) - 1
        focus = self.session.focus
        if not 0 <= row < len(self.marks.tracks) or focus.source is None:
            return
        track = self.marks.tracks[row]
        if len(track.drawn):
            near = int(
                track.drawn[np.argmin(np.abs(track.drawn - self.frame_at(event.position().x())))]
            )
            if abs(self.x_of(near) - event.position().x()) <= 8:
                self.session.go(frame=near)
                labels = self.session.project.labels.on_frame(focus.source, near)
                focus.set(
                    labels=tuple(label.id for label in labels if label.class_id == track.class_id)
                )

    def wheelEvent(self, event: QWheelEvent) -> None:
        # With Alt held Qt hands the turn over as horizontal.
        turn = (event.angleDelta().y() or event.angleDelta().x()) / 120
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.zoom(0.8**turn, self.frame_at(event.position().x()))
            event.accept()
        elif self.span is not None:
            self.slide(-turn * (self.span[1] - self.span[0]) / 10)
            event.accept()
        else:
            event.ignore()

    def zoom(self, factor: float, at: float) -> None:
        """Show a longer or shorter stretch of time around a frame."""
        first, last = self._range()
        length = min(max((last - first) * factor, 10.0), max(self.n_frames - 1, 1))
        if length >= self.n_frames - 1:
            self.span = None
        else:
            share = (at - first) / max(last - first, 1e-9)
            self.span = (at - share * length, at + (1 - share) * length)
            self.slide(0)
        self.update()

    def slide(self, frames: float) -> None:
        if self.span is None:
            return
        first, last = self.span
        frames = min(max(frames, -first), self.n_frames - 1 - last)
        self.span = (first + frames, last + frames)
        self.update()

    def keep_in_view(self) -> None:
        """Follow the playhead while zoomed."""
        if self.span is None:
            return
        frame, (first, last) = self.session.focus.frame, self.span
        if not first <= frame <= last:
            self.slide(frame - (first + last) / 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (
            event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
            and self.action_row.chosen is not None
        ):
            self.action_row.remove_chosen()
        elif event.key() == Qt.Key.Key_Escape and self.action_row.cancel():
            return
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.session.select_labels()
        elif not seek_key(self.session, event):
            super().keyPressEvent(event)

    def menu(self, at: QPoint) -> QMenu | None:
        """What can be done with the action at a place; None where there is none."""
        stretch = self.action_row.at(self.frame_at(at.x())) if self._on_actions(at.y()) else None
        if stretch is None:
            return None
        row = self.action_row
        row.choose(stretch)
        menu = QMenu(self)
        menu.addAction(
            "Select its chips", lambda: select_stretch(self.session, stretch, origin=self)
        )
        change = menu.addMenu("Change to")
        for name in sorted({*row.names[:_MOST_NAMES], row.action} - {stretch.action, ""}):
            change.addAction(menu_text(name), partial(row.rename_chosen, name))
        change.setEnabled(bool(change.actions()))
        menu.addAction("Remove\tDel", row.remove_chosen)
        return menu

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current(), QPainter(self)
        painter.fillRect(self.rect(), QColor(t.bg1))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ruler(painter)
        self._paint_row_name(painter, 0, "Frame label", icon="frame")
        with saved(painter):
            painter.setClipRect(QRectF(_GUTTER, 0, self.width() - _GUTTER, self.height()))
            self._paint_bands(painter)
            for i, track in enumerate(self.marks.tracks, 1):
                self._paint_track(painter, i, track)
            below = list(enumerate(self._below(), 1 + len(self.marks.tracks)))
            for at, (row, _, _) in below:
                area = QRectF(_GUTTER, self._top(at), self.width() - _GUTTER, _TRACK)
                row.paint(painter, area, self.x_of)
            tracks = QRectF(_GUTTER, _RULER, self.width() - _GUTTER, self.height() - _RULER)
            self.left_out.paint(painter, tracks, self.x_of)
        for at, (_, words, icon) in below:
            self._paint_row_name(painter, at, words, icon=icon)
        classes = self.session.project.classes
        for i, track in enumerate(self.marks.tracks, 1):
            info = classes.get(track.class_id)
            if info is not None:
                self._paint_row_name(painter, i, info.name, slot=info.slot)
        if self.n_frames:
            self._paint_playhead(painter)
        painter.end()

    def _below(self) -> list[tuple[ActionRow | HitRow, str, str]]:
        """The rows below the classes that are shown, with their names and icons."""
        rows: list[tuple[ActionRow | HitRow, str, str]] = [
            (self.action_row, "Actions", "next"), (self.hit_row, "Hits", "spot"),
        ]  # fmt: skip
        return [row for row in rows if row[0].shown]

    def _top(self, row: int) -> float:
        return _RULER + row * _TRACK

    def _paint_row_name(
        self, painter: QPainter, row: int, words: str, *, slot: int | None = None, icon: str = ""
    ) -> None:
        t, middle = current(), self._top(row) + _TRACK / 2
        if slot is not None:
            paint_glyph(painter, slot, QPointF(20, middle), 4.5)
        else:
            painter.drawPixmap(QPointF(13, middle - 7), pixmap(icon, t.t2, 14, 2.0))
        painter.setPen(QColor(t.t1))
        painter.setFont(font(tokens.PX_BODY, 400))
        area = QRectF(32, self._top(row), _GUTTER - 40, _TRACK)
        painter.drawText(
            area,
            Qt.AlignmentFlag.AlignVCenter,
            painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(area.width())),
        )
        painter.setPen(QPen(QColor(t.line), 1))
        painter.drawLine(
            QPointF(0, self._top(row) + 0.5), QPointF(self.width(), self._top(row) + 0.5)
        )

    def _paint_ruler(self, painter: QPainter) -> None:
        t, (first, last) = current(), self._range()
        painter.setFont(font(tokens.PX_SMALL))
        if not self.n_frames:
            return
        self._paint_done(painter)
        at = self.session.focus.frame
        head = playhead_box(self.x_of(at), str(at + 1), _GUTTER - 8, self.width())
        seen = self.x_of(at) >= _GUTTER
        shown = ticks(first, last, most=max((self.width() - _GUTTER) // 80, 2))
        for frame in shown:
            x = self.x_of(frame)
            painter.setPen(QColor(t.t3))
            room = QRectF(x + 4, 0, 60, _RULER - 2)
            room.setWidth(painter.fontMetrics().horizontalAdvance(str(frame + 1)))
            if room.right() <= self.width() and not (seen and room.intersects(head)):
                painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, str(frame + 1))
            painter.setPen(QPen(QColor(t.line2), 1))
            painter.drawLine(QPointF(x, _RULER - 10), QPointF(x, _RULER))
        if (self.width() - _GUTTER) / max(last - first, 1) > 5:
            painter.setPen(QPen(QColor(t.line), 1))
            for frame in range(int(first), int(last) + 1):
                painter.drawLine(
                    QPointF(self.x_of(frame), _RULER - 4), QPointF(self.x_of(frame), _RULER)
                )

    def _paint_done(self, painter: QPainter) -> None:
        """A line under the ruler where frames are done."""
        done = done_of(self.session.project, self.session.focus.source or -1)
        half = min((self.x_of(1) - self.x_of(0)) / 2, 12.0)
        for first, last in [(0, self.n_frames - 1)] if done.clip else runs_of(sorted(done.frames)):
            left, right = max(self.x_of(first) - half, _GUTTER), self.x_of(last) + half
            painter.fillRect(
                QRectF(left, _RULER - 3, max(right - left, 2), 3), QColor(current().t2)
            )

    def _paint_bands(self, painter: QPainter) -> None:
        t = current()
        half = min((self.x_of(1) - self.x_of(0)) / 2, 12.0)
        for band in self.marks.bands:
            box = QRectF(
                QPointF(self.x_of(band.first) - half, self._top(0) + 7),
                QPointF(self.x_of(band.last) + half, self._top(0) + _TRACK - 7),
            )
            box.setLeft(max(box.left(), _GUTTER))
            if box.width() < 3:
                box.setWidth(3)
            color, words = self._look_of(band)
            color.setAlphaF(0.45)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawRoundedRect(box, 2, 2)
            painter.setFont(font(tokens.PX_SMALL, 500))
            if box.width() > painter.fontMetrics().horizontalAdvance(words) + 12:
                painter.setPen(QColor(t.t1))
                painter.drawText(box.adjusted(6, -4, 0, 4), Qt.AlignmentFlag.AlignVCenter, words)

    def _look_of(self, band: Band) -> tuple[QColor, str]:
        """A band that names a class is of its color; an empty frame holds background alone."""
        classes = self.session.project.classes
        info = classes.get(BACKGROUND if band.says == "empty" else band.class_id or 0)
        if info is None:
            return QColor(current().t3), band.says
        return QColor(
            current().class_color(info.slot)
        ), "empty" if band.says == "empty" else info.name

    def _paint_track(self, painter: QPainter, row: int, track: Track) -> None:
        info = self.session.project.classes.get(track.class_id)
        if info is None:
            return
        color, middle = current().class_color(info.slot), self._top(row) + _TRACK / 2
        faint = QColor(color)
        faint.setAlphaF(0.45)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(faint)
        for begin, end in track.spans:
            x = self.x_of(begin) - 2
            painter.drawRoundedRect(
                QRectF(x, middle - 1.5, max(self.x_of(end) + 2 - x, 4), 3), 1.5, 1.5
            )
        first, last = self._range()
        if last - first > BINNED_FROM:
            self._paint_bins(painter, track, color, middle)
            return
        for frame in track.drawn.tolist():
            if first - 1 <= frame <= last + 1:
                paint_glyph(painter, info.slot, QPointF(self.x_of(frame), middle), 4.5)

    def _paint_bins(self, painter: QPainter, track: Track, color: QColor, middle: float) -> None:
        first, last = self._range()
        room = self.width() - _GUTTER - 2 * _PAD
        shares = binned(
            track.drawn, track.counts, first=first, last=last + 1, bins=max(int(room // 4), 1)
        )
        width = room / len(shares)
        for i in np.flatnonzero(shares).tolist():
            tone = QColor(color)
            tone.setAlphaF(0.25 + 0.75 * float(shares[i]))
            painter.fillRect(
                QRectF(_GUTTER + _PAD + i * width, middle - 5, max(width - 0.5, 1), 10), tone
            )

    def _paint_playhead(self, painter: QPainter) -> None:
        frame = self.session.focus.frame
        x = self.x_of(frame)
        if x >= _GUTTER:
            paint_playhead(painter, x, str(frame + 1), _GUTTER - 8, self.size(), _RULER)
