"""Maximum variance unfolding: pull everything apart, but keep every neighbor at its distance."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from emberscope.bags.model import Bags
from emberscope.base.errors import TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_NEIGHBORS, param
from emberscope.embedding.components import COMPONENTS, GraphMethod, Part
from emberscope.embedding.distance.landmark_mds import landmark_scaling
from emberscope.embedding.measured import Measured
from emberscope.embedding.nonlinear import SPECTRAL_COMPONENTS
from emberscope.embedding.unfolding.unfold import Edges, unfold
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.geodesics import geodesics, landmarks
from emberscope.neighbors.spectral import fix_signs

_LIMIT = 200_000
_RANK = 10
_LANDMARKS = 100
_STEPS, _FEWER_STEPS, _MANY = 5000, 2000, 10_000
_LOOSE = 1e-3
_PREVIEW_EVERY = 0.2  # s
_EXTRA = 0.01  # of a typical edge, in dimensions that the start leaves empty


class MVU(Measured, GraphMethod):
    """Unfold the data like a net of rods: as wide as possible, every neighbor at its distance.

    Attributes
    ----------
    spectrum_ : (r,) descending, the eigenvalues of K = Y Y': how much variance each dimension of
        the unfolded data holds, the answer to "how many dimensions". eigenvalues_ : (d,) the first
        d of them.
    violation_ : float. rms of |y_i - y_j|² - d² over the edges (beyond `slack`; of edges that may
        shrink, only of those that pull), as a share of the mean d². n_iter_ : int.

    Notes
    -----
    Weinberger and Saul 2004; max tr(K), K psd and centered, K_ii + K_jj - 2 K_ij = d_ij². Factored,
    K = Y Y' with 10 columns or more (Burer and Monteiro 2005), and solved by an augmented
    Lagrangian with L-BFGS, see `unfold`. The start is the scaling of shortest paths to 100
    landmarks, which no unfolding can exceed; it stands in for the Laplacian basis of the landmark
    versions in print (Weinberger et al. 2007) and lets one solver serve all N.

    The semidefinite program has one optimum; its factored form is not convex, but with more columns
    than the solution has dimensions no worse local one is known. `edges="at most"` converges
    fastest and finds the fewest dimensions, but lets neighbors move together, and typical edges
    then lose half their squared length.

    Instances are taken in the order of a fixed projection, so that their order in X does not
    matter. O((E + N) r) per step for E edges. 5000 chips take seconds.
    """

    n_components: int = SPECTRAL_COMPONENTS
    n_neighbors: int = replace(
        N_NEIGHBORS, default=6, high=50,
        help="Neighbors whose distances are kept; 4 to 6. More is stiffer and unfolds less.",
    )
    edges: str = param(
        "equal", choices=("equal", "at most"), title="Distances of neighbors", group="Embedding",
        help="Equal: neighbors keep their distance. At most: they may come nearer, which flattens "
        "noise away.",
    )
    slack: float = param(
        0.0, low=0, high=1, group="Embedding", advanced=True,
        help="How far a typical squared distance may be missed, as a share; above 0 noise gives "
        "way.",
    )
    cliques: bool = param(
        False, group="Graph", advanced=True,
        help="Also keep the distances between neighbors of the same instance; for at most 4 "
        "neighbors.",
    )
    max_iter: int | None = param(
        None, low=1, high=1_000_000, title="Iterations", group="Computation",
        auto="5000, above 10 000 instances 2000",
        help="Steps at most; it stops earlier when distances are kept and nothing moves.",
    )
    tolerance: float = param(
        1e-4, low=0, high=0.1, group="Computation", advanced=True,
        help="Misfit of squared distances, as a share, at which it stops.",
    )
    components: str = COMPONENTS
    state = (*GraphMethod.state, "spectrum_", "eigenvalues_", "violation_", "n_iter_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates; labels are ignored.
        Raises TooLarge for more instances than hours suffice for."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        distinct = self._distinct(X, self.n_components)
        if len(distinct) > _LIMIT:
            raise TooLarge(
                f"unfolding {len(distinct)} instances takes hours",
                hint="Choose landmark-isomap, or fewer instances."
            )
        U = distinct.select(X)
        neighbors = self._neighbors(U, self.n_neighbors, Portion(watch, 0.0, 0.1),
                                    self._given_among(distinct))

        def embed(part: Part, inner: Monitor) -> NDArray:
            whole = len(part.rows) == len(U)
            return self._unfold(part, inner, distinct.restore if whole else None, X.dtype)

        Z = self._by_component(
            U, distinct, neighbors, embed, n_components=self.n_components, units=True,
            monitor=Portion(watch, 0.1, 1.0)
        )
        return self._finish(X, distinct, Z)

    def _unfold(
        self, part: Part, watch: Monitor, restore: Callable[[NDArray], NDArray] | None,
        dtype: DTypeLike
    ) -> NDArray:
        order, back = own_order(part.X, part.graph.lengths)
        X = part.X[order].astype(np.float64)
        X -= X.mean(axis=0)
        lengths = csr_array(part.graph.lengths[order][:, order])
        lengths.sort_indices()
        lists, given = (
            back[part.neighbors.idx[order]] if self.cliques else None, part.neighbors.distances
        )
        edges = _edges(lengths, X, lists, None if given is None else given.take(order))
        rank = min(max(_RANK, self.n_components + 4), len(X) - 1)
        start = path_start(X, lengths, rank, Portion(watch, 0.0, 0.1))
        steps = self.max_iter or (_STEPS if len(X) <= _MANY else _FEWER_STEPS)
        shown = time.monotonic()

        def show(done: int, Y: NDArray) -> None:
            nonlocal shown
            watch.step(0.1 + 0.9 * done / steps, f"Step {done} of {steps}")
            if restore is not None and time.monotonic() - shown > _PREVIEW_EVERY:
                watch.partial(restore(principal_axes(Y, self.n_components)[1][back].astype(dtype)))
                shown = time.monotonic()

        found = unfold(
            start, edges, shrink=self.edges == "at most", slack=float(self.slack), max_iter=steps,
            tolerance=float(self.tolerance), show=show,
        )
        self.spectrum_, Z = principal_axes(found.Y, self.n_components)
        self.eigenvalues_ = self.spectrum_[: self.n_components]
        self.violation_, self.n_iter_ = found.violation, found.n_iter
        self._note(float(self.spectrum_[: self.n_components].sum() / self.spectrum_.sum()))
        return Z[back]

    def _note(self, share: float) -> None:
        self.notes_.append(f"{self.n_components} dimensions hold {share:.1%} of the unfolded "
                           "variance.")
        if self.violation_ > max(_LOOSE, self.tolerance):
            self.notes_.append(
                f"Squared distances of neighbors are kept to {self.violation_:.1%} only; more "
                "iterations keep them."
            )


def own_order(X: NDArray, lengths: csr_array) -> tuple[NDArray, NDArray]:
    """An order of different rows in which neighbors are near, whatever order they came in;
    and the way back."""
    # Forces of an edge touch both its ends, so neighbors should lie near each other in memory.
    # Reverse Cuthill-McKee sees to that, but breaks ties by the order it is given. Sorting along a
    # random line first makes the result the same for any order of the rows.
    order = np.argsort(X @ np.random.default_rng(0).standard_normal(X.shape[1]), kind="stable")
    listed = csr_array(lengths[order][:, order])
    listed.sort_indices()
    order = order[reverse_cuthill_mckee(listed, symmetric_mode=True)]
    return order, np.argsort(order)


def _edges(
    lengths: csr_array, X: NDArray, lists: NDArray | None, distances: Distances | None = None
) -> Edges:
    """The edges of a symmetric graph, each once; with neighbor lists (n, k) also the pairs within
    every list, as far apart as rows of X (n, D) or as the distances say."""
    coo = lengths.tocoo()
    i, j = (side.astype(np.int64) for side in coo.coords)
    once = i < j
    i, j, square = i[once], j[once], np.square(coo.data[once])
    if lists is None:
        return Edges(i, j, square)
    # Keeping the distances among the neighbors of an instance keeps their angles too: the local
    # isometry of Weinberger and Saul 2004. Lists overlap, so most pairs come several times; one
    # number per pair makes them unique in one sort.
    one, two = np.triu_indices(lists.shape[1], 1)
    pairs = np.sort(
        np.stack([lists[:, one].ravel(), lists[:, two].ravel()], axis=1).astype(np.int64), axis=1
    )
    keys = np.unique(np.concatenate([i * len(X) + j, pairs[:, 0] * len(X) + pairs[:, 1]]))
    i, j = keys // len(X), keys % len(X)
    return Edges(i, j, np.square(
        X[i] - X[j]
    ).sum(axis=1) if distances is None else np.square(distances.of(i, j)))


def path_start(
    X: NDArray, lengths: csr_array, rank: int, watch: Monitor, *, seed: int = 0
) -> NDArray:
    """Scaled shortest paths to landmarks (n, rank),
    with a little of X where they span fewer dimensions.

    X : (n, D), centered. lengths : of the edges, one component.
        seed : of the directions that X is seen from there.
    """
    # Shortest paths bound the unfolded distances from above, so landmark MDS of them is the
    # unfolded shape but for curvature: descent from there takes far fewer steps than from X. A
    # dimension that starts at exactly 0 stays there, since its gradient is 0; a random projection
    # of X, small beside an edge, opens it.
    rows = landmarks(X, min(max(_LANDMARKS, rank + 1), len(X)), monitor=Portion(watch, 0.0, 0.2))
    D = geodesics(lengths, sources=rows, monitor=Portion(watch, 0.2, 0.8))
    Y = landmark_scaling(D, rows, rank, monitor=Portion(watch, 0.8, 1.0))[1]
    extra = X @ np.random.default_rng(seed).standard_normal((X.shape[1], rank))
    size = np.sqrt(np.square(extra).mean())
    edge = np.sqrt(np.square(lengths.data).mean())
    out = np.zeros((len(X), rank))
    out[:, : Y.shape[1]] = Y
    return out + extra * (_EXTRA * edge / size if size > 0 else 0.0)


def principal_axes(Y: NDArray, d: int) -> tuple[NDArray, NDArray]:
    """Eigenvalues (r,) of Y'Y, descending, and the first d principal coordinates (n, d) of Y;
    signs fixed."""
    # The solution is known up to a rotation of its r columns. Principal axes make it unique but for
    # signs, put what the extra columns of the factorization hold last, and say by their eigenvalues
    # how many dimensions the data need. einsum, not a product by BLAS, so that the sums do not
    # depend on the number of threads.
    values, axes = np.linalg.eigh(np.einsum("ic,id->cd", Y, Y))
    return np.maximum(values[::-1], 0.0), fix_signs(Y @ axes[:, ::-1][:, :d])
