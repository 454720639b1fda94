"""The graph of neighbors in the features, over the points: its parts, and the shortest way between
two instances that are selected."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QColor, QPainter, QPen

from emberscope_app.latent_view.layers.false_neighbors import neighbors_of
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.latent_view.surfaces.surface import Surface
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import Plate
from emberscope_app.theme.look import current
from emberscope_app.words import counted

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_MOST = 20_000   # lines that are drawn, the same ones always
_K = 5           # neighbors of each instance that are joined to it


class NeighborGraph(MapLayer):
    """Lines between instances of which one is among the 5 nearest of the other, which is what graph
    methods begin with. With two instances selected, the way of fewest steps."""

    id = "neighbor_graph"
    icon = "link"
    title = "Graph of neighbors in the features, and the shortest way between two selected"
    height = 2
    in_space = True

    def __init__(self, session: Session, surface: Surface) -> None:
        super().__init__(session, surface)
        self.plate = None if surface.in_space else Plate("", surface.canvas)
        self._said = self.plate or Plate("", surface.canvas)  # one map says it
        self._said.hide()
        self._edges = np.empty((0, 2), np.int64)
        self._parts = (0, 0)
        self.cloud.changed.connect(self._on_cloud)
        session.layers.changed.connect(self._say)

    def why_not(self) -> str:
        return "" if neighbors_of(self.session.run) is not None else (
            "This run keeps no neighbors. Run it again.")

    def read(self) -> None:
        neighbors = neighbors_of(self.cloud.run)
        if neighbors is None:
            self._edges, self._parts = np.empty((0, 2), np.int64), (0, 0)
        else:
            self._edges = edges_of(neighbors, _K)
            self._parts = parts_of(self._edges, len(neighbors))
        self._say()

    def paint(self, painter: QPainter) -> None:
        edges, seen = self._edges, self.cloud.visible
        if not len(edges) or len(seen) <= edges.max():
            return
        edges = edges[seen[edges].all(axis=1)]
        edges = edges[:: -(-len(edges) // _MOST) or 1]
        self._lines(painter, edges, alpha=0.22, wide=1.0)
        way = self._way()
        self._lines(painter, np.column_stack([way[:-1], way[1:]]), alpha=1.0, wide=2.4)

    def _lines(self, painter: QPainter, edges: NDArray, *, alpha: float, wide: float) -> None:
        ends = self.surface.spots(edges.ravel()).reshape(-1, 4)
        ink = QColor(current().ink)
        ink.setAlphaF(alpha)
        painter.setPen(QPen(ink, wide))
        painter.drawLines([QLineF(QPointF(x0, y0), QPointF(x1, y1))
                           for x0, y0, x1, y1 in ends[np.isfinite(ends).all(axis=1)].tolist()])

    def _on_cloud(self, what: str) -> None:
        if what == "selection":
            self._say()

    def _selected(self) -> NDArray[np.int64]:
        """Rows that are selected."""
        return np.flatnonzero(self.cloud.selected)

    def _way(self) -> NDArray[np.int64]:
        """Rows from one of two selected instances to the other; empty where there is no way."""
        rows = self._selected()
        if len(rows) != 2 or not len(self._edges):
            return np.empty(0, np.int64)
        return way_between(self._edges, len(self.cloud.visible), int(rows[0]), int(rows[1]))

    def _say(self, *_: object) -> None:
        """How many parts it has, and how long the way is."""
        parts, largest = self._parts
        said = f"{counted(_K, 'neighbor')}, {counted(parts, 'part')}, the largest of {largest}"
        if len(self._selected()) == 2 and parts:
            steps = len(self._way()) - 1
            said += f"; {counted(steps, 'step')} apart" if steps > 0 else "; no way between the two"
        self._said.setText(said)
        self._said.adjustSize()
        self._said.setVisible(self.on and parts > 0 and self.plate is not None)
        self.changed.emit()


def edges_of(neighbors: NDArray, k: int) -> NDArray[np.int64]:
    """(E, 2) pairs of rows of which one is among the k nearest of the other, each once, the lower
    first. neighbors : (N, K) rows of the nearest."""
    near = np.asarray(neighbors[:, :k], np.int64)
    own = np.repeat(np.arange(len(near)), near.shape[1])
    pairs = np.sort(np.column_stack([own, near.ravel()]), axis=1)
    pairs = pairs[(pairs[:, 0] >= 0) & (pairs[:, 0] != pairs[:, 1])]
    return np.unique(pairs, axis=0)


def parts_of(edges: NDArray, n: int) -> tuple[int, int]:
    """How many parts that are not joined a graph of n points has, and how many points the largest.
    """
    from scipy.sparse.csgraph import connected_components

    count, part = connected_components(_matrix(edges, n), directed=False)
    return int(count), int(np.bincount(part).max(initial=0))


def way_between(edges: NDArray, n: int, start: int, end: int) -> NDArray[np.int64]:
    """Rows on the way of fewest steps, both ends among them; empty where there is none."""
    from scipy.sparse.csgraph import breadth_first_order

    _, before = breadth_first_order(_matrix(edges, n), start, directed=False)
    way = [end]
    while way[-1] != start:
        if before[way[-1]] < 0:
            return np.empty(0, np.int64)
        way.append(int(before[way[-1]]))
    return np.array(way[::-1], np.int64)


def _matrix(edges: NDArray, n: int) -> "csr_array":
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(edges), np.int8), (edges[:, 0], edges[:, 1])), shape=(n, n))
