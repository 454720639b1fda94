"""Density contours: lines around where the points of a group lie close together."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF
from PySide6.QtGui import QColor, QPainter, QPen

from emberscope.findings.imputed_rounds import IMPUTED
from emberscope.findings.point_looks import CONCEPT, shown_color
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.latent_view.surfaces.surface import Flat, Surface
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.cloud import Cloud
from emberscope_app.when.turns import MANY

_GROUPED = ("class", "source", IMPUTED, CONCEPT)  # few groups, whose densities mean something
_OUTLINED = 7     # groups with density contours; more would be a tangle
_CELLS = 96
ENOUGH = 100_000  # points that tell the density as well as more would
CONTOUR_LEVELS = (0.12, 0.38, 0.70)  # shares of the highest density


class Contours(MapLayer):
    """Made once the points are on the screen; of very many points a group in each turn."""

    id = "contours"
    icon = "contour"
    title = "Density contours"
    on_at_first = True
    height = -1
    reads = ("marks", "classes")
    surface: Flat

    def __init__(self, session: Session, surface: Surface) -> None:
        super().__init__(session, surface)
        self.found: dict[int, list[QLineF]] | None = None
        self._rest: Iterator[dict[int, list[QLineF]]] = iter(())  # a group at each step
        self.cloud.changed.connect(self._on_cloud)

    def read(self) -> None:
        self.found = None

    def _on_cloud(self, what: str) -> None:
        if what in ("moved", "style"):
            self.found = None

    def paint(self, painter: QPainter) -> None:
        cloud, run = self.cloud, self.session.run
        color_by = self.session.focus.color_by
        color_by = shown_color(run, color_by) if run is not None else color_by
        meant = color_by in _GROUPED and 0 < len(cloud.legend) <= _OUTLINED
        # Others come before they are made
        passing = cloud.slides or (cloud.partial is not None and len(cloud) >= MANY)
        # A strip has densities of its own
        if not len(cloud) or not meant or passing or self.surface.is_strip:
            return
        if self.found is None and not self.session.turns.waits(self._outline_next):
            self.session.turns.later(self._outline)
        colors = {entry.key: entry.color for entry in cloud.legend}
        painter.setTransform(self.surface.transform())
        for key, pieces in (self.found or {}).items():
            color = QColor(colors[key])
            color.setAlphaF(0.55)
            pen = QPen(color, 1.0)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.drawLines(pieces)

    def _outline(self) -> None:
        self.found, self._rest = {}, _make_contours(self.cloud, self.surface.places)
        self.session.turns.take(self._outline_next)

    def _outline_next(self) -> None:
        """Those of one more group of points."""
        # None: what they are of changed
        found = next(self._rest, None) if self.found is not None else None
        self.surface.canvas.update()
        if found is not None and self.found is not None:
            self.found.update(found)
            self.session.turns.take(self._outline_next)


def _make_contours(cloud: Cloud, places: NDArray) -> Iterator[dict[int, list[QLineF]]]:
    """Key of a group -> lines, a group at each step. places : (N, 2 or more) of the points on the
    map."""
    wanted = [entry.key for entry in cloud.legend if entry.key not in cloud.hidden]
    visible, group = cloud.visible, cloud.style.group  # as they are now, not at a later step
    limits = cloud.plane.limits
    if limits is not None:
        rows = np.flatnonzero(visible)
        rows = rows[:: 1 + len(rows) // ENOUGH]
        for key in wanted:
            yield {key: _lines(density_contours(places[rows[group[rows] == key]], *limits))}


def _lines(pieces: NDArray) -> list[QLineF]:
    """Pieces (n, 2, 2) for a painter."""
    return [QLineF(*piece) for piece in pieces.reshape(-1, 4).tolist()]


def density(
    x: NDArray, y: NDArray, *, low: NDArray, high: NDArray, width: float
) -> NDArray[np.float64]:
    """(rows, cols) smoothed counts on a grid over the box low..high; `width` is the Gaussian's
    share of the box."""
    row, column = (
        (values - start) / (end - start) * _CELLS
        for values, start, end in ((y, low[1], high[1]), (x, low[0], high[0]))
    )
    inside = (row >= 0) & (row < _CELLS) & (column >= 0) & (column < _CELLS)
    cell = row[inside].astype(np.int64) * _CELLS + column[inside].astype(np.int64)
    grid = np.bincount(cell, minlength=_CELLS**2).reshape(_CELLS, _CELLS).astype(float)
    reach = int(3 * width * _CELLS) + 1
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (width * _CELLS)) ** 2)
    kernel /= kernel.sum()
    return _blurred(_blurred(grid, kernel).T, kernel).T


def _blurred(grid: NDArray, kernel: NDArray) -> NDArray[np.float64]:
    """The rows of a grid mixed with those above and below. As sums: the threads of a matrix product
    wait for each other on a busy computer, for 50 ms of what takes 0.3."""
    reach = len(kernel) // 2
    wide = np.pad(grid, ((reach, reach), (0, 0)))
    found = np.zeros_like(grid)
    for k, weight in enumerate(kernel.tolist()):
        found += weight * wide[k : k + len(grid)]
    return found


def contour(grid: NDArray, level: float) -> NDArray[np.float64]:
    """Line pieces (S, 2, 2) in grid units (column, row of cell centers) where the grid crosses a
    level; saddles are cut by the mean of their corners."""
    from contourpy import contour_generator  # not at start

    (found,) = contour_generator(z=grid, line_type="ChunkCombinedNan").lines(level)[0]
    if found is None:
        return np.empty((0, 2, 2))
    pieces = np.stack([found[:-1], found[1:]], axis=1)
    return pieces[np.isfinite(pieces).all(axis=(1, 2))]  # one line ends and another begins at a NaN


def density_contours(places: NDArray, low: NDArray, high: NDArray) -> NDArray[np.float64]:
    """Contours (S, 2, 2) in map units of the density of places (n, 2 or more), within the limits
    low..high and a margin; none of fewer than 8 places."""
    if len(places) < 8:
        return np.empty((0, 2, 2))
    low, high = np.asarray(low[:2], float) - 0.3, np.asarray(high[:2], float) + 0.3
    cell = (high - low) / _CELLS
    grid = density(places[:, 0], places[:, 1], low=low, high=high, width=0.025)
    pieces = [contour(grid, level * grid.max()) for level in CONTOUR_LEVELS]
    return np.concatenate(pieces) * cell + low + cell / 2
