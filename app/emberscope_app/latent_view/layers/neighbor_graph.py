"""The graph of neighbors in the features, over the points: its parts, and the shortest way between
two instances that are selected."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QObject, QPointF, Signal
from PySide6.QtGui import QColor, QPainter, QPen

from emberscope.findings.maps.graph import (
    edges_of,
    edges_within,
    neighbors_of,
    parts_of,
    way_between,
)
from emberscope.project import Run, to_snapshot
from emberscope.tasks.neighbors import MeasureReach, Reach
from emberscope_app.latent_view.layers.graph_plate import NEAREST, GraphPlate
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.latent_view.surfaces.surface import Surface
from emberscope_app.state.core.session import Session
from emberscope_app.theme.look import current
from emberscope_app.words import counted, spaced

_MOST = 20_000   # lines that are drawn, the same ones always
_FEW = 1_000     # of more, each is fainter: points stay in sight under all of them
_K = 5           # neighbors of each instance that are joined to it at first


class Joined(QObject):
    """The one graph of a session (`session.only`), of both maps. changed() : it is another one.

    kind, count, radius : what it joins. edges : (E, 2) rows. parts : how many, and how large the
    largest. waits : distances are being measured.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.kind, self.count, self.radius = NEAREST, _K, 0.0
        self.edges = np.empty((0, 2), np.int64)
        self.parts = (0, 0)
        self._run: Run | None = None
        self._reach: NDArray | None = None
        self._asked: Run | None = None

    @property
    def named(self) -> str:
        """As `SaveFigure` calls it."""
        return f"k {self.count}" if self.kind == NEAREST else f"r {self.radius:g}"

    @property
    def waits(self) -> bool:
        return self.kind != NEAREST and self._reach is None

    def read(self, run: Run | None) -> None:
        """It is that of a run now."""
        if run is not self._run:
            self._run, self._reach = run, None
            self._make()

    def choose(self, kind: str, count: int, radius: float) -> None:
        if (kind, count, radius) != (self.kind, self.count, self.radius):
            self.kind, self.count, self.radius = kind, count, radius
            self._make()
            self.changed.emit()

    def _make(self) -> None:
        neighbors = neighbors_of(self._run)
        self.edges, self.parts = np.empty((0, 2), np.int64), (0, 0)
        if neighbors is None:
            return
        if self.kind == NEAREST:
            self.edges = edges_of(neighbors, self.count)
        elif self._reach is not None:
            self.edges = edges_within(neighbors, self._reach, self.radius)
        else:
            self._ask()
            return
        self.parts = parts_of(self.edges, len(neighbors))

    def _ask(self) -> None:
        run = self._run
        if run is None or self._asked is run:
            return
        self._asked = run
        request = MeasureReach(snapshot=to_snapshot(self._session.project), run=run)
        self._session.jobs.ask(
            request, lambda found: self._take(run, found), title="Distances of neighbors"
        )

    def _take(self, run: Run, found: Reach) -> None:
        self._asked = None
        if run is not self._run:
            return
        self._reach = found.distances
        if self.radius <= 0:  # about as many lines as before
            column = found.distances[:, min(self.count, found.distances.shape[1]) - 1]
            known = column[np.isfinite(column)]
            self.radius = round(float(np.median(known)), 3) if len(known) else 1.0
        self._make()
        self.changed.emit()


class NeighborGraph(MapLayer):
    """Lines between instances of which one is among the nearest of the other, or that are no
    farther apart than a radius, which is what graph methods begin with. With two instances
    selected, the way of fewest steps."""

    id = "neighbor_graph"
    icon = "link"
    title = "Graph of neighbors in the features, and the shortest way between two selected"
    height = 2
    in_space = True

    def __init__(self, session: Session, surface: Surface) -> None:
        super().__init__(session, surface)
        self.graph = session.only(Joined)
        self.box = None if surface.in_space else GraphPlate(surface.canvas)  # one map says it
        self.plate = self.box
        if self.box is not None:
            self.box.hide()
            self.box.chosen.connect(self._choose)
        self.graph.changed.connect(self._on_graph)
        self.cloud.changed.connect(self._on_cloud)
        session.layers.changed.connect(lambda _layer: self._say())

    def look(self) -> dict[str, Any]:
        return {"graph": self.graph.named}

    def why_not(self) -> str:
        return "" if neighbors_of(self.session.run) is not None else (
            "This run keeps no neighbors. Run it again.")

    def read(self) -> None:
        self.graph.read(self.cloud.run)
        neighbors = neighbors_of(self.cloud.run)
        if self.box is not None and neighbors is not None:
            self.box.limit(neighbors.shape[1])
        self._say()

    def paint(self, painter: QPainter) -> None:
        edges, seen = self.graph.edges, self.cloud.visible
        if not len(edges) or len(seen) <= edges.max():
            return
        edges = edges[seen[edges].all(axis=1)]
        edges = edges[:: -(-len(edges) // _MOST) or 1]
        self._lines(painter, edges, alpha=alpha_of(len(edges)), wide=1.0)
        way = self._way()
        self._lines(painter, np.column_stack([way[:-1], way[1:]]), alpha=1.0, wide=2.4)

    def _lines(self, painter: QPainter, edges: NDArray, *, alpha: float, wide: float) -> None:
        ends = self.surface.spots(edges.ravel()).reshape(-1, 4)
        ink = QColor(current().ink)
        ink.setAlphaF(alpha)
        painter.setPen(QPen(ink, wide))
        painter.drawLines([QLineF(QPointF(x0, y0), QPointF(x1, y1))
                           for x0, y0, x1, y1 in ends[np.isfinite(ends).all(axis=1)].tolist()])

    def _choose(self) -> None:
        if self.box is not None:
            box = self.box
            self.graph.choose(box.kind, box.count.value(), box.radius.value())

    def _on_graph(self) -> None:
        if self.box is not None and self.box.radius.value() != self.graph.radius:
            self.box.offer_radius(self.graph.radius)
        self._say()
        self.surface.canvas.update()

    def _on_cloud(self, what: str) -> None:
        if what == "selection":
            self._say()

    def _selected(self) -> NDArray[np.int64]:
        """Rows that are selected."""
        return np.flatnonzero(self.cloud.selected)

    def _way(self) -> NDArray[np.int64]:
        """Rows from one of two selected instances to the other; empty where there is no way."""
        rows, edges = self._selected(), self.graph.edges
        if len(rows) != 2 or not len(edges):
            return np.empty(0, np.int64)
        return way_between(edges, len(self.cloud.visible), int(rows[0]), int(rows[1]))

    def _say(self) -> None:
        """How many parts and lines it has, and how long the way is."""
        if self.box is None:
            return
        (parts, largest), count = self.graph.parts, len(self.graph.edges)
        said = f"{counted(parts, 'part')}, the largest of {spaced(largest)}"
        said += f"; {counted(count, 'edge')}"
        if self.graph.waits:
            said = "Measuring distances in the features."
        elif self._selected().size == 2 and parts:
            steps = len(self._way()) - 1
            said += f"; {counted(steps, 'step')} apart" if steps > 0 else "; no way between the two"
        elif parts:
            said += ". Select two points for the way between them."
        self.box.say(said, waits=self.graph.waits)
        self.box.setVisible(self.on and not self.why_not())
        self.changed.emit()


def alpha_of(count: int) -> float:
    """Opacity of each of so many lines."""
    return 0.22 / max(1.0, count / _FEW) ** 0.5
