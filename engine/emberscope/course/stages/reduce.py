"""Principal components of the features, where there are more than the recipe wants."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.course.components import components_seconds
from emberscope.course.inputs import components_wanted, reduced_key
from emberscope.course.plan import Plan
from emberscope.course.stage import Cost, Given, Size, Stage
from emberscope.course.stages.features import FEATURES
from emberscope.embedding.linear.pca import PCA
from emberscope.neighbors.distances import Distances


@dataclass(frozen=True, slots=True)
class Seen:
    """What the method gets to see: X (N, D), and what made it of the features.

    reduction : "mean" and "components", empty where nothing was reduced. distances : between the
    instances, where they are others than those between rows of X. flat : (N,) True for chips that
    no change alters. metric : the state of a fitted metric, of which a run need not keep the
    embedding; empty without one. notes : of the metric or the distances. learned : the metric
    itself, where it was fitted here and not kept.
    """

    X: NDArray
    reduction: dict[str, NDArray] = field(default_factory=dict)
    distances: Distances | None = None
    flat: NDArray[np.bool_] | None = None
    metric: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    learned: Any = None


class Reduce(Stage[Seen]):
    """Seeded by construction."""

    inputs = (FEATURES,)
    kept = tuple

    def says(self, plan: Plan, given: Given) -> str:
        return f"{components_wanted(len(given[FEATURES]), plan)} principal components"

    def key(self, plan: Plan, given: Given) -> str:
        return reduced_key(given.key(FEATURES), len(given[FEATURES]), plan)

    def needed(self, plan: Plan, given: Given) -> bool:
        X = given[FEATURES]
        return components_wanted(len(X), plan) < X.shape[1]

    def absent(self, plan: Plan, given: Given) -> Seen:
        return Seen(given[FEATURES])

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Seen:
        X = given[FEATURES]
        fitted = PCA(n_components=components_wanted(len(X), plan)).fit(X, monitor=monitor)
        return Seen(fitted.embedding_, {"mean": fitted.mean_, "components": fitted.components_})

    def pack(self, value: Seen) -> tuple[NDArray, ...]:
        return value.X, value.reduction["mean"], value.reduction["components"]

    def unpack(self, plan: Plan, given: Given, record: tuple[NDArray, ...]) -> Seen:
        X, mean, components = map(np.array, record)
        return Seen(X, {"mean": mean, "components": components})

    def cost(self, plan: Plan, size: Size) -> Cost:
        return Cost(components_seconds(size.n, size.wide, size.narrow))


REDUCED = Reduce("reduce")
