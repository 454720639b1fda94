"""Label purity of neighborhoods in an embedding, the instance's own bags left out."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.kernels import njit
from emberscope.neighbors.graph import knn

_SEEN = 32  # neighbors looked through for k that may be counted


def neighborhood_purity(
    Z: NDArray, y: NDArray, bags: Bags | None = None, *, k: int = 10
) -> NDArray:
    """(N,) share of an instance's nearest labeled neighbors of other bags that have its label.

    Parameters
    ----------
    Z : (N, d). y : (N,) int, 0 = unknown: neither judged nor counted. bags : of these instances;
        instances that share a bag got their label in one stroke and say nothing about each other.
    k : neighbors counted, at most; they are sought among the 32 nearest.

    Returns
    -------
    purity : (N,) float64 in [0, 1]; NaN for unknown instances and where no neighbor may be counted.
    """
    n = len(Z)
    if n < 2 or not np.any(y):
        return np.full(n, np.nan)
    Z = np.ascontiguousarray(Z)
    near = knn(Z, min(max(k, _SEEN), n - 1)).idx
    indptr, own = _bags_of_rows(bags, n)
    return _purity(near, np.asarray(y, np.int64), indptr, own, k)


def bag_purity(purity: NDArray, bags: Bags) -> NDArray:
    """(K,) mean purity of the members of each bag; NaN where none has one."""
    values = purity[bags.members]
    known = np.isfinite(values)
    bag = bags.bag_of_member[known]
    counts = np.bincount(bag, minlength=len(bags))
    sums = np.bincount(bag, weights=values[known], minlength=len(bags))
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _bags_of_rows(bags: Bags | None, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """CSR of the bags of every instance."""
    if bags is None:
        return np.zeros(n + 1, np.int64), np.empty(0, np.int64)
    order = np.argsort(bags.members, kind="stable")
    counts = np.bincount(bags.members, minlength=n)
    return (np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            bags.bag_of_member[order].astype(np.int64))


@njit(cache=True, nogil=True)
def _purity(near: NDArray, y: NDArray, indptr: NDArray, own: NDArray, k: int) -> NDArray:
    out = np.full(len(y), np.nan)
    for i in range(len(y)):
        if y[i] == 0:
            continue
        same, counted = 0, 0
        for c in range(near.shape[1]):
            j = near[i, c]
            if y[j] == 0 or _share(own[indptr[i] : indptr[i + 1]], own[indptr[j] : indptr[j + 1]]):
                continue
            counted += 1
            same += int(y[j] == y[i])
            if counted == k:
                break
        if counted > 0:
            out[i] = same / counted
    return out


@njit(cache=True, nogil=True)
def _share(a: NDArray, b: NDArray) -> bool:
    for x in a:
        for z in b:
            if x == z:
                return True
    return False
