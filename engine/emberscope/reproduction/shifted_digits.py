"""Measurements of dissimilarities that forgive a shift, on digits shifted step by step."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor
from emberscope.datasets.model import Points
from emberscope.datasets.shifted_digits import shifted_digits
from emberscope.embedding.side.hybrid import Hybrid
from emberscope.evaluate.purity import neighborhood_purity
from emberscope.labels.side_info import Invariance, SideInfo
from emberscope.metric.dissimilarities import tangents, tangents_apart

_DIGITS = (5, 6, 8)
_NEAR = 5  # neighbors of the graph
_VOTERS = 3
_SCORES = ("purity", "separated", "shift")


def shifted_digit_score(
    *,
    seed: int,
    monitor: Monitor,
    points: Points | None,
    distances: str,
    strength: float,
    score: str,
    step: int = 1,
    reach: int = 1,
    n_digits: int = 3,
) -> float:
    """What a hybrid embedding in 2-D shows of digits at nine places each, `step` px apart; shifts
    to `reach` forgiven.

    score : "purity": share of the same digit among the 3 nearest; "separated": of digits separated
    by straight lines, within the sample; "shift": share of the variance of the shift explained by a
    plane (R²). n_digits : 3 (5, 6 and 8) or 10. Raises DataError for another score.
    """
    if score not in _SCORES:
        raise DataError(f"there is no score {score!r}", hint=f"Known: {', '.join(_SCORES)}.")
    chips, digit, shift = shifted_digits(
        _DIGITS if n_digits == 3 else range(n_digits), step=step, seed=seed
    )
    est = Hybrid(
        distances=distances, strength=strength, n_neighbors=_NEAR, chip_columns=chips.shape[2]
    )
    Z = est.fit(
        chips.reshape(len(chips), -1), side=SideInfo(invariances=_sideways(reach)), monitor=monitor
    ).embedding_
    if score == "purity":
        return float(neighborhood_purity(Z, digit + 1, k=_VOTERS).mean())
    return _separated(Z, digit) if score == "separated" else _explained(Z, shift)


def tangent_dissimilarity(
    *, seed: int, monitor: Monitor, points: Points | None, within: bool, n_digits: int = 10
) -> float:
    """Mean dissimilarity of tangents of one shift, as print has it, between chips of the same digit
    (`within`) or of others."""
    chips, digit, _ = shifted_digits(range(n_digits), seed=seed)
    along = tangents(chips, chips, _sideways(1))
    found = tangents_apart(along, along, monitor=monitor)
    same = digit[:, None] == digit
    np.fill_diagonal(same, False)
    return float(found[same].mean() if within else found[digit[:, None] != digit].mean())


def _sideways(reach: int) -> tuple[Invariance, ...]:
    return (Invariance(id=1, family="translate", step=1, reach=reach, direction=0),)


def _separated(Z: NDArray, digit: NDArray) -> float:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return float(LinearDiscriminantAnalysis().fit(Z, digit).score(Z, digit))


def _explained(Z: NDArray, shift: NDArray) -> float:
    from sklearn.linear_model import LinearRegression

    model: Any = LinearRegression().fit(Z, shift)
    return float(model.score(Z, shift))
