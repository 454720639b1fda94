"""Values that lie in segments, one after the other, reduced segment by segment; a segment may hold
nothing.

`ufunc.reduceat` gives an empty segment the first value of its neighbor, and raises IndexError where
the empty one is the last. It is called nowhere else.
"""

import numpy as np
from numpy.typing import DTypeLike, NDArray


def segment_reduce(
    ufunc: np.ufunc, values: NDArray, starts: NDArray, *, axis: int = 0, empty: float | None = None,
    dtype: DTypeLike | None = None,
) -> NDArray:
    """`values` with `axis` reduced to its segments.

    Parameters
    ----------
    starts : (K,) int, ascending: where each segment starts along the axis; it ends where the next
        one starts, the last one with the axis. Equal starts are empty segments.
    empty : what an empty segment comes to. None: what changes nothing, so 0 in a sum, 1 in a
        product, the smallest value of the type in a maximum, the largest in a minimum.
    dtype : that the reduction is done in, as of the ufunc.

    Returns the shape of `values` with K in place of the length of the axis. O(size of values + K).
    """
    n = values.shape[axis]
    full = np.diff(starts, append=n) > 0
    if full.all():
        return ufunc.reduceat(values, starts, axis=axis, dtype=dtype)
    found = ufunc.reduceat(values, starts[full], axis=axis, dtype=dtype)
    shape = list(values.shape)
    shape[axis] = len(starts)
    out = np.full(shape, _nothing(ufunc, found.dtype) if empty is None else empty, found.dtype)
    np.moveaxis(out, axis, 0)[full] = np.moveaxis(found, axis, 0)
    return out


def _nothing(ufunc: np.ufunc, dtype: np.dtype) -> float:
    if ufunc.identity is not None:
        return ufunc.identity
    least, most = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min,
                                                               np.iinfo(dtype).max)
    known: dict[np.ufunc, float] = {np.maximum: least, np.minimum: most}
    return known[ufunc]
