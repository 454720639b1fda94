"""Advice from the data alone (intrinsic dimension, short circuits, ...): sentences."""

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.neighbors.duplicates import distinct_rows
from emberscope.neighbors.graph import Neighbors, knn
from emberscope.neighbors.intrinsic_dimension import intrinsic_dimension
from emberscope.neighbors.short_circuits import short_circuits

_SEARCHED = 30_000  # rows up to which short circuits are looked for: two seconds
_LEAST_K = 3
_LEAST_ALIKE = 3  # instances
_CLEAR_FALL = 10.0  # a spectrum that falls by this factor at once says how many dimensions there are
_NOTHING = 1e-9  # of the largest value
_EQUAL = 1e-3  # relative difference of eigenvalues whose axes may be turned into each other


class Advice(msgspec.Struct, frozen=True):
    """Numbers of a run and sentences for a person."""

    metrics: dict[str, float]
    notes: list[str]


def advice(X: NDArray, neighbors: Neighbors, k: int, *, monitor: Monitor | None = None) -> Advice:
    """What the rows of X, their neighbors, and their graph of k neighbors say.

    Metrics: "intrinsic_dimension"; "short_circuits", edges that seem to jump between folds (up to 30 000 rows; k = 0:
    the method has no such graph). Either is missing where there are too few rows.
    """
    watch, n = monitored(monitor), len(KINDS)
    parts = [Portion(watch, i / n, (i + 1) / n) for i in range(n)]
    return joined([find(X, neighbors, k, part) for find, part in zip(KINDS.values(), parts, strict=True)])


def alike_notes(X: NDArray) -> list[str]:
    """A sentence where more than half of the rows of X are one and the same: no method can separate them.

    Frames that are NaN or of one count all over have such rows. O(N D).
    """
    most = int(distinct_rows(X).counts.max(initial=0))
    if 2 * most <= len(X) or most < _LEAST_ALIKE:
        return []
    why = "their pixels are NaN or infinite, or all of one count"
    return [f"{most} of {len(X)} instances look exactly alike: {why}. `emberscope info` looks at the frames."]


def _dimensions(X: NDArray, neighbors: Neighbors, k: int, monitor: Monitor) -> Advice:
    X, neighbors = _without_copies(X, neighbors)
    try:
        found = intrinsic_dimension(X, neighbors, monitor=monitor)
    except DataError:  # too few rows, or all at one distance
        return Advice({}, [])
    return Advice({"intrinsic_dimension": float(found.value)}, [found.advice])


def _jumps(X: NDArray, neighbors: Neighbors, k: int, monitor: Monitor) -> Advice:
    X, neighbors = _without_copies(X, neighbors)
    k = min(k, neighbors.k)
    if len(X) > _SEARCHED or k < _LEAST_K:
        return Advice({}, [])
    found = short_circuits(X, neighbors.first(k), monitor=monitor)
    return Advice({"short_circuits": float(len(found))}, [found.advice] if found.advice else [])


KINDS: dict[str, Callable[[NDArray, Neighbors, int, Monitor], Advice]] = {
    "intrinsic dimension": _dimensions, "short circuits": _jumps,
}
OF_K = ("short circuits",)  # to which the number of neighbors matters


def _without_copies(X: NDArray, neighbors: Neighbors) -> tuple[NDArray, Neighbors]:
    """Copies of an instance have no other neighbors."""
    distinct = distinct_rows(X)
    if not distinct.n_merged:
        return X, neighbors
    X = distinct.select(X)
    return X, knn(X, min(neighbors.k, len(X) - 1)) if len(X) > 1 else neighbors.first(0)


def joined(parts: Sequence[Advice]) -> Advice:
    """All of them in one."""
    metrics = {name: value for part in parts for name, value in part.metrics.items()}
    return Advice(metrics, [note for part in parts for note in part.notes])


def gap_notes(spectrum: Sequence[float] | NDArray, n_components: int) -> list[str]:
    """What falling variances along the axes of a method say: where they end, and which axes are alike.

    As many dimensions as come before a fall to a tenth or less. Of the axes shown, those with equal values: their
    directions in their common plane are arbitrary. `spectrum` : (m,), values per axis.
    """
    values = np.asarray(spectrum, np.float64).ravel()
    values = np.maximum(values[np.isfinite(values)], 0.0)
    if len(values) < 2 or values[0] <= 0 or np.any(np.diff(values) > 0):
        return []
    notes = []
    falls = values[:-1] / np.maximum(values[1:], values[0] * _NOTHING)
    at = int(np.argmax(falls))
    if falls[at] >= _CLEAR_FALL and values[at] > values[0] * _NOTHING:
        many = "1 dimension holds" if at == 0 else f"{at + 1} dimensions hold"
        notes.append(f"The spectrum falls most after value {at + 1}, {_times(falls[at])}: {many} nearly all of it.")
    shown = values[:n_components]
    for i in np.flatnonzero(-np.diff(shown) < _EQUAL * shown[:-1]):
        notes.append(f"Axes {i + 1} and {i + 2} are interchangeable: their eigenvalues agree.")
    return notes


def _times(ratio: float) -> str:
    return f"to 1 / {ratio:.0f}" if ratio < 1000 else "to less than a thousandth"
