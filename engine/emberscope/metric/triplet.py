"""Triplet map: each instance nearer to its own kind than to others, by a margin."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import MissingLabels
from emberscope.base.param import param
from emberscope.metric.known_kinds import Draw
from emberscope.metric.losses import mined, triplet_loss
from emberscope.metric.pairs import Pairs
from emberscope.metric.trained import BATCH, Trained, Twins, marked_count

_MOST = 64  # triplets of marked pairs in a batch

# kinds (B,) and rows (B,) of the instances to mine
Mined = tuple[NDArray[np.int64], NDArray[np.int64]]


class Triplet(Trained[Mined]):
    """Train a map in which each instance (anchor) is nearer to one of its kind (positive) than to a
    negative.

    It uses the labels: how well the training instances separate in its embedding says nothing.
    Judge it by `held_out_knn_`, or `pair_agreement_` where bags or pairs are all that is known.

    Attributes
    ----------
    See `Trained`.

    Notes
    -----
    Schroff, Kalenichenko and Philbin 2015; Hermans, Beyer and Leibe 2017. The loss is max(0,
    |z_a - z_p| - |z_a - z_n| + margin) over triplets mined in batches of 128: "easy" takes any,
    "semi-hard" the nearest negative beyond the positive, "hard" the farthest positive and the
    nearest negative. Which instances are of one kind: see `Contrastive`. Marked pairs of `side`
    make triplets where an instance is in a pair that is alike and in one that differs, drawn by the
    weights of both and as often as there. Inputs, steps, held-out fits and new instances as there.
    O(epochs N 128).
    """

    mining: str = param(
        "semi-hard", choices=("easy", "semi-hard", "hard"), group="Supervision",
        help="Which triplets of a batch are learned from: any, those nearly right, or the worst, "
        "which wrong labels mislead.",
    )

    def _batch(
        self, draw: Draw, pairs: Pairs | None, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], Mined]:
        """Draw rows to mine, with their kinds (B,),
        and behind them three rows of each marked triplet."""
        rows, kind = np.empty(0, np.int64), np.empty(0, np.int64)
        if draw.several:
            at = draw.take(BATCH, rng)
            rows, kind = draw.rows[at], draw.kind[at]
        marked = np.empty((0, 3), np.int64)
        if pairs is not None:
            marked = marked_triplets(pairs, marked_count(draw, pairs, _MOST), rng)
        if not len(rows) and not len(marked):
            raise MissingLabels("no instance is in a pair that is alike and in one that differs",
                                hint="Mark a third chip as different from one of two that are "
                                     "alike.")
        return np.concatenate([rows, marked.ravel()]), (kind, rows)

    def _loss(self, Z: NDArray, relation: Mined, rng: np.random.Generator) -> tuple[float, NDArray]:
        kind, rows = relation
        m = len(kind)
        found = mined(Z[:m], kind, rows, margin=self.margin, mining=self.mining, rng=rng)
        marked = np.arange(m, len(Z)).reshape(-1, 3)
        return triplet_loss(Z, np.concatenate([found, marked]), margin=self.margin)


class SiameseTriplet(Twins[Mined], Triplet):
    """Train triplets of one network: an instance comes nearer to its kind than to others, by a
    margin.

    It uses the labels: how well the training instances separate in its embedding says nothing.
    Judge it by `pair_agreement_`, or by `held_out_knn_` where labels are given.

    Attributes
    ----------
    See `Trained`.

    Notes
    -----
    Hoffer and Ailon 2015, with the loss and the mining of Schroff, Kalenichenko and Philbin 2015.
    Triplets as of `Triplet`, network and varied inputs as of `Siamese`. O(epochs N 128).
    """


def marked_triplets(pairs: Pairs, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Rows (T, 3) of at most `count` anchors with one they are like and one they differ from,
    drawn by weight."""
    a, p, like = _both_ways(pairs.take(pairs.same))
    other, n, unlike = _both_ways(pairs.take(~pairs.same))
    order = np.argsort(other, kind="stable")
    low, high = np.searchsorted(other[order], a), np.searchsorted(other[order], a, side="right")
    usable = np.flatnonzero(high > low)
    if not len(usable):
        return np.empty((0, 3), np.int64)
    some = rng.choice(usable, min(count, len(usable)), replace=False,
                      p=like[usable] / like[usable].sum())
    up_to = np.append(0.0, np.cumsum(unlike[order]))
    at = up_to[low[some]] + rng.random(len(some)) * (up_to[high[some]] - up_to[low[some]])
    chosen = np.clip(np.searchsorted(up_to, at, side="right") - 1, low[some], high[some] - 1)
    return np.stack([a[some], p[some], n[order[chosen]]], axis=1)


def _both_ways(pairs: Pairs) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The ones (2 P,), the others (2 P,) and weights (2 P,) of pairs read from each end."""
    one, other = np.concatenate([pairs.rows, pairs.rows[:, ::-1]]).T
    return one, other, np.tile(pairs.weight, 2)
