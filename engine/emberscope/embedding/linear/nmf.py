"""Nonnegative matrix factorization: every instance as a sum of a few parts."""

from collections.abc import Iterator
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.embedder import Embedder
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, RANDOM_STATE, param
from emberscope.embedding.layout.layout import Previews
from emberscope.embedding.linear.linear import blocks, check_rank, read_coordinates
from emberscope.embedding.linear.nonnegative import kullback_leibler, least_squares

_SLICE = 2e8  # multiplications between two looks at the monitor, about 0.1 s
_BETTER = 1e-4
_TINY = 1e-12


class NMF(Embedder):
    """X = offset + Z parts with Z >= 0 and parts >= 0: parts add up and never cancel,
    so each can be looked at.

    Attributes
    ----------
    parts_ : (d, D) float64, every row sums to 1; the part that adds most comes first. They are
    features, so a part of pixels is a chip. offset_ : (D,), what was subtracted; 0 where no value
    is negative.
    reconstruction_error_ : (N,), squared distance of each instance to its sum of parts,
    or its divergence.
    objective_ : float, half the sum of squares, or the sum of the divergence.
    history_ : (slices,), of the best start.

    Notes
    -----
    Lee and Seung 1999 (rows of W are the parts, and the divergence is sum X
    log(X / Xhat) - X + Xhat). scikit-learn's coordinate descent (least squares) or multiplicative
    updates (Kullback-Leibler), in slices that can be stopped; first start nndsvda, further ones
    random parts; a later start counts only where it is better by 1e-4. Coordinates of training and
    new instances are solved exactly for the final parts, in least squares by pivoting. Not a linear
    map: coordinates stop at 0. O(N D d) per sweep; one copy of X.
    """

    n_components: int = N_COMPONENTS
    loss: str = param(
        "squares", choices=("squares", "kullback-leibler"), group="Embedding",
        help="Squares: additive noise. Kullback-Leibler: noise of counts, dark values matter more.",
    )
    negative: str = param(
        "shift", choices=("shift", "refuse"), title="Negative values", group="Embedding",
        help="Shift: a feature with negative values is raised by its minimum. Refuse: they are an "
        "error.",
    )
    n_starts: int = param(
        3, low=1, high=100, title="Starts", group="Computation",
        help="The best of this many starts is kept; there are several optima.",
    )
    n_iter: int = param(
        400, low=10, high=100_000, title="Iterations", group="Computation", advanced=True,
        help="At most this many sweeps per start.",
    )
    tol: float = param(
        1e-4, low=0, high=1, title="Tolerance", group="Computation", advanced=True,
        help="A start ends where ten sweeps lower the loss by less than this share.",
    )
    random_state: int = RANDOM_STATE
    state = ("parts_", "offset_", "reconstruction_error_", "objective_", "history_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the parts; labels are ignored.
        Raises DataError for negative values where these are refused."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        check_rank(self.n_components, X.shape)
        watch.step(0.0, "Smallest values")
        offset = self._offset(X)
        V = X - offset.astype(X.dtype)
        scale = float(V.max())
        V /= X.dtype.type(scale)
        parts, self.history_ = self._best_start(V, Portion(watch, 0.0, 0.8))
        self.offset_ = offset
        self.parts_ = _ordered(parts, V)
        Z = self._solve(V, Portion(watch, 0.8, 0.95)) * scale
        self.reconstruction_error_ = self._errors(X, Z, Portion(watch, 0.95, 1.0))
        self.objective_ = (
            float(self.reconstruction_error_.sum()) * (0.5 if self.loss == "squares" else 1.0)
        )
        self.embedding_ = Z.astype(X.dtype)
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """How much of every part is in new instances, (M, D) -> (M, d).
        Exact; values below the offset count as 0."""
        X = self._validate_new(X)
        return self._solve(np.maximum(X - self.offset_, 0.0), monitored(None)).astype(X.dtype)

    def inverse_transform(self, Z: ArrayLike) -> NDArray:
        """The sum of parts, (M, d) -> (M, D)."""
        return read_coordinates(Z, self.embedding_.shape[1]) @ self.parts_ + self.offset_

    def _solve(self, V: NDArray, watch: Monitor) -> NDArray:
        rule = least_squares if self.loss == "squares" else kullback_leibler
        return rule(V, self.parts_, monitor=watch)

    def _offset(self, X: NDArray) -> NDArray:
        low, high = X.min(axis=0).astype(np.float64), X.max(axis=0)
        if (low == high).all():
            raise DataError("all instances are the same",
                            hint="Choose other features or more instances.")
        negative = np.flatnonzero(low < 0)
        if len(negative) and self.negative == "refuse":
            raise DataError(
                f"{len(negative)} of {X.shape[1]} features hold negative values, first feature "
                f"{negative[0]}",
                hint="Use features that cannot be negative, or let them be shifted.",
            )
        if len(negative):
            self.notes_.append(
                f"{len(negative)} of {X.shape[1]} features hold negative values and were raised by "
                "their minimum; parts are differences to it."
            )
        return np.minimum(low, 0.0)

    def _best_start(self, V: NDArray, watch: Monitor) -> tuple[NDArray, NDArray]:
        rng = np.random.default_rng(self.random_state)
        best, kept = np.inf, (np.empty((0, 0)), np.empty(0))
        for turn in range(self.n_starts):
            part = Portion(watch, turn / self.n_starts, (turn + 1) / self.n_starts)
            Z, parts = _spectral_start(
                V, self.n_components
            ) if turn == 0 else _random_start(V, self.n_components, rng)
            parts, history = self._descend(V, Z, parts, part)
            if history[-1] < best * (1 - _BETTER):
                best, kept = history[-1], (parts, history)
        return kept

    def _descend(
        self, V: NDArray, Z: NDArray, parts: NDArray, watch: Monitor
    ) -> tuple[NDArray, NDArray]:
        """Sweeps from one start until the loss stands still."""
        from sklearn.decomposition import non_negative_factorization

        solver = {
            "solver": "cd"
        } if self.loss == "squares" else {"solver": "mu", "beta_loss": "kullback-leibler"}
        sweeps = int(np.clip(_SLICE // (V.size * self.n_components), 1, 10))
        previews = Previews(watch, lambda Z: Z, V.dtype, total=self.n_iter)
        history, done = [self._loss(V, Z, parts)], 0
        since = history[0]
        while done < self.n_iter:
            previews.show(done, Z * parts.sum(axis=1))
            # With tol=0 it does exactly these sweeps and has no opinion about convergence.
            Z, parts, _ = non_negative_factorization(
                V, Z, parts, n_components=self.n_components, init="custom", tol=0, max_iter=sweeps,
                **solver
            )
            done += sweeps
            if done % 10 < sweeps:
                history.append(self._loss(V, Z, parts))
                if since - history[-1] <= self.tol * since:
                    break
                since = history[-1]
        return parts, np.array(history)

    def _loss(self, V: NDArray, Z: NDArray, parts: NDArray) -> float:
        return float(np.sum(
            [_row_losses(block, Z[part] @ parts, self.loss).sum() for part, block in _plain(V)]
        ))

    def _errors(self, X: NDArray, Z: NDArray, watch: Monitor) -> NDArray:
        out = np.empty(len(X))
        for part, block in blocks(X, self.offset_):
            watch.step(part.start / len(X), "Errors")
            out[part] = _row_losses(block, Z[part] @ self.parts_, self.loss)
        return out


def _plain(V: NDArray) -> Iterator[tuple[slice, NDArray]]:
    return blocks(V, np.zeros(V.shape[1]))


def _row_losses(V: NDArray, fit: NDArray, loss: str) -> NDArray:
    """Squared distance, or divergence, of every row; V is overwritten."""
    if loss == "squares":
        V -= fit
        return np.einsum("nd,nd->n", V, V)
    fit = np.maximum(fit, _TINY)
    ratio = np.where(V > 0, V / fit, 1.0)
    return (V * np.log(ratio) - V + fit).sum(axis=1)


def _spectral_start(V: NDArray, d: int) -> tuple[NDArray, NDArray]:
    """nndsvda, and one sweep."""
    from sklearn.decomposition import non_negative_factorization

    Z, parts, _ = non_negative_factorization(V, n_components=d, init="nndsvda", tol=0, max_iter=1,
                                             random_state=0)
    return np.maximum(Z, _TINY), np.maximum(parts, _TINY)


def _random_start(V: NDArray, d: int, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
    """Random parts about the mean instance, and the coordinates that suit them;
    the order of rows does not matter."""
    mean = V.mean(axis=0, dtype=np.float64)
    parts = mean * rng.exponential(size=(d, V.shape[1]))
    Z = least_squares(V, parts)
    return np.maximum(Z, 1e-3 / d).astype(V.dtype), np.maximum(parts, _TINY).astype(V.dtype)


def _ordered(parts: NDArray, V: NDArray) -> NDArray:
    """Parts of unit sum, the one that adds most to all instances first."""
    sums = parts.sum(axis=1, keepdims=True, dtype=np.float64)
    parts = parts / np.where(sums > 0, sums, 1.0)
    amount = least_squares(V, parts).sum(axis=0)
    return parts[np.argsort(-amount, kind="stable")]
