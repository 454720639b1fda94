"""Manifold charting: local planes of a mixture, glued into one map."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, N_NEIGHBORS, RANDOM_STATE, param
from emberscope.embedding.latent.mixture import Mixture
from emberscope.embedding.latent.mofa import N_MODELS, N_STARTS, MixtureEmbedder, number_of_models
from emberscope.embedding.latent.responsibilities import softmax, temperature
from emberscope.embedding.linear.linear import read_coordinates
from emberscope.embedding.rectify import kept_neighbors
from emberscope.neighbors.duplicates import distinct_rows
from emberscope.neighbors.geodesics import geodesics, landmarks
from emberscope.neighbors.graph import Neighbors, knn, neighborhood_graph
from emberscope.neighbors.spectral import fix_signs

_RIDGE = 1e-9
_ROUNDS = 3
_TIED = 1e-3  # shared instances, as a share of the smaller chart, that tie two charts together


class Charting(MixtureEmbedder):
    """Cover the data with overlapping flat charts and join them where they agree.

    Attributes
    ----------
    connections_ : (M, d + 1, d) affine map of every chart into the embedding.
        axes_ : (M, D, d) orthonormal.
    neighboring_ : (M, M) bool, charts that touch on the neighborhood graph.
    temperature_ : float >= 1, how much softer the memberships are than the mixture's own.
    disagreement_ : (N,) root mean square distance between what the charts say about an instance,
        units of the embedding; large = this place is doubtful. Those of `MixtureEmbedder`.

    Notes
    -----
    Brand 2003. With memberships r and local coordinates u = Q' (x - mean), the affine maps A
    minimize sum_n sum_m r_nm |z_n - [u_nm 1] A_m|^2, z_n = sum_m r_nm [u_nm 1] A_m: an eigenproblem
    of size M (d + 1), independent of N (McCurley 2020 prints the last index of eq 2-97 as m twice).
    The mixture is that of `mofa`, not Brand's with a prior on neighboring charts. Instead of the
    prior, EM starts from patches of the neighborhood graph (from k-means cells one chart of 30 lay
    across two folds, and the roll stayed rolled), and an instance belongs only to charts that touch
    its most probable one (where a plane, prolonged, cuts another fold, a little of the weight went
    there, enough to glue them). Two more differences from print: memberships are softened until
    `overlap` charts share an instance on average, because among many features the mixture alone is
    sure of one and nothing is glued; and the embedding is made metric, by the symmetric map under
    which the charts' axes keep their lengths best, because the eigenproblem leaves it stretched at
    will. Where charts do not agree on one, that map can flatten the embedding; if it parts
    neighbors on the graph, all axes get one scale instead. `inverse_transform` goes back through
    the charts.
    """

    n_components: int = replace(N_COMPONENTS, high=16)
    n_models: int | None = N_MODELS
    overlap: float = param(
        1.5, low=1.05, high=20, title="Overlap", unit="charts", group="Mixture",
        help="Charts that share an instance, on average; more is smoother and rougher.",
    )
    n_neighbors: int = replace(
        N_NEIGHBORS, default=10, advanced=True,
        help="Of the graph along which the first charts are cut out.",
    )
    n_starts: int = replace(
        N_STARTS, help="Starts from different patches; the map whose charts agree best is kept.",
    )
    random_state: int = RANDOM_STATE
    state = (*MixtureEmbedder.state, "connections_", "axes_", "neighboring_", "temperature_",
             "disagreement_", "places_", "widths_")  # fmt: skip

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Fit the mixture, then join its charts; labels are ignored."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        best: dict[str, Any] = {}
        notes, least = list(self.notes_), np.inf
        for start in range(self.n_starts):
            self.notes_ = list(notes)
            part = Portion(watch, start / self.n_starts, (start + 1) / self.n_starts)
            found = self._one_map(X, self.random_state + start, part)
            size = found["embedding_"].var(axis=0, dtype=np.float64).sum()
            torn = np.square(found["disagreement_"]).mean() / max(size, np.finfo(np.float64).tiny)
            if not best or torn < least:
                best, least = {**found, **self._mixture_state(), "notes_": self.notes_}, torn
        for name, value in best.items():
            setattr(self, name, value)
        return self

    def _one_map(self, X: NDArray, seed: int, watch: Monitor) -> dict[str, Any]:
        """A mixture from one start and the map that joins its charts."""
        cells, edges, listed = self._cells(X, seed, Portion(watch, 0.0, 0.3))
        self._fit_mixture(X, Portion(watch, 0.3, 0.9), cells=cells)
        watch.step(0.92, "Joining the charts")
        joint = self.mixture.log_joint(X)
        axes, likelihood = self.mixture.axes(), softmax(joint)[1]
        self.neighboring_ = neighboring(joint.argmax(axis=1), len(self.weights_), edges)
        joint = self._among_neighbors(joint)
        soft = temperature(joint, self.overlap)
        R, _ = softmax(joint / soft)
        U = local_coordinates(self.mixture, axes, X)
        self._note_apart(R)
        A = connect(U, R, self.n_components)
        A = self._in_proportion(A, U, R, *listed) if listed else A @ _metric(A, R.sum(axis=0))
        Z, offset = _placed(U, R, A)
        A[:, -1] -= offset
        signs = np.where((fix_signs(Z - offset) * (Z - offset)).sum(axis=0) < 0, -1.0, 1.0)
        A, Z = A * signs, (Z - offset) * signs
        charted_places = charted(U, A)
        apart = np.sqrt((R * np.square(charted_places - Z[:, None]).sum(axis=2)).sum(axis=1))
        places = np.einsum("nm,nmd->md", R, charted_places) / R.sum(axis=0)[:, None]
        far = (R * np.square(charted_places - places[None]).sum(axis=2)).sum(axis=0) / R.sum(axis=0)
        return {
            "connections_": np.ascontiguousarray(A), "axes_": np.ascontiguousarray(axes),
            "neighboring_": self.neighboring_, "temperature_": soft,
            "log_likelihood_": likelihood, "disagreement_": apart, "places_": places,
            "widths_": np.sqrt(far / self.n_components) + 1e-12, "embedding_": Z.astype(X.dtype),
        }  # fmt: skip

    def _mixture_state(self) -> dict[str, Any]:
        return {name: getattr(self, name)
                for name in ("weights_", "means_", "loadings_", "noise_", "history_")}

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d). Exact."""
        X = self._validate_new(X)
        R, _ = softmax(self._among_neighbors(self.mixture.log_joint(X)) / self.temperature_)
        return _placed(local_coordinates(self.mixture, self.axes_, X), R,
                       self.connections_)[0].astype(X.dtype)

    def inverse_transform(self, Z: ArrayLike) -> NDArray:
        """Features at points of the map, (M, d) -> (M, D):
        through the planes of the charts near a point, weighted."""
        Z = read_coordinates(Z, self.embedding_.shape[1])
        far = np.square((Z[:, None] - self.places_) / self.widths_[:, None]).sum(axis=2)
        weight, _ = softmax(np.log(self.weights_) - self.n_components * np.log(self.widths_) - 0.5
                            * far)
        out = np.zeros((len(Z), self.means_.shape[1]))
        for m, A in enumerate(self.connections_):
            U = (Z - A[-1]) @ np.linalg.pinv(A[:-1])
            out += weight[:, m, None] * (self.means_[m] + U @ self.axes_[m].T)
        return out.astype(self.embedding_.dtype)

    def _among_neighbors(self, joint: NDArray) -> NDArray:
        """Log weights with only the charts that touch the most probable one."""
        return np.where(self.neighboring_[joint.argmax(axis=1)], joint, -np.inf)

    def _in_proportion(
        self, A: NDArray, U: NDArray, R: NDArray, rows: NDArray, neighbors: Neighbors
    ) -> NDArray:
        """A with the charts' lengths as far as one map can keep them,
        or with one scale if that keeps more neighbors.

        neighbors : of the rows `rows`, numbered among them.
        """
        weight = R.sum(axis=0)
        metric, even = A @ _metric(A, weight), A * _one_scale(A, weight)
        kept = [kept_neighbors(_placed(U[rows], R[rows], way)[0], neighbors)
                for way in (metric, even)]
        if kept[0] >= kept[1]:
            return metric
        self.notes_.append(
            "All axes have one scale and their proportions mean little: with the lengths of the "
            "charts, the embedding "
            "would keep fewer neighbors together."
        )
        return even

    def _cells(
        self, X: NDArray, seed: int, watch: Monitor
    ) -> tuple[NDArray, NDArray, tuple[NDArray, Neighbors] | None]:
        """Patches (N,) of the neighborhood graph, so that no first chart lies across two folds;
        its edges (E, 2).

        Third: the distinct rows and their neighbors; None where there is one chart only.
        """
        distinct = distinct_rows(X)
        U = distinct.select(X)
        n = min(number_of_models(self.n_models, len(X)), len(U))
        if n < 2:
            return np.zeros(len(X), np.int64), np.empty((0, 2), np.int64), None
        neighbors = knn(U, min(self.n_neighbors, len(U) - 1), monitor=Portion(watch, 0.0, 0.4))
        graph = neighborhood_graph(U, neighbors)
        self.notes_.extend(graph.notes)
        cells = patches(U, graph.lengths, n, seed=seed, monitor=Portion(watch, 0.4, 1.0))
        edges = distinct.rows[np.stack(graph.lengths.nonzero(), axis=1)]
        return distinct.restore(cells), edges, (distinct.rows, neighbors)

    def _note_apart(self, R: NDArray) -> None:
        shared = R.T @ R
        tied = shared > _TIED * np.minimum.outer(np.diag(shared), np.diag(shared))
        parts = connected_components(tied, directed=False)[0]
        if parts > 1:
            self.notes_.append(f"The charts fall into {parts} groups that share no instances; "
                               "raise the overlap.")


def patches(
    X: NDArray, lengths: csr_array, n: int, *, seed: int = 0, monitor: Monitor | None = None
) -> NDArray[np.int64]:
    """(N,) cell of each row: n patches of the graph around centers,
    k-medoids with distances along the graph.

    Three rounds; each center moves to the member nearest to the mean of its patch.
    O(n N log N) per round.
    """
    watch = monitored(monitor)
    centers = landmarks(X, n, seed=seed)
    cells = np.zeros(len(X), np.int64)
    for step in range(_ROUNDS):
        part = Portion(watch, step / _ROUNDS, (step + 1) / _ROUNDS)
        cells = geodesics(lengths, sources=centers, monitor=part).argmin(axis=0)
        for m in range(len(centers)):
            own = np.flatnonzero(cells == m)
            if len(own):
                mean = X[own].mean(axis=0, dtype=np.float64)
                centers[m] = own[np.square(X[own] - mean).sum(axis=1).argmin()]
    return cells


def neighboring(chart: NDArray, n_charts: int, edges: NDArray) -> NDArray[np.bool_]:
    """(M, M) charts between whose instances an edge of the graph runs;
    every chart neighbors itself."""
    out = np.eye(n_charts, dtype=bool)
    out[chart[edges[:, 0]], chart[edges[:, 1]]] = True
    return out | out.T


def local_coordinates(mixture: Mixture, axes: NDArray, X: NDArray) -> NDArray:
    """(N, M, d) float64: coordinates of each instance on each chart, units of X."""
    M, D, d = axes.shape
    offset = np.einsum("mD,mDi->mi", mixture.means, axes)
    return (X @ axes.transpose(1, 0, 2).reshape(D, M * d)).reshape(len(X), M, d) - offset


def connect(U: NDArray, R: NDArray, d: int) -> NDArray:
    """(M, c + 1, d) affine maps of c local coordinates that agree best: the smallest nonzero of
    (Dq - B'B) v = l B'B v. O(N M² c²) and (M c)³."""
    M, size = R.shape[1], U.shape[2] + 1
    V = np.concatenate([U, np.ones((*R.shape, 1))], axis=2)
    B = (V * R[:, :, None]).reshape(len(V), M * size)
    total = B.T @ B
    blocks = np.einsum("nm,nmi,nmj->mij", R, V, V)
    apart = -total
    for m in range(M):
        part = slice(m * size, (m + 1) * size)
        apart[part, part] += blocks[m]
    scale = 1 / np.sqrt(
        np.maximum(np.concatenate([np.diag(block) for block in blocks]), np.finfo(float).tiny)
    )
    apart *= scale[:, None] * scale
    total *= scale[:, None] * scale
    total[np.diag_indices_from(total)] += _RIDGE * np.trace(total) / len(total)
    # The constant embedding costs nothing; moving it up by a multiple of its own direction takes it
    # out exactly.
    flat = np.tile(np.eye(size)[-1], M) / scale
    image = total @ flat
    apart += 1e3 * max(float(np.trace(apart)), 1.0) * np.outer(image, image) / float(flat @ image)
    vectors = eigh(apart, total, subset_by_index=(0, d - 1))[1]
    return (vectors * scale[:, None]).reshape(M, size, d)


def _metric(A: NDArray, weight: NDArray) -> NDArray:
    """(d, d) map T that brings the axes of all charts nearest to unit length: T T' = S,
    least squares A S A' = I."""
    d = A.shape[2]
    pairs = [(i, j) for i in range(d) for j in range(i, d)]
    linear = A[:, :d]
    columns = []
    for i, j in pairs:
        basis = np.zeros((d, d))
        basis[i, j] = basis[j, i] = 1.0
        columns.append(linear @ basis @ linear.transpose(0, 2, 1))
    root = np.sqrt(weight)[:, None, None]
    design = np.stack([(root * column).ravel() for column in columns], axis=1)
    wanted = (root * np.eye(d)).ravel()
    found = np.linalg.lstsq(design, wanted, rcond=None)[0]
    S = np.zeros((d, d))
    for (i, j), value in zip(pairs, found):
        S[i, j] = S[j, i] = value
    values, vectors = np.linalg.eigh(S)
    top = max(values[-1], np.finfo(float).tiny)
    return vectors * np.sqrt(np.maximum(values, 1e-4 * top)) @ vectors.T


def _one_scale(A: NDArray, weight: NDArray) -> float:
    """What brings the axes of all charts to unit length on the whole."""
    squared = np.square(A[:, :-1]).sum(axis=(1, 2))
    return float(np.sqrt(weight.sum() * A.shape[2] / max(weight @ squared, np.finfo(float).tiny)))


def charted(U: NDArray, A: NDArray) -> NDArray:
    """(N, M, d): where each chart puts each instance."""
    return np.einsum("nmi,mid->nmd", U, A[:, :-1]) + A[:, -1]


def _placed(U: NDArray, R: NDArray, A: NDArray) -> tuple[NDArray, NDArray]:
    """(N, d) places and their mean (d,)."""
    Z = np.einsum("nm,nmd->nd", R, charted(U, A))
    return Z, Z.mean(axis=0)
