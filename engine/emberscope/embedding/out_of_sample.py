"""Coordinates of new instances from those of their nearest training instances, and how far to trust them."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import ParamError
from emberscope.base.monitor import Monitor
from emberscope.neighbors.search import nearest

Rule = Literal["lle", "affine", "idw"]
N_NEIGHBORS = 5
_RIDGE = 1e-3
_CHUNK = 1 << 22


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """New instances as combinations of training instances.

    coordinates : (M, d). error : (M,) distance in X to the combination. idx, weights : (M, k), its members.
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

    error : (M,) reconstruction error. distance : (M,) to the nearest training instance; both in units of X.
    confidence : (M,) in [0, 1], 1 = as near as the training instances are to each other, with neighbors that agree.
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
    n_neighbors: int = N_NEIGHBORS,
    monitor: Monitor | None = None,
) -> Reconstruction:
    """Linear reconstruction of Q from training rows X with coordinates Z.

    Parameters
    ----------
    X : (N, D). Z : (N, d). Q : (M, D).
    rule : "lle": weights that sum to 1 and reconstruct q best (ridge 1e-3 of the trace of the local Gram matrix);
        "affine": unconstrained ridge weights with an intercept over the features, whose share of z is 0;
        "idw": inverse-distance weights, which never extrapolate.
    n_neighbors : int. Training rows that take part, at most N.

    Notes
    -----
    Spec 01 section 5.5. With "lle" and "idw" an instance that equals a training row gets exactly its coordinates.
    O(M N D) for the search, O(M k² D) for the weights.
    """
    if rule not in _RULES:
        raise ParamError(f"rule is {rule!r}", hint=f"Give {' or '.join(_RULES)}.")
    found = nearest(X, Q, min(n_neighbors, len(X)), monitor=monitor)
    weights = np.empty(found.idx.shape)
    error = np.empty(len(Q))
    rows = max(1, _CHUNK // (found.k * X.shape[1]))
    for start in range(0, len(Q), rows):
        part = slice(start, start + rows)
        members = X[found.idx[part]].astype(np.float64)
        weights[part] = _RULES[rule](members, Q[part].astype(np.float64), found.dist[part].astype(np.float64))
        error[part] = np.linalg.norm(Q[part] - np.einsum("mk,mkd->md", weights[part], members), axis=1)
    images = Z[found.idx].astype(np.float64)
    spread = np.sqrt(images.var(axis=1).sum(axis=1))
    return Reconstruction(
        np.einsum("mk,mkd->md", weights, images), error, found.idx, weights, found.dist[:, 0].astype(np.float64), spread
    )


def novelty(found: Reconstruction, reach: NDArray, Z: NDArray) -> Novelty:
    """Confidence in reconstructions; `reach` (N,) is each training row's distance to its k-th neighbor.

    exp(-max(0, d1 / reach - 1)) (1 - spread / spread of all coordinates), spec 02 section 1.6.
    """
    scale = reach[found.idx[:, 0]].astype(np.float64)
    beyond = np.divide(found.distance, scale, out=np.zeros(len(scale)), where=scale > 0)
    whole = np.sqrt(Z.astype(np.float64).var(axis=0).sum())
    agree = 1 - np.clip(found.spread / whole, 0, 1) if whole > 0 else np.ones(len(scale))
    return Novelty(found.error, found.distance, np.exp(-np.maximum(0.0, beyond - 1)) * agree)


def _lle(members: NDArray, q: NDArray, distance: NDArray) -> NDArray:
    offsets = members - q[:, None, :]
    gram = np.einsum("mkd,mld->mkl", offsets, offsets)
    k = gram.shape[1]
    trace = np.einsum("mkk->m", gram)
    gram[:, np.arange(k), np.arange(k)] += np.where(trace > 0, _RIDGE * trace, 1.0)[:, None]
    weights = np.linalg.solve(gram, np.ones((len(gram), k, 1)))[:, :, 0]
    return _exact_hits(weights / weights.sum(axis=1, keepdims=True), distance)


def _affine(members: NDArray, q: NDArray, distance: NDArray) -> NDArray:
    A = members - members.mean(axis=2, keepdims=True)
    gram = np.einsum("mkd,mld->mkl", A, A)
    k = gram.shape[1]
    trace = np.einsum("mkk->m", gram)
    gram[:, np.arange(k), np.arange(k)] += np.where(trace > 0, _RIDGE * trace, 1.0)[:, None]
    right = np.einsum("mkd,md->mk", A, q - q.mean(axis=1, keepdims=True))
    return np.linalg.solve(gram, right[:, :, None])[:, :, 0]


def _idw(members: NDArray, q: NDArray, distance: NDArray) -> NDArray:
    inverse = 1 / np.maximum(distance, np.finfo(np.float64).tiny ** 0.5)
    return _exact_hits(inverse / inverse.sum(axis=1, keepdims=True), distance)


def _exact_hits(weights: NDArray, distance: NDArray) -> NDArray:
    """A query that equals training rows is those rows, whatever the ridge says."""
    hit = distance <= 1e-12 * distance[:, -1:]
    return np.where(hit[:, :1], hit / np.maximum(hit.sum(axis=1, keepdims=True), 1), weights)


_RULES = {"lle": _lle, "affine": _affine, "idw": _idw}
