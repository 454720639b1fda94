"""Stars where concepts lie on the maps, and ellipses where an instance is of one as likely as
not."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QMarginsF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPolygonF

from emberscope.findings.concept_looks import concept_color, concept_name
from emberscope.findings.point_looks import CONCEPT
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.latent_view.surfaces.surface import Surface
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import run_concepts
from emberscope_app.state.knowledge.mapped_concepts import mapped_concepts
from emberscope_app.state.points.placing import in_frame_of
from emberscope_app.theme.glyphs import star_path
from emberscope_app.theme.look import current, font

_STAR, _POINTED = 8.0, 11.0  # px
_DASH = 5.0                  # px
_GAP = 14                    # px from a star to its name
_PLATE = QMarginsF(4, 1, 4, 1)  # of the name


class ConceptStars(MapLayer):
    """The concepts of the run on show; in space as wireframes, where the run has three
    dimensions."""

    id = "concept_stars"
    icon = "star"
    title = (
        "Concepts: their centers, and the line within which an instance is more likely of one "
        "than not"
    )
    on_at_first = True
    height = 8
    in_space = True

    def __init__(self, session: Session, surface: Surface) -> None:
        super().__init__(session, surface)
        mapped_concepts(session).ready.connect(surface.canvas.update)
        self._kept: tuple[object, list[tuple[NDArray, NDArray]]] = (None, [])

    def why_not(self) -> str:
        run = self.cloud.run
        if run_concepts(self.session.project, run) is None:
            return "This run has no concepts: FCMI, CCMI and PCMI find some"
        return "A strip has no room for ellipses" if self.cloud.dimensions < 2 else ""

    def paint(self, painter: QPainter) -> None:
        """Ellipses first, stars and names above all of them."""
        found = run_concepts(self.session.project, self.cloud.run)
        if found is None or self.cloud.at is not None or self.cloud.dimensions < 2:
            return
        mapped_concepts(self.session).ask(found)
        wide = 1.0 if self.surface.in_space else 1.4
        drawn = [self.surface.from_space(star[None])[0] for star, _ in self._places()]
        for _, outlines in self._places():
            for outline in outlines:
                _paint_outline(
                    painter, self.surface.from_space(outline), wide, dashed=found.placed.estimated
                )
        row = self.cloud.hover_row
        pointed = int(found.concept[row]) if row >= 0 else -1
        view, taken = QRectF(self.surface.canvas.rect()), list[QRectF]()
        for k, at in enumerate(drawn):
            if np.isfinite(at).all():
                colored = self.session.focus.color_by == CONCEPT
                color = concept_color(found.numbers[k], current().name) if colored else ""
                if found.tells[k]:
                    _paint_star(
                        painter, QPointF(*at.tolist()), color, _POINTED if k == pointed else _STAR
                    )
                name = concept_name(self.session.project, found, k)
                _paint_name(
                    painter, QPointF(*at.tolist()), name, view, taken, strong=k == pointed
                )

    def _places(self) -> list[tuple[NDArray, NDArray]]:
        """Star (3,) and outlines (1 or 3, 64, 3) of every concept as places of the cloud; again
        only for others.
        """
        found = run_concepts(self.session.project, self.cloud.run)
        if self._kept[0] is not found:
            places: list[tuple[NDArray, NDArray]] = []
            if found is not None:
                solid = self.surface.in_space and self.cloud.dimensions > 2
                outlines = found.wireframes if solid else found.outlines[:, None]
                placed = (in_frame_of(found.run.Z, points) for points in (found.stars, outlines))
                places = list(zip(*placed, strict=True))
            self._kept = (found, places)
        return self._kept[1]


def _paint_outline(painter: QPainter, outline: NDArray, thick: float, *, dashed: bool) -> None:
    """Dashed where a map without a rule for new points has only instances to place the concept
    by."""
    if not np.isfinite(outline).all():
        return
    shape = QPolygonF([QPointF(*corner) for corner in outline.tolist()])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # A rim apart from points
    for color, wide in ((current().plot, thick + 2), (current().ink, thick)):
        pen = QPen(QColor(color), wide)
        if dashed:
            pen.setDashPattern([_DASH / wide, _DASH / wide])
        painter.setPen(pen)
        painter.drawPolygon(shape)


def _paint_star(painter: QPainter, at: QPointF, color: str, radius: float) -> None:
    t = current()
    for pen, wide, fill in ((t.plot, 4.0, t.plot), (t.ink, 1.4, color or t.ink)):
        painter.setPen(QPen(QColor(pen), wide, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap,
                            Qt.PenJoinStyle.RoundJoin))
        painter.setBrush(QColor(fill))
        painter.drawPath(star_path(at, radius))


def _paint_name(
    painter: QPainter, at: QPointF, name: str, view: QRectF, taken: list[QRectF], *, strong: bool
) -> None:
    """Beside the star where it is in view whole and no other name stands; left out where no side
    is left."""
    letters = font(12, 700 if strong else 600)
    wide, high = QFontMetrics(letters).horizontalAdvance(name) + 2, 16.0
    x, y = at.x(), at.y()
    places = (
        QRectF(x + _GAP, y - high / 2, wide, high),
        QRectF(x - _GAP - wide, y - high / 2, wide, high),
        QRectF(x - wide / 2, y - _GAP - high, wide, high),
        QRectF(x - wide / 2, y + _GAP, wide, high),
    )
    free = next((place for place in places if view.contains(place.marginsAdded(_PLATE))
                 and not any(place.intersects(other) for other in taken)), None)
    if free is None:
        return
    taken.append(free)
    ground = QColor(current().plot)
    ground.setAlphaF(0.8)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(free.marginsAdded(_PLATE), 3, 3)
    painter.setFont(letters)
    painter.setPen(QColor(current().ink))
    painter.drawText(free, Qt.AlignmentFlag.AlignCenter, name)
