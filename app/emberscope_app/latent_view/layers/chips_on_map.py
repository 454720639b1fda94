"""Chips as points: the pixels of the best instances on the map, as many as fit without overlap."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTransform
from PySide6.QtWidgets import QWidget

from emberscope.project.model.witness import witness_scores
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.latent_view.surfaces.surface import Flat, Surface
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.state.core.layers_on import CHIPS_ON_MAP
from emberscope_app.state.core.session import Session
from emberscope_app.theme.glyphs import paint_on_ink
from emberscope_app.theme.look import current

SIZES = (16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96)  # logical px
SIZE = 32        # where all of the map is in view
SPACING = 1.25   # sides between their middles: points show between chips
# Chips grow with the root of the map, so that closer up there are more of them for the same points
_GROWTH = 0.5
# Selected points that are lifted above chips; a lasso of more is seen by what it dims
_SELECTED = 500
_TRIED = 20_000  # best instances that are tried for a place


def chip_size(magnification: float) -> int:
    """Logical px of a chip on a map that is so many times larger than where all of it is in
    view."""
    wanted = SIZE * max(magnification, 1e-6) ** _GROWTH
    return max((size for size in SIZES if size <= wanted), default=SIZES[0])


def places_without_overlap(
    x: np.ndarray, y: np.ndarray, order: np.ndarray, size: float, width: float, height: float
) -> list[int]:
    """Rows, best first, whose square of `size` px overlaps no earlier one, within the map.

    What a square covers leaves the list at once, so that the list is short after a few: 4 ms for 20
    000 on a map.
    """
    x, y = np.asarray(x, np.float32), np.asarray(y, np.float32)
    left = order[(x[order] >= 0) & (x[order] < width) & (y[order] >= 0) & (y[order] < height)]
    x, y = x[left], y[left]
    found = []
    while len(left):
        found.append(int(left[0]))
        free = (np.abs(x - x[0]) >= size) | (np.abs(y - y[0]) >= size)
        left, x, y = left[free], x[free], y[free]
    return found


def best_first(values: np.ndarray | None, rows: np.ndarray, count: int) -> np.ndarray:
    """The `count` rows of highest value, in order, the earlier ones first among equals; those
    without a value last."""
    if values is None:
        return rows[:count]
    found = -np.nan_to_num(values[rows], nan=-1.0)
    if len(rows) > count:
        limit = np.partition(found, count - 1)[count - 1]
        near = np.flatnonzero(found <= limit)
        rows, found = rows[near], found[near]
    return rows[np.argsort(found, kind="stable")][:count]


@dataclass(frozen=True, slots=True)
class _Best:
    """The best rows. of : the run, which of its points are seen, how they look; replaced, never
    changed in place."""

    of: tuple[object, ...]
    rows: np.ndarray


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


class ChipsOnMap(MapLayer):
    """Paints chips over the points, those that are cut already; the others when they are."""

    id = CHIPS_ON_MAP
    icon = "grid"
    title = "Chips as points"
    height = 6
    surface: Flat

    def __init__(self, session: Session, surface: Surface) -> None:
        super().__init__(session, surface)
        self._chips = chip_cache(session)
        self._best = _Best((None,), np.empty(0, np.int64))
        # Of what, and which, as the view was: pointing paints, too
        self._shown: tuple[tuple[object, ...], list[int]] = ((), [])
        self._seen: tuple[QTransform, QSize] | None = None
        self._chips.ready.connect(self._on_ready)

    def _on_ready(self) -> None:
        if self.on:
            self.surface.canvas.update()

    @property
    def size(self) -> int:
        """Logical px of the chips as the view is now."""
        return chip_size(self.surface.magnification)

    def shown(self) -> list[int]:
        """Rows whose chips stand on the map now."""
        run = self.cloud.run
        if not self.on or run is None or not self.cloud.pickable:
            return []
        cloud, canvas = self.cloud, self.surface.canvas
        if not _same(self._best.of, (run, cloud.visible, cloud.style)):
            cloud.turns.aside(self._rank, self._take_best)
        best, places = self._best, self.surface.places
        seen = self.surface.transform(), canvas.size()
        if best.of[0] is not run:
            return []
        if self._seen != seen or not _same(self._shown[0], (places, best)):
            at = self.surface.spots(best.rows)
            found = places_without_overlap(
                at[:, 0],
                at[:, 1],
                np.arange(len(at)),
                SPACING * self.size,
                canvas.width(),
                canvas.height(),
            )
            self._seen, self._shown = seen, ((places, best), best.rows[found].tolist())
        return self._shown[1]

    def _rank(self) -> Callable[[], _Best]:
        """What a thread puts in order."""
        run, cloud, project = self.cloud.run, self.cloud, self.session.project.frozen(labels=False)
        of, visible = (run, cloud.visible, cloud.style), cloud.visible

        def rank() -> _Best:
            score = witness_scores(project, run) if run is not None else None
            return _Best(of, best_first(score, np.flatnonzero(visible), _TRIED))

        return rank

    def _take_best(self, best: _Best) -> None:
        self._best = best
        self.surface.canvas.update()

    def _plates(self) -> list[QRectF]:
        """What stands on the map: words on a chip cannot be read."""
        parts = QWidget, "", Qt.FindChildOption.FindDirectChildrenOnly
        return [
            QRectF(part.geometry())
            for part in self.surface.canvas.findChildren(*parts)
            if part.isVisible()
        ]

    def paint(self, painter: QPainter) -> None:
        run, rows = self.cloud.run, self.shown()
        if not rows or run is None:
            return
        size, plates = self.size, self._plates()
        places = self.surface.spots(np.array(rows)) - size / 2
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # sharp edges
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painted: list[int] = []
        for row, (x, y) in zip(rows, places.tolist(), strict=True):
            rect = QRectF(x, y, size, size)
            image = (
                None
                if any(rect.intersects(plate) for plate in plates)
                else self._chips.get(run, row, size)
            )
            if image is None:
                continue
            painter.drawImage(rect, image)
            chosen = bool(self.cloud.selected[row])
            painter.setPen(
                QPen(
                    QColor(current().ink if chosen else 0xFF000000 | int(self.cloud.rgb[row])),
                    1 + chosen,
                )
            )
            painter.drawRect(rect)
            painted.append(row)
        self._paint_selected(painter, painted, size)

    def _paint_selected(self, painter: QPainter, chips: list[int], size: int) -> None:
        """Selected points that chips cover, above them; the chip of one has a frame instead."""
        cloud = self.cloud
        rows = np.setdiff1d(np.flatnonzero(cloud.selected & cloud.visible), chips)
        if not chips or len(rows) > _SELECTED:
            return
        at = self.surface.spots(rows)
        far = np.abs(at[:, None] - self.surface.spots(np.array(chips))).max(axis=2).min(axis=1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for k in np.flatnonzero(far <= size / 2).tolist():
            slot, color = int(cloud.slots[rows[k]]), int(cloud.rgb[rows[k]])
            paint_on_ink(painter, QPointF(*at[k].tolist()), slot, color, 4.0)
