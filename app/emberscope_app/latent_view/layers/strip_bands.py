"""On a strip of one axis: a density curve for each group of points, its name, and the bandwidth."""

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPolygonF

from emberscope.findings.maps.strip import density, ends_of, groups_of, silverman
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.latent_view.plates import MapPlate
from emberscope_app.latent_view.points.strip import BAND, FOOT, HIGH, middle_of
from emberscope_app.latent_view.surfaces.surface import Flat, Surface
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.placing import unit_of_axis
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font
from emberscope_app.theme.words_and_bars import paint_words

_MOST = 24  # bands; more would be as thin as a line


class _Band(NamedTuple):
    """line : its density, map units. foot : on which it stands."""

    name: str
    color: str
    line: QPolygonF
    foot: float


class StripBands(MapLayer):
    """Always there where one axis is on show. The curves are as high as they are dense, all on one
    scale, with one bandwidth for all."""

    id = "strip_bands"
    title = "Density curves of a strip"
    on_at_first = True
    height = -1
    surface: Flat

    def __init__(self, session: Session, surface: Surface) -> None:
        super().__init__(session, surface)
        self.said = MapPlate(surface.canvas, px=tokens.PX_SMALL, weight=400)
        self.plate = self.said
        self._words = ""
        self.bands: list[_Band] | None = None
        self.width = 0.0  # the bandwidth, in units of the axis
        self.cloud.changed.connect(self._on_cloud)

    def read(self) -> None:
        self.bands = None
        self._say()

    def _on_cloud(self, what: str) -> None:
        if what in ("moved", "style"):
            self.bands = None
            self._say()

    def _say(self) -> None:
        there = self.surface.is_strip and self.cloud.shown_count > 0
        if there and self.bands is None:
            self._make()
        axis = min(self.cloud.shown_axes) + 1
        said = f"Axis {axis}, density bandwidth {self.width:.3g}" if there else ""
        if said != self._words:
            self._words = said
            self.said.say(said)
            self.needs_below = self.said.height() + 4 if there else 0
            self.changed.emit()

    def _make(self) -> None:
        cloud = self.cloud
        theme = current().name
        group, known = groups_of(self.session.project, cloud.style, theme)
        keys = np.unique(group).tolist()
        values = cloud.plane.places[:, 0]
        here = cloud.visible
        ends, width = ends_of(values[here]), silverman(values[here], group[here])
        self.width = width * unit_of_axis(cloud.Z, min(cloud.shown_axes))
        curves = {key: density(values[here & (group == key)], ends, width)
                  for key in keys if (here & (group == key)).any() and len(keys) <= _MOST}
        most = max((float(y.max()) for _, y in curves.values()), default=1.0) or 1.0
        self.bands = []
        for key, (x, y) in curves.items():
            foot = float(middle_of(keys.index(key), len(keys))) + BAND * FOOT
            tops = (foot + BAND * HIGH * y / most).tolist()
            line = QPolygonF([QPointF(*at) for at in zip(x.tolist(), tops, strict=True)])
            name, _, color = known.get(key, ("", 0, current().t3))
            self.bands.append(_Band(name, color, line, foot))

    def paint(self, painter: QPainter) -> None:
        if not self.surface.is_strip or not len(self.cloud):
            return
        if self.bands is None:
            self._make()
        transform = self.surface.transform()
        for band in self.bands or ():
            line = transform.map(band.line)
            foot = transform.map(QPointF(0, band.foot)).y()
            color = QColor(band.color)
            color.setAlphaF(0.16)
            ends = [QPointF(line.last().x(), foot), QPointF(line.first().x(), foot)]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawPolygon(QPolygonF([*line.toList(), *ends]))
            painter.setPen(QPen(QColor(current().line2), 1))
            painter.drawLine(*ends)
            painter.setPen(QPen(QColor(band.color), 1.8))
            painter.drawPolyline(line)
            paint_words(painter, place_of_name(band.name, ends[1]), band.name,
                        px=tokens.PX_SMALL, color="t2")


def place_of_name(name: str, start: QPointF) -> QRect:
    """Before the line on which a band stands; on it where there is no room before it."""
    wide = QFontMetrics(font(tokens.PX_SMALL)).horizontalAdvance(name) + 2
    before = round(start.x()) - wide - 8
    return QRect(before if before >= 12 else max(round(start.x()), 12), round(start.y()) - 12
                 if before >= 12 else round(start.y()) - 18, max(wide, 200), 16)
