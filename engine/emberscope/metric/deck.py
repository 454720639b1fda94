"""What questions about pairs of instances are drawn from. Imports light: the window reads it."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from emberscope.metric.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Deck:
    """What questions are drawn from, made once of a run.

    ids : (N,) int64 of the instances. T : (N, r) float32, their principal scores of mean variance
    1. weak : pairs that follow from bag labels, as rows. likely : (N,) in [0, 1], how likely each
    is a target. softness, push : of the equivalence metric. known : (N,) int8, labels that are
    certain, 0 elsewhere; empty where there are none.
    """

    ids: NDArray[np.int64]
    T: NDArray[np.float32]
    weak: Pairs
    likely: NDArray[np.float64]
    softness: float = 0.3
    push: float = 1.0
    known: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))
