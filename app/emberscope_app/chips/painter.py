"""Paints the part of the grid that is in view: chips, headers of groups, the rubber band."""

from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from emberscope.project.model.witness import witness_scores
from emberscope_app.chips.delegate import paint_header, paint_score
from emberscope_app.chips.grid_model import GridModel
from emberscope_app.chips.model import HEADER, GridLayout
from emberscope_app.lists.paint import paint_chip, paint_ring
from emberscope_app.pixels.chip_cache import ChipCache
from emberscope_app.theme.look import current

_AHEAD = 2    # screens cut beforehand


@dataclass(frozen=True, slots=True)
class Shown:
    """What of the grid is seen: content px above the viewport, its size, whether it has the focus,
    the rubber band."""

    top: int
    size: QSize
    focused: bool
    band: QRect | None


def chip_rect(layout: GridLayout, position: int, top: int) -> QRect:
    """Where a chip is on a viewport scrolled to `top`."""
    x, y, side = layout.rect(position)
    return QRect(x, y - top, side, layout.side)


class GridPainter:
    """Paints a model; asks for chips that will be needed soon."""

    def __init__(self, model: GridModel, cache: ChipCache) -> None:
        self._model, self._cache = model, cache
        self._looked_ahead: object = None

    def paint(self, painter: QPainter, area: QRect, shown: Shown) -> None:
        """Paint `area` of the viewport."""
        t, layout = current(), self._model.layout
        painter.fillRect(area, QColor(t.bg1))
        if self._model.run is None:
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self._look_ahead(shown.top, shown.size.height())
        for g in layout.groups_between(shown.top + area.top(), shown.top + area.bottom() + 1):
            self._paint_group(painter, g, area, shown)
        self._paint_sticky(painter, area, shown)
        if shown.band is not None:
            ink = QColor(t.ink)
            painter.setPen(QPen(ink, 1, Qt.PenStyle.DashLine))
            ink.setAlpha(24)
            painter.setBrush(ink)
            painter.drawRect(shown.band)

    def _paint_group(self, painter: QPainter, g: int, area: QRect, shown: Shown) -> None:
        model, top = self._model, shown.top
        run, layout = model.run, model.layout
        assert run is not None
        head = QRect(0, int(layout.tops[g]) - top, shown.size.width(), HEADER)
        if head.intersects(area):
            paint_header(painter, head, model.chips.heading(g), folded=bool(layout.folded[g]))
        positions = layout.positions_between(g, top + area.top(), top + area.bottom() + 1)
        rows = model.chips.rows[positions.start : positions.stop]
        # Those of all would take longer than to paint
        scores = witness_scores(model.session.project, run, rows)
        for at, position in enumerate(positions):
            rect = chip_rect(layout, position, top)
            if rect.right() + 3 < area.left() or rect.left() - 3 > area.right():
                continue
            row = int(rows[at])
            failed = int(run.source[row]) in self._cache.errors
            paint_chip(painter, rect, self._cache.get(run, row, rect.width()), failed=failed)
            if scores is not None:
                paint_score(
                    painter, QRect(rect.x(), rect.bottom() + 3, rect.width(), 3), float(scores[at])
                )
            cursor = shown.focused and position == model.cursor_at
            banded = shown.band is not None and shown.band.intersects(rect)
            selected = model.ringed and bool(model.selected[row])
            paint_ring(
                painter,
                rect,
                selected=selected,
                hovered=row == model.hover or banded,
                cursor=cursor,
            )

    def _paint_sticky(self, painter: QPainter, area: QRect, shown: Shown) -> None:
        """The header of the group at the top stays in view until the next one pushes it out."""
        model, layout = self._model, self._model.layout
        g = layout.sticky(shown.top)
        if g < 0 or area.top() >= HEADER:
            return
        y = min(0, int(layout.tops[g + 1]) - shown.top - HEADER)
        head = QRect(0, y, shown.size.width(), HEADER)
        paint_header(painter, head, model.chips.heading(g), folded=bool(layout.folded[g]))

    def _look_ahead(self, top: int, height: int) -> None:
        """Ask for the chips of the next screens, before those in view, which so come first."""
        model = self._model
        key = (id(model.chips), top, height, model.chip_size)
        if key == self._looked_ahead or model.run is None:
            return
        self._looked_ahead = key
        stop = top + (1 + _AHEAD) * height
        for g in model.layout.groups_between(top, stop):
            for position in reversed(model.layout.positions_between(g, top, stop)):
                self._cache.want(model.run, int(model.chips.rows[position]))
