"""The features as a metric maps them, which was learned before the method."""

from dataclasses import replace
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.base.monitor import Monitor
from emberscope.course.plan import Plan
from emberscope.course.stage import Cost, Given, Size, Stage
from emberscope.course.stages.given import LABELS
from emberscope.course.stages.reduce import REDUCED, Seen
from emberscope.course.stages.side import SIDE
from emberscope.course.versions import code_version
from emberscope.features.cache import digest


class FittedRecord(TypedDict):
    """A fitted method as it is kept on disk."""

    state: dict[str, Any]
    notes: list[str]


class Metric(Stage[Seen]):
    """What it saw, where the recipe has no metric or ignores side information."""

    inputs = (REDUCED, LABELS, SIDE)
    kept = FittedRecord

    def says(self, plan: Plan, given: Given) -> str:
        return "" if plan.metric is None else plan.metric.row.title

    def needed(self, plan: Plan, given: Given) -> bool:
        return plan.metric is not None

    def absent(self, plan: Plan, given: Given) -> Seen:
        return given[REDUCED]

    def key(self, plan: Plan, given: Given) -> str:
        if plan.metric is None:
            return given.key(REDUCED)
        labels = given[LABELS]
        bags = labels.bags
        assert bags is not None  # of whatever is kept
        return digest({
            "X": given.key(REDUCED), "y": labels.known_to(plan.metric.row),
            "bags": [bags.indptr, bags.members, bags.labels, bags.classes, bags.groups],
            "side": given[SIDE], "metric": plan.metric.row.id,
            "params": plan.metric.make().get_params(deep=False), "code": code_version(),
        })  # fmt: skip

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Seen:
        assert plan.metric is not None
        seen, labels, metric = given[REDUCED], given[LABELS], plan.metric.make()
        metric.fit(seen.X, labels.known_to(plan.metric.row), bags=labels.bags, side=given[SIDE],
                   monitor=_Unseen(monitor))
        X = np.ascontiguousarray(metric.embedding_)
        state = storable(metric.to_state())
        return replace(seen, X=X, metric=state, notes=list(metric.notes_), learned=metric)

    def pack(self, value: Seen) -> FittedRecord:
        return {"state": value.metric, "notes": value.notes}

    def unpack(self, plan: Plan, given: Given, record: FittedRecord) -> Seen:
        assert plan.metric is not None
        state, title = record["state"], plan.metric.row.short
        X = np.ascontiguousarray(state["embedding_"], np.float32)
        return replace(given[REDUCED], X=X, metric={**state, "embedding_": X[:0]},
                       notes=[f"{title}: {note}" for note in record["notes"]])

    def cost(self, plan: Plan, size: Size) -> Cost:
        return metric_cost(plan, size.n, size.narrow)


class _Unseen:
    """The same monitor without embeddings: those of a metric are not the ones of the run."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor

    def step(self, fraction: float, message: str = "") -> None:
        self._monitor.step(fraction, message)

    def partial(self, Z: NDArray) -> None:
        pass


def storable(state: dict[str, Any]) -> dict[str, Any]:
    """A method's state with arrays of text as lists; a project file keeps arrays of numbers
    only."""
    return {name: value.tolist() if isinstance(value, np.ndarray) and value.dtype.kind == "U"
            else value
            for name, value in state.items()}


def metric_cost(plan: Plan, n: int, d: int) -> Cost:
    """What a metric takes that is fitted to n rows of d features; nothing without one."""
    if plan.metric is None:
        return Cost()
    return Cost(*catalogue.estimate(plan.metric.row.id, n, d, plan.metric.values))


METRIC = Metric("metric")
