"""A point set: instances that are rows of numbers already, with their labels and bags."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.labels.side_info import SideInfo


@dataclass(frozen=True, slots=True)
class Points:
    """X : (N, D) float. y : (N,) int in {-1, 0, +1} or None. bags : Bags or None. X_new : (M, D) or
    None.

    Z_at : (P, d) or None, places of the map whose features are asked for. groups : (K,) int or
    None, a number per bag (per row without bags); bags of one number stay in one fold. classes :
    (N,) whole numbers, NaN where unknown, or words, "" where unknown; or None. What y was where it
    names classes, see `read_labels`: then y is None. side : what is known of pairs of rows, or
    None. new_actions : (M - 1,) words, the action that leads from each row of X_new to the next, ""
    where unknown, or None. columns : what else is said of each row, by name, N texts each.
    """

    X: NDArray
    y: NDArray[np.int64] | None = None
    bags: Bags | None = None
    X_new: NDArray | None = None
    Z_at: NDArray | None = None
    groups: NDArray[np.int64] | None = None
    classes: NDArray | None = None
    side: SideInfo | None = None
    new_actions: tuple[str, ...] | None = None
    columns: dict[str, list[str]] = field(default_factory=dict)
