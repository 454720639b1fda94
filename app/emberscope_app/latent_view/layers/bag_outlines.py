"""An outline around the instances of each bag, in the color of its class."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from emberscope.findings.maps.bag_points import WITH_HULLS, hulls
from emberscope_app.latent_view.layers.bag_balls import chosen
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.latent_view.surfaces.surface import Flat, Surface
from emberscope_app.state.core.session import Session
from emberscope_app.theme.look import current

_MOST = 400      # outlines that are drawn; of more bags evenly chosen ones
_FEW = 40        # up to which each is filled as strongly
_FILL = 0.08


class BagOutlines(MapLayer):
    """Painted where the list of the strip asks for outlines. Bags that are selected as a whole are
    drawn alone."""

    id = "bag_outlines"
    title = "Outlines of bags"
    on_at_first = True
    height = 1
    reads = ("classes",)
    surface: Flat

    def __init__(self, session: Session, surface: Surface) -> None:
        super().__init__(session, surface)
        self._made: dict[int, QPolygonF] | None = None  # of each bag, map units
        self.cloud.changed.connect(self._on_cloud)

    def read(self) -> None:
        self._made = None

    def _on_cloud(self, what: str) -> None:
        if what in ("moved", "style"):
            self._made = None

    def outlines(self) -> dict[int, QPolygonF]:
        """The outline of each bag of three instances in sight or more, in map units."""
        cloud, run = self.cloud, self.cloud.run
        wanted = cloud.points_as in WITH_HULLS and not self.surface.is_strip
        if run is None or not wanted or len(cloud.members) != len(run.ids):
            return {}
        if self._made is None:
            # Where a point stands for its bag, the instances themselves are not drawn
            seen = cloud.visible if cloud.units is None else cloud.visible[cloud.units.stands]
            corners, bags = hulls(cloud.members, run.bags, seen)
            places = cloud.members[corners, :2].tolist()
            self._made = {bag: QPolygonF([QPointF(*at) for at in outline])
                          for bag, outline in zip(bags.tolist(), places, strict=True)}
        return self._made

    def paint(self, painter: QPainter) -> None:
        made, run = self.outlines(), self.cloud.run
        if not made or run is None:
            return
        bags = chosen(self._there(made), self.cloud.whole_bags, _MOST).tolist()
        classes, transform = run.bags.classes, self.surface.transform()
        fill = _FILL * min(_FEW / max(len(bags), 1), 1.0)
        for bag in bags:
            info = self.session.project.classes.get(int(classes[bag]))
            color = QColor(current().class_color(info.slot if info is not None else 0))
            color.setAlphaF(0.7 if len(bags) <= _FEW else 0.4)
            painter.setPen(QPen(color, 1.2))
            color.setAlphaF(fill)
            painter.setBrush(color)
            painter.drawPolygon(transform.map(made[bag]))

    def _there(self, made: dict[int, QPolygonF]) -> NDArray[np.int64]:
        return np.array(sorted(made), np.int64)
