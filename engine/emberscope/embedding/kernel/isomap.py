"""Isomap: classical scaling of shortest-path distances."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_NEIGHBORS, RANDOM_STATE, Param
from emberscope.embedding.nonlinear import SPECTRAL_COMPONENTS, Nonlinear
from emberscope.neighbors.geodesics import geodesics, landmarks
from emberscope.neighbors.graph import neighborhood_graph
from emberscope.neighbors.spectral import fix_signs, top_eigenpairs

EXACT_LIMIT = 5000
_LANDMARKS = 1000


class Isomap(Nonlinear):
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
        RANDOM_STATE,
    )
    state = (*Nonlinear.state, "eigenvalues_")

    def __init__(
        self, *, n_components: int = 2, n_neighbors: int = 10, n_landmarks: int | None = None, random_state: int = 0
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, bags: Any = None, side: Any = None, monitor: Monitor | None = None) -> Self:
        """Find the coordinates; labels are ignored."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        distinct = self._distinct(X, self.n_components)
        U = np.ascontiguousarray(X[distinct.rows])
        neighbors = self._neighbors(U, self.n_neighbors, Portion(watch, 0.0, 0.3))
        graph = neighborhood_graph(U, neighbors)
        self.notes_.extend(graph.notes)
        rows = self._landmark_rows(U, Portion(watch, 0.3, 0.35))
        D = geodesics(graph.lengths, sources=rows, monitor=Portion(watch, 0.35, 0.8))
        last = Portion(watch, 0.8, 1.0)
        if rows is None:
            self.eigenvalues_, Z = classical_scaling(D, self.n_components, monitor=last)
        else:
            self.notes_.append(f"Shortest paths start from {len(rows)} landmarks.")
            self.eigenvalues_, Z = landmark_scaling(D, rows, self.n_components, monitor=last)
        if (flat := int((self.eigenvalues_ <= 0).sum())):
            self.notes_.append(f"{flat} of {self.n_components} axes are empty: the paths span fewer dimensions.")
        return self._finish(X, distinct, Z)

    def _landmark_rows(self, U: NDArray, watch: Monitor) -> NDArray | None:
        wanted = self.n_landmarks
        if wanted is None:
            wanted = len(U) if len(U) <= EXACT_LIMIT else _LANDMARKS
        if wanted >= len(U):
            return None
        return landmarks(U, max(wanted, self.n_components + 1), seed=self.random_state, monitor=watch)


def classical_scaling(D: NDArray, m: int, *, monitor: Monitor | None = None) -> tuple[NDArray, NDArray]:
    """Eigenvalues (m,) and coordinates (N, m) whose straight distances fit D (N, N) best; overwrites D.

    Spec 02 section 2.3. Columns of eigenvalues that are not positive are 0. The mean of Z is 0.
    """
    np.square(D, out=D)
    D -= D.mean(axis=0)
    D -= D.mean(axis=1, keepdims=True)
    D *= -0.5
    D += D.T.copy()
    D *= 0.5
    found = top_eigenpairs(D, m, monitor=monitor)
    values = np.where(found.values > 1e-12 * max(found.values[0], 0.0), found.values, 0.0)
    return values, found.vectors * np.sqrt(values)


def landmark_scaling(
    D: NDArray, rows: NDArray, m: int, *, monitor: Monitor | None = None
) -> tuple[NDArray, NDArray]:
    """Scale the landmarks `rows`, then triangulate everything from distances D (L, N) to them.

    z(x) = -1/2 L# (delta(x) - mean delta), delta squared distances (de Silva and Tenenbaum 2004); centered on all rows.
    """
    between = D[:, rows]
    mean = np.square(between).mean(axis=1)
    values, Z = classical_scaling(between, m, monitor=monitor)
    pseudo = np.divide(Z, values, out=np.zeros_like(Z), where=values > 0)
    Z = -0.5 * (np.square(D) - mean[:, None]).T @ pseudo
    return values, fix_signs(Z - Z.mean(axis=0))
