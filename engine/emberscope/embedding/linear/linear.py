"""Base of linear methods: the map Z = (X - mean) W, applied block by block, and its checks."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from emberscope.base.embedder import Embedder
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, monitored, slices

BLOCK = 1 << 18  # numbers in one centered block: 2 MB, which stays in the cache of the processor
# variance of a direction, as a share of the largest one, below which there is none
VANISHING = 1e-12


class Linear(Embedder):
    """Base of methods whose map is Z = (X - mean_) @ components_: exact for new instances.

    Attributes
    ----------
    components_ : (D, d) float64. mean_ : (D,) float64.
    """

    n_components: int
    state: ClassVar[tuple[str, ...]] = ("mean_", "components_")

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d). Exact."""
        X = self._validate_new(X)
        return project(X, self.mean_, self.components_)

    def _check_rank(self, shape: tuple[int, ...]) -> None:
        check_rank(self.n_components, shape)

    def _padded(self, W: NDArray) -> NDArray:
        """W with columns of 0, and a note, where the instances vary in fewer directions than
        wanted."""
        missing = self.n_components - W.shape[1]
        if missing > 0:
            self.notes_.append(
                f"The instances vary in {W.shape[1]} directions only; further coordinates are 0.")
        return np.pad(W, ((0, 0), (0, max(missing, 0))))

    def _coordinates(self, Z: ArrayLike) -> NDArray:
        return read_coordinates(Z, self.embedding_.shape[1])


def check_rank(n_components: int, shape: tuple[int, ...]) -> None:
    """DataError where more dimensions are wanted than rows or features can give."""
    if n_components > min(shape):
        raise DataError(
            f"n_components is {n_components} with n_samples = {shape[0]} and n_features = "
            f"{shape[1]}",
            hint=f"Choose at most {min(shape)} dimensions.",
        )


def read_coordinates(Z: ArrayLike, d: int) -> NDArray:
    """First line of every `inverse_transform`: (M, d) finite numbers, else DataError."""
    Z = np.asarray(Z, np.float64)
    if Z.ndim != 2 or Z.shape[1] != d or not np.isfinite(Z).all():
        raise DataError(f"coordinates have shape {Z.shape}",
                        hint=f"Give finite numbers in {d} columns.")
    return Z


def blocks(X: NDArray, mean: NDArray) -> Iterator[tuple[slice, NDArray]]:
    """Rows of X by the block: which, and their float64 deviations from `mean`;
    one block of copy at a time.

    `mean` : (D,).
    """
    for part in slices(len(X), BLOCK // max(1, X.shape[1])):
        yield part, X[part] - mean


def weighted_mean(X: NDArray, weights: NDArray) -> NDArray:
    """Mean of rows of X, (D,) float64, by blocks."""
    total = np.zeros(X.shape[1])
    for part, block in blocks(X, np.zeros(X.shape[1])):
        total += weights[part] @ block
    return total / weights.sum()


def project(
    X: NDArray, mean: NDArray, W: NDArray, *, dtype: DTypeLike | None = None,
    monitor: Monitor | None = None
) -> NDArray:
    """(X - mean) W in the precision of X unless `dtype` says otherwise, (N, d)."""
    watch = monitored(monitor)
    Z = np.empty((len(X), W.shape[1]), X.dtype if dtype is None else dtype)
    for part, centered in blocks(X, mean):
        watch.step(part.start / len(X), "Projecting")
        Z[part] = centered @ W
    return Z
