"""Siamese networks: twins that share their weights, and never see an instance twice alike."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from emberscope.base.param import param
from emberscope.metric.contrastive import Contrastive
from emberscope.metric.trained import Trained
from emberscope.metric.triplet import Triplet

Relation = TypeVar("Relation")


class Twins(Trained[Relation]):
    """Base of both: two hidden layers, and inputs that are varied at random in training."""

    map: str = param(
        "deep", choices=("linear", "hidden", "deep"), group="Network",
        help="Deep has layers of 128 and 64 units, hidden one of 64, linear none: it only turns "
        "and stretches.",
    )
    noise: float = param(
        0.2, low=0, high=10, group="Network",
        help="How much normal noise is added to an instance each time it is seen, in terms of the "
        "spread of the features.",
    )
    dropout: float = param(
        0.1, low=0, high=0.9, group="Network",
        help="Share of its inputs that an instance is seen without, others each time.",
    )

    def _varied(self, T: NDArray, rng: np.random.Generator) -> NDArray:
        """Noise of a share of the root mean square of all inputs, the same for each, so that faint
        ones drown; those kept are enlarged for those left out."""
        spread = np.float32(self.noise * np.sqrt(np.square(T).mean()))
        left = rng.random(T.shape, np.float32) >= self.dropout
        out = T + spread * rng.standard_normal(T.shape, np.float32)
        return np.asarray(out * (left / np.float32(1 - self.dropout)), T.dtype)


class Siamese(Twins[NDArray[np.bool_]], Contrastive):
    """Train twins on pairs: those alike come together, those that differ stay a margin apart.

    It uses the labels: how well the training instances separate in its embedding says nothing.
    Judge it by `pair_agreement_`.

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


class SiameseTriplet(Twins[tuple[NDArray[np.int64], NDArray[np.int64]]], Triplet):
    """Train triplets of one network: an instance comes nearer to its kind than to others, by a
    margin.

    It uses the labels: how well the training instances separate in its embedding says nothing.
    Judge it by `pair_agreement_`.

    Attributes
    ----------
    See `Trained`.

    Notes
    -----
    Hoffer and Ailon 2015, with the loss and the mining of Schroff, Kalenichenko and Philbin 2015.
    Triplets as of `Triplet`, network and varied inputs as of `Siamese`. O(epochs N 128).
    """
