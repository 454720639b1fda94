"""Triplet map: each instance nearer to its own kind than to others, by a margin."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import MissingLabels
from emberscope.base.param import Param
from emberscope.metric.known import Draw
from emberscope.metric.losses import mined, triplet_loss
from emberscope.metric.pairs import Pairs
from emberscope.metric.trained import BATCH, SHARED, Trained

_MOST = 64  # triplets of marked pairs in a batch


class Triplet(Trained):
    """Train a map in which each instance (anchor) is nearer to one of its kind (positive) than to a negative.

    It uses the labels: how well the training instances separate in its embedding says nothing. Judge it by
    `pair_agreement_`.

    Attributes
    ----------
    See `Trained`.

    Notes
    -----
    Schroff, Kalenichenko and Philbin 2015; Hermans, Beyer and Leibe 2017. The loss is max(0, |z_a - z_p| - |z_a - z_n|
    + margin) over triplets mined in batches of 128: "easy" takes any, "semi-hard" the nearest negative beyond the
    positive, "hard" the farthest positive and the nearest negative. Which instances are of one kind: see `Contrastive`.
    Marked pairs of `side` make triplets where an instance is in a pair that is alike and in one that differs. Inputs,
    steps, held-out fits and new instances as there. O(epochs N 128).
    """

    params = (
        *SHARED,
        Param("mining", "str", "semi-hard", choices=("easy", "semi-hard", "hard"), group="Supervision",
              help="Which triplets of a batch are learned from: any, those nearly right, or the worst, which wrong "
              "labels mislead."),
    )

    def __init__(
        self, *, n_components: int = 2, map: str = "hidden", margin: float = 1.0, n_epochs: int = 50,
        learning_rate: float = 3e-3, random_state: int = 0, mining: str = "semi-hard",
    ) -> None:
        self.n_components = n_components
        self.map = map
        self.margin = margin
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.mining = mining

    def _batch(self, draw: Draw, pairs: Pairs | None, rng: np.random.Generator) -> tuple[NDArray[np.int64], Any]:
        """Rows, and the kinds of those to mine, (B,), followed by three rows of each marked triplet."""
        rows, kind = np.empty(0, np.int64), np.empty(0, np.int64)
        if draw.several:
            at = draw.take(BATCH, rng)
            rows, kind = draw.rows[at], draw.kind[at]
        marked = np.empty((0, 3), np.int64) if pairs is None else marked_triplets(pairs, _MOST, rng)
        if not len(rows) and not len(marked):
            raise MissingLabels("no instance is in a pair that is alike and in one that differs",
                                hint="Mark a third chip as different from one of two that are alike.")
        return np.concatenate([rows, marked.ravel()]), (kind, rows)

    def _loss(self, Z: NDArray, relation: Any, rng: np.random.Generator) -> tuple[float, NDArray]:
        kind, rows = relation
        m = len(kind)
        found = mined(Z[:m], kind, rows, margin=self.margin, mining=self.mining, rng=rng)
        marked = np.arange(m, len(Z)).reshape(-1, 3)
        return triplet_loss(Z, np.concatenate([found, marked]), margin=self.margin)


def marked_triplets(pairs: Pairs, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Rows (T, 3) of at most `count` anchors with one they are like and one they differ from, drawn by `rng`."""
    alike = pairs.rows[pairs.same]
    apart = pairs.rows[~pairs.same]
    a, p = np.concatenate([alike, alike[:, ::-1]]).T
    other, n = np.concatenate([apart, apart[:, ::-1]]).T
    order = np.argsort(other, kind="stable")
    low, high = np.searchsorted(other[order], a), np.searchsorted(other[order], a, side="right")
    usable = np.flatnonzero(high > low)
    some = rng.choice(usable, min(count, len(usable)), replace=False) if len(usable) else usable
    chosen = order[low[some] + (rng.random(len(some)) * (high - low)[some]).astype(np.int64)]
    return np.stack([a[some], p[some], n[chosen]], axis=1)
