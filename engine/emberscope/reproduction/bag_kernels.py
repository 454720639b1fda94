"""Bags made single vectors beside kernels between whole bags: the same support vector machine
judges both."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion
from emberscope.datasets.model import Points
from emberscope.datasets.planted import planted_bags
from emberscope.datasets.topics import topic_bags
from emberscope.mil.classifiers.mi_graph import MIGraph
from emberscope.mil.classifiers.mi_kernel import MIKernel
from emberscope.mil.conversion import Conversion

_TEST = 0.2  # share of the topics' bags that is judged
_KERNELS: dict[str, type[MIKernel] | type[MIGraph]] = {"mi-kernel": MIKernel, "mi-graph": MIGraph}


def compared_accuracy(
    *, seed: int, monitor: Monitor, points: Points | None, data: str, by: str,
    set: Mapping[str, Any] | None = None,
) -> float:
    """Accuracy of bags that took no part, by a support vector machine on their vectors or on a
    kernel between whole bags.

    data : "topics" (five, of isotropic noise), "subspaces" (five, wide in directions of their own)
    or "witness" (one positive instance in eight, two relevant features of 32). by : "vectors",
    those of a `Conversion`, with the settings of `set`, that saw the training bags only; or
    "mi-kernel" or "mi-graph". Several classes: each against all others, the largest score counts.
    The kernel of vectors is that of bags of one. Raises DataError for other data or judges.
    """
    X, bags, kind = _drawn(data, seed)
    test = _tested(kind, seed)
    (A, train), (B, judged) = _part(X, bags, ~test), _part(X, bags, test)
    if by == "vectors":
        part = Portion(monitor, 0.0, 0.5)
        made = Conversion(**{"n_components": 4, **(set or {})}).fit(A, train, monitor=part)
        A, B = (made.transform(*own, monitor=part).vectors for own in ((A, train), (B, judged)))
        train, judged = _alone(len(A)), _alone(len(B))
    elif by not in _KERNELS:
        raise DataError(f"there is no judge {by!r}", hint=f"Known: vectors, {', '.join(_KERNELS)}.")
    classes = np.unique(kind)
    scores = np.empty((int(test.sum()), len(classes)))
    for at, one in enumerate(classes):
        labels = np.where(kind[~test] == one, 1, -1).astype(np.int8)
        machine = _KERNELS.get(by, MIKernel)()
        machine.fit(A, bags=replace(train, labels=labels),
                    monitor=Portion(monitor, 0.5 + at / 2 / len(classes), 0.5 + (at + 1) / 2
                                    / len(classes)))
        scores[:, at] = machine.score_bags(B, judged)
    return float((classes[scores.argmax(axis=1)] == kind[test]).mean())


def _drawn(data: str, seed: int) -> tuple[NDArray, Bags, NDArray]:
    """Instances, their bags, and the class of every bag."""
    if data in ("topics", "subspaces"):
        noise = "isotropic" if data == "topics" else "subspace"
        return topic_bags(noise=noise, seed=seed)  # type: ignore[arg-type]
    if data == "witness":
        X, bags, _ = planted_bags(160, seed=seed)
        return X, bags, bags.labels.astype(np.int64)
    raise DataError(f"there is no generator {data!r}", hint="Known: topics, subspaces, witness.")


def _tested(kind: NDArray, seed: int) -> NDArray[np.bool_]:
    """The share of every class that is judged."""
    draw, test = np.random.default_rng(seed), np.zeros(len(kind), bool)
    for one in np.unique(kind):
        rows = draw.permutation(np.flatnonzero(kind == one))
        test[rows[: max(1, round(_TEST * len(rows)))]] = True
    return test


def _part(X: NDArray, bags: Bags, chosen: NDArray[np.bool_]) -> tuple[NDArray, Bags]:
    """Some bags, and their instances alone."""
    some = bags.take(np.flatnonzero(chosen))
    rows = np.unique(some.members)
    return X[rows], some.among(rows, len(X))


def _alone(n: int) -> Bags:
    """Each of n vectors as a bag."""
    return Bags.from_lists([np.array([k]) for k in range(n)], np.zeros(n, np.int8))
