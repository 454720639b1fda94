"""Bags as translucent balls: where each lies on the map, and how wide it is spread."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter, QPen

from emberscope.bags.model import Bags
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.theme.look import current

_MOST = 150  # bags that are drawn; of more, evenly chosen ones
_FILL = 0.12  # how opaque a ball is at most


class BagBalls(MapLayer):
    """Around the middle of the members of a bag, as wide as the root of their mean squared
    distance to it, in the color of its class: most of its members are inside."""

    id = "bag_balls"
    icon = "ellipse"
    title = "Bags as translucent balls"
    height = 1
    in_space = True

    def why_not(self) -> str:
        run = self.session.run
        return "" if run is not None and len(run.bags) else "This run has no bags"

    def paint(self, painter: QPainter) -> None:
        run, cloud = self.cloud.run, self.cloud
        if run is None or len(cloud.places) != len(run.ids):
            return
        shown = chosen(np.flatnonzero(run.bags.sizes > 0), cloud.whole_bags, _MOST)
        middles, radii, kept = balls(np.asarray(cloud.places, float), run.bags, shown,
                                     cloud.visible)
        if not len(kept):
            return
        at = self.surface.from_space(middles)
        wide = self._px(middles, radii, at)
        for bag, (x, y), px in zip(kept, at.tolist(), wide.tolist(), strict=True):
            if np.isfinite(x) and np.isfinite(px):
                fill = min(_FILL, 0.6 / len(kept))  # of many that lie over one another
                self._ball(painter, QPointF(x, y), px, (int(run.bags.classes[bag]), fill))

    def _px(self, middles: NDArray, radii: NDArray, at: NDArray) -> NDArray[np.float64]:
        """(B,) radii on the screen: the longest of the three axes, as the view shows them."""
        found = [np.linalg.norm(
            self.surface.from_space(middles + axis * radii[:, None]) - at, axis=1)
            for axis in np.eye(3)]
        return np.maximum(np.max(found, axis=0), 1.0)

    def _ball(self, painter: QPainter, at: QPointF, px: float, look: tuple[int, float]) -> None:
        """look : id of the class, and how opaque it is."""
        class_id, fill = look
        info = self.session.project.classes.get(class_id)
        color = QColor(current().class_color(info.slot if info is not None else 0))
        color.setAlphaF(0.6)
        painter.setPen(QPen(color, 1))
        color.setAlphaF(fill)
        painter.setBrush(color)
        painter.drawEllipse(at, px, px)


def chosen(bags: NDArray[np.int64], selected: NDArray, most: int) -> NDArray[np.int64]:
    """Bags that are selected, or all; of more than `most` evenly chosen ones."""
    own = np.intersect1d(bags, selected) if len(selected) else bags
    if len(own) <= most:
        return own
    return own[np.linspace(0, len(own) - 1, most).astype(np.int64)]


def balls(
    places: NDArray, bags: Bags, shown: NDArray[np.int64], visible: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Middles (B, 3) and radii (B,) of bags of points (N, 3), members that are not visible left
    out, and which bags (B,) these are: those with a member in sight."""
    middles, radii, kept = [], [], []
    for bag in shown.tolist():
        members = bags.of(bag)
        own = places[members[visible[members]]]
        own = own[np.isfinite(own).all(axis=1)]
        if len(own):
            middle = own.mean(axis=0)
            middles.append(middle)
            radii.append(float(np.sqrt(np.square(own - middle).sum(axis=1).mean())))
            kept.append(bag)
    return (np.array(middles).reshape(-1, 3), np.array(radii), np.array(kept, np.int64))
