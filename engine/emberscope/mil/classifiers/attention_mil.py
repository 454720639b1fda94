"""Attention MIL: a small network decides which members of a bag count, and what they say."""

from collections.abc import Iterator
from typing import ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.folds import grouped_folds
from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import RANDOM_STATE, param
from emberscope.base.segments import segment_reduce
from emberscope.metric.network import Adam
from emberscope.mil.attention_network import NAMES, AttentionNetwork, Bundle, softmax_in_bags
from emberscope.mil.classifier import best_threshold
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.scaling import STANDARDIZE, centered
from emberscope.neighbors.threads import one_blas_thread

_FOLDS = 5
_BATCH = 8  # bags
_ATTENTION = 64  # units
_DECAY = 1e-3
_PATIENCE = 40  # epochs without a lower loss of the bags held back
_UNHELD = 60  # epochs at most where no bag can be held back
_INPUTS_DROPPED = 0.2
_ROWS = 1 << 14  # instances scored at a time


class Lesson(NamedTuple):
    """What one network learns from. learned : numbers of bags. held : of those that say when to
    stop; empty where there are too few bags."""

    learned: NDArray[np.int64]
    held: NDArray[np.int64]


class AttentionMIL(ChoosesFeatures):
    """A bag scores as the mean of its members' votes, weighted by the attention each draws.

    Several networks are trained, each stopped by a fifth of the bags that it does not learn from,
    and their scores averaged. Maximizes sum_k v_k log sigmoid(L_k f_k), L in {-1, +1}, v_k such
    that both labels weigh the same.

    Attributes
    ----------
    score_ : (N,) float64, the witness score: mean over the networks of attention before the softmax
        plus log sigmoid of what a bag of the instance alone would score, less `cut_`.
    cut_ : float, so that the best instance of a bag tells most training bags right, judged by the
        network that did not learn from the bag.
    epochs_ : (n_networks,) int64, the epoch that each network was taken from; -1 the last one.
    mean_, scale_ : (D,), of the training instances. hidden_ (n_networks, D, H), look_, gate_
        (n_networks, H, 64), attend_, vote_ and the biases : of the networks.

    Notes
    -----
    Ilse, Tomczak and Welling 2018, with features in place of images. Ours, unlike the paper:
    several networks stopped by held-out bags, a fifth of the inputs and half of the hidden features
    left out at random in training, batches of 8 bags, weight decay 1e-3. Bags of one group, those
    of one block of frames, are held back together. Attention alone is no score: a softmax does not
    change where one number is added to all members of a bag, and of a bag of one it says nothing.
    Trained in single precision with one thread of BLAS, so that the same seed gives the same
    scores. O(n_networks epochs N H (D + 128)); D H numbers per network.
    """

    gated: bool = param(
        True, group="Network", title="Gated attention",
        help="Let one branch of the attention switch the other on and off; off: only one branch.",
    )
    n_hidden: int = param(
        128, low=1, high=4096, group="Network", title="Hidden features", advanced=True,
        help="Features that the network makes of those of an instance.",
    )
    dropout: float = param(
        0.5, low=0, high=0.95, group="Network", title="Dropout", advanced=True,
        help="Share of the hidden features left out at random at each step; with few bags more "
        "of it misleads less.",
    )
    n_networks: int = param(
        5, low=1, high=100, group="Computation", title="Networks",
        help="Networks whose scores are averaged; each is stopped by other bags.",
    )
    n_epochs: int = param(
        300, low=1, high=10_000, group="Computation", title="Epochs",
        help="Passes over the bags at most; bags held back end them earlier.",
    )
    learning_rate: float = param(
        2e-3, low=0, open_low=True, high=1, group="Computation", advanced=True,
        title="Learning rate", help="Step size of Adam.",
    )
    balance: bool = param(
        True, group="Bags", title="Balance labels", advanced=True,
        help="Positive and negative bags weigh the same in sum; off: every bag weighs the same.",
    )
    standardize: bool = STANDARDIZE
    random_state: int = RANDOM_STATE
    state = ("mean_", "scale_", "cut_", "epochs_", *(f"{name}_" for name in NAMES))
    space: ClassVar[Literal["instance", "bag", "embedded"]] = "embedded"

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Train. Raises MissingLabels without a positive and a negative bag."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags, monitor)
        bags = training.bags
        self.mean_, self.scale_ = centered(X[np.unique(bags.members)],
                                           standardize=self.standardize)
        T = self._scaled(X, np.float32)
        lessons, parts = self._lessons(bags), []
        with one_blas_thread():
            for k, lesson in enumerate(lessons):
                part = Portion(watch, 0.95 * k / len(lessons), 0.95 * (k + 1) / len(lessons))
                parts.append(self._train(T, bags, lesson, k, part))
            networks = [network for network, _ in parts]
            for name in NAMES:
                setattr(self, f"{name}_",
                        np.stack([network.weights[name] for network in networks]).astype(float))
            self.epochs_ = np.array([epoch for _, epoch in parts], np.int64)
            self._calibrate(X, bags, lessons)
            self.score_ = self._instance_scores(X, Portion(watch, 0.95, 1.0))
        return self

    def _lessons(self, bags: Bags) -> list[Lesson]:
        """Which bags each network learns from; of every fold both parts have bags of both
        labels, else all bags are learned from."""
        groups = np.arange(len(bags)) if bags.groups is None else bags.groups
        n_folds = min(_FOLDS, *(len(np.unique(groups[bags.labels == sign])) for sign in (-1, 1)))
        everyone = Lesson(np.arange(len(bags)), np.empty(0, np.int64))
        if n_folds < 2:
            self.notes_.append("Too few bags to hold some back: nothing says when to stop.")
            return [everyone] * self.n_networks
        fold = grouped_folds(groups, bags.labels, n_folds=n_folds, seed=self.random_state)
        out = []
        for k in range(self.n_networks):
            mine = fold == k % n_folds
            parts = Lesson(np.flatnonzero(~mine), np.flatnonzero(mine))
            both = all(len(np.unique(bags.labels[part])) == 2 for part in parts)
            out.append(parts if both else everyone)
        return out

    def _train(
        self, T: NDArray, bags: Bags, lesson: Lesson, number: int, watch: Monitor
    ) -> tuple[AttentionNetwork, int]:
        """A network, as it was at the epoch of lowest loss of the bags held back, and that
        epoch."""
        rng = np.random.default_rng([self.random_state, number])
        network = AttentionNetwork.drawn(T.shape[1], self.n_hidden, _ATTENTION, gated=self.gated,
                                         rng=rng)
        adam = Adam(network, rate=self.learning_rate, decay=_DECAY)
        weight = self._weights(bags, lesson.learned)
        held = bundle(T, bags, lesson.held) if len(lesson.held) else None
        n_epochs = self.n_epochs if held else min(self.n_epochs, _UNHELD)
        best, least, kept = -1, np.inf, network
        for epoch in range(n_epochs):
            share = epoch / n_epochs
            for some in _batches(lesson.learned, rng):
                watch.step(share, f"Network {number + 1} of {self.n_networks}, epoch {epoch + 1}")
                self._step(network, adam, bundle(T, bags, some), bags.labels[some] * 1.0,
                           weight[some], rng)
            if held is None:
                continue
            of_held = self._weights(bags, lesson.held)[lesson.held]
            loss = logistic_loss(network.forward(held)[0], bags.labels[lesson.held], of_held)
            if loss < least - 1e-4:
                best, least, kept = epoch, loss, network.copy()
            elif epoch - best >= _PATIENCE:
                break
        return kept, best

    def _step(
        self, network: AttentionNetwork, adam: Adam, some: Bundle, labels: NDArray,
        weight: NDArray, rng: np.random.Generator
    ) -> None:
        """One step of Adam on a batch of bags, labels (B,) in {-1, +1}."""
        left = rng.random(some.T.shape[1], np.float32) >= _INPUTS_DROPPED
        some = some._replace(T=some.T * (left / np.float32(1 - _INPUTS_DROPPED)))
        keep = None
        if self.dropout:
            drawn = rng.random((len(some.T), self.n_hidden), np.float32) >= self.dropout
            keep = drawn / np.float32(1 - self.dropout)
        f, seen = network.forward(some, keep)
        slope = -weight * labels * np.exp(-np.logaddexp(0, labels * f)) / len(f)
        adam.step(network, network.backward(slope.astype(np.float32), some, seen, keep))

    def _weights(self, bags: Bags, some: NDArray[np.int64]) -> NDArray[np.float64]:
        """(K,) of mean 1 over `some`, and there, by `balance`, as large for either label."""
        out = np.ones(len(bags))
        if self.balance:
            for sign in (-1, 1):
                out[bags.labels == sign] = len(some) / max(
                    2 * int((bags.labels[some] == sign).sum()), 1)
        return out

    def _calibrate(self, X: NDArray, bags: Bags, lessons: list[Lesson]) -> None:
        """`cut_`: each bag judged by networks that did not learn from it; where there is none by
        all of them."""
        rows, place = np.unique(bags.members, return_inverse=True)
        own = bags.sharing(bags.indptr, place.reshape(-1).astype(np.int64), np.arange(len(bags)))
        unseen = np.zeros((len(lessons), len(bags)), bool)
        for k, lesson in enumerate(lessons):
            unseen[k, lesson.held] = True
        unseen[:, ~unseen.any(axis=0)] = True
        T, score = self._scaled(X[rows], np.float64), np.zeros(len(bags))
        for network, judges in zip(self._networks(), unseen, strict=True):
            best = bag_max(_witness(*_attention_and_vote(network, T, None)), own)
            score += judges * best / unseen.sum(axis=0)
        self.cut_ = best_threshold(bags.labels, score)

    def _networks(self) -> Iterator[AttentionNetwork]:
        for k in range(len(self.epochs_)):
            yield AttentionNetwork({name: getattr(self, f"{name}_")[k] for name in NAMES})

    def _scaled(self, X: NDArray, dtype: type) -> NDArray:
        return ((X - self.mean_) / self.scale_).astype(dtype)

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        T, out = self._scaled(X, np.float64), np.full(len(X), -self.cut_)
        for network in self._networks():
            out += _witness(*_attention_and_vote(network, T, monitor)) / len(self.epochs_)
        return out

    def _bag_scores(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        T, out = self._scaled(X, np.float64), np.zeros(len(bags))
        for network in self._networks():
            out += _voted(*_attention_and_vote(network, T, monitor), bags) / len(self.epochs_)
        return out


def bundle(T: NDArray, bags: Bags, numbers: NDArray[np.int64]) -> Bundle:
    """The bags of these numbers, none empty, as a network reads them. T : (N, D)."""
    sizes = bags.sizes[numbers]
    starts = np.cumsum(sizes) - sizes
    at = np.repeat(bags.indptr[numbers] - starts, sizes) + np.arange(sizes.sum())
    return Bundle(T[bags.members[at]], starts, sizes)


def logistic_loss(f: NDArray, labels: NDArray, weight: NDArray) -> float:
    """Weighted mean of log(1 + exp(-L f)). f, weight : (K,). labels : (K,) in {-1, +1}."""
    return float(weight @ np.logaddexp(0, -labels * f) / weight.sum())


def _batches(numbers: NDArray[np.int64], rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    order = rng.permutation(numbers)
    for start in range(0, len(order), _BATCH):
        yield order[start : start + _BATCH]


def _attention_and_vote(
    network: AttentionNetwork, T: NDArray, monitor: Monitor | None
) -> tuple[NDArray, NDArray]:
    """Attention before the softmax (N,), and the score of a bag of each instance alone (N,)."""
    e, o = np.empty(len(T)), np.empty(len(T))
    for rows in slices(len(T), _ROWS, monitor, "Scores"):
        seen = network.members(T[rows])
        e[rows], o[rows] = seen.e, seen.o + network.weights["bias"][0]
    return e, o


def _witness(e: NDArray, o: NDArray) -> NDArray:
    return e - np.logaddexp(0, -o)


def _voted(e: NDArray, o: NDArray, bags: Bags) -> NDArray[np.float64]:
    """Scores (K,) of bags; NaN of an empty one."""
    starts = bags.indptr[:-1]
    a = softmax_in_bags(e[bags.members], starts, bags.sizes)
    f = segment_reduce(np.add, a * o[bags.members], starts)
    return np.where(bags.sizes > 0, f, np.nan)
