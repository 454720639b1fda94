"""Stability of an embedding under refits: another seed, or a few neighbors more and fewer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.embedder import Embedder
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.evaluate.learned_from import BAGS_ALONE, LearnedFrom

SEEDS = 3  # fits that are compared
SHARE = 0.2  # of k, more and fewer


@dataclass(frozen=True, slots=True)
class Stability:
    """How much embeddings of the same instances differ after they were laid over each other.

    spread : (N,) standard deviation of an instance's place over the fits, in radii (root mean
        square) of the embedding: 0 = it always stands there; about 1 = anywhere. stability : (N,) 1
        - spread, not below 0.
    overall : root mean square of spread. fits : embeddings compared.
    """

    spread: NDArray
    stability: NDArray
    overall: float
    fits: int


def stability(
    refit: Callable[[int], Embedder], X: NDArray, *, bags: Bags | None = None,
    learned_from: LearnedFrom = BAGS_ALONE, Z: NDArray | None = None, fits: int = SEEDS,
    monitor: Monitor | None = None,
) -> Stability:
    """Fit again and compare.

    Parameters
    ----------
    refit : number of the fit -> an unfitted method that differs by what shall not matter: its seed,
        or its number of neighbors (see `variations`). X, bags, learned_from : what the methods are
        fitted to.
    Z : (N, d), optional. The embedding of fit 0, which then is not computed again.

    Notes
    -----
    Costs `fits` fits, one less with Z. See `spread_of` for what is compared. Raises DataError for
    fewer than 2 fits.
    """
    if fits < 2:
        raise DataError(f"{fits} fits cannot be compared", hint="Choose 2 or more.")
    watch = monitored(monitor)
    embeddings = [] if Z is None else [np.asarray(Z)]
    for number in range(len(embeddings), fits):
        part = Portion(watch, number / fits, (number + 1) / fits)
        part.step(0.0, f"Fit {number + 1} of {fits}")
        method = refit(number).fit(X, learned_from.labels, bags=bags, monitor=_Quiet(part),
                                   **learned_from.beside_labels)
        embeddings.append(method.embedding_)
    return spread_of(embeddings)


class _Quiet:
    """The same monitor without its embeddings: those of a fit that is only compared are not for
    show."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor

    def step(self, fraction: float, message: str = "") -> None:
        self._monitor.step(fraction, message)

    def partial(self, Z: NDArray) -> None:
        pass


def spread_of(embeddings: Sequence[NDArray]) -> Stability:
    """Compare embeddings (N, d) of the same instances.

    Notes
    -----
    Each is centered, scaled to radius 1 and turned (or mirrored) onto the mean of all, which is
    found in a few rounds (generalized Procrustes analysis, Gower 1975). Of independent embeddings
    the spread is about 1. Raises DataError where shapes differ.
    """
    shapes = {np.shape(Z) for Z in embeddings}
    if len(shapes) != 1 or len(embeddings) < 2:
        raise DataError(f"embeddings of shapes {sorted(shapes)} cannot be compared")
    placed = [_unit(np.asarray(Z, np.float64)) for Z in embeddings]
    middle = placed[0]
    for _ in range(5):
        placed = [_turned(Z, middle) for Z in placed]
        middle = _unit(np.mean(placed, axis=0))
    deviations = sum(np.square(Z - np.mean(placed, axis=0)).sum(axis=1) for Z in placed)
    spread = np.sqrt(deviations / (len(placed) - 1))
    return Stability(spread, np.maximum(1 - spread, 0.0), float(np.sqrt(np.mean(spread**2))),
                     len(placed))


def _unit(Z: NDArray) -> NDArray:
    """Centered, root mean square radius 1."""
    Z = Z - Z.mean(axis=0)
    radius = np.sqrt(np.square(Z).sum(axis=1).mean())
    return Z / radius if radius > 0 else Z


def _turned(Z: NDArray, onto: NDArray) -> NDArray:
    left, _, right = np.linalg.svd(Z.T @ onto)
    return Z @ (left @ right)


def variations(
    values: dict[str, Any], *, seed: int, reseeded: bool, n_neighbors: int | None, fits: int = SEEDS
) -> list[dict[str, Any]]:
    """Parameters of the fits to compare; the first are `values` themselves. Empty where nothing can
    be varied.

    reseeded : the result depends on random_state: seeds from `seed` on. Else, with `n_neighbors`,
    the number of neighbors a fifth lower and higher.
    """
    if reseeded:
        return [values] + [{**values, "random_state": seed + number} for number in range(1, fits)]
    if n_neighbors is not None:
        step = max(1, round(SHARE * n_neighbors))
        return [values] + [{**values, "n_neighbors": max(2, n_neighbors + sign * step)}
                           for sign in (-1, 1)]
    return []
