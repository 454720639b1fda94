"""Metric rectification: the linear map that makes edges as long in the embedding as in X,
and its local form."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.neighbors.graph import Neighbors, nearest
from emberscope.neighbors.spectral import fix_signs

# of one axis against another; beyond, an edge fit says nothing about the thinner one
_LARGEST_STRETCH = 100.0
# up to this many dimensions axes may be sheared, above only scaled:
# d² unknowns cost more than the method
_FULL = 10
# up to this many dimensions a point has neighbors enough to fit a full metric of its own
_LOCAL = 3
_RIDGE = 1e-6
_CHUNK = 1 << 21
_ASKED = 2000  # instances whose neighbors in the embedding are looked up


@dataclass(frozen=True, slots=True)
class Rectified:
    """coordinates : (n, d) float64, units of X, mean 0, on their principal axes.

    map : (d, d). coordinates = (Z - mean) @ map.
        stretch : (d,), largest first: how much axes of Z grew.
    even : whether all axes grew alike, because another metric would have parted neighbors.
    """

    coordinates: NDArray
    map: NDArray
    stretch: NDArray
    even: bool

    @property
    def note(self) -> str:
        """One sentence for a person."""
        if self.even:
            return (
                "All axes have one scale and their proportions mean little: stretched to the "
                "lengths of the edges, "
                "the embedding would keep fewer neighbors together."
            )
        return (
            "Axes carry the unit of X: the method's own embedding was stretched "
            f"{self.stretch[0] / self.stretch[-1]:.3g} times more one way than another."
        )


def rectify(Z: NDArray, neighbors: Neighbors) -> Rectified:
    """Undo the whitening of a spectral method: Z S^1/2 with S the best metric for the edges,
    where that does no harm.

    Parameters
    ----------
    Z : (n, d). Coordinates known up to an affine map.
        neighbors : n lists; their distances are the lengths wanted.

    Notes
    -----
    Ours. S minimizes the sum over edges of (dz' S dz - |dx|²)², linear in S (above 10 dimensions:
    in its diagonal). Eigenvalues of S below 1e-4 of the largest are raised to that. One metric for
    the whole embedding is true of a sheet that was laid flat; of other data it may be indefinite
    and flatten the embedding to a line. So it is used only if the embedding then keeps as many of
    the graph's neighbors together as it did (asked of 2000 instances), else all axes get one scale.
    O(n k d⁴), and two searches among n points in d dimensions.
    """
    Z = Z - Z.mean(axis=0)
    scale = np.sqrt(np.square(Z).mean(axis=0))
    scale[scale == 0] = 1.0
    S = _global_metric(Z / scale, neighbors) / np.outer(scale, scale)
    stretched = _stretched(Z, S)
    if kept_neighbors(stretched.coordinates, neighbors) >= kept_neighbors(Z, neighbors):
        return stretched
    times = np.sqrt(_one_scale(Z, neighbors))
    d = Z.shape[1]
    return Rectified(Z * times, np.eye(d) * times, np.full(d, times), even=True)


def kept_neighbors(Z: NDArray, neighbors: Neighbors) -> float:
    """Share of the k listed neighbors that are among the k nearest in the embedding Z (n, d);
    of 2000 instances."""
    n = len(Z)
    rows = np.arange(n) if n <= _ASKED else np.sort(
        np.random.default_rng(0).choice(n, _ASKED, replace=False)
    )
    Z = np.ascontiguousarray(Z)
    near = nearest(Z, Z[rows], min(neighbors.k + 1, n)).idx  # one of them is the instance itself
    return float((neighbors.idx[rows][:, :, None] == near[:, None, :]).any(axis=2).mean())


def _one_scale(Z: NDArray, neighbors: Neighbors) -> float:
    """What squared lengths in the embedding are to be multiplied by,
    so that those of edges sum to the sum in X."""
    parts = _parts(len(Z), neighbors.k * Z.shape[1])
    drawn = sum(float(np.square(Z[neighbors.idx[part]] - Z[part, None]).sum()) for part in parts)
    return (
        float(np.square(neighbors.dist.astype(np.float64)).sum()) / max(drawn, np.finfo(float).tiny)
    )


def _stretched(Z: NDArray, S: NDArray) -> Rectified:
    """Z (mean 0) under the metric S, made positive, on its principal axes."""
    values, axes = np.linalg.eigh(S)
    values = np.maximum(values, values[-1] / _LARGEST_STRETCH**2)
    root = axes * np.sqrt(values) @ axes.T
    turned = root @ np.linalg.eigh(root @ (Z.T @ Z) @ root)[1][:, ::-1]
    coordinates = fix_signs(Z @ turned)
    signs = np.where(np.einsum("ij,ij->j", Z @ turned, coordinates) < 0, -1.0, 1.0)
    return Rectified(coordinates, turned * signs, np.sqrt(values[::-1]), even=False)


def _global_metric(Z: NDArray, neighbors: Neighbors) -> NDArray:
    d = Z.shape[1]
    a, b = np.triu_indices(d) if d <= _FULL else (np.arange(d), np.arange(d))
    twice = np.where(a == b, 1.0, 2.0)
    normal, right = np.zeros((len(a), len(a))), np.zeros(len(a))
    for part in _parts(len(Z), neighbors.k * len(a)):
        dz = (Z[neighbors.idx[part]] - Z[part, None]).reshape(-1, d)
        lengths = np.square(neighbors.dist[part].astype(np.float64)).ravel()
        products = dz[:, a] * dz[:, b] * twice
        normal += products.T @ products
        right += products.T @ lengths
    S = np.zeros((d, d))
    S[a, b] = S[b, a] = np.linalg.lstsq(normal, right, rcond=1e-14)[0]
    # No positive direction at all: edges say nothing about the shape, only about the size.
    return S if np.linalg.eigvalsh(S)[-1] > 0 else np.eye(d) * _one_scale(Z, neighbors)


def local_metrics(X: NDArray, Z: NDArray, neighbors: Neighbors | NDArray) -> NDArray:
    """The metric of X pulled back to the embedding at every point:
    dz' S_i dz is about |dx|² for its edges.

    Parameters
    ----------
    X : (n, D). Z : (n, d). neighbors : k lists (their distances are used), or rows (n, k) alone.

    Returns
    -------
    S : (n, d, d) float32, symmetric positive definite, squared units of X per squared unit of Z.
    The ellipse dz' S_i dz = r² is what a ball of radius r around instance i became; its semi-axes
    are r / sqrt(eigenvalues).

    Notes
    -----
    The metric of Perrault-Joncas and Meila 2013, fitted to edges. Start: inverse second moments of
    dz per |dx|² / d, which is right where neighbors lie evenly in all directions. Up to 3
    dimensions it is then fitted to the edges by least squares with a small ridge towards the start;
    the result stays within 100 times of it. O(n k d⁴).
    """
    idx = neighbors.idx if isinstance(neighbors, Neighbors) else np.asarray(neighbors)
    Z = np.asarray(Z, np.float64)
    out = np.empty((len(Z), Z.shape[1], Z.shape[1]), np.float32)
    width = (
        idx.shape[1] * (Z.shape[1] ** 2 + (0 if isinstance(neighbors, Neighbors) else X.shape[1]))
    )
    typical = float(np.square(Z - Z.mean(axis=0)).sum(axis=1).mean())
    for part in _parts(len(Z), width):
        if isinstance(neighbors, Neighbors):
            lengths = np.square(neighbors.dist[part].astype(np.float64))
        else:
            lengths = np.square(X[idx[part]].astype(np.float64) - X[part, None]).sum(axis=2)
        out[part] = _local(Z[idx[part]] - Z[part, None], lengths, typical)
    return out


def _local(dz: NDArray, lengths: NDArray, typical: float) -> NDArray:
    """dz (n, k, d), lengths (n, k) squared."""
    d = dz.shape[2]
    moments = np.einsum("nka,nkb->nab", dz,
                        dz) * d / np.maximum(lengths.sum(axis=1), 1e-300)[:, None, None]
    values, axes = np.linalg.eigh(moments)
    floor = np.maximum(values[:, -1:] / _LARGEST_STRETCH**2,
                       1e-12 * typical / np.maximum(lengths.max(), 1e-300))
    inverse = 1 / np.sqrt(np.maximum(values, np.maximum(floor, 1e-30)))
    whiten = np.einsum("nab,nb,ncb->nac", axes, inverse, axes)
    if d > _LOCAL:
        return whiten @ whiten
    a, b = np.triu_indices(d)
    w = dz @ whiten
    products = w[:, :, a] * w[:, :, b] * np.where(a == b, 1.0, 2.0)
    normal = np.einsum("nkp,nkq->npq", products, products)
    ridge = _RIDGE * np.maximum(np.einsum("npp->n", normal), 1e-300)
    normal[:, np.arange(len(a)), np.arange(len(a))] += ridge[:, None]
    identity = (a == b).astype(np.float64)
    right = np.einsum("nkp,nk->np", products, lengths) + ridge[:, None] * identity
    fitted = np.linalg.solve(normal, right[:, :, None])[:, :, 0]
    T = np.empty((len(dz), d, d))
    T[:, a, b] = T[:, b, a] = fitted
    values, axes = np.linalg.eigh(T)
    T = np.einsum("nab,nb,ncb->nac", axes, np.clip(values, 1 / _LARGEST_STRETCH, _LARGEST_STRETCH),
                  axes)
    return whiten @ T @ whiten


def _parts(n: int, width: int) -> list[slice]:
    rows = max(1, _CHUNK // max(width, 1))
    return [slice(start, start + rows) for start in range(0, n, rows)]
