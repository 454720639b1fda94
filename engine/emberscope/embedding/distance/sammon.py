"""Sammon mapping: metric scaling in which short distances count more."""

from emberscope.base.param import RANDOM_STATE
from emberscope.embedding.distance.scaling import (
    MAX_ITER,
    N_PIVOTS,
    SCALED_COMPONENTS,
    TOLERANCE,
    Scaling,
)


class Sammon(Scaling):
    """Keep all distances, short ones most: minimize E = 1 / sum d_ij  sum
    (d_ij - |z_i - z_j|)² / d_ij.

    Attributes
    ----------
    stress_ : float. E. floor_ : float. Pairs nearer than this weigh as if they were this far apart.
    pivots_ : (P,) rows of `instances_` whose distances count. n_iter_ : int.

    Notes
    -----
    Sammon 1969. Solved by majorization with weights 1/d instead of the printed pseudo-Newton steps:
    no magic factor, E never rises. The floor is the 1 % quantile of the distances to the nearest
    other instance, at least 1 % of their median, so that nearly equal instances cannot outweigh all
    others; it enters the weights only. Start, cost, pivots above 4000 different instances and new
    instances as in `Smacof`.
    """

    n_components: int = SCALED_COMPONENTS
    max_iter: int = MAX_ITER
    tolerance: float = TOLERANCE
    n_pivots: int | None = N_PIVOTS
    random_state: int = RANDOM_STATE

    @property
    def _power(self) -> int:
        return -1
