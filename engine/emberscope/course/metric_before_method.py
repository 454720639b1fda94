"""A metric, components, or distances of chips, and the method after them, as one method."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.embedder import Embedder
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.labels.side_info import SideInfo
from emberscope.metric.chip_distances import ChipDistances


class MetricThenMethod(Embedder):
    """An unfitted metric, or components, before an unfitted method, to be fitted on a part of the
    instances and judged by the rest.

    The metric learns from the part alone, too. `score_` and `score_instances` are those of the
    method, where it has them. reads_side : whether the method itself gets the side information as
    well.
    """

    def __init__(self, metric: Any, method: Any, *, reads_side: bool) -> None:
        self.metric, self.method, self.reads_side = metric, method, reads_side
        if hasattr(method, "score_instances"):
            self.score_instances = lambda X: method.score_instances(self._seen(X))

    @property
    def reads_labels(self) -> bool:
        return True

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: SideInfo | None = None, monitor: Monitor | None = None,
    ) -> Self:
        """Fit both; arguments as for every method."""
        watch = monitored(monitor)
        self.metric.fit(X, y, bags=bags, side=side, monitor=Portion(watch, 0.0, 0.4))
        inner = np.ascontiguousarray(self.metric.embedding_)
        known = {"side": side} if self.reads_side else {}
        self.method.fit(inner, y, bags=bags, monitor=Portion(watch, 0.4, 1.0), **known)
        self.embedding_ = self.method.embedding_
        self.score_ = getattr(self.method, "score_", None)
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances. Raises NoOutOfSample where the method has no rule."""
        return self.method.transform(self._seen(X))

    def _seen(self, X: ArrayLike) -> NDArray:
        return np.ascontiguousarray(self.metric.transform(X))


class ChipDistancesThenMethod(Embedder):
    """An unfitted method that takes distances, and what compares chips for it, to be fitted on a
    part of the instances.

    rule : how chips are compared, from the side information of the fit. Labels are the method's to
    read, `score_` and `score_instances` its own, where it has them.
    """

    def __init__(self, rule: Callable[[SideInfo | None], ChipDistances], method: Any) -> None:
        self.rule, self.method = rule, method
        if hasattr(method, "score_instances"):
            self.score_instances = method.score_instances

    @property
    def reads_labels(self) -> bool:
        return bool(self.method.reads_labels)

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: SideInfo | None = None, monitor: Monitor | None = None,
    ) -> Self:
        """Compare the chips, rows of X, then fit; arguments as for every method."""
        watch = monitored(monitor)
        distances = self.rule(side).between(np.asarray(X), monitor=Portion(watch, 0.0, 0.5))
        self.method.measured_by(distances).fit(X, y, bags=bags, monitor=Portion(watch, 0.5, 1.0))
        self.embedding_ = self.method.embedding_
        self.score_ = getattr(self.method, "score_", None)
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances. Raises NoOutOfSample where they have no distances."""
        return self.method.transform(X)
