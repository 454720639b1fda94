"""Standard APR and outside-in APR: the box around all instances of positive bags, as it is or made
smaller, and the walls of it that keep background out."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.mil.classifier import AGGREGATE
from emberscope.mil.classifiers.apr import Box, discriminating
from emberscope.mil.classifiers.rectangles.shrinking import shrunk
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.scaling import z_score
from emberscope.mil.training_bags import renumbered, thinned, thinned_note

_LARGEST_BAG = 2000  # instances of a bag that take part
_REACHED = 0.5  # share of negative training bags in the box from which on it says little


class StandardAPR(ChoosesFeatures):
    """An instance is a target inside the box around all instances of positive bags.

    Of its 2 D walls those stay that keep background out, see `discriminating`; each then moves out
    half the way to the nearest background instance it keeps out, by `margin` at most, so that the
    instances the box was made of lie inside. The score of an instance inside is its distance to
    the nearest wall, outside it is minus its distance to the box, in units of the spread of each
    feature.

    Attributes
    ----------
    low_, high_ : (D,) float64, the walls in units of the scaled features, infinite where there is
    none. mean_, scale_ : (D,).

    Notes
    -----
    Dietterich, Lathrop and Lozano-Perez 1997, "all-positive APR" with greedy selection; Karem 2019,
    section 2.2.1, calls it standard: it ignores that few instances of a positive bag are targets,
    and is there to be compared with. Ours: walls are selected one by one where print selects
    features with both walls, and they move out. Of a bag of more than 2000 instances 2000 take
    part, which is noted. O(M D) and at most 2 D selections of O(N- D).
    """

    margin: float = param(
        1.0, low=0, high=100, group="Box", grid=(0.5, 1.0, 2.0),
        help="How far outside the box a background instance must lie for a wall to keep it out "
        "alone, in units of the spread of a feature. More keeps more walls.",
    )
    aggregate: str = AGGREGATE
    state = ("low_", "high_", "mean_", "scale_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the walls. Raises MissingLabels without a positive and a negative bag."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags, watch)
        used = thinned(X, training.bags, _LARGEST_BAG)
        self.notes_ += thinned_note(training.bags, _LARGEST_BAG, "take part")
        self.mean_, self.scale_ = z_score(X[renumbered(training.bags)[0]])
        A = (X - self.mean_) / self.scale_
        targets = used.take(np.flatnonzero(used.labels > 0))
        N = A[np.unique(used.members[used.labels[used.bag_of_member] < 0])]
        watch.step(0.0, "Box")
        kept = self._kept(A[targets.members], targets.bag_of_member, N, Portion(watch, 0.0, 0.8))
        inside = A[targets.members[kept]]
        watch.step(0.8, "Walls")
        self.low_, self.high_ = walls(inside.min(axis=0), inside.max(axis=0), N, self.margin)
        self.score_ = self._instance_scores(X, watch)
        top = bag_max(self.score_, training.bags)[training.bags.labels < 0]
        if (top > 0).mean() > _REACHED:
            reached = how_many(int((top > 0).sum()), "negative training bag")
            self.notes_.append(f"The box reaches into {reached} of {len(top)}: it says little.")
        return self

    def _kept(
        self, P: NDArray, owner: NDArray[np.int64], N: NDArray, watch: Monitor
    ) -> NDArray[np.bool_]:
        """Which instances of positive bags the box is around, (M,)."""
        return np.ones(len(P), bool)

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        has = np.flatnonzero(np.isfinite(self.low_) | np.isfinite(self.high_))
        box = Box(np.empty(0, np.int64), has, self.low_[has], self.high_[has])
        return box.score((X - self.mean_) / self.scale_)


class OutsideInAPR(StandardAPR):
    """An instance is a target inside a box that was made smaller until no background is left in it.

    It begins as `StandardAPR`. Then walls move in, past one background instance after the other,
    each time the one for which the fewest instances of positive bags are lost, but never past the
    last instance of a bag (`shrunk`). What follows is as there.

    Attributes
    ----------
    Those of `StandardAPR`.

    Notes
    -----
    Dietterich, Lathrop and Lozano-Perez 1997, "GFS elim-count APR"; Karem 2019, section 2.2.1,
    calls it outside-in. Ours: as of `StandardAPR`, and of walls that lose equally many the one that
    gets rid of most background moves. Background that lies among the last instances of all bags
    stays inside. O(D (M log M + N- log N-)), and at most N- rounds.
    """

    state = StandardAPR.state

    def _kept(
        self, P: NDArray, owner: NDArray[np.int64], N: NDArray, watch: Monitor
    ) -> NDArray[np.bool_]:
        return shrunk(P, owner, N, watch)


def walls(
    low: NDArray, high: NDArray, N: NDArray, margin: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The walls (D,), (D,) of the box low to high that keep background N (n, D) out, moved out;
    infinite where there is none. All of them where no background is out."""
    d = len(low)
    never = np.full(d, np.inf)
    both = np.hstack([N, N])
    kept = discriminating(both, np.concatenate([low, -never]), np.concatenate([never, high]),
                          margin)
    out = np.hstack([low - N, N - high])
    nearest = np.where(out > 0, out, np.inf).min(axis=0, initial=np.inf)
    far = np.minimum(nearest / 2, margin)
    stays = np.isin(np.arange(2 * d), kept)
    return (np.where(stays[:d], low - far[:d], -np.inf),
            np.where(stays[d:], high + far[d:], np.inf))
