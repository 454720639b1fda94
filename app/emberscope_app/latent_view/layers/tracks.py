"""The way of a track over the maps: a line from frame to frame in the colors of its actions, and
what comes next."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from emberscope_app.latent_view.layers.action_card import ActionCard
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.latent_view.surfaces.surface import Surface
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.actions import action_colors
from emberscope_app.state.points.placing import in_frame_of
from emberscope_app.state.points.track import TRACKS, track_of
from emberscope_app.theme.look import current

_ARROW = 7.0      # px
_LONG = 22.0      # px, from which a step has an arrow
_RING = 8.0


class TrackWay(MapLayer):
    """The steps of the run on show; on the flat map with the card of their actions."""

    id = TRACKS
    icon = "track"
    title = "Track: the way from frame to frame, in the colors of its actions"
    height = 3
    in_space = True

    def __init__(self, session: Session, surface: Surface) -> None:
        super().__init__(session, surface)
        self.track = track_of(session)
        if not surface.in_space:
            self.plate = self.card = ActionCard(session, self.cloud, self.track, surface.canvas)
            self.cloud.changed.connect(lambda what: self.card.read() if what == "moved" else None)
        self.track.changed.connect(self._on_track)

    def why_not(self) -> str:
        return self.track.why_not()

    def _on_track(self) -> None:
        if self.plate is not None:
            self.card.read()
        self.changed.emit()

    def paint(self, painter: QPainter) -> None:
        steps = self.track.steps
        if steps is None or not self.cloud.pickable:
            return
        ends = np.hstack([self.surface.spots(steps.before), self.surface.spots(steps.after)])
        shown = self.cloud.visible[steps.before] & self.cloud.visible[steps.after]
        shown &= np.isfinite(ends).all(axis=1)  # lines to points behind the camera lead astray
        project, t = self.session.project, current()
        # The last one, -1, is not known
        colors = [*action_colors(steps.names, project, steps.names), ""]
        hues = list(dict.fromkeys(reversed(colors)))  # many actions share few colors
        hue = np.array([hues.index(color) for color in colors], np.int64)[steps.action]
        for at_hue, name in enumerate(hues):
            color = QColor(name or t.t3)
            painter.setPen(QPen(color, 2.0 if name else 1.2))
            lines = [QLineF(*line) for line in ends[shown & (hue == at_hue)].tolist()]
            painter.drawLines(lines)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            for line in lines:
                _paint_head(painter, line)
        self._paint_next(painter)
        self._paint_planned(painter)
        self._paint_places(painter)

    def _paint_planned(self, painter: QPainter) -> None:
        """The places of the way that is planned, dotted, with a ring around the instance at its
        end."""
        way = self.track.way
        if way is None or way.row < 0 or self.cloud.at is not None:
            return
        along = self.surface.from_space(in_frame_of(self.cloud.Z, np.array(way.Z)))
        end = self.surface.spots(np.array([way.row]))[0]
        if not (np.isfinite(along).all() and np.isfinite(end).all()):
            return
        ink = QColor(current().ink)
        painter.setPen(QPen(ink, 2.0, Qt.PenStyle.DotLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF([_point(at) for at in along]))
        painter.setPen(QPen(ink, 1.6))
        painter.drawEllipse(_point(end), _RING, _RING)

    def _paint_places(self, painter: QPainter) -> None:
        """A dashed line from each view to the place where it is, with a ring around that."""
        places = self.track.places
        if not places or self.cloud.at is not None or self.cloud.run is None:
            return
        ends = self.surface.spots(np.array([(one.view, one.row) for one in places]).ravel())
        ink = QColor(current().ink)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for view, place in ends.reshape(-1, 2, 2):
            if np.isfinite([view, place]).all():
                painter.setPen(QPen(ink, 1.6, Qt.PenStyle.DashLine))
                painter.drawLine(_point(view), _point(place))
                painter.setPen(QPen(ink, 1.6))
                painter.drawEllipse(_point(place), _RING, _RING)

    def _paint_next(self, painter: QPainter) -> None:
        """From the chip to where the chosen action leads, and a ring around the instance that
        fits."""
        found, row = self.track.found, self.track.row
        if found is None or self.cloud.at is not None or not 0 <= row < len(self.cloud):
            return
        end = self.surface.from_space(in_frame_of(self.cloud.Z, np.array([found.Z])))[0]
        start, *fits = self.surface.spots(np.array([row, *([found.row] if found.row >= 0 else [])]))
        if not np.isfinite([end, start]).all():
            return
        ink = QColor(current().ink)
        painter.setPen(QPen(ink, 1.6, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawLine(_point(start), _point(end))
        painter.setPen(QPen(ink, 1.6))
        for dx, dy in ((6, 0), (0, 6)):
            painter.drawLine(_point(end) - QPointF(dx, dy), _point(end) + QPointF(dx, dy))
        for at in (start, *fits):
            if np.isfinite(at).all():
                painter.drawEllipse(_point(at), _RING, _RING)


def _point(at: NDArray) -> QPointF:
    return QPointF(*at.tolist())


def _paint_head(painter: QPainter, line: QLineF) -> None:
    """An arrow in the middle of a step that is long enough."""
    if line.length() < _LONG:
        return
    unit = QPointF(line.dx(), line.dy()) / line.length()
    tip = line.center() + unit * (_ARROW / 2)
    side = QPointF(-unit.y(), unit.x()) * (_ARROW / 2.4)
    painter.drawPolygon(QPolygonF([tip, tip - unit * _ARROW + side, tip - unit * _ARROW - side]))
