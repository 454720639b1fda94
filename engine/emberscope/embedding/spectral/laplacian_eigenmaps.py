"""Laplacian eigenmaps: the slowest modes of the neighborhood graph."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_NEIGHBORS, Param
from emberscope.embedding.components import COMPONENTS, GraphMethod, Part
from emberscope.embedding.nonlinear import SPECTRAL_COMPONENTS
from emberscope.neighbors.graph import affinity
from emberscope.neighbors.spectral import top_eigenpairs

_NEARLY_APART = 1e-6
_INTERCHANGEABLE = 1e-3


class LaplacianEigenmaps(GraphMethod):
    """Keep neighbors near: minimise tr(Z' L Z) with Z' D Z = I and Z' D e = 0, L = D - W.

    Attributes
    ----------
    eigenvalues_ : (d,) ascending, of L v = l D v, without the constant vector; in (0, 2].

    Notes
    -----
    Belkin and Niyogi 2003; spec 02 section 6.2. Solved as the top of D^-1/2 W D^-1/2 with sqrt(D) deflated.
    Columns are scaled to weighted variance 1 (weights D). A graph in several components: see `components`.
    O(N k) per Lanczos step after the neighbor search.
    """

    params = (
        SPECTRAL_COMPONENTS,
        N_NEIGHBORS,
        Param("kernel", "str", "heat", choices=("heat", "binary"), group="Graph",
              help="Heat: near neighbors count more. Binary: all neighbors count the same."),
        Param("sigma", "float", None, low=0, open_low=True, unit="feature distance", group="Graph", advanced=True,
              auto="each instance's distance to its 7th neighbor", when=("kernel", "heat"),
              help="Width of the heat kernel exp(-d² / (2 sigma²))."),
        COMPONENTS,
    )
    state = (*GraphMethod.state, "eigenvalues_")

    def __init__(
        self,
        *,
        n_components: int = 2,
        n_neighbors: int = 15,
        kernel: str = "heat",
        sigma: float | None = None,
        components: str = "bridge",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.sigma = sigma
        self.components = components

    def fit(self, X: Any, y: Any = None, *, bags: Any = None, side: Any = None, monitor: Monitor | None = None) -> Self:
        """Find the coordinates; labels are ignored."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        distinct = self._distinct(X, self.n_components)
        U = np.ascontiguousarray(X[distinct.rows])
        neighbors = self._neighbors(U, self.n_neighbors, Portion(watch, 0.0, 0.5))
        Z = self._by_component(
            U, distinct, neighbors, self._embed, n_components=self.n_components, monitor=Portion(watch, 0.5, 1.0)
        )
        return self._finish(X, distinct, Z)

    def _embed(self, part: Part, watch: Monitor) -> NDArray:
        watch.step(0.0, "Neighborhood graph")
        W = affinity(part.graph, part.neighbors, kernel=self.kernel, sigma=self.sigma)  # type: ignore[arg-type]
        self.eigenvalues_, Z = laplacian_modes(W, self.n_components, monitor=watch)
        self._note_spectrum()
        return Z

    def _note_spectrum(self) -> None:
        values = self.eigenvalues_
        if values[0] < _NEARLY_APART:
            self.notes_.append("The graph nearly falls apart: the first axis separates parts with hardly any edges.")
        for i in np.flatnonzero(np.diff(values) < _INTERCHANGEABLE * values[:-1]):
            self.notes_.append(f"Axes {i + 1} and {i + 2} are interchangeable: their eigenvalues agree.")


def laplacian_modes(W: csr_array, m: int, *, monitor: Monitor | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The m smallest nonzero eigenvalues of L v = l D v, ascending, and their vectors with v' D v = tr(D).

    W : csr_array, (N, N), symmetric, every row sum positive, connected.
    """
    degree = np.asarray(W.sum(axis=1)).ravel()
    root = np.sqrt(degree)
    S = csr_array(diags_array(1 / root) @ W @ diags_array(1 / root))
    constant = (root / np.linalg.norm(root))[:, None]
    found = top_eigenpairs(S, m, deflate=constant, monitor=monitor)
    return np.maximum(1 - found.values, 0.0), found.vectors / root[:, None] * np.sqrt(degree.sum())
