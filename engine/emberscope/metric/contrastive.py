"""Contrastive map: pairs that are alike are drawn together,
different ones pushed a margin apart."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.param import param
from emberscope.metric.known_kinds import Draw
from emberscope.metric.losses import contrastive_loss
from emberscope.metric.pairs import Pairs
from emberscope.metric.trained import BATCH, Trained, Twins, marked_count


class Contrastive(Trained[NDArray[np.bool_]]):
    """Train a map in which instances of one kind lie together and others a margin apart.

    It uses the labels: how well the training instances separate in its embedding says nothing.
    Judge it by `held_out_knn_`, or `pair_agreement_` where bags or pairs are all that is known.

    Attributes
    ----------
    See `Trained`.

    Notes
    -----
    Hadsell, Chopra and LeCun 2006: |z_i - z_j|^power for alike pairs,
    max(0, margin - |z_i - z_j|)^power for others. Of bags, all members of negative ones are alike.
    A positive bag gives one instance at a time, its most unusual member against the background,
    drawn as often as that is unlikely by chance: two random members of positive bags are never
    alike. `side` adds marked pairs: one of weight 1 is drawn five times as often as a known
    instance, as pairs that follow from bags weigh 0.2, and both kinds as often. Batches hold each
    kind as often. Inputs are the first 50 principal components, a quarter of the instances at most;
    Adam. 2/3 of the time goes into fits that hold instances back, whole bags together. New
    instances by the map. O(epochs N).
    """

    power: int = param(
        2, choices=(1, 2), group="Supervision", advanced=True,
        help="Power of distances in the loss; 2 is that of the paper, 1 cares less about outliers.",
    )

    def _batch(
        self, draw: Draw, pairs: Pairs | None, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        rows, same = np.empty((0, 2), np.int64), np.empty(0, bool)
        if draw.several:
            at = draw.take(BATCH, rng).reshape(-1, 2)
            rows, same = draw.rows[at], draw.kind[at[:, 0]] == draw.kind[at[:, 1]]
            rows, same = rows[rows[:, 0] != rows[:, 1]], same[rows[:, 0] != rows[:, 1]]
        if pairs is not None and len(pairs):
            some = drawn_pairs(pairs, marked_count(draw, pairs, BATCH // 2), rng)
            rows, same = (
                np.concatenate([rows, pairs.rows[some]]), np.concatenate([same, pairs.same[some]])
            )
        return rows.ravel(), same

    def _loss(
        self, Z: NDArray, relation: NDArray[np.bool_], rng: np.random.Generator
    ) -> tuple[float, NDArray]:
        two = np.arange(len(Z)).reshape(-1, 2)
        return contrastive_loss(Z, two, relation, margin=self.margin, power=self.power)


class Siamese(Twins[NDArray[np.bool_]], Contrastive):
    """Train twins on pairs: those alike come together, those that differ stay a margin apart.

    It uses the labels: how well the training instances separate in its embedding says nothing.
    Judge it by `pair_agreement_`, or by `held_out_knn_` where labels are given.

    Attributes
    ----------
    See `Trained`.

    Notes
    -----
    Bromley, Guyon, LeCun, Säckinger and Shah 1993, with the loss of Hadsell, Chopra and LeCun 2006.
    Pairs, inputs, held-out fits and new instances as of `Contrastive`. Ours: layers of 128 and 64
    units, and inputs with noise and without some, so that few labels are not learned by heart (Chen
    et al. 2020 vary images for that). O(epochs N).
    """


def drawn_pairs(pairs: Pairs, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Numbers (count,) of pairs, alike and different ones as likely, within a kind by weight."""
    total = np.bincount(pairs.same.astype(np.int64), pairs.weight, minlength=2)
    chance = pairs.weight / total[pairs.same.astype(np.int64)]
    return rng.choice(len(pairs), count, p=chance / chance.sum())
