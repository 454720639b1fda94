"""Stars where concepts lie on the maps, and ellipses where an instance is of one as likely as not."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPolygonF

from emberscope.findings.concept_looks import concept_color, concept_name
from emberscope.findings.concepts import RunConcepts
from emberscope.findings.point_looks import CONCEPT
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import run_concepts
from emberscope_app.state.knowledge.mapped_concepts import mapped_concepts
from emberscope_app.state.points.cloud import CONCEPT_STARS, GROUND_SQUARES, Cloud
from emberscope_app.state.points.placing import frame_of
from emberscope_app.theme.glyphs import star_path
from emberscope_app.theme.look import current, font

_STAR, _POINTED = 8.0, 11.0  # px
_SQUARE = 5.0                # px, half of its side
_DASH = 5.0                  # px
_GAP = 14                    # px from a star to its name
ToCanvas = Callable[[NDArray], NDArray]


class ConceptStars:
    """Paints the concepts of the run on show; `to_canvas` takes places of the cloud (P, 3) to logical px (P, 2), NaN
    where they are out of sight. `space` : wireframes, where the run has three dimensions."""

    def __init__(self, session: Session, cloud: Cloud, to_canvas: ToCanvas, *, space: bool = False) -> None:
        self._session, self._cloud, self._to_canvas, self._space = session, cloud, to_canvas, space
        self._kept: tuple[object, list[tuple[NDArray, NDArray]]] = (None, [])

    def why_not(self) -> str:
        """Why there is nothing to draw, "" where there is."""
        run = self._cloud.run
        if run_concepts(self._session.project, run) is None:
            return "This run has no concepts: FCMI, CCMI and PCMI find some"
        return "A strip has no room for ellipses" if self._cloud.dimensions < 2 else ""

    def paint(self, painter: QPainter) -> None:
        """Ellipses first, stars and names above all of them."""
        found = run_concepts(self._session.project, self._cloud.run)
        in_place = self._cloud.pickable and self._cloud.at is None
        possible = CONCEPT_STARS in self._cloud.layers and in_place and self._cloud.dimensions >= 2
        if found is None or not possible:
            return
        mapped_concepts(self._session).ask(found)
        wide = 1.0 if self._space else 1.4
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        drawn = [self._to_canvas(star[None])[0] for star, _ in self._places()]
        for _, outlines in self._places():
            for outline in outlines:
                _paint_outline(painter, self._to_canvas(outline), wide, dashed=found.placed.estimated)
        if GROUND_SQUARES in self._cloud.layers:
            for square in self._to_canvas(self._ground(found)) if len(found.ground) else ():
                _paint_square(painter, square)
        row = self._cloud.hover_row
        pointed = int(found.concept[row]) if row >= 0 else -1
        taken: list[QRectF] = []
        for k, at in enumerate(drawn):
            if np.isfinite(at).all():
                colored = self._session.focus.color_by == CONCEPT
                color = concept_color(found.numbers[k], current().name) if colored else ""
                if found.tells[k]:
                    _paint_star(painter, QPointF(*at.tolist()), color, _POINTED if k == pointed else _STAR)
                name = concept_name(self._session.project, found, k)
                _paint_name(painter, QPointF(*at.tolist()), name, taken, strong=k == pointed)

    def _ground(self, found: RunConcepts) -> NDArray:
        """Clusters of negative instances as places of the cloud, (Q, 3)."""
        frame = frame_of(self._cloud.Z[:, :3])
        if frame is None:
            return np.full((len(found.ground), 3), np.nan)
        middle, half = frame
        return _in_space((found.ground[:, : len(middle)] - middle) / half)

    def _places(self) -> list[tuple[NDArray, NDArray]]:
        """Star (3,) and outlines (1 or 3, 64, 3) of every concept as places of the cloud; again only for others.
        """
        found = run_concepts(self._session.project, self._cloud.run)
        if self._kept[0] is not found:
            frame = frame_of(found.run.Z[:, :3]) if found is not None else None
            places: list[tuple[NDArray, NDArray]] = []
            if found is not None and frame is not None:
                solid = self._space and self._cloud.dimensions > 2
                outlines = found.wireframes if solid else found.outlines[:, None]
                middle, half = frame
                d = len(middle)
                places = [(_in_space((star[:d] - middle) / half), _in_space((lines - middle[: lines.shape[-1]]) / half))
                          for star, lines in zip(found.stars, outlines, strict=True)]
            self._kept = (found, places)
        return self._kept[1]


def _in_space(places: NDArray) -> NDArray:
    """With zeros for missing axes, (..., 3)."""
    return np.concatenate([places, np.zeros((*places.shape[:-1], 3 - places.shape[-1]))], axis=-1)


def _paint_outline(painter: QPainter, outline: NDArray, thick: float, *, dashed: bool) -> None:
    """Dashed where a map without a rule for new points has only instances to place the concept by."""
    if not np.isfinite(outline).all():
        return
    shape = QPolygonF([QPointF(*corner) for corner in outline.tolist()])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for color, wide in ((current().plot, thick + 2), (current().ink, thick)):  # a rim apart from points
        pen = QPen(QColor(color), wide)
        if dashed:
            pen.setDashPattern([_DASH / wide, _DASH / wide])
        painter.setPen(pen)
        painter.drawPolygon(shape)


def _paint_square(painter: QPainter, at: NDArray) -> None:
    """Hollow, since it is no target."""
    if not np.isfinite(at).all():
        return
    box = QRectF(at[0] - _SQUARE, at[1] - _SQUARE, 2 * _SQUARE, 2 * _SQUARE)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for color, wide in ((current().plot, 4.0), (current().ink, 1.6)):
        painter.setPen(QPen(QColor(color), wide))
        painter.drawRect(box)


def _paint_star(painter: QPainter, at: QPointF, color: str, radius: float) -> None:
    t = current()
    for pen, wide, fill in ((t.plot, 4.0, t.plot), (t.ink, 1.4, color or t.ink)):
        painter.setPen(QPen(QColor(pen), wide, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap,
                            Qt.PenJoinStyle.RoundJoin))
        painter.setBrush(QColor(fill))
        painter.drawPath(star_path(at, radius))


def _paint_name(painter: QPainter, at: QPointF, name: str, taken: list[QRectF], *, strong: bool) -> None:
    """Beside the star where no other name stands; left out where all four sides are taken."""
    letters = font(12, 700 if strong else 600)
    wide, high = QFontMetrics(letters).horizontalAdvance(name) + 2, 16.0
    x, y = at.x(), at.y()
    places = (QRectF(x + _GAP, y - high / 2, wide, high), QRectF(x - _GAP - wide, y - high / 2, wide, high),
              QRectF(x - wide / 2, y - _GAP - high, wide, high), QRectF(x - wide / 2, y + _GAP, wide, high))
    free = next((place for place in places if not any(place.intersects(other) for other in taken)), None)
    if free is None:
        return
    taken.append(free)
    ground = QColor(current().plot)
    ground.setAlphaF(0.8)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(free.adjusted(-4, -1, 4, 1), 3, 3)
    painter.setFont(letters)
    painter.setPen(QColor(current().ink))
    painter.drawText(free, Qt.AlignmentFlag.AlignCenter, name)
