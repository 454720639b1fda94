"""The map of an equivalence metric at another softness, at once: from what its run keeps of the
pairs."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.findings.maps.strength import laid_on
from emberscope.metric.shapes import soft_weights
from emberscope.project.model.project import Run

BETWEEN = (0.02, 3.0)  # softness that a slider reaches: all that the metric takes


def has_softness(run: Run) -> bool:
    """Whether the run keeps what another softness needs."""
    scores, values = (
        np.asarray(run.state.get(name, ())) for name in ("soft_scores_", "soft_values_")
    )
    own = np.asarray(run.state.get("softness_", ""))
    fit = scores.ndim == 2 and len(scores) == len(run.Z) > 0 and values.shape == scores.shape[1:]
    return fit and own.ndim == 0 and own.dtype.kind in "iuf" and bool(own > 0)


def softness_of(run: Run) -> float:
    """The softness a run was made with, the gentlest of the slider where its pairs left distances
    as they are.

    Raises DataError for a run that has none.
    """
    _check(run)
    return min(float(run.state["softness_"]), BETWEEN[1])


def softness_at(position: float) -> float:
    """The softness at a place of a slider, 0 to 1: evenly spaced in its logarithm, from 0.02 to
    3."""
    low, high = np.log(BETWEEN)
    return float(np.exp(low + np.clip(position, 0.0, 1.0) * (high - low)))


def position_of_softness(softness: float) -> float:
    """The place of a softness on a slider: the inverse of `softness_at`."""
    low, high = np.log(BETWEEN)
    return float(np.clip((np.log(softness) - low) / (high - low), 0.0, 1.0))


def map_at_softness(
    run: Run, softness: float, towards: NDArray | None = None
) -> NDArray[np.float32]:
    """Coordinates (N, d) at another softness, turned, moved and scaled to lie as near as can be on
    `towards` (N, d).

    softness : above 0. towards : the map that is shown; default that of the run, whose axes then
    are its.

    Notes
    -----
    Exact but for scale: the scores along the eigenvectors of the moment of pairs, times exp(-value
    / 2 tau), seen along their first principal axes, and Procrustes. O(N r²): 3 ms for 10 000
    instances in 40 directions. Raises DataError for a run that keeps no scores.
    """
    _check(run)
    values = np.asarray(run.state["soft_values_"])
    weight = np.sqrt(soft_weights(values, softness))
    T = np.asarray(run.state["soft_scores_"])
    shown = run.Z if towards is None else towards
    W = np.zeros((len(values), shown.shape[1]), np.float32)
    # The others are nothing, and eigenvalues of nothing are noise
    kept = weight > 1e-9 * weight.max()
    spread = np.cov(T[:, kept], rowvar=False).reshape(int(kept.sum()), -1) * np.outer(
        weight[kept], weight[kept]
    )
    axes = np.linalg.eigh(spread)[1][:, ::-1][:, : W.shape[1]]
    W[kept, : axes.shape[1]] = weight[kept, None] * axes
    return laid_on(T @ W, shown)


def _check(run: Run) -> None:
    if not has_softness(run):
        raise DataError(f"run {run.id} keeps no maps of another softness",
                        hint="Run the equivalence metric, soft, with 2 or 3 dimensions.")
