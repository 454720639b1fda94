"""What a run says of its embedding and its labels, per instance and overall."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.course.classification import size_auc
from emberscope.course.plan import Plan
from emberscope.course.stage import Given, Stage

_TELLING = 0.9  # area under the curve of the size of bags
BY_SIZE = (
    "Positive and negative bags differ in size so much that it alone tells them apart (AUC "
    "{:.2f}): AUC and accuracy "
    "of bags may show no more than that. Label background with boxes a patch larger than those of "
    "targets: of "
    "background only patches wholly inside count."
)


class Scores(msgspec.Struct, frozen=True):
    """Per instance (N,) float32, NaN where there is none; numbers of the run; sentences about them;
    other arrays."""

    points: dict[str, np.ndarray] = {}
    metrics: dict[str, float] = {}
    notes: list[str] = []
    arrays: dict[str, np.ndarray] = {}


class Saying(Stage[Scores]):
    """A stage that says something of a run; what it says is kept where it has a key."""

    kept = Scores

    def absent(self, plan: Plan, given: Given) -> Scores:
        return Scores()


def joined(*parts: Scores) -> Scores:
    """All of them in one."""
    out = Scores({}, {}, [], {})
    for part in parts:
        out.points.update({name: np.asarray(found, np.float32)
                           for name, found in part.points.items()})
        out.metrics.update(part.metrics)
        out.notes.extend(part.notes)
        out.arrays.update(part.arrays)
    return out


def size_notes(bags: Bags) -> list[str]:
    """A warning where the size of bags alone tells their labels."""
    by_size = size_auc(bags)
    return [BY_SIZE.format(by_size)] if by_size >= _TELLING else []


def ranks(values: NDArray) -> NDArray[np.float32]:
    """(N,) float32 share of the others that are lower, in [0, 1]: scores without a scale, made
    comparable. Equal values get equal ranks; NaN stays. O(N log N)."""
    values = np.asarray(values, np.float64)
    out, finite = np.full(len(values), np.nan, np.float32), np.isfinite(values)
    known = np.sort(values[finite])
    lower, upper = (np.searchsorted(known, values[finite], side=side) for side in ("left", "right"))
    out[finite] = (lower + upper - 1) / (2 * max(len(known) - 1, 1))
    return out
