"""Where concepts start if positive bags hold targets almost alone: at kinds of bags, by what
differs between bags and not within one."""

import numpy as np
from numpy.typing import NDArray

from emberscope.embedding.linear.pca import principal_axes
from emberscope.mil.concepts.model import Concepts, StandardBags
from emberscope.neighbors.threads import one_blas_thread

_AXES = 300  # principal axes of targets that are looked at: all, up to so many features
_TELLING = 5  # directions, beside one for each kind, in which bags are clustered
_STARTS = 10  # of k-means
_FLAT = 1e-4  # least variance of a feature
_UNUSED = 1e-4  # scale of features that a concept does not use


def kinds_start(bags: StandardBags, k: int, rng: np.random.Generator) -> Concepts:
    """k concepts, or fewer where fewer positive bags differ: clusters of positive bags by the mean
    of their instances, in directions in which bags differ most for how much instances of one bag
    do.

    Notes
    -----
    Instances of one bag that show a target show the same one, so how they differ (where it lies in
    the patch, what is behind it) is no kind of targets; yet most of the variance of targets is
    that, and clusters of targets in features as they are follow it. Directions are those of
    relevant component analysis (Bar-Hillel et al. 2005) with bags as chunklets: generalized
    eigenvectors of the covariance of means of bags and that within bags, the mean variance added to
    the latter; without it, they are principal axes. All concepts count a feature alike, by how
    much less targets of a cluster vary in it than ground: which of them an instance is nearer to
    then depends on their centers alone.
    O(M D min(M, D)) for M instances in positive bags.
    """
    from scipy.linalg import eigh
    from sklearn.cluster import KMeans

    sizes = np.diff(bags.indptr)[bags.positive]
    Z = bags.Z[np.repeat(bags.positive, np.diff(bags.indptr))]
    bag = np.repeat(np.arange(len(sizes)), sizes)
    with one_blas_thread():  # small products are slower on several threads
        P = _on_axes(Z)
        means = _means(P, bag, len(sizes))
        apart = P - means[bag]
        within = apart.T @ apart / max(len(P) - len(sizes), 1)
        within += max(float(P.var(axis=0).mean()), _FLAT) * np.eye(P.shape[1])
        off = means - means.mean(axis=0)
        first = max(P.shape[1] - _TELLING - k, 0)
        _, axes = eigh(off.T @ off / len(off), within, subset_by_index=(first, P.shape[1] - 1))
        told = means @ axes
        k = min(k, len(np.unique(told, axis=0)))
        found = KMeans(k, n_init=_STARTS, random_state=int(rng.integers(2**31))).fit(told)
    own = found.labels_[bag]
    centers = _means(Z, own, k)
    return Concepts(centers, np.tile(_scales(bags, Z - centers[own]), (k, 1)))


def _scales(bags: StandardBags, off: NDArray) -> NDArray[np.float64]:
    """How much features count (D,), of targets less the center of their cluster, off (M, D): a
    target as far as the mean one has a probability of 1/2."""
    ground = bags.Z[np.repeat(~bags.positive, np.diff(bags.indptr))]
    precision = 1 / np.maximum(np.square(off).mean(axis=0), _FLAT)
    weight = np.maximum(precision - 1 / np.maximum(ground.var(axis=0), _FLAT), 0.0)
    if not weight.any():
        weight = precision
    mean = max(float((np.square(off) @ weight).mean()), _FLAT)
    return np.maximum(weight * (np.log(2) / mean), _UNUSED)


def _on_axes(Z: NDArray) -> NDArray[np.float64]:
    """Z (M, D) as it is, or on its 300 leading principal axes where it has more features."""
    if Z.shape[1] <= _AXES:
        return Z
    mean = Z.mean(axis=0)
    return (Z - mean) @ principal_axes(Z, mean, min(_AXES, len(Z)))[1]


def _means(rows: NDArray, group: NDArray, n: int) -> NDArray[np.float64]:
    """Means (n, D) of rows (M, D) by their group (M,)."""
    out = np.zeros((n, rows.shape[1]))
    np.add.at(out, group, rows)
    return out / np.bincount(group, minlength=n)[:, None]
