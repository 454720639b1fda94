"""Prototypes: the instance that stands for its bag,
chosen by score or by its density among the others."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_argmax
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.mil.density import median_squared_distance, negative_log_density
from emberscope.mil.training_bags import spaced
from emberscope.neighbors.search import nearest

_CHUNK = 1 << 18  # pairs at a time: what fits into the cache of a core
# instances that a density in the features is a sum over; of more, so many stand for all
CROWD = 5000
CROWD_IN_EMBEDDING = 1000  # the same in the embedding, where few directions need fewer
# log of a kernel beside one of 1; exponentials that vanish would take three times as long
_UNHEARD = -50.0
_NEIGHBOR = 7
_SAMPLE = 2000


def some_bags(bags: Bags, kept: NDArray[np.bool_]) -> Bags:
    """The bags where `kept` (K,), with members in ascending order."""
    some = bags.take(np.flatnonzero(kept))
    return replace(some, members=some.members[np.lexsort((some.members, some.bag_of_member))])


def density_start(
    A: NDArray,
    parts: list[tuple[Bags, NDArray[np.int64]]],
    separation: Callable[[list[NDArray]], float],
    *,
    monitor: Monitor | None = None,
) -> list[NDArray[np.int64]]:
    """Per part and bag the row of least density of that part's others;
    the width with the largest separation wins.

    parts : bags of one class, and the rows of the instances that are of another. separation : of
    the prototypes chosen in each part. Chai et al. 2014, eq 11 and 18, with log-sum-exp and widths
    relative to the median squared distance between instances. Of more than 5000 others 5000, evenly
    spaced in order of values, make the density, which costs few bags of the paper's first set their
    prototype. O(7 sum of N_part min(N_others, 5000) D).
    """
    watch, scale = monitored(monitor), median_squared_distance(A)
    chosen: list[list[NDArray]] = []  # part -> width -> rows
    for at, (bags, others) in enumerate(parts):
        share = Portion(watch, at / len(parts), (at + 1) / len(parts))
        rows = np.unique(bags.members)
        rare = np.full(len(A), -np.inf)
        chosen.append([])
        for density in negative_log_density(A[rows], A[spaced(A, others, CROWD)], scale,
                                            monitor=share):
            rare[rows] = -density
            chosen[-1].append(bag_argmax(rare, bags))
    widths = [list(found) for found in zip(*chosen, strict=True)]
    return max(widths, key=separation)


def leading(Z: NDArray, n_classes: int) -> NDArray:
    """The first C - 1 coordinates, all that separates C classes;
    further ones would blur a density."""
    return np.ascontiguousarray(Z[:, : n_classes - 1])


def crowd_note(groups: list[NDArray[np.int64]]) -> list[str]:
    """Say that `density_start` let some of the others stand for all; nothing where it took all.

    `groups` : (n,) rows of each group.
    """
    most = max(map(len, groups))
    return [
        f"The density of {most} other instances is that of {CROWD} of them."
    ] if most > CROWD else []


def neighbor_width(Z: NDArray) -> float:
    """Twice the median squared distance to the 7th neighbor, of up to 2000 evenly spaced rows;
    1 where it is 0."""
    Q = np.ascontiguousarray(Z[:: max(1, -(-len(Z) // _SAMPLE))])
    found = nearest(np.ascontiguousarray(Z), Q, min(_NEIGHBOR + 1, len(Z)))
    width = 2 * float(np.median(np.square(found.dist[:, -1], dtype=np.float64)))
    return width if width > 0 else 1.0


def log_density(
    Q: NDArray, X: NDArray, width: float, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """log sum exp(-|q - x|² / width) over rows x, (M,). O(M N d), by blocks."""
    watch, root = monitored(monitor), np.sqrt(width)
    out, X = np.empty(len(Q)), X / root
    right = np.vstack([2 * X.T, -np.square(X).sum(axis=1)])  # [q 1] right = |q|² - |q - x|²
    rows = max(1, _CHUNK // max(1, len(X)))
    for part in slices(len(Q), rows, watch, "Density in the embedding"):
        q = Q[part] / root
        near = np.column_stack([q, np.ones(len(q))]) @ right
        nearest_one = near.max(axis=1)
        near -= nearest_one[:, None]
        np.maximum(near, _UNHEARD, out=near)
        np.exp(near, out=near)
        out[part] = np.log(near.sum(axis=1)) + nearest_one - np.square(q).sum(axis=1)
    return out


def rarity(
    Z: NDArray, groups: list[NDArray[np.int64]], n_classes: int, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """Minus the log density of all groups but its own,
    of every instance as one of each class, (N, n_classes).

    Z : (N, d). groups : rows of each class, classes first; further groups are others to every
    class. The width is `neighbor_width`. Of more than 1000 rows of a group 1000 make its density,
    evenly spaced along the first coordinate, in the width of a crowd so thinned. O(N sum of
    min(group size, 1000) d).
    """
    asked = groups[n_classes == 1 :]  # where there is one class, its own density is not needed
    crowds = [spaced(Z, rows, CROWD_IN_EMBEDDING) for rows in asked]
    all_rows = spaced(Z, np.arange(len(Z)), CROWD_IN_EMBEDDING * len(groups))
    watch, width = monitored(monitor), neighbor_width(Z[all_rows])
    ends = np.cumsum([0, *map(len, crowds)]) / max(1, sum(map(len, crowds)))
    density = np.stack([
        log_density(Z, Z[rows], width, monitor=Portion(watch, float(ends[g]), float(ends[g + 1])))
        + np.log(len(asked[g]) / len(rows))
        for g, rows in enumerate(crowds)
    ])  # fmt: skip
    if n_classes == 1:
        return -logsumexp(density, axis=0)[:, None]
    return np.stack([-logsumexp(np.delete(density, c, axis=0), axis=0) for c in range(n_classes)],
                    axis=1)
