"""Greedy cover: concepts start one after the other at the instance that explains most bags not
explained yet."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.segments import segment_reduce
from emberscope.mil.concepts.memberships import Rule
from emberscope.mil.concepts.model import Concepts, StandardBags

# Widths tried, in standard deviations of a feature where there are two;
# they grow with the root of the dimension
WIDTHS = (0.05, 0.1, 0.17, 0.25, 0.35, 0.7)
CANDIDATES = 1500
MOST_COUNTED = 12  # concepts that a gain curve is drawn for
# a further concept must gain so much, and so much of what the first one did
_FLOOR, _SHARE = 0.01, 0.15
# power of gains that are added: a few large ones speak for a width, many small ones less
_FEW_LARGE = 1.5
_FEWEST = 3  # positive bags that it must newly cover
_CHUNK = 1 << 22  # distances at a time


@dataclass(frozen=True, slots=True)
class Candidates:
    """points (J, D): instances of positive bags that a concept may start at. nearest (J, B):
    squared distance of the nearest instance of every bag. positive : (B,). own (J,): the bag each
    is of, among the positive ones."""

    points: NDArray[np.float64]
    nearest: NDArray[np.float64]
    positive: NDArray[np.bool_]
    own: NDArray[np.int64]

    @classmethod
    def of(
        cls, bags: StandardBags, rng: np.random.Generator, monitor: Monitor | None = None
    ) -> "Candidates":
        """All instances of positive bags, or 1500 of them.
        O(J M D) in matrix products, memory O(J B)."""
        rows = np.flatnonzero(np.repeat(bags.positive, np.diff(bags.indptr)))
        if len(rows) > CANDIDATES:
            rows = np.sort(rng.choice(rows, CANDIDATES, replace=False))
        points = bags.Z[rows]
        own = np.cumsum(bags.positive)[np.searchsorted(bags.indptr, rows, side="right") - 1] - 1
        norms = np.square(bags.Z).sum(axis=1)
        out = np.empty((len(points), len(bags.positive)))
        for part in slices(len(points), _CHUNK // len(bags.Z), monitor, "Candidates of concepts"):
            squared = points[part] @ (-2 * bags.Z.T)
            squared += norms
            out[part] = segment_reduce(np.minimum, squared, bags.indptr[:-1], axis=1)
            out[part] += np.square(points[part]).sum(axis=1)[:, None]
        return cls(points, np.maximum(out, 0.0), bags.positive, own)


@dataclass(frozen=True, slots=True)
class Cover:
    """chosen : (K,) places among the candidates. gains : (K,) bags newly explained per positive
    bag, less the share of negative ones. newly : (K,) positive bags that it made more likely than
    not. width : h."""

    chosen: NDArray[np.int64]
    gains: NDArray[np.float64]
    newly: NDArray[np.int64]
    width: float


def greedy_cover(
    candidates: Candidates, k: int, width: float, monitor: Monitor | None = None
) -> Cover:
    """The k candidates j that one after the other raise the covered share of positive bags most.

        gain = (1/N+) sum_{n+} max(B_jn - cov_n, 0) - (1/N-) sum_{n-} B_jn
        B = exp(-nearest / (2 h²))

    The bag a candidate is of is left out of its sum: it explains that one however narrow it is.
    Deterministic. O(k J B).
    """
    B = np.exp(-candidates.nearest / (2 * width**2))
    reached, cost = B[:, candidates.positive], B[:, ~candidates.positive].mean(axis=1)
    covered = np.zeros(reached.shape[1])
    chosen, gains, newly = [], [], []
    watch = monitored(monitor)
    for done in range(k):
        watch.step(done / k, "Starts of concepts")
        new = np.maximum(reached - covered, 0.0)
        new[np.arange(len(new)), candidates.own] = 0.0
        gain = new.mean(axis=1) - cost
        best = int(gain.argmax())
        after = np.maximum(covered, reached[best])
        chosen.append(best)
        gains.append(gain[best])
        newly.append(((after > 0.5) & (covered <= 0.5)).sum())
        covered = after
    return Cover(np.array(chosen), np.array(gains), np.array(newly, np.int64), width)


def widths_of(d: int) -> tuple[float, ...]:
    """Widths to try for d features."""
    return tuple(h * float(np.sqrt(d / 2)) for h in WIDTHS)


def concepts_at(points: NDArray, width: float) -> Concepts:
    """Round concepts of width h at these points. `points` : (J, D)."""
    return Concepts(points.copy(), np.full(points.shape, 1 / (2 * width**2)))


def best_cover(
    bags: StandardBags, candidates: Candidates, k: int, widths: tuple[float, ...], *,
    nearest: bool = False, monitor: Monitor | None = None,
) -> Concepts:
    """The greedy start of the width with the least fuzzy objective,
    negative bags weighing 1. O(widths k M D).

    nearest : the nearest instance stands for a bag, as in the descent that follows.
    """
    rule = Rule("fuzzy", 1.0625, 1.0)
    watch = monitored(monitor)
    parts = [Portion(watch, i / len(widths), (i + 1) / len(widths)) for i in range(len(widths))]
    covers = [greedy_cover(candidates, k, h, part) for h, part in zip(widths, parts, strict=True)]
    starts = [concepts_at(candidates.points[cover.chosen], cover.width) for cover in covers]
    costs = []
    for start in starts:
        watch.step(1.0, "Starts of concepts")
        losses = bags.losses(start, nearest=nearest)
        costs.append(rule.objective(losses, rule.memberships(losses, bags.positive), bags.positive))
    return starts[int(np.argmin(costs))]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """n : concepts that the gain curve suggests.
    gains : (n_most,), the curve, descending until it turns to noise."""

    n: int
    gains: NDArray[np.float64]
    width: float


def suggested(
    candidates: Candidates, widths: tuple[float, ...], monitor: Monitor | None = None
) -> Suggestion:
    """How many concepts the bags hold: the leading gains above 0.01 and above 0.15 of the first
    one, at the width of the largest sum of gains to the power 1.5, of concepts that newly cover
    three positive bags or more.

    Too large a width counts too few, too small a one too many:
    with 20 positive bags or fewer it is biased upwards.
    """
    n_positive = int(candidates.positive.sum())
    most = max(1, min(MOST_COUNTED, n_positive))
    watch = monitored(monitor)
    parts = [Portion(watch, i / len(widths), (i + 1) / len(widths)) for i in range(len(widths))]
    covers = [greedy_cover(candidates, most, h, part)
              for h, part in zip(widths, parts, strict=True)]
    best = max(covers, key=lambda cover: float((np.maximum(cover.gains, 0.0) ** _FEW_LARGE).sum()))
    enough = (
        best.gains > max(_FLOOR, _SHARE * best.gains[0])
    ) & (best.newly >= min(_FEWEST, n_positive))
    n = int(np.argmin(enough)) if not enough.all() else len(enough)
    return Suggestion(max(n, 1), best.gains, best.width)
