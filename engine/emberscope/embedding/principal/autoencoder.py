"""Autoencoder: squeeze the features through a few numbers and get them back."""

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, RANDOM_STATE, param
from emberscope.embedding.linear.linear import read_coordinates
from emberscope.embedding.linear.pca import principal_axes
from emberscope.embedding.novelty import KeepsKnown
from emberscope.metric.network import Adam, Network
from emberscope.neighbors.duplicates import distinct_rows
from emberscope.neighbors.graph import knn
from emberscope.neighbors.spectral import fix_signs

_HIDDEN = (128, 64)
_MOST_INPUTS = 50  # principal components that the network sees
_BATCH = 256
_PATIENCE = 10  # epochs without a better reconstruction of what was held back


class Autoencoder(KeepsKnown):
    """A network with a narrow middle that learns to give back what it was given;
    the middle is the embedding.

    Attributes
    ----------
    distance_ : (N,) reconstruction error of each training instance, units of X:
        large = unlike the others.
    history_ : (epochs, 2) mean squared error on the training and the held-back instances,
        in standardized units.
    weights_0_, biases_0_, ... : of the layers.
        mean_ (D,), axes_ (D, p), scale_ (p,) : of the inputs.

    Notes
    -----
    Kramer 1991; Hinton and Salakhutdinov 2006. Inputs are the first 50 principal components at
    most, scaled together; layers p-128-64-d-64-128-p, SELU, linear middle and end; Adam, batches of
    256, noise on the inputs, the best epoch on a tenth of the instances held back (whole bags where
    there are bags) is kept. `isometry` adds (|z_i - z_j| - |x_i - x_j|)² over neighbors to the
    loss, which gives the embedding units of X; it helps data that lie on a sheet and harms those
    that do not fit on one, so it is off. A linear network spans the principal subspace (one with
    other activations does not). The code is exact for new instances; `inverse_transform` decodes.
    O(N) per epoch.
    """

    n_components: int = replace(N_COMPONENTS, high=64)
    n_epochs: int = param(
        100, low=1, high=10_000, title="Epochs", group="Computation",
        help="Passes over the instances at most; it stops when the held-back ones get no better.",
    )
    isometry: float = param(
        0.0, low=0, high=100, group="Network",
        help="How much the distances to neighbors shall be kept, beside the reconstruction.",
    )
    noise: float = param(
        0.1, low=0, high=2, unit="standard deviations", group="Network", advanced=True,
        help="Noise on the inputs while learning, against learning by heart.",
    )
    activation: str = param(
        "selu", choices=("selu", "linear"), group="Network", advanced=True,
        help="Linear gives the principal subspace.",
    )
    learning_rate: float = param(
        1e-3, low=0, open_low=True, high=1, group="Computation", advanced=True,
        help="Step size of Adam.",
    )
    random_state: int = RANDOM_STATE
    _layers = 2 * (len(_HIDDEN) + 1)
    state = ("mean_", "axes_", "scale_", "signs_", "distance_", "history_", "known_",
             *(f"weights_{i}_" for i in range(6)), *(f"biases_{i}_" for i in range(6)))  # fmt: skip

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Train the network; labels are ignored, bags are held back whole."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        watch.step(0.0, "Inputs")
        self._keep(X)
        self._prepare(X)
        inputs = np.ascontiguousarray(self._inputs(X), np.float32)
        network = self._network(inputs.shape[1])
        held = held_back(len(X), bags, seed=self.random_state)
        pairs = self._pairs(inputs, Portion(watch, 0.0, 0.1))
        self._train(network, inputs, held, pairs, X.dtype, Portion(watch, 0.1, 0.95))
        for i, (W, b) in enumerate(zip(network.weights, network.biases)):
            setattr(self, f"weights_{i}_", W)
            setattr(self, f"biases_{i}_", b)
        network, inputs = self._fitted(), self._inputs(X)
        code = network.encode(inputs)
        self.signs_ = np.where((fix_signs(code) * code).sum(axis=0) < 0, -1.0, 1.0)
        self.distance_ = np.linalg.norm(X - self._features(network.decode(code)), axis=1)
        self.embedding_ = (code * self.signs_ * self.scale_).astype(X.dtype)
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """The code of new instances, (M, D) -> (M, d). Exact."""
        X = self._validate_new(X)
        return (self._fitted().encode(self._inputs(X)) * self.signs_ * self.scale_).astype(X.dtype)

    def inverse_transform(self, Z: ArrayLike) -> NDArray:
        """Features at places of the map, (M, d) -> (M, D)."""
        code = read_coordinates(Z, self.embedding_.shape[1]) / self.scale_ * self.signs_
        return self._features(self._fitted().decode(code)).astype(self.embedding_.dtype)

    def _prepare(self, X: NDArray) -> None:
        self.mean_ = X.mean(axis=0, dtype=np.float64)
        values, axes = principal_axes(X, self.mean_, min(_MOST_INPUTS, *X.shape))
        keep = values > 1e-12 * max(values[0], np.finfo(np.float64).tiny)
        if not keep.any():
            raise DataError("all instances are the same", hint="Choose other features.")
        self.axes_ = np.ascontiguousarray(axes[:, keep])
        # one scale, so that distances keep their proportion
        self.scale_ = float(np.sqrt(values[keep].mean()))

    def _inputs(self, X: NDArray) -> NDArray:
        return ((X - self.mean_) @ self.axes_) / self.scale_

    def _features(self, outputs: NDArray) -> NDArray:
        return outputs.astype(np.float64) * self.scale_ @ self.axes_.T + self.mean_

    def _network(self, p: int) -> Network:
        half = (p, *_HIDDEN, self.n_components)
        return Network(
            (*half, *half[-2::-1]), len(_HIDDEN), linear=self.activation == "linear",
            seed=self.random_state
        )

    def _fitted(self) -> Network:
        """The trained network in double precision:
        what an instance gets must not depend on who comes with it."""
        network = self._network(self.axes_.shape[1])
        n = len(network.weights)
        kept = [getattr(self, f"{kind}_{i}_") for kind in ("weights", "biases") for i in range(n)]
        network.restore([p.astype(np.float64) for p in kept])
        return network

    def _pairs(self, inputs: NDArray, watch: Monitor) -> NDArray[np.int64] | None:
        """(N, k) neighbors of every instance, for the isometry;
        None where it is off or there are too few."""
        if self.isometry == 0:
            return None
        distinct = distinct_rows(inputs)
        U = np.ascontiguousarray(inputs[distinct.rows])
        k = min(10, len(U) - 1)
        if k < 1:
            return None
        return distinct.rows[knn(U, k, monitor=watch).idx.astype(np.int64)][distinct.inverse]

    def _train(
        self, network: Network, X: NDArray, held: NDArray, pairs: NDArray | None, dtype: DTypeLike,
        watch: Monitor
    ) -> None:
        rng = np.random.default_rng(self.random_state)
        adam = Adam(network, rate=self.learning_rate, decay=1e-5)
        inside, outside = np.flatnonzero(~held), np.flatnonzero(held)
        judged = outside if len(outside) else inside
        best, kept, waited, history = np.inf, network.copy(), 0, []
        for epoch in range(self.n_epochs):
            order, loss = rng.permutation(inside), 0.0
            for start in range(0, len(order), _BATCH):
                if start % (64 * _BATCH) == 0:
                    watch.step((epoch + start / len(order)) / self.n_epochs, f"Epoch {epoch + 1}")
                rows = order[start : start + _BATCH]
                loss += self._learn(network, adam, X, rows, pairs, rng) * len(rows)
            error = _error(network, X, judged)
            history.append((loss / len(order), error))
            waited = 0 if error < 0.999 * best else waited + 1
            if error < best:
                best, kept = error, network.copy()
            watch.partial((network.encode(X) * self.scale_).astype(dtype))
            if waited >= _PATIENCE:
                break
        network.restore(kept)
        self.history_ = np.array(history)

    def _learn(
        self, network: Network, adam: Adam, X: NDArray, rows: NDArray, pairs: NDArray | None,
        rng: np.random.Generator
    ) -> float:
        """One step on a batch; its mean squared error.
        With isometry the batch brings one neighbor of each along."""
        if pairs is not None:
            rows = np.concatenate([rows, pairs[rows, rng.integers(0, pairs.shape[1], len(rows))]])
        clean = X[rows]
        noisy = clean + np.float32(self.noise) * rng.standard_normal(clean.shape, dtype=np.float32)
        values, sums = network.forward(noisy)
        miss = values[-1] - clean
        code = isometry_gradient(values[network.code + 1], clean,
                                 self.isometry) if pairs is not None else None
        adam.step(network, network.backward(values, sums, 2 * miss / np.float32(miss.size), code))
        return float(np.square(miss).mean())


def isometry_gradient(Z: NDArray, X: NDArray, weight: float) -> NDArray:
    """Gradient (2B, d) of weight * mean (|z_i - z_j| - |x_i - x_j|)² over pairs of row i with row
    B + i."""
    half = len(Z) // 2
    apart = Z[:half] - Z[half:]
    length = np.linalg.norm(apart, axis=1, keepdims=True)
    wanted = np.linalg.norm(X[:half] - X[half:], axis=1, keepdims=True)
    pull = 2 * weight / half * (length - wanted) * apart / np.maximum(length, 1e-12)
    return np.concatenate([pull, -pull]).astype(Z.dtype)


def held_back(
    n: int, bags: Bags | None = None, *, share: float = 0.1, seed: int = 0
) -> NDArray[np.bool_]:
    """(n,) True for about a tenth of the instances, whole bags where there are bags;
    none of fewer than 20."""
    rng = np.random.default_rng(seed)
    out = np.zeros(n, bool)
    if n < 20:
        return out
    if bags is None or len(bags) < 10:
        out[rng.choice(n, int(share * n), replace=False)] = True
        return out
    for k in rng.permutation(len(bags)):
        if out.sum() >= share * n:
            break
        out[bags.of(k)] = True
    return out if not out.all() else np.zeros(n, bool)


def _error(network: Network, X: NDArray, rows: NDArray, chunk: int = 16_384) -> float:
    total = 0.0
    for start in range(0, len(rows), chunk):
        part = X[rows[start : start + chunk]]
        total += float(np.square(network.decode(network.encode(part)) - part).sum())
    return total / max(len(rows) * X.shape[1], 1)
