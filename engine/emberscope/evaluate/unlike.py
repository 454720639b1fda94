"""How unlike known instances others are: by their distance to the nearest one elsewhere."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_mean
from emberscope.neighbors.threads import one_blas_thread

_KNOWN = 4000  # instances that are compared with
_TRIED = 600  # of them, whose distances to others say what is usual
_USUAL = 0.99
_CHUNK = 2000  # instances that are compared at once
_ROUNDING = 1e-12  # of squared lengths


class Known:
    """Known instances, evenly chosen, in standard deviations of their features.

    X : (N, D), of instances on `place` (N,), equal for those of one frame or bag. Attributes:
    limit, the distance to the nearest instance of another place that 99 % of instances keep.
    """

    def __init__(self, X: NDArray, place: NDArray[np.int64]) -> None:
        rows = _some(len(X), _KNOWN)
        self._mean, spread = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
        self._scale = np.where(spread > 0, spread, 1.0)
        self._rows, self._place = self._standard(X[rows]), place[rows]
        some = _some(len(rows), _TRIED)
        others = self._place[some, None] != self._place[None, :]
        if not others.any(axis=1).all():  # one place: all but itself
            others = some[:, None] != np.arange(len(rows))[None, :]
        apart = np.where(others, _distances(self._rows[some], self._rows), np.inf).min(axis=1)
        apart = apart[np.isfinite(apart)]
        self.limit = float(np.quantile(apart, _USUAL)) if len(apart) else 0.0

    def share_new(self, X: NDArray) -> float:
        """Share of instances (M, D) that are farther from all known ones than these keep."""
        return float((self._nearest(X, None) > self.limit).mean())

    def novelty(self, X: NDArray, place: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        """(M,) distance of instances (M, D) to the nearest known one, in units of the limit: above
        1 where it is farther than known ones keep. O(4000 M D).

        place : (M,) of instances that may be known ones themselves, which are compared with other
        places; NaN where there is no other. 0 where nothing is farther than 0, else infinite, where
        the limit is 0.
        """
        near = self._nearest(X, place)
        near[np.isinf(near)] = np.nan
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = near / self.limit
        return np.where(near == 0, 0.0, ratio).astype(np.float32)

    def _nearest(self, X: NDArray, place: NDArray[np.int64] | None) -> NDArray[np.float64]:
        out = np.empty(len(X))
        for start in range(0, len(X), _CHUNK):
            part = slice(start, start + _CHUNK)
            apart = _distances(self._standard(X[part]), self._rows)
            if place is not None:
                apart[place[part, None] == self._place[None, :]] = np.inf
            out[part] = apart.min(axis=1)
        return out

    def _standard(self, X: NDArray) -> NDArray[np.float64]:
        return (X - self._mean) / self._scale


def novelty_in_bags(
    X: NDArray, bags: Bags, groups: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """How unlike all labeled bags of other groups each instance of X (N, D) is, in units of the
    limit (N,), and each bag: the mean of its instances (K,), NaN of an empty one.

    groups : (K,) bags that depend on each other. NaN everywhere where no bag is labeled.
    """
    first = bags.first_bag(len(X))
    own = len(bags) + np.arange(len(X))
    place = np.where(first >= 0, np.unique(groups, return_inverse=True)[1].reshape(-1)[first], own)
    taught = np.zeros(len(X), bool)
    taught[bags.members[(bags.labels != 0)[bags.bag_of_member]]] = True
    if not taught.any():
        return np.full(len(X), np.nan, np.float32), np.full(len(bags), np.nan)
    found = Known(X[taught], place[taught]).novelty(X, place)
    return found, bag_mean(found, bags)


def _some(n: int, most: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, n - 1, min(most, n)).astype(np.int64))


def _distances(A: NDArray, B: NDArray) -> NDArray[np.float64]:
    """(M, K), of products of rows, which is fast where D is large; 0 where only rounding is
    left. Of one thread, since the bits of products depend on their number."""
    sizes = np.square(A).sum(axis=1)[:, None] + np.square(B).sum(axis=1)
    with one_blas_thread():
        squared = sizes - 2 * (A @ B.T)
    return np.sqrt(np.where(squared > _ROUNDING * sizes, squared, 0.0))
