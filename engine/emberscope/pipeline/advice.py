"""What the data itself says about the pictures it can have: sentences, computed once per X and kept on disk."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.features.cache import cached, kept
from emberscope.neighbors.graph import Neighbors
from emberscope.pipeline.versions import code_version
from emberscope.project.packing import decode, encode

GRAPH_NEIGHBORS = 12  # of the graph whose parts and short circuits are looked for
_CLEAR_FALL = 10.0  # a spectrum that falls by this factor at once says how many dimensions there are
_NOTHING = 1e-9  # of the largest value
_EQUAL = 1e-3  # relative difference of eigenvalues whose axes may be turned into each other


class Advice(msgspec.Struct, frozen=True):
    """Numbers of a run and sentences for a person."""

    metrics: dict[str, float]
    notes: list[str]


def advice(X: NDArray, neighbors: Neighbors, *, monitor: Monitor | None = None) -> Advice:
    """Intrinsic dimension of the rows of X and short circuits of their graph."""
    return Advice({}, [])


def advice_for(X: NDArray, neighbors: Neighbors, key: str, folder: Path, monitor: Monitor) -> Advice:
    """`advice`, from the disk where X was seen before."""

    def compute() -> NDArray:
        return np.frombuffer(encode(advice(X, neighbors, monitor=monitor)), np.uint8)

    return _decoded(cached(folder / "stages", _entry(key), compute))


def kept_advice(key: str, folder: Path) -> list[str]:
    """The sentences for the X of a key where they are on disk, else none."""
    found = kept(folder / "stages", _entry(key))
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


def _entry(key: str) -> dict[str, Any]:
    return {"stage": "advice", "key": key, "code": code_version()}


def _decoded(stored: Any) -> Advice:
    return decode(np.asarray(stored).tobytes(), kind=Advice, what="kept advice")
