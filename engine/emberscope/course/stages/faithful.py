"""How faithful the embedding is to what the method saw."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import EmberscopeError
from emberscope.base.monitor import Monitor
from emberscope.course.plan import Plan
from emberscope.course.scores import Saying, Scores, joined
from emberscope.course.stage import Cost, Given, Size
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.embed import EMBED
from emberscope.course.versions import code_version
from emberscope.evaluate.faithfulness import faithfulness
from emberscope.features.cache import digest
from emberscope.findings.shown_axes import FAITH, FIRST, Axes, columns, of_axes
from emberscope.neighbors.distances import Distances

_NUMBERS = ("trustworthiness", "continuity", "r_nx_auc")
_ENDS = ("", "_error")


class Faithful(Saying):
    """A label that changes no coordinate leaves it as it was."""

    inputs = (SEEN, EMBED)

    def key(self, plan: Plan, given: Given) -> str:
        return pair_key(plan, given)

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        seen = given[SEEN]
        return faithful(seen.X, given[EMBED].Z, distances=seen.distances, seed=plan.recipe.seed,
                        monitor=monitor)

    def cost(self, plan: Plan, size: Size) -> Cost:
        return Cost(0.1 + 1e-10 * size.n * min(size.n, 1500) * size.narrow + 2e-5 * size.n)


class Shown(Faithful):
    """The same of the first two axes, where there are more: what a flat map shows."""

    def needed(self, plan: Plan, given: Given) -> bool:
        return given[EMBED].Z.shape[1] > 2

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        seen, Z = given[SEEN], given[EMBED].Z
        return axes_scores(seen.X, Z, FIRST, distances=seen.distances, seed=plan.recipe.seed,
                           monitor=monitor)

    def cost(self, plan: Plan, size: Size) -> Cost:
        return Cost()


def pair_key(plan: Plan, given: Given) -> str:
    """What the method saw, and what it made of it."""
    return digest({"X": given.key(SEEN), "Z": given[EMBED].Z, "seed": plan.recipe.seed,
                   "code": code_version()})


def faithful(
    X: NDArray, Z: NDArray, *, distances: Distances | None = None, seed: int = 0,
    monitor: Monitor | None = None,
) -> Scores:
    """What neighborhoods and distances became: blind to labels. distances : what counts in place of
    those in X.

    Points: trustworthiness, continuity, preservation, stretch, anisotropy. Metrics:
    `Faithfulness.numbers`. Arrays: `Faithfulness.arrays`.
    """
    try:
        found = faithfulness(X, Z, distances=distances, seed=seed, monitor=monitor)
    except EmberscopeError as error:
        return Scores(notes=[f"No faithfulness: {error}"])
    return joined(Scores(found.points(), found.numbers, [], found.arrays()))


def axes_scores(
    X: NDArray, Z: NDArray, axes: Axes, *, distances: Distances | None = None, seed: int = 0,
    monitor: Monitor | None = None,
) -> Scores:
    """Faithfulness of two columns of Z (N, d) to X (N, D), all under the names of
    `findings.shown_axes.of_axes`: the points of `faithful`, and the metrics "trustworthiness",
    "continuity" and "r_nx_auc".
    """
    shown = np.ascontiguousarray(columns(Z, axes))
    found = faithful(X, shown, distances=distances, seed=seed, monitor=monitor)
    metrics = {of_axes(name, axes) + end: found.metrics[name + end]
               for name in _NUMBERS for end in _ENDS if name + end in found.metrics}
    points = {of_axes(name, axes): found.points[name] for name in FAITH if name in found.points}
    return Scores(points, metrics)


FAITHFUL, SHOWN = Faithful("faithful"), Shown("shown")
