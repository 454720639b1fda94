"""Measurements of action respecting embedding: answers to "which frame follows from this one by
this action"."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import ParamError
from emberscope.base.monitor import Monitor
from emberscope.course.of_points import fitted, plan_of_points
from emberscope.datasets.imagebot import texture, walk
from emberscope.embedding.unfolding.operators import answered, next_rows
from emberscope.embedding.unfolding.tracks import Steps
from emberscope.neighbors.search import nearest

_MOST, _HELD = 8, 0.98  # dimensions at most, and the share of the variance that they hold
RULES = ("distances", "regression")


def actions_answered(
    *,
    seed: int,
    monitor: Monitor,
    points: Any,
    path: str,
    method: str = "are",
    rule: str = "distances",
    exponent: float = 2.2,
    n_neighbors: int = 4,
) -> float:
    """Share of the questions about a walk over a texture that an embedding of its frames answers.

    Of "mvu" as many dimensions as hold 98 % of the variance, 8 at most, of "are" all of its model:
    where false neighbors bend a line into an arc or a helix, one axis would fold it.

    path : a key of `imagebot.PATHS`. method : "are", or "mvu" with so many neighbors, which knows
    no actions.
    rule : "distances" (4.6), or "regression": the affine map nearest to each action, and the frame
    nearest to where it leads. exponent : of the texture. Raises ParamError for an unknown rule.
    """
    if rule not in RULES:
        raise ParamError(f"rule is {rule!r}", hint=f"Choose {' or '.join(RULES)}.")
    walked = walk(path, texture(exponent, seed=seed))
    settings = {"n_neighbors": n_neighbors} if method == "mvu" else {}
    plan = plan_of_points(method, {"n_components": _MOST, **settings})
    est = fitted(plan, walked.X, side=walked.side, monitor=monitor)
    d = 1 + int(np.searchsorted(np.cumsum(est.spectrum_) / est.spectrum_.sum(), _HELD))
    Z = est.embedding_[:, :d] if method == "mvu" else est.model_
    steps = Steps.of(walked.side.sequences)

    def follow(rows: NDArray, action: int) -> NDArray:
        return (
            next_rows(Z, steps, rows, action)
            if rule == "distances"
            else _regressed(Z, steps, rows, action)
        )

    return answered(steps, walked.places, walked.result, follow)


def _regressed(Z: NDArray, steps: Steps, rows: NDArray, action: int) -> NDArray[np.int64]:
    at = steps.action == action
    before = np.column_stack([Z[steps.before[at]], np.ones(int(at.sum()))])
    affine = np.linalg.lstsq(before, Z[steps.after[at]], rcond=None)[0]
    targets = np.column_stack([Z[rows], np.ones(len(rows))]) @ affine
    return np.asarray(nearest(np.ascontiguousarray(Z), targets, 1).idx[:, 0].astype(np.int64))
