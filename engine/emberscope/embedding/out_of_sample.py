"""Coordinates of new instances from those of their nearest training instances,
and how far to trust them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import ParamError
from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, monitored, slices
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.search import Neighbors, nearest, neighbors_listed

Rule = Literal["lle", "convex", "tangent", "affine", "idw", "rbf"]
N_NEIGHBORS = 5
_N_TANGENT = 15  # a plane with its slopes wants more of them
_N_RBF = 50
_WANTED = {"tangent": _N_TANGENT, "rbf": _N_RBF}
_RIDGE = 1e-3
_LEFT_OUT = 500  # training instances left out to see how well known ones are rebuilt
_CHUNK = 4096  # queries at a time, fewer where each has many members
_VALUES = 1 << 22


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """New instances as combinations of training instances.

    coordinates : (M, d). error : (M,) distance in X to the combination.
        idx, weights : (M, k), its members.
    distance : (M,) distance in X to the nearest training instance.
    spread : (M,) standard deviation of the members' coordinates about their mean.
    """

    coordinates: NDArray
    error: NDArray
    idx: NDArray[np.int32]
    weights: NDArray
    distance: NDArray
    spread: NDArray


@dataclass(frozen=True, slots=True)
class Novelty:
    """How unlike the training instances new ones are.

    error : (M,) reconstruction error. distance : (M,) to the nearest training instance;
        both in units of X.
    confidence : (M,) in [0, 1], share of training instances that, left out,
        are rebuilt no better; see `novelty`.
    """

    error: NDArray
    distance: NDArray
    confidence: NDArray


def reconstruct(
    X: NDArray,
    Z: NDArray,
    Q: NDArray,
    *,
    rule: Rule = "lle",
    n_neighbors: int | None = None,
    search: Callable[[int], Neighbors] | None = None,
    monitor: Monitor | None = None,
) -> Reconstruction:
    """Linear reconstruction of Q from training rows X with coordinates Z.

    Parameters
    ----------
    X : (N, D). Z : (N, d). Q : (M, D).
    rule : "lle": weights that sum to 1 and reconstruct q best (ridge 1e-3 of the trace of the local
        Gram matrix); "convex": these without their negative ones, so that no result lies outside of
        its neighbors' coordinates; "tangent": the affine map from the d directions of most spread
        of the neighbors to their coordinates (ridge regression), which goes on along a slope;
        "affine": unconstrained ridge weights with an intercept over the features, whose share of z
        is 0; "idw": inverse-distance weights, which never extrapolate; "rbf": the radial basis
        function -r with a constant, smoothed a little, which bends with many neighbors at once.
    n_neighbors : int, optional. Training rows that take part, at most N; default 5,
        for "tangent" 15, for "rbf" 50.
    search : the k rows of X near to each of Q, where nearness is not the Euclidean distance.

    Notes
    -----
    Saul and Roweis 2003. An instance that equals a training row gets exactly its coordinates,
    except with "affine". O(M N D) for the search, O(M k² (D + k)) for the weights. Raises
    ParamError for another rule.
    """
    if rule not in _RULES:
        raise ParamError(f"rule is {rule!r}", hint=f"Give {' or '.join(_RULES)}.")
    wanted = n_neighbors or _WANTED.get(rule, N_NEIGHBORS)
    k = min(wanted, len(X))
    found = nearest(X, Q, k, monitor=monitor) if search is None else search(k)
    weights = np.empty(found.idx.shape)
    error = np.empty(len(Q))
    chunk = max(64, min(_CHUNK, _VALUES // found.k**2))
    for part in slices(len(Q), chunk):
        monitored(monitor).step(1.0, "Placing instances")
        where = _Where(X, Q[part], found.idx[part], found.dist[part].astype(np.float64), Z.shape[1])
        weights[part], error[part] = _RULES[rule](where)
    images = Z[found.idx].astype(np.float64)
    spread = np.sqrt(images.var(axis=1).sum(axis=1))
    return Reconstruction(
        np.einsum("mk,mkd->md", weights, images), error, found.idx, weights,
        found.dist[:, 0].astype(np.float64), spread
    )


def placed_within(
    X: NDArray, inside: NDArray, Z: NDArray, distances: Distances | None, *, rule: Rule = "lle",
    n_neighbors: int | None = None,
) -> Reconstruction:
    """Place the rows of X (N, D) that are not `inside` (N,) by the coordinates Z (n, d) of those
    that are.

    distances : between all N rows, where it is not those of X that say which ones are near.
    """
    some, others = np.ascontiguousarray(X[inside]), np.ascontiguousarray(X[~inside])
    if distances is None:
        return reconstruct(some, Z, others, rule=rule, n_neighbors=n_neighbors)
    squared = distances.squared[np.ix_(~inside, inside)]
    return reconstruct(some, Z, others, rule=rule, n_neighbors=n_neighbors,
                       search=lambda k: neighbors_listed(squared, k, dtype=X.dtype))


def novelty(found: Reconstruction, errors: NDArray) -> Novelty:
    """Confidence in reconstructions by the rule "lle",
    from the `errors_left_out` of the training instances.

    The share of them with at least the error of the new instance, as in conformal prediction (Vovk,
    Gammerman and Shafer 2005): of instances like those of the training half have more than 1/2, a
    twentieth less than 1/20. Beyond the largest error E it falls on, as exp(1 - error / E). Whether
    the neighbors agree on a place does not matter: in a embedding that knows classes they disagree
    between classes, however familiar an instance there is.
    """
    least, largest = np.searchsorted(errors, found.error), float(errors[-1])
    beyond = np.maximum(found.error / largest - 1,
                        0) if largest > 0 else np.where(found.error > 0, np.inf, 0.0)
    return Novelty(found.error, found.distance,
                   (len(errors) - least + 1) / (len(errors) + 1) * np.exp(-beyond))


def errors_left_out(X: NDArray) -> NDArray[np.float64]:
    """Errors, ascending, of rebuilding different training instances (N, D), N >= 2,
    from the nearest others ("lle").

    Of at most 500 of them, evenly chosen. O(500 N D).
    """
    rows = np.unique(np.linspace(0, len(X) - 1, min(len(X), _LEFT_OUT)).astype(np.int64))
    Q, k = np.ascontiguousarray(X[rows]), min(N_NEIGHBORS, len(X) - 1)
    found = nearest(X, Q, k + 1)
    others = found.idx != rows[:, None]
    others[others.all(axis=1), -1] = False  # instances so near that rounding hid which one it is
    idx, distance = (
        found.idx[others].reshape(-1, k), found.dist[others].reshape(-1, k).astype(np.float64)
    )
    return np.sort(_lle(_Where(X, Q, idx, distance, 1))[1])


@dataclass(frozen=True, slots=True)
class _Where:
    """Some queries (M, D), the rows of X they lie among (M, k) with their distances, and d."""

    X: NDArray
    Q: NDArray
    idx: NDArray[np.int32]
    distance: NDArray[np.float64]
    n_components: int

    def gram(self) -> NDArray[np.float64]:
        """Products of the offsets of the members from the query, (M, k, k)."""
        out = np.empty((*self.idx.shape, self.idx.shape[1]))
        _gram(np.require(self.X, requirements=["C", "W"]),
              np.require(self.Q, requirements=["C", "W"]), self.idx, out)
        return out


# (M, k), and the reconstruction errors (M,)
_Weights = tuple[NDArray[np.float64], NDArray[np.float64]]


# sums in any order, for vector code
@njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"})
def _gram(X: NDArray, Q: NDArray, idx: NDArray, out: NDArray) -> None:
    k = idx.shape[1]
    offset = np.empty((k, X.shape[1]))
    for m in range(idx.shape[0]):
        for i in range(k):
            for c in range(X.shape[1]):
                offset[i, c] = np.float64(X[idx[m, i], c]) - np.float64(Q[m, c])
        for i in range(k):
            for j in range(i + 1):
                total = 0.0
                for c in range(X.shape[1]):
                    total += offset[i, c] * offset[j, c]
                out[m, i, j] = total
                out[m, j, i] = total


def _lle(where: _Where) -> _Weights:
    gram = where.gram()
    return _summing_to_one(where, _solved(gram), gram)


def _convex(where: _Where) -> _Weights:
    gram = where.gram()
    return _summing_to_one(where, np.maximum(_solved(gram), 0), gram)


def _solved(gram: NDArray) -> NDArray:
    weights = np.linalg.solve(_ridged(gram), np.ones((*gram.shape[:2], 1)))[:, :, 0]
    return weights / weights.sum(axis=1, keepdims=True)


def _tangent(where: _Where) -> _Weights:
    """1 / k + T (T'T + ridge)^-1 t: the tangent coordinates T of the members are centered,
    so this sums to 1."""
    gram = where.gram()
    k = gram.shape[1]
    means = gram.mean(axis=2)
    center = means.mean(axis=1)
    spread, axes = np.linalg.eigh(gram - means[:, :, None] - means[:, None, :]
                                  + center[:, None, None])
    first = max(0, k - where.n_components)
    spread, axes = np.maximum(spread[:, first:], 0), axes[:, :, first:]
    ridge = _RIDGE * spread.mean(axis=1, keepdims=True)
    # T = axes sqrt(spread), t = axes' (offsets of the members from their mean) · (that of
    # q) / sqrt(spread)
    along = np.einsum("mki,mk->mi", axes, center[:, None] - means)
    along = np.divide(along, spread + ridge, out=np.zeros_like(along), where=spread > 0)
    return _summing_to_one(where, 1 / k + np.einsum("mki,mi->mk", axes, along), gram)


def _affine(where: _Where) -> _Weights:
    weights, error = np.empty(where.distance.shape), np.empty(len(where.Q))
    for m, (q, idx) in enumerate(zip(where.Q.astype(np.float64), where.idx, strict=True)):
        A = where.X[idx].astype(np.float64)
        B = A - A.mean(axis=1, keepdims=True)
        weights[m] = np.linalg.solve(_ridged((B @ B.T)[None])[0], B @ (q - q.mean()))
        error[m] = np.linalg.norm(q - weights[m] @ A)
    return weights, error


def _rbf(where: _Where) -> _Weights:
    """Weights w of sum_i w_i z_i = sum_i c_i (-|q - x_i|) + b,
    with c and b fitted to the members, ridge on c."""
    gram = where.gram()
    k = gram.shape[1]
    own = np.einsum("mkk->mk", gram)
    far = np.sqrt(np.maximum(own[:, :, None] + own[:, None, :] - 2 * gram, 0))
    ridge = _RIDGE * far.mean(axis=(1, 2))
    system = np.ones((len(gram), k + 1, k + 1))
    system[:, :k, :k] = -far
    system[:, np.arange(k), np.arange(k)] = np.where(ridge > 0, ridge, 1.0)[:, None]
    system[:, k, k] = 0
    right = np.ones((len(gram), k + 1, 1))
    right[:, :k, 0] = -np.sqrt(own)
    return _summing_to_one(where, np.linalg.solve(system, right)[:, :k, 0], gram)


def _idw(where: _Where) -> _Weights:
    inverse = 1 / np.maximum(where.distance, np.finfo(np.float64).tiny ** 0.5)
    return _summing_to_one(where, inverse, where.gram())


def _ridged(gram: NDArray) -> NDArray:
    k = gram.shape[1]
    trace = np.einsum("mkk->m", gram)
    out = gram.copy()
    out[:, np.arange(k), np.arange(k)] += np.where(trace > 0, _RIDGE * trace, 1.0)[:, None]
    return out


def _summing_to_one(where: _Where, weights: NDArray, gram: NDArray) -> _Weights:
    """Scaled; a query that equals training rows is those rows, whatever the rule says."""
    hit = where.distance <= 1e-12 * where.distance[:, -1:]
    weights = np.where(hit[:, :1], hit, weights)
    weights = weights / weights.sum(axis=1, keepdims=True)
    return weights, np.sqrt(np.maximum(np.einsum("mk,mkl,ml->m", weights, gram, weights), 0))


_RULES = {"lle": _lle, "convex": _convex, "tangent": _tangent, "affine": _affine, "idw": _idw,
          "rbf": _rbf}
