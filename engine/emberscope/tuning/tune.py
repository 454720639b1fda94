"""Tune a residual network on bag labels: chips and bags in, weights out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import bag_groups, grouped_folds
from emberscope.bags.model import Bags
from emberscope.base.errors import MissingLabels
from emberscope.base.monitor import Monitor, monitored
from emberscope.project.model.tuned_network import Tuning
from emberscope.tuning import heads
from emberscope.tuning.network import Network
from emberscope.tuning.residual import STEM, Weights, drawn

_FOLDS = 5  # one of them is held back and says when to stop
_PATIENCE = 15  # epochs without a lower loss of the bags held back
_UNHELD = 10  # epochs at most where no bag can be held back
_FROM_GIVEN, _FROM_DRAWN = 1e-4, 1e-3  # steps of Adam
_TOGETHER = 128  # chips in a step; of a larger bag so many, others each time


@dataclass(frozen=True, slots=True)
class Tuned:
    """A network, as it was at its best.

    weights : see `residual`. head : see `heads`. mean, std : what is subtracted from chips, and
    what they are divided by. epoch : the one it was taken from, from 0. loss : of the bags held
    back, the mean of log(1 + exp(-label log odds)), NaN where none were. held : (K,) bool, which.
    """

    weights: Weights
    head: Weights
    mean: float
    std: float
    epoch: int
    loss: float
    held: NDArray[np.bool_]

    def network(self) -> Network:
        """It, ready to describe chips."""
        return Network(self.weights, self.head, mean=self.mean, std=self.std)


def tune(
    chips: NDArray[np.float32], bags: Bags, settings: Tuning, *, start: Weights | None = None,
    reached: Callable[[Tuned], None] | None = None, monitor: Monitor | None = None,
) -> Tuned:
    """Fit a ResNet-18 and a head to the labels of bags, end to end.

    Parameters
    ----------
    chips : (N, side, side) float32, 0 to 1.
    bags : of rows of chips; those without a label or a member teach nothing.
    start : weights to begin with, else they are drawn. Their normalizations keep the mean and the
        variance that they have: a handful of bags would spoil them.
    reached : called with each network that is better than those before.

    Raises
    ------
    MissingLabels without a positive and a negative bag; ParamError without torch; Cancelled.

    Notes
    -----
    He, Zhang, Ren and Sun 2016; the heads: `heads.log_odds`. Bags of both labels weigh the same.
    Ours: a fifth of the bags, whole groups, is held back; the network is that of their lowest loss,
    and 15 epochs without a lower one are the last. Chips are mirrored at random. The same seed
    gives the same weights on the same processor, without a graphics card. O(epochs N side²); holds
    what the layers make of 128 chips.
    """
    watch, rng = monitored(monitor), np.random.default_rng(settings.seed)
    known = np.flatnonzero((bags.labels != 0) & (bags.sizes > 0))
    for sign, name in ((1, "positive"), (-1, "negative")):
        if not (bags.labels[known] == sign).any():
            raise MissingLabels(f"there is no {name} bag to tune a network on",
                                hint="Label targets and background on the side that teaches.")
    held = _held_back(bags, known, len(chips), settings.seed)
    learned = np.setdiff1d(known, held)
    weights = drawn(settings.width, 1, rng) if start is None else start
    head = heads.drawn(settings.head, 8 * len(weights[STEM.weight]), rng)
    seen = chips[np.unique(bags.take(learned).members)]
    mean, std = float(seen.mean(dtype=float)), float(seen.std(dtype=float)) or 1.0
    network = Network(weights, head, mean=mean, std=std, moves=start is None)
    rate = settings.rate or (_FROM_DRAWN if start is None else _FROM_GIVEN)
    n_epochs = settings.epochs if len(held) else min(settings.epochs, _UNHELD)
    best: Tuned | None = None
    for epoch in range(n_epochs):
        for some, done in _batches(bags, learned, rng):
            watch.step((epoch + done) / n_epochs, f"Epoch {epoch + 1} of {n_epochs}")
            drawn_chips = [_mirrored(chips[_some(bags.of(k), rng)], rng) for k in some]
            network.step(drawn_chips, bags.labels[some], _weights(bags, learned)[some],
                         rate)
        loss = _loss(network, chips, bags, held)
        if best is None or not len(held) or loss < best.loss:
            best = Tuned(*network.arrays(), mean, std, epoch, loss,
                         np.isin(np.arange(len(bags)), held))
            if reached is not None:
                reached(best)
        elif epoch - best.epoch >= _PATIENCE:
            break
    assert best is not None
    return best


def bag_log_odds(
    network: Network, chips: NDArray[np.float32], bags: Bags, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """(K,) of bags of rows of chips; NaN of an empty one."""
    rows, place = np.unique(bags.members, return_inverse=True)
    inner = network.describe(chips[rows], monitor)
    return network.log_odds(inner, np.split(place, bags.indptr[1:-1]))


def _held_back(bags: Bags, known: NDArray, n: int, seed: int) -> NDArray[np.int64]:
    """Numbers of bags that say when to stop; none where a side would have one label alone."""
    groups, labels = bag_groups(bags, n)[known], bags.labels[known]
    n_folds = min(_FOLDS, *(len(np.unique(groups[labels == sign])) for sign in (-1, 1)))
    if n_folds < 2:
        return known[:0]
    mine = grouped_folds(groups, labels, n_folds=n_folds, seed=seed) == 0
    both = all(len(np.unique(labels[part])) == 2 for part in (mine, ~mine))
    return known[mine] if both else known[:0]


def _loss(
    network: Network, chips: NDArray[np.float32], bags: Bags, held: NDArray[np.int64]
) -> float:
    if not len(held):
        return float("nan")
    some = bags.take(held)
    f, weight = bag_log_odds(network, chips, some), _weights(bags, held)[held]
    return float(weight @ np.logaddexp(0, -some.labels * f) / weight.sum())


def _weights(bags: Bags, some: NDArray[np.int64]) -> NDArray[np.float64]:
    """(K,) of mean 1 over `some`, and there as large in sum for either label."""
    out = np.ones(len(bags))
    for sign in (-1, 1):
        out[bags.labels == sign] = len(some) / max(2 * int((bags.labels[some] == sign).sum()), 1)
    return out


def _batches(
    bags: Bags, learned: NDArray[np.int64], rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.int64], float]]:
    """All bags in a random order, as many at a time as 128 chips make; and what share is done."""
    order = rng.permutation(learned)
    size = np.minimum(bags.sizes[order], _TOGETHER)
    start = 0
    while start < len(order):
        stop = start + max(int(np.searchsorted(np.cumsum(size[start:]), _TOGETHER, "right")), 1)
        yield order[start:stop], start / len(order)
        start = stop


def _some(members: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    few = len(members) > _TOGETHER
    return rng.choice(members, _TOGETHER, replace=False) if few else members


def _mirrored(chips: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Each chip as it is, or left for right."""
    turned = rng.random(len(chips)) < 0.5
    return np.where(turned[:, None, None], chips[:, :, ::-1], chips)
