"""Isomap: classical scaling of shortest-path distances."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_NEIGHBORS, RANDOM_STATE, Param
from emberscope.embedding.components import COMPONENTS, GraphMethod, Part
from emberscope.embedding.distance.landmark_mds import landmark_scaling
from emberscope.embedding.distance.mds import classical_scaling
from emberscope.embedding.nonlinear import SPECTRAL_COMPONENTS
from emberscope.neighbors.geodesics import geodesics, landmarks

EXACT_LIMIT = 5000
_LANDMARKS = 1000


class Isomap(GraphMethod):
    """Unroll the data: distances along the neighborhood graph become straight distances.

    Attributes
    ----------
    eigenvalues_ : (d,) of the doubly centered Gram matrix (of the landmarks where they are used), descending.

    Notes
    -----
    Tenenbaum, de Silva and Langford 2000; landmarks: de Silva and Tenenbaum 2004; spec 02 sections 1.5 and 4.1.
    Edges have plain Euclidean lengths. Guaranteed only for data isometric to a convex region.
    Exact up to 5000 distinct instances: O(N² log N) time, 24 N² bytes. Landmarks above: O(L N log N), 8 L N bytes.
    Axes with an eigenvalue <= 0 are set to 0, and that is noted.
    """

    params = (
        SPECTRAL_COMPONENTS,
        replace(N_NEIGHBORS, default=10),
        Param("n_landmarks", "int", None, low=10, high=5000, title="Landmarks", group="Computation", advanced=True,
              auto="all instances up to 5000, else 1000",
              help="Instances the shortest paths start from; fewer is faster and rougher."),
        COMPONENTS,
        RANDOM_STATE,
    )
    state = (*GraphMethod.state, "eigenvalues_")

    def __init__(
        self,
        *,
        n_components: int = 2,
        n_neighbors: int = 10,
        n_landmarks: int | None = None,
        components: str = "bridge",
        random_state: int = 0,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.n_landmarks = n_landmarks
        self.components = components
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, bags: Any = None, side: Any = None, monitor: Monitor | None = None) -> Self:
        """Find the coordinates; labels are ignored."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        distinct = self._distinct(X, self.n_components)
        U = np.ascontiguousarray(X[distinct.rows])
        neighbors = self._neighbors(U, self.n_neighbors, Portion(watch, 0.0, 0.3))
        Z = self._by_component(
            U, distinct, neighbors, self._embed, n_components=self.n_components, units=True,
            monitor=Portion(watch, 0.3, 1.0),
        )
        return self._finish(X, distinct, Z)

    def _embed(self, part: Part, watch: Monitor) -> NDArray:
        rows = self._landmark_rows(part.X, Portion(watch, 0.0, 0.1))
        D = geodesics(part.graph.lengths, sources=rows, monitor=Portion(watch, 0.1, 0.7))
        last = Portion(watch, 0.7, 1.0)
        if rows is None:
            self.eigenvalues_, Z = classical_scaling(D, self.n_components, monitor=last)
        else:
            self.notes_.append(f"Shortest paths start from {len(rows)} landmarks.")
            self.eigenvalues_, Z = landmark_scaling(D, rows, self.n_components, monitor=last)
        if (flat := int((self.eigenvalues_ <= 0).sum())):
            self.notes_.append(f"{flat} of {self.n_components} axes are empty: the paths span fewer dimensions.")
        return Z

    def _landmark_rows(self, U: NDArray, watch: Monitor) -> NDArray | None:
        wanted = self.n_landmarks
        if wanted is None:
            wanted = len(U) if len(U) <= EXACT_LIMIT else _LANDMARKS
        if wanted >= len(U):
            return None
        return landmarks(U, max(wanted, self.n_components + 1), seed=self.random_state, monitor=watch)
