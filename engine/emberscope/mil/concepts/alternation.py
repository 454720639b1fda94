"""Memberships and concepts in turn, each the best for the other, until concepts rest."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.mil.concepts.descent import descend
from emberscope.mil.concepts.memberships import Rule
from emberscope.mil.concepts.model import LARGEST, SMALLEST, Concepts, StandardBags
from emberscope.neighbors.threads import each, thread_pool

STEPS = 4  # of each concept between two updates of memberships
_FIRST_STEP = 0.01
# of the width of a concept: the root of the squared distance between its old center and the new one
_RESTING = 1e-3
# of the objective per positive bag: a round that makes each of them half a percent likelier
_ENOUGH = 5e-3


@dataclass(frozen=True, slots=True)
class Alternated:
    """concepts; losses (K, B) and memberships (K, B) of them; objectives, one per round,
    never rising; path (R + 1, K, D), the centers at the start and after every round; settled; steps
    (K,), the length of the last step of each concept."""

    concepts: Concepts
    losses: NDArray[np.float64]
    memberships: NDArray[np.float64]
    objectives: list[float]
    path: NDArray[np.float64]
    settled: bool
    steps: NDArray[np.float64]


def alternate(
    bags: StandardBags, start: Concepts, rule: Rule, *, rounds: int, nearest: bool,
    monitor: Monitor, show: Callable[[Concepts], None] | None = None,
    steps: NDArray | None = None,
) -> Alternated:
    """Alternate memberships of bags and four descent steps of each concept.

    Parameters
    ----------
    rounds : at most; it ends when no center moves by a thousandth of the width of its concept, or
        the objective falls by less than 0.005 per positive bag. show : called with the concepts of
        every round. steps : (K,), lengths to begin with.

    Notes
    -----
    Karem 2019, algorithms 5 to 7, with descent (printed: ascent of -log) in center and log scale
    together. The objective never rises: a step is only taken downhill, memberships of positive bags
    minimize it, weights of negative ones are constant. Concepts are independent between two
    updates: one per thread. O(rounds K M D).

    The objective is a sum of -log probabilities of bags, so its fall per bag means the same for any
    number of bags, features and whatever is left of it. In many features some of them separate the
    bags, and no least point exists: weights grow and the objective goes to 0 round after round,
    while concepts say no more about which kinds of targets there are. Concepts agree with true
    classes best when this rule stops; many more rounds only lessen that.
    """
    C, theta = start.centers.copy(), np.log(np.clip(start.scales, SMALLEST, LARGEST))
    if steps is None:
        steps = np.full(len(C), _FIRST_STEP / max(len(bags.positive), 1))
    objectives, settled, path = [], False, [C]
    losses = bags.losses(start, nearest=nearest)
    u = rule.memberships(losses, bags.positive)
    with thread_pool() as pool:
        for done in range(rounds):
            monitor.step(done / rounds, "Concepts")
            W = rule.weights(u, bags.positive)
            tasks = [
                (bags.Z, bags.indptr, bags.positive, W[k], C[k], theta[k], steps[k], STEPS, nearest)
                for k in range(len(C))
            ]
            moved = each(pool, descend, tasks, lambda: monitor.step(done / rounds, "Concepts"))  # noqa: B023
            before, C = C, np.array([one[0] for one in moved])
            theta = np.array([one[1] for one in moved])
            steps = np.array([one[2] for one in moved])
            now = Concepts(C, np.exp(theta))
            losses = bags.losses(now, nearest=nearest)
            u = rule.memberships(losses, bags.positive)
            objectives.append(rule.objective(losses, u, bags.positive))
            path.append(C)
            if show is not None:
                show(now)
            fell = objectives[-2] - objectives[-1] if done else np.inf
            moved2 = (now.scales * np.square(C - before)).sum(axis=1).max()
            if moved2 < _RESTING**2 or fell <= _ENOUGH * max(bags.positive.sum(), 1):
                settled = True
                break
    return Alternated(Concepts(C, np.exp(theta)), losses, u, objectives, np.array(path), settled,
                      steps)
