"""Generative topographic mapping: a bent sheet with noise, a probability for every place on it."""

from dataclasses import replace
from itertools import product
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, monitored, slices
from emberscope.base.param import N_COMPONENTS, param
from emberscope.embedding.latent.responsibilities import softmax, temperature
from emberscope.embedding.linear.linear import check_rank, read_coordinates
from emberscope.embedding.linear.pca import principal_axes
from emberscope.embedding.novelty import KeepsKnown

_CHUNK = 4096
_NODES = {1: 100, 2: 20, 3: 9}  # per side
_BASES = {1: 20, 2: 8, 3: 4}
_FLOOR = 1e-9  # of the mean variance per feature
_CALM = 1e-6
_DOUBLE = 1_000_000  # values up to which the work is done in double precision


class GTM(KeepsKnown):
    """A sheet of d dimensions, bent through the features by smooth functions,
    with noise around it; fitted by EM.

    Attributes
    ----------
    nodes_ : (K, d) grid of the sheet in [-1, 1].
        weights_ : (F, D) of the F functions: constant, linear, then bells.
    noise_ : float, variance per feature. temperature_ : float >= 1, see Notes.
    n_iter_ : int, rounds made. history_ : (rounds,) penalized mean log-likelihood, rising.
    log_likelihood_ : (N,) of each training instance.
    spread_ : (N,) standard deviation of the posterior on the sheet: how unsure its place is.
    magnification_ : (K,) how many times the sheet is stretched at each node,
        volume in features per volume of map.

    Notes
    -----
    Bishop, Svensen and Williams 1998 (McCurley 2020 maximizes the negative log-likelihood: a slip).
    Bells stand on a grid of their own with width `width` times their spacing; constant and linear
    functions are not penalized, so that a large `smoothness` gives the principal plane. The
    embedding is the mean of the posterior over the nodes. Among hundreds of features the model is
    sure of one node and the embedding would be a grid of heaps; so for the embedding alone the
    posterior is softened until `overlap` nodes share an instance on average. `inverse_transform`
    gives the features at any point of the map. O(N K D) per round, rows in chunks; d up to 3.
    """

    n_components: int = replace(N_COMPONENTS, high=3)
    n_nodes: int | None = param(
        None, low=2, high=200, title="Nodes per side", group="Sheet",
        auto="100, 20 or 9 for 1, 2 or 3 dimensions",
        help="Grid points of the sheet along each side.",
    )
    n_bases: int | None = param(
        None, low=2, high=50, title="Bells per side", group="Sheet",
        auto="20, 8 or 4 for 1, 2 or 3 dimensions",
        help="Functions that bend the sheet; more bends it finer.",
    )
    width: float = param(
        1.0, low=0.1, high=10, title="Width of a bell", unit="spacing", group="Sheet",
        advanced=True,
        help="Wider bells make a smoother sheet.",
    )
    smoothness: float = param(
        1e-3, low=0, high=1e12, group="Sheet",
        help="Penalty on bending; 0.001 is light, 1000 leaves a plane.",
    )
    overlap: float = param(
        1.5, low=1.0, high=50, unit="nodes", group="Sheet", advanced=True,
        help="Nodes that share an instance in the embedding, on average; 1 leaves the posterior "
        "as it is.",
    )
    max_iter: int = param(
        60, low=1, high=1000, title="Rounds", group="Computation",
        help="Rounds of expectation and maximization at most.",
    )
    state = ("nodes_", "bases_", "weights_", "noise_", "temperature_", "n_iter_", "history_",
             "log_likelihood_", "spread_", "magnification_", "mean_", "scale_", "known_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Bend the sheet; labels are ignored. Raises DataError where all instances are the same."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        d = self.n_components
        check_rank(self.n_components, X.shape)
        self.nodes_ = grid(self.n_nodes or _NODES[d], d)
        self.bases_ = grid(self.n_bases or _BASES[d], d)
        self.mean_ = X.mean(axis=0, dtype=np.float64)
        variance = float(X.var(axis=0, dtype=np.float64).mean())
        if variance == 0:
            raise DataError("all instances are the same", hint="Choose other features.")
        self.scale_ = float(np.sqrt(variance))
        self._keep(X)
        self._start(X)
        self._maximize(X, watch)
        self._place_all(X)
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d). Exact."""
        X = self._validate_new(X)
        R = softmax(self._logits(X) / self.temperature_)[0]
        return (R @ self.nodes_).astype(X.dtype)

    def inverse_transform(self, Z: ArrayLike) -> NDArray:
        """Features at points of the map, (M, d) -> (M, D); the sheet lies between -1 and 1."""
        Y = self._functions(read_coordinates(Z, self.embedding_.shape[1])) @ self.weights_
        return (Y * self.scale_ + self.mean_).astype(self.embedding_.dtype)

    def _functions(self, Z: NDArray) -> NDArray:
        return functions(Z, self.bases_,
                         self.width * 2 / max(len(np.unique(self.bases_[:, 0])) - 1, 1))

    def _scaled(self, X: NDArray) -> NDArray:
        """Centered, with mean variance 1, so that for many values the precision of X will do."""
        return ((X - self.mean_) / self.scale_).astype(X.dtype if X.size > _DOUBLE else np.float64)

    def _start(self, X: NDArray) -> None:
        """The principal plane, two standard deviations wide; the noise beyond it."""
        d = self.n_components
        values, axes = principal_axes(X, self.mean_, min(d + 1, *X.shape))
        values = np.asarray(values, np.float64) / self.scale_**2
        plane = self.nodes_ * 2 * np.sqrt(np.maximum(values[:d], 0)) @ axes[:, :d].T
        Phi = self._functions(self.nodes_)
        self.weights_ = np.linalg.lstsq(Phi, plane, rcond=None)[0]
        between = np.square(2 * 2 / max(len(np.unique(self.nodes_[:, 0])) - 1, 1)
                            * np.sqrt(values[0]) / 2)
        beyond = values[d] if len(values) > d else 0.0
        self.noise_ = float(max(beyond, between, _FLOOR))

    def _maximize(self, X: NDArray, watch: Monitor) -> None:
        Phi = self._functions(self.nodes_)
        penalty = np.r_[np.zeros(1 + self.n_components),
                        np.full(len(self.bases_), float(self.smoothness))]
        history: list[float] = []
        for step in range(self.max_iter):
            watch.step(0.9 * step / self.max_iter, f"Round {step + 1} of {self.max_iter}")
            likelihood, counts, sums, square = self._expect(X, Phi @ self.weights_, watch, step)
            history.append(likelihood - 0.5 * float(penalty @ np.square(self.weights_).sum(axis=1))
                           / len(X))
            left = Phi.T @ (Phi * counts[:, None]) + np.diag(penalty * self.noise_)
            left[np.diag_indices_from(left)] += 1e-10 * np.trace(left) / len(left)
            self.weights_ = np.linalg.solve(left, Phi.T @ sums)
            Y = Phi @ self.weights_
            residual = square - 2 * (Y * sums).sum() + (counts * np.square(Y).sum(axis=1)).sum()
            self.noise_ = float(max(residual / X.size, _FLOOR))
            if step and history[-1] - history[-2] < _CALM * max(1.0, abs(history[-1])):
                break
        self.history_ = np.array(history)
        self.n_iter_ = len(history)

    def _expect(
        self, X: NDArray, Y: NDArray, watch: Monitor, step: int
    ) -> tuple[float, NDArray, NDArray, float]:
        """Mean log-likelihood; instances per node (K,); their feature sums (K, D);
        sum of squares."""
        total, square = 0.0, 0.0
        counts, sums = np.zeros(len(Y)), np.zeros(Y.shape)
        for part in slices(len(X), _CHUNK):
            watch.step(0.9 * step / self.max_iter, f"Round {step + 1} of {self.max_iter}")
            chunk = self._scaled(X[part])
            R, density = softmax(_log_joint(chunk, Y, self.noise_))
            total += float(density.sum(dtype=np.float64))
            counts += R.sum(axis=0, dtype=np.float64)
            sums += R.T @ chunk
            square += float(np.square(chunk).sum())
        return total / len(X), counts, sums, square

    def _logits(self, X: NDArray) -> NDArray:
        Y = self._functions(self.nodes_) @ self.weights_
        out = np.empty((len(X), len(Y)), np.float32 if X.size > _DOUBLE else np.float64)
        for part in slices(len(X), _CHUNK):
            out[part] = _log_joint(self._scaled(X[part]), Y, self.noise_)
        return out

    def _place_all(self, X: NDArray) -> None:
        sample = np.sort(np.random.default_rng(0).choice(len(X), min(len(X), 2000), replace=False))
        self.temperature_ = temperature(self._logits(X[sample]), float(self.overlap))
        places, spread, likely = [], [], []
        for part in slices(len(X), _CHUNK):
            logits = self._logits(X[part])
            likely.append(softmax(logits)[1])
            R = softmax(logits / self.temperature_)[0]
            Z = R @ self.nodes_
            places.append(Z)
            spread.append(
                np.sqrt(np.maximum(R @ np.square(self.nodes_) - np.square(Z), 0).sum(axis=1))
            )
        self.log_likelihood_ = np.concatenate(likely) - X.shape[1] * np.log(self.scale_)
        self.spread_ = np.concatenate(spread)
        self.magnification_ = self._magnification()
        self.embedding_ = np.concatenate(places).astype(X.dtype)

    def _magnification(self, step: float = 1e-4) -> NDArray:
        """sqrt det(J'J) at the nodes, J by central differences."""
        jacobian = []
        for axis in np.eye(self.n_components) * step:
            forward, back = self._functions(self.nodes_ + axis), self._functions(self.nodes_ - axis)
            jacobian.append((forward - back) @ self.weights_ * self.scale_ / (2 * step))
        J = np.stack(jacobian, axis=2)
        metric = np.einsum("kDi,kDj->kij", J, J)
        return np.sqrt(np.maximum(np.linalg.det(metric), 0))


def grid(side: int, d: int) -> NDArray:
    """(side^d, d) points of a regular grid in [-1, 1]^d."""
    return np.array(list(product(np.linspace(-1, 1, side), repeat=d)))


def functions(Z: NDArray, centers: NDArray, width: float) -> NDArray:
    """(N, 1 + d + F): 1, the coordinates, and Gaussian bells around the centers."""
    far = np.square(Z[:, None] - centers).sum(axis=2)
    return np.hstack([np.ones((len(Z), 1)), Z, np.exp(-far / (2 * width**2))])


def _log_joint(X: NDArray, Y: NDArray, noise: float) -> NDArray:
    """(B, K) log of 1/K times the Gaussian density of instances around the nodes' images,
    in the precision of X."""
    D = X.shape[1]
    out = X @ Y.T.astype(X.dtype)
    out -= 0.5 * np.square(Y).sum(axis=1).astype(X.dtype)
    out -= 0.5 * np.square(X).sum(axis=1)[:, None]
    out *= 1 / noise
    out -= 0.5 * D * np.log(2 * np.pi * noise) + np.log(len(Y))
    return out
