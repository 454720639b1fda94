"""Scores of rules in units of the background, and as shares of votes."""

import numpy as np
from numpy.typing import NDArray

_FALSE_ALARMS = 0.05  # share of instances of negative bags above the threshold of a start
_STEEP = 3.0  # of the scale of votes: background at its median gets 1 / (1 + e^3) = .05


def beside(score: NDArray, background: NDArray) -> NDArray[np.float64]:
    """arcsinh of (score - median) / (95 % quantile - median) of the background: strictly rising,
    outliers tamed.

    `score` : (N,). `background` : (n,), scores of background.
    """
    middle, high = np.quantile(background, [0.5, 1 - _FALSE_ALARMS])
    # background may be all alike
    least = 1e-9 * float(max(abs(middle), np.abs(score).max(initial=0.0)))
    unit = max(float(high - middle), 0.1 * float(np.std(background)), least) or 1.0
    return np.arcsinh((score - middle) / unit)


def beside_each_fold(score: NDArray, background: NDArray, fold: NDArray) -> NDArray[np.float64]:
    """`beside` with the background of each fold; with all of it where a fold has none.

    `score` and `fold` : (N,). `background` : (N,) bool, which instances are background.
    """
    out = np.empty(len(score))
    for number in np.unique(fold):
        rows = fold == number
        own = score[rows & background]
        out[rows] = beside(score[rows], own if len(own) else score[background])
    return out


def on_common_scale(score: NDArray, background: NDArray) -> NDArray[np.float64]:
    """Scores (N,) as shares of votes: 0 to 1, one half where a score exceeds 95 % of those of known
    background.

    Logistic in `beside`, so that scores above all background keep their order; ones without
    background.
    """
    if not len(background):
        return np.ones(len(score))
    return as_votes(beside(score, background))


def as_votes(score: NDArray, border: float | None = None) -> NDArray[np.float64]:
    """Scores of `beside` as shares of votes: one half at the border, by default the 95 % quantile
    of background.

    `score` : (N,).
    """
    steps = score / np.arcsinh(1) - (1.0 if border is None else border / np.arcsinh(1))
    return 1 / (1 + np.exp(-np.clip(_STEEP * steps, -500, 500)))
