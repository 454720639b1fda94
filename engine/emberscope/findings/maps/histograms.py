"""How many points of each group lie where along an edge of a map."""

import numpy as np
from numpy.typing import NDArray

BINS = 64
ENOUGH = 100_000  # points that tell a histogram as well as more would


def edge_counts(
    values: NDArray, group: NDArray[np.int64], keys: list[int], ends: tuple[float, float]
) -> NDArray[np.int64]:
    """(groups, BINS) how many of the values (N,) of each group lie in each bin from end to end.

    group : (N,); those of no key do not count. O(N).
    """
    low, high = ends
    some = slice(None, None, 1 + len(values) // ENOUGH)
    values, group = values[some], group[some]
    ordered = np.sort(np.array(keys, np.int64))
    at = np.minimum(np.searchsorted(ordered, group), max(len(ordered) - 1, 0))
    with np.errstate(invalid="ignore"):
        place = (values.astype(np.float64) - low) / max(high - low, 1e-12) * BINS
    inside = (place >= 0) & (place < BINS) & (ordered[at] == group if len(keys) else False)
    cell = at[inside] * BINS + place[inside].astype(np.int64)
    found = np.bincount(cell, minlength=len(keys) * BINS).reshape(len(keys), BINS)
    return found[np.searchsorted(ordered, np.array(keys, np.int64))] if keys else found
