"""How faithful two axes of an embedding are, where it has more: what a flat map shows of it."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.course.scores import Scores, faithful
from emberscope.findings.shown_axes import FAITH, Axes, of_axes
from emberscope.neighbors.distances import Distances

_NUMBERS = ("trustworthiness", "continuity", "r_nx_auc")
_ENDS = ("", "_error")


def axes_scores(
    X: NDArray, Z: NDArray, axes: Axes, *, distances: Distances | None = None, seed: int = 0,
    monitor: Monitor | None = None,
) -> Scores:
    """Faithfulness of two columns of Z (N, d) to X (N, D), all under the names of `findings.shown_axes.of_axes`: the
    points of `scores.faithful`, and the metrics "trustworthiness", "continuity" and "r_nx_auc".
    """
    shown = np.ascontiguousarray(Z[:, list(axes)])
    found = faithful(X, shown, distances=distances, seed=seed, monitor=monitor)
    metrics = {of_axes(name, axes) + end: found.metrics[name + end]
               for name in _NUMBERS for end in _ENDS if name + end in found.metrics}
    return Scores({of_axes(name, axes): found.points[name] for name in FAITH if name in found.points}, metrics)
