"""One score per bag from the scores of its instances (aggregation rules).

All take values (N,) or (N, D) per instance and return (K,) or (K, D) float64. The value of an empty
bag is NaN.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, ParamError
from emberscope.base.segments import segment_reduce


def bag_max(values: ArrayLike, bags: Bags) -> NDArray[np.float64]:
    """The largest value of each bag: the standard multiple-instance assumption. O(M).

    `values` : (N,) or (N, c); returns (K,) or (K, c).
    """
    return _reduce(np.maximum, values, bags)


def bag_mean(values: ArrayLike, bags: Bags) -> NDArray[np.float64]:
    """The mean value of each bag. O(M). `values` : (N,) or (N, c); returns (K,) or (K, c)."""
    total = _reduce(np.add, values, bags)
    return total / _column(np.maximum(bags.sizes, 1), total)


def bag_noisy_or(probabilities: ArrayLike, bags: Bags) -> NDArray[np.float64]:
    """1 - prod(1 - p) of each bag, for p in [0, 1]. Raises DataError outside that range. O(M).

    `probabilities` : (N,) or (N, c); returns (K,) or (K, c).
    """
    p = np.asarray(probabilities, np.float64)
    if p.size and (p.min() < 0 or p.max() > 1):
        raise DataError(f"noisy-or of values from {p.min():g} to {p.max():g}",
                        hint="Give probabilities, 0 to 1.")
    return 1 - _reduce(np.multiply, 1 - p, bags)


def bag_log_sum_exp(values: ArrayLike, bags: Bags, *, alpha: float = 5.0) -> NDArray[np.float64]:
    """log(mean(exp(alpha * v))) / alpha of each bag: between mean (alpha -> 0) and max (alpha ->
    inf). O(M).

    `values` : (N,) or (N, c); returns (K,) or (K, c).
    """
    _check_alpha(alpha)
    top = bag_max(values, bags)
    shifted = np.asarray(values, np.float64)[bags.members] - np.repeat(top, bags.sizes, axis=0)
    total = _reduce_members(np.add, np.exp(alpha * shifted), bags)
    return top + np.log(total / _column(np.maximum(bags.sizes, 1), total)) / alpha


def bag_softmax(values: ArrayLike, bags: Bags, *, alpha: float = 5.0) -> NDArray[np.float64]:
    """sum(v exp(alpha * v)) / sum(exp(alpha * v)) of each bag: a mean that leans to the large ones.
    O(M).

    `values` : (N,) or (N, c); returns (K,) or (K, c).
    """
    _check_alpha(alpha)
    members = np.asarray(values, np.float64)[bags.members]
    weight = np.exp(alpha * (members - np.repeat(bag_max(values, bags), bags.sizes, axis=0)))
    return _reduce_members(np.add, members * weight, bags) / _reduce_members(np.add, weight, bags)


def bag_argmax(values: ArrayLike, bags: Bags) -> NDArray[np.int64]:
    """(K,) the row of the largest value of each bag, of equal ones the first member; -1 for an
    empty bag. O(M).

    values : (N,), no NaN.
    """
    out = np.full(len(bags), -1, np.int64)
    full = bags.sizes > 0
    starts = np.append(bags.indptr[:-1][full], bags.indptr[-1])
    out[full] = bags.members[segment_argmax(np.asarray(values, np.float64)[bags.members], starts)]
    return out


def segment_argmax(values: NDArray, indptr: NDArray) -> NDArray[np.int64]:
    """(K,) place of the largest of ``values[indptr[k]:indptr[k + 1]]``, the first of equal ones;
    none may be empty."""
    top = segment_reduce(np.maximum, values, indptr[:-1]) if len(indptr) > 1 else values
    hit = np.flatnonzero(values == np.repeat(top, np.diff(indptr)))
    owner = np.searchsorted(indptr, hit, side="right") - 1
    return hit[np.unique(owner, return_index=True)[1]]


REDUCTIONS: dict[str, Callable[..., NDArray[np.float64]]] = {
    "max": bag_max, "mean": bag_mean, "noisy-or": bag_noisy_or, "log-sum-exp": bag_log_sum_exp,
    "softmax": bag_softmax,
}  # fmt: skip


def _reduce(ufunc: np.ufunc, values: ArrayLike, bags: Bags) -> NDArray[np.float64]:
    return _reduce_members(ufunc, np.asarray(values, np.float64)[bags.members], bags)


def _reduce_members(
    ufunc: np.ufunc, members: NDArray[np.float64], bags: Bags
) -> NDArray[np.float64]:
    return segment_reduce(ufunc, members, bags.indptr[:-1], empty=np.nan)


def _column(per_bag: NDArray, like: NDArray) -> NDArray:
    return per_bag.reshape((-1,) + (1,) * (like.ndim - 1))


def _check_alpha(alpha: float) -> None:
    if not alpha > 0:
        raise ParamError(f"alpha is {alpha}, allowed is above 0")
