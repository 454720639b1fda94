"""Base of maps trained by gradient on batches of pairs or triplets: linear,
or with one hidden layer."""

from abc import abstractmethod
from dataclasses import replace
from typing import Generic, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.pairs import WEIGHT
from emberscope.base.errors import MissingLabels
from emberscope.base.estimator import check_members
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, RANDOM_STATE, param
from emberscope.labels.side_info import SideInfo
from emberscope.metric.agreement import Agreement, Apart, agreement, held_out_agreement, metric_of
from emberscope.metric.known_kinds import (
    Draw,
    Known,
    agreement_of,
    folds_of,
    judged,
    known_of,
    voted,
    with_witnesses,
)
from emberscope.metric.learned import Learned
from emberscope.metric.network import Adam, Network
from emberscope.metric.pairs import Pairs, read_pairs
from emberscope.metric.scores import mapped, principal_scores
from emberscope.neighbors.threads import one_blas_thread

BATCH = 128
_MOST_INPUTS = 50
_LAYERS: dict[str, tuple[int, ...]] = {"linear": (), "hidden": (64,), "deep": (128, 64)}
_DEEPEST = 3  # layers
_LEAST_STEPS, _MOST_STEPS = 10, 100  # of an epoch
_DECAY = 1e-4
_LOOK_AGAIN = 5  # epochs between two searches for witnesses
_WARM = 0.2  # share of the epochs in which witnesses are sought in the features
_FOLDS = 3

Relation = TypeVar("Relation")  # what the instances of a batch are to each other

def marked_count(draw: Draw, pairs: Pairs, most: int) -> int:
    """How many of the `most` places of a batch go to marked pairs: all where nothing else is known.

    A pair of weight 1 counts as much as five known instances,
    as pairs that follow from bag labels weigh 0.2.
    """
    if not draw.several:
        return most
    marked = pairs.weight.sum() / WEIGHT
    return max(1, round(most * marked / (marked + len(draw.rows))))


class Trained(Learned, Generic[Relation]):
    """Base of maps that see batches of instances known to be alike or different;
    a subclass says what a batch costs.

    Attributes
    ----------
    witnesses_ : (K,) int64, the most unusual member of each positive bag that names no target,
        at the end.
    history_ : (epochs,) mean loss. mean_ (D,), axes_ (D, p) : of the inputs.
        weights_0_, biases_0_, ... : of layers; empty of those that are not there.
    """

    takes_classes = True
    state = (*Learned.state, "mean_", "axes_", "witnesses_", "history_",
             *(f"{what}_{i}_" for i in range(_DEEPEST) for what in ("weights", "biases")))
    n_components: int = replace(N_COMPONENTS, high=64)
    map: str = param(
        "hidden", choices=("linear", "hidden"), group="Network",
        help="Linear turns and stretches; hidden has a layer of 64 units between, which can bend.",
    )
    margin: float = param(
        1.0, low=0, open_low=True, high=1e6, group="Supervision", advanced=True,
        help="By how much different instances shall be farther; it is the scale of the embedding.",
    )
    n_epochs: int = param(
        50, low=1, high=10_000, title="Epochs", group="Computation",
        help="Passes over the known instances.",
    )
    learning_rate: float = param(
        3e-3, low=0, open_low=True, high=1, group="Computation", advanced=True,
        help="Step size of Adam.",
    )
    random_state: int = RANDOM_STATE

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: SideInfo | None = None, monitor: Monitor | None = None,
    ) -> Self:
        """Train on what labels, bags and pairs of `side` say.
        Raises MissingLabels where nothing differs."""
        watch = monitored(monitor)
        informed = side is not None and len(side.pairs) > 0
        X, code, weight = self._validate_weighted(
            X, y, labels="optional" if informed or bags is not None else "required"
        )
        if bags is not None:
            check_members(bags, len(X))
        self._check_rank(X.shape)
        if code is None or weight is None:
            code, weight = np.zeros(len(X), np.int64), np.zeros(len(X))
        known = known_of(code, weight, bags)
        pairs = read_pairs(side, len(X))[0] if informed else None
        if not known.enough and pairs is None:
            raise MissingLabels("labels of two classes are needed",
                                hint="Label some target and some background.")
        watch.step(0.0, "Inputs")
        scores = principal_scores(X, min(_MOST_INPUTS, max(len(X) // 4, self.n_components)))
        T = np.ascontiguousarray(scores.T)
        with one_blas_thread():  # small matrices: more threads wait for each other, and round
            held = self._held_out(T, known, pairs, Portion(watch, 0.0, 0.6))
            network, final, self.history_ = self._train(T, known, pairs, Portion(watch, 0.6, 1.0))
        self.mean_, self.axes_ = scores.mean, scores.axes
        self._keep_network(network, scores.T)
        Z = self._place(X)
        self.witnesses_ = final.rows[len(known.rows) :]
        self.embedding_ = Z.astype(X.dtype)
        if known.enough and not known.bags:
            self._keep_voted(held, len(np.unique(known.kind)))
        else:
            own = self._trained_agreement(Z, final, known, pairs)
            self._keep_agreement(held, own.share, of="instances" if known.enough else "pairs")
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d). Exact."""
        X = self._validate_new(X)
        return self._place(X).astype(X.dtype)

    @abstractmethod
    def _batch(
        self, draw: Draw, pairs: Pairs | None, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], Relation]:
        """Rows (B,) of a batch, and what they are to each other.
        Raises MissingLabels where nothing can be drawn."""

    @abstractmethod
    def _loss(
        self, Z: NDArray, relation: Relation, rng: np.random.Generator
    ) -> tuple[float, NDArray]:
        """The mean loss of a batch with coordinates Z (B, d), and its gradient (B, d)."""

    def _varied(self, T: NDArray, rng: np.random.Generator) -> NDArray:
        """The inputs of a batch (B, p) as the network gets them in training: as they are."""
        return T

    def _train(
        self, T: NDArray, known: Known, pairs: Pairs | None, watch: Monitor
    ) -> tuple[Network, Known, NDArray[np.float64]]:
        """The trained network, who was known at the end, and the loss of each epoch (epochs,)."""
        rng = np.random.default_rng(self.random_state)
        network = self._start(T)
        adam = Adam(network, rate=self.learning_rate, decay=_DECAY)
        size = len(known.rows) + len(known.bags) + (0 if pairs is None else len(pairs))
        steps = int(np.clip(-(-size // BATCH), _LEAST_STEPS, _MOST_STEPS))
        history, draw = np.zeros(self.n_epochs), Draw(known)
        for epoch in range(self.n_epochs):
            watch.step(epoch / self.n_epochs, f"Epoch {epoch + 1}")
            if epoch % _LOOK_AGAIN == 0:
                warm = epoch < _WARM * self.n_epochs
                draw = Draw(with_witnesses(known, T if warm else network.encode(T), rng))
            for _ in range(steps):
                rows, relation = self._batch(draw, pairs, rng)
                values, sums = network.forward(self._varied(T[rows], rng))
                loss, gradient = self._loss(values[-1], relation, rng)
                adam.step(network, network.backward(values, sums, gradient))
                history[epoch] += loss / steps
        return network, with_witnesses(known, network.encode(T), rng), history

    def _start(self, T: NDArray) -> Network:
        """A linear map begins with the first principal components, at the scale of the margin."""
        hidden = _LAYERS[self.map]
        sizes = (T.shape[1], *hidden, self.n_components)
        # In single precision rounding, other on another processor, grows into another map
        network = Network(sizes, len(hidden), linear=False, seed=self.random_state,
                          dtype=np.float64)
        if not hidden:
            network.weights[0] = np.eye(*sizes)
        # root of the mean squared distance
        spread = np.sqrt(2 * network.encode(T).var(axis=0).sum())
        network.weights[-1] *= self.margin / max(float(spread), 1e-6)
        return network

    def _held_out(self, T: NDArray, known: Known, pairs: Pairs | None, watch: Monitor) -> Agreement:
        if not known.enough:
            assert pairs is not None  # fit asked for them
            count = iter(range(10))

            def learn(some: Pairs) -> Apart | None:
                at = next(count) / 5
                try:
                    return metric_of(
                        self._trained_on(T, known, some, Portion(watch, at, at + 0.2))[0]
                    )
                except MissingLabels:  # these pairs make no triplet
                    return None

            return held_out_agreement(pairs, len(T), learn)
        rng = np.random.default_rng(self.random_state)
        fold, parts = folds_of(known, _FOLDS, rng), []
        for k in range(_FOLDS):
            learned, unseen = known.split(fold == k)
            if learned.enough and len(unseen.rows) + len(unseen.bags):
                some = None if pairs is None else pairs.take((fold[pairs.rows] != k).all(axis=1))
                part = Portion(watch, k / _FOLDS, (k + 1) / _FOLDS)
                Z, final = self._trained_on(T, learned, some, part)
                # Of open bags nobody knows which members neighbors should name as targets.
                parts.append(judged(Z, final, unseen, rng) if known.bags
                             else voted(Z, final, unseen))
        return agreement_of(parts)

    def _trained_on(
        self, T: NDArray, known: Known, pairs: Pairs | None, watch: Monitor
    ) -> tuple[NDArray, Known]:
        network, final, _ = self._train(T, known, pairs, watch)
        return network.encode(T), final

    def _trained_agreement(
        self, Z: NDArray, final: Known, known: Known, pairs: Pairs | None
    ) -> Agreement:
        if not known.enough:
            assert pairs is not None
            return agreement(pairs, len(Z), metric_of(Z))
        return agreement_of([judged(Z, final, known, np.random.default_rng(self.random_state))])

    def _keep_network(self, network: Network, T: NDArray) -> None:
        """The network in double precision, its output centered and turned to principal axes."""
        W, b = (np.asarray(part[-1], np.float64) for part in (network.weights, network.biases))
        network.restore([p.astype(np.float64) for p in network.parameters])
        Z = network.encode(T)
        turned = np.linalg.eigh(np.atleast_2d(np.cov(Z.T, bias=True)))[1][:, ::-1]
        W, b = W @ turned, (b - Z.mean(axis=0)) @ turned
        signs = np.where(W[np.abs(W).argmax(axis=0), np.arange(W.shape[1])] < 0, -1.0, 1.0)
        weights, biases = [*network.weights[:-1], W * signs], [*network.biases[:-1], b * signs]
        for i in range(_DEEPEST):
            there = i < len(weights)
            setattr(self, f"weights_{i}_", weights[i] if there else np.empty((0, 0)))
            setattr(self, f"biases_{i}_", biases[i] if there else np.empty(0))

    def _place(self, X: NDArray) -> NDArray[np.float64]:
        depth = len(_LAYERS[self.map]) + 1
        weights, biases = ([getattr(self, f"{what}_{i}_") for i in range(depth)]
                           for what in ("weights", "biases"))
        sizes = (len(weights[0]), *(W.shape[1] for W in weights))
        network = Network(sizes, depth - 1, linear=False, seed=0)
        network.restore([*weights, *biases])
        return network.encode(mapped(X, self.mean_, self.axes_))


class Twins(Trained[Relation]):
    """Base of siamese networks: two hidden layers, and inputs that are varied at random in
    training."""

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
        spread = self.noise * float(np.sqrt(np.square(T).mean()))
        left = rng.random(T.shape, np.float32) >= self.dropout
        out = T + spread * rng.standard_normal(T.shape, np.float32)
        return np.asarray(out * (left / (1 - self.dropout)), T.dtype)
