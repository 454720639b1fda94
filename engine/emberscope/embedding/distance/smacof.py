"""Metric multidimensional scaling by stress majorization."""

from emberscope.base.param import RANDOM_STATE, param
from emberscope.embedding.distance.scaling import (
    MAX_ITER,
    N_PIVOTS,
    SCALED_COMPONENTS,
    TOLERANCE,
    Scaling,
)

_POWER = {"even": 0, "inverse": -1, "inverse-square": -2}


class Smacof(Scaling):
    """Draw all distances as true to length as an embedding can:
    minimize sum w (d_ij - |z_i - z_j|)².

    Attributes
    ----------
    stress_ : float. sum w (d - |z_i - z_j|)² / sum w d²,
        the square of Kruskal's stress-1 for even weights.
    pivots_ : (P,) rows of `instances_` whose distances count. n_iter_ : int.

    Notes
    -----
    De Leeuw 1977, Guttman's transform. Each transform costs one pass over all pairs; the embedding
    is extrapolated from the last 8 (Anderson), and an extrapolation that does not lower the stress
    is refused, so that stress never rises. The start is PCA, which is classical scaling for
    distances of rows. O(N² d) per step and 8 N² bytes up to 4000 different instances.

    Above, 2000 random pivots and one-by-one placing of the rest: O(N P D) and little memory. The
    stress of all pairs then stays close to that of the exact optimum. Sparse stress as in print,
    with pivots that all instances pull, region weights and neighbor pairs, ends much higher: among
    many features the pivots move to a ring and everything else to its center.
    """

    n_components: int = SCALED_COMPONENTS
    weights: str = param(
        "even", choices=tuple(_POWER), group="Embedding",
        help="Even: long distances rule. Inverse or inverse square of the distance: short ones "
        "count more.",
    )
    max_iter: int = MAX_ITER
    tolerance: float = TOLERANCE
    n_pivots: int | None = N_PIVOTS
    random_state: int = RANDOM_STATE

    @property
    def _power(self) -> int:
        return _POWER[self.weights]
