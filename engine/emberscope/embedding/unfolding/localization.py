"""Where on the map a new track is: what is seen, and the actions that led from view to view."""

from collections.abc import Sequence as Several
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, monitored
from emberscope.embedding.unfolding.operators import Operator

_NEAR = 0.5   # of a step: what an action misses by, at least
_ALIKE = 0.3  # of how a view changes in a step: what a view of the same place differs by
_LOST = 1e-9  # share of the belief that may be anywhere after an action


@dataclass(frozen=True, slots=True)
class Located:
    """belief : (T, N) share of every place after each view, sums 1. rows : (T,) the likeliest
    place. Z : (T, d) the mean place. sure : (T,) share of the belief within a step of the
    likeliest."""

    belief: NDArray[np.float64]
    rows: NDArray[np.int64]
    Z: NDArray[np.float64]
    sure: NDArray[np.float64]


def locate(
    Z: NDArray, motions: Several[Operator], seen: NDArray, actions: NDArray[np.int64], *,
    step: float, change: float, monitor: Monitor | None = None,
) -> Located:
    """The belief over known places, after one view after the other.

    Parameters
    ----------
    Z : (N, d) places. motions : of the actions. seen : (T, N) squared distances of each new view to
        the views of the places. actions : (T - 1,) numbers of motions between the views, -1 where
        it is not known which. step : length of a step on the map. change : mean squared distance of
        two views a step apart.

    Notes
    -----
    A Bayes filter over the places, all alike at first: an action moves the belief along its motion,
    blurred by its residual and half a step at least; a view multiplies it by exp(-seen / (2 s²)), s
    0.3 of how a view changes in a step. An unknown action is any of them, or none. After
    Wilkinson, Bowling and Ghodsi 2005, with places for particles. Raises DataError where the
    numbers do not fit together. O(T A N²).
    """
    watch, places = monitored(monitor), np.ascontiguousarray(Z, np.float64)
    if seen.ndim != 2 or seen.shape[1] != len(Z) or len(actions) != len(seen) - 1:
        raise DataError(f"{len(seen)} views with {len(actions)} actions between them",
                        hint="Give one action less than views.")
    if len(actions) and not -1 <= actions.min() <= actions.max() < len(motions):
        raise DataError(f"an action has the number {actions.max()}, there are {len(motions)}",
                        hint="Number the motions from 0, -1 is unknown.")
    likely = np.exp(-(seen - seen.min(axis=1, keepdims=True)) / (
        2 * max(_ALIKE**2 * change, 1e-300)))
    belief = np.empty(seen.shape)
    now = np.full(len(Z), 1 / len(Z))
    for t in range(len(seen)):
        watch.step(t / len(seen), "Views")
        if t:
            now = _moved(now, places, motions, int(actions[t - 1]), step)
        now = now * likely[t]
        now = now / now.sum()
        belief[t] = now
    rows = belief.argmax(axis=1)
    near = cdist(places[rows], places) <= step
    return Located(belief, rows, belief @ places, (belief * near).sum(axis=1))


def _moved(
    belief: NDArray, Z: NDArray, motions: Several[Operator], action: int, step: float
) -> NDArray[np.float64]:
    """The belief (N,) after an action; -1 : any, or none."""
    if action < 0:
        taken = [at for at, motion in enumerate(motions) if motion.count]
        every = [_moved(belief, Z, motions, at, step) for at in taken]
        return np.mean([belief, *every], axis=0)
    motion = motions[action]
    from_ = belief > _LOST / len(Z)
    blur = max(_NEAR, float(np.nan_to_num(motion.residual))) * max(step, 1e-300)
    pull = np.exp(-np.square(cdist(motion(Z[from_]), Z) / blur) / 2)
    total = pull.sum(axis=1, keepdims=True)
    moved = belief[from_] @ np.divide(pull, total, out=np.zeros_like(pull), where=total > _LOST)
    return np.asarray(moved + (_LOST + max(1 - moved.sum(), 0.0)) / len(Z))
