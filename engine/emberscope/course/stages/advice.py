"""Advice from the data alone (intrinsic dimension, short circuits, ...): sentences, where the
method sees the features and no distances of chips."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.plan import Plan
from emberscope.course.record_cache import kept_record
from emberscope.course.runner import entry
from emberscope.course.scores import Saying, Scores, joined
from emberscope.course.stage import Cost, Given, Size
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.graph import GRAPH
from emberscope.course.versions import code_version
from emberscope.features.cache import digest
from emberscope.neighbors.duplicates import distinct_rows
from emberscope.neighbors.graph import Neighbors, knn
from emberscope.neighbors.intrinsic_dimension import intrinsic_dimension
from emberscope.neighbors.short_circuits import short_circuits

_SEARCHED = 30_000  # rows up to which short circuits are looked for: two seconds
_LEAST_K = 3
_LEAST_ALIKE = 3  # instances
_CLEAR_FALL = 10.0  # a spectrum that falls by this factor at once says how many dimensions are
_NOTHING = 1e-9  # of the largest value
_EQUAL = 1e-3  # relative difference of eigenvalues whose axes may be turned into each other


def advice(X: NDArray, neighbors: Neighbors, k: int, *, monitor: Monitor | None = None) -> Scores:
    """What the rows of X, their neighbors, and their graph of k neighbors say.

    Metrics: "intrinsic_dimension"; "short_circuits", edges that seem to jump between folds (up to
    30 000 rows; k = 0: the method has no such graph). Either is missing where there are too few
    rows.
    """
    watch, n = monitored(monitor), len(KINDS)
    parts = [Portion(watch, i / n, (i + 1) / n) for i in range(n)]
    kinds = zip(KINDS.values(), parts, strict=True)
    return joined(*(find(X, neighbors, k, part) for find, part in kinds))


def alike_notes(X: NDArray) -> list[str]:
    """A sentence where more than half of the rows of X are one and the same: no method can separate
    them.

    Frames that are NaN or of one count all over have such rows. O(N D).
    """
    most = int(distinct_rows(X).counts.max(initial=0))
    if 2 * most <= len(X) or most < _LEAST_ALIKE:
        return []
    why = "their pixels are NaN or infinite, or all of one count"
    return [f"{most} of {len(X)} instances look exactly alike: {why}. `emberscope info` looks at "
            "the frames."]


def _dimensions(X: NDArray, neighbors: Neighbors, k: int, monitor: Monitor) -> Scores:
    X, neighbors = _without_copies(X, neighbors)
    try:
        found = intrinsic_dimension(X, neighbors, monitor=monitor)
    except DataError:  # too few rows, or all at one distance
        return Scores()
    return Scores(metrics={"intrinsic_dimension": float(found.value)}, notes=[found.advice])


def _jumps(X: NDArray, neighbors: Neighbors, k: int, monitor: Monitor) -> Scores:
    X, neighbors = _without_copies(X, neighbors)
    k = min(k, neighbors.k)
    if len(X) > _SEARCHED or k < _LEAST_K:
        return Scores()
    found = short_circuits(X, neighbors.first(k), monitor=monitor)
    notes = [found.advice] if found.advice else []
    return Scores(metrics={"short_circuits": float(len(found))}, notes=notes)


KINDS: dict[str, Callable[[NDArray, Neighbors, int, Monitor], Scores]] = {
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


def gap_notes(spectrum: Sequence[float] | NDArray, n_components: int) -> list[str]:
    """What falling variances along the axes of a method say: where they end, and which axes are
    alike.

    As many dimensions as come before a fall to a tenth or less. Of the axes shown, those with equal
    values: their directions in their common plane are arbitrary. `spectrum` : (m,), values per
    axis.
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
        notes.append(f"The spectrum falls most after value {at + 1}, {_times(falls[at])}: {many} "
                     "nearly all of it.")
    shown = values[:n_components]
    for i in np.flatnonzero(-np.diff(shown) < _EQUAL * shown[:-1]):
        notes.append(f"Axes {i + 1} and {i + 2} are interchangeable: their eigenvalues agree.")
    return notes


def _times(ratio: float) -> str:
    return f"to 1 / {ratio:.0f}" if ratio < 1000 else "to less than a thousandth"


class Advice(Saying):
    """A kind of advice, kept by X, and by the neighbors of the method's graph where these
    matter."""

    inputs = (SEEN, GRAPH)

    def key(self, plan: Plan, given: Given) -> str:
        return self.key_of(given.key(SEEN), plan)

    def key_of(self, X: str, plan: Plan) -> str:
        """For the features of that key."""
        return digest([X, plan.graph_neighbors if self.name in OF_K else 0, code_version()])

    def needed(self, plan: Plan, given: Given) -> bool:
        return given[GRAPH] is not None and given[SEEN].distances is None

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        neighbors = given[GRAPH]
        assert neighbors is not None
        return KINDS[self.name](given[SEEN].X, neighbors, plan.graph_neighbors, monitor)

    def cost(self, plan: Plan, size: Size) -> Cost:
        return Cost(2e-5 * min(size.n, 30_000))


ADVICE = tuple(Advice(kind) for kind in KINDS)


def kept_advice(X: str, plan: Plan, folder: Path) -> list[str]:
    """The sentences for features of a key that are on disk."""
    entries = [entry(stage, stage.key_of(X, plan)) for stage in ADVICE]
    kept = [kept_record(folder / "stages", one, kind=Scores) for one in entries]
    return joined(*(found for found in kept if found is not None)).notes
