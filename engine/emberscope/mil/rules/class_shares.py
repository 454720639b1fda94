"""How instances of positive bags divide between several classes of targets."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Shared, monitored
from emberscope.mil.rules.forest import forest_shares
from emberscope.mil.rules.held_out import connected_fold
from emberscope.neighbors.threads import each, thread_pool


def class_shares(
    X: NDArray, bags: Bags, score: NDArray, monitor: Monitor | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Ids (C,) of the classes of positive bags, and (N, C) how instances divide between them; (N,
    0) of one class.

    Randomized trees of instances of positive bags, each counting by its score (N,) in [0, 1] and
    classes alike, judge bags that they have not learned from, a block of frames held back together
    (`Bags.blocks`): of whole clips, which often show one class each, nothing would be left to
    learn. All even where a class is missing in the rest. The monitor is asked by every tree; raises
    Cancelled. O(N log N).
    """
    kinds = np.unique(bags.classes[(bags.labels > 0) & (bags.sizes > 0)])
    if len(kinds) < 2:
        return kinds, np.empty((len(X), 0))
    first = bags.first_bag(len(X))
    inside = (first >= 0) & (bags.instance_labels(len(X)) > 0)
    kind = np.where(inside, bags.classes[first], 0)
    fold = connected_fold(bags if bags.blocks is None else replace(bags, groups=bags.blocks),
                          len(X))
    out, numbers = np.full((len(X), len(kinds)), 1 / len(kinds)), np.unique(fold)
    shared = Shared(monitored(monitor), len(numbers))

    def divide(at: int) -> None:
        number, part = numbers[at], shared.part(at)
        part.step(0.0, "Classes of targets")
        rows = fold == number
        others = np.flatnonzero(inside & ((fold != number) | rows.all()))
        found, of, count = np.unique(kind[others], return_inverse=True, return_counts=True)
        if len(found) == len(kinds):
            weight = np.maximum(score[others], 1e-3) * (len(others) / (len(kinds) * count))[of]
            out[rows] = forest_shares(X[others], kind[others], weight, X[rows], part)

    with thread_pool() as pool:
        each(pool, divide, ((at,) for at in range(len(numbers))), lambda: None)
    return kinds, out
