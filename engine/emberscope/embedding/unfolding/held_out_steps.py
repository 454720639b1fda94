"""In how many dimensions motions tell best where steps lead that they were not fitted to."""

import numpy as np
from numpy.typing import NDArray

from emberscope.embedding.unfolding.operators import operators
from emberscope.embedding.unfolding.tracks import Steps
from emberscope.neighbors.search import nearest

_FOLDS = 10
_SAME = 0.5  # of a step


def motion_dimensions(X: NDArray, Z: NDArray, steps: Steps, least: int) -> int:
    """How many of the first columns of Z (N, r) motions shall act in: the fewest, `least` at least,
    whose mean of `held_out_misses` is within a standard error of the smallest.

    A motion in few dimensions cannot follow a path that bends; in many it turns with every step.
    """
    tried = range(min(least, Z.shape[1]), Z.shape[1] + 1)
    misses = [held_out_misses(X, np.ascontiguousarray(Z[:, :d]), steps) for d in tried]
    if not len(misses[0]):
        return tried[0]
    means = np.array([miss.mean() for miss in misses])
    best = misses[int(means.argmin())]
    return tried[int(np.argmax(means <= best.mean() + best.std() / np.sqrt(len(best))))]


def held_out_misses(X: NDArray, Z: NDArray, steps: Steps) -> NDArray[np.float64]:
    """1 where what is expected after a step is another view than was seen, else 0, of each step of
    actions that were taken twice or more: expected is the instance nearest in Z (N, d) to where the
    motion leads, fitted to other steps. Views are the same up to half the mean distance of a step
    in X (N, D), for what is seen again is seen with other noise.

    A tenth of the steps of each action is left out at a time. O(10 A (m d² + d³) + Q N d).
    """
    length = _apart(X, steps.before, steps.after).mean() if len(steps) else 0.0
    fold = np.full(len(steps), -1)
    for action in np.unique(steps.action):
        own = np.flatnonzero(steps.action == action)
        if len(own) > 1:
            fold[own] = np.arange(len(own)) % _FOLDS
    if not (fold >= 0).any() or not length > 0:
        return np.empty(0)
    miss = []
    for number in range(fold.max() + 1):
        learned, asked = fold != number, np.flatnonzero(fold == number)
        rest = Steps(steps.before[learned], steps.after[learned], steps.action[learned])
        names = [""] * (int(steps.action.max()) + 1)
        motions = operators(Z, rest, names)
        there = np.array([motions[steps.action[q]](Z[steps.before[q]]) for q in asked])
        row = nearest(Z, np.ascontiguousarray(there, Z.dtype), 1).idx[:, 0]
        miss.append(_apart(X, row, steps.after[asked]) > _SAME * length)
    return np.concatenate(miss).astype(np.float64)


def _apart(X: NDArray, i: NDArray, j: NDArray) -> NDArray[np.float64]:
    return np.linalg.norm(X[i].astype(np.float64) - X[j], axis=1)
