"""Endmembers that a dictionary of targets and background begins with."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.base.param import param
from emberscope.mil.classifiers.signatures.multi_target import Sides
from emberscope.mil.classifiers.signatures.unmixing import unmixed
from emberscope.mil.classifiers.signatures.whitened import Whitened

_BACKGROUND_ROUNDS = 20
_FAR = 0.99  # of the instances of positive bags lie nearer than the first target endmembers

N_BACKGROUND = param(
    3, low=1, high=30, group="Background", title="Background endmembers", grid=(1, 2, 3, 5),
    help="How many kinds of background the instances are mixtures of.",
)


def background_endmembers(
    Z: NDArray, count: int, volume: float, watch: Monitor
) -> NDArray[np.float64]:
    """Endmembers (count, D) of the negative instances Z (n, D): means of clusters first, then
    shares and endmembers in turn."""
    from sklearn.cluster import KMeans

    count = min(count, len(np.unique(Z, axis=0)))
    E = KMeans(count, n_init=3, random_state=0).fit(Z).cluster_centers_
    for round_ in range(_BACKGROUND_ROUNDS):
        watch.step(round_ / _BACKGROUND_ROUNDS, "Background")
        P = unmixed(Z, E)
        share = (1 - volume) / len(Z)
        E = pulled(share * P.T @ P, share * P.T @ Z, volume, Z.mean(axis=0))
    return E


def first_targets(found: Whitened, count: int, watch: Monitor) -> NDArray[np.float64]:
    """(count, D) signatures of multi-target MI-ACE as it begins, as far out as the instances of
    positive bags go."""
    S = Sides.of(found, unit=True).begun(count, 0.0, watch)
    mean = found.W[found.background].mean(axis=0)
    far = np.quantile((found.W[found.positive.members] - mean) @ S.T, _FAR, axis=0)
    return mean + S * far[:, None]


def pulled(S: NDArray, B: NDArray, volume: float, mean: NDArray) -> NDArray[np.float64]:
    """argmin over E (M, D) of tr(E'SE - 2 E'B) + volume sum over rows of |e - mean|² / 10 M.

    S : (M, M), B : (M, D), mean : (D,). O(M³ + M² D).
    """
    pull = max(volume, 1e-9) / (10 * len(S))
    return np.asarray(np.linalg.solve(S + pull * np.eye(len(S)), B + pull * mean), np.float64)
