"""What the data itself says about the pictures it can have: sentences, computed once per X and kept on disk."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.features.cache import cached, kept
from emberscope.neighbors.duplicates import distinct_rows
from emberscope.neighbors.graph import Neighbors, knn
from emberscope.neighbors.short_circuits import short_circuits
from emberscope.pipeline.versions import code_version
from emberscope.project.packing import decode, encode

_SEARCHED = 30_000  # rows up to which short circuits are looked for: two seconds
_LEAST_K = 3
_CLEAR_FALL = 10.0  # a spectrum that falls by this factor at once says how many dimensions there are
_NOTHING = 1e-9  # of the largest value
_EQUAL = 1e-3  # relative difference of eigenvalues whose axes may be turned into each other


class Advice(msgspec.Struct, frozen=True):
    """Numbers of a run and sentences for a person."""

    metrics: dict[str, float]
    notes: list[str]


def advice(X: NDArray, neighbors: Neighbors, k: int, *, monitor: Monitor | None = None) -> Advice:
    """What the rows of X, and their graph of k neighbors, say.

    Metrics: "short_circuits", edges that seem to jump between folds (up to 30 000 rows).
    """
    out = Advice({}, [])
    distinct = distinct_rows(X)
    if distinct.n_merged:  # copies are neighbors of nobody else
        X = np.ascontiguousarray(X[distinct.rows])
        neighbors = knn(X, min(neighbors.k, len(X) - 1)) if len(X) > 1 else neighbors.first(0)
    if len(X) <= _SEARCHED and min(k, neighbors.k) >= _LEAST_K:
        found = short_circuits(X, neighbors.first(min(k, neighbors.k)), monitor=monitor)
        out.metrics["short_circuits"] = float(len(found))
        out.notes.extend([found.advice] if found.advice else [])
    return out


def advice_for(X: NDArray, neighbors: Neighbors, key: str, k: int, folder: Path, monitor: Monitor) -> Advice:
    """`advice`, from the disk where X was seen before with this k."""

    def compute() -> NDArray:
        return np.frombuffer(encode(advice(X, neighbors, k, monitor=monitor)), np.uint8)

    return _decoded(cached(folder / "stages", _entry(key, k), compute))


def kept_advice(key: str, k: int, folder: Path) -> list[str]:
    """The sentences for the X of a key where they are on disk, else none."""
    found = kept(folder / "stages", _entry(key, k))
    return [] if found is None else _decoded(found).notes


def gap_notes(spectrum: Sequence[float] | NDArray, n_components: int) -> list[str]:
    """What falling variances along the axes of a method say: where they end, and which axes are alike.

    As many dimensions as come before a fall to a tenth or less. Of the axes shown, those with equal values: their
    directions in their common plane are arbitrary.
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


def _entry(key: str, k: int) -> dict[str, Any]:
    return {"stage": "advice", "key": key, "neighbors": k, "code": code_version()}


def _decoded(stored: Any) -> Advice:
    return decode(np.asarray(stored).tobytes(), kind=Advice, what="kept advice")
