"""Sammon mapping: metric scaling in which short distances count more."""

from emberscope.embedding.distance.scaling import SCALING_PARAMS, Scaling


class Sammon(Scaling):
    """Keep all distances, short ones most: minimize E = 1 / sum d_ij  sum (d_ij - |z_i - z_j|)² / d_ij.

    Attributes
    ----------
    stress_ : float. E. floor_ : float. Pairs nearer than this weigh as if they were this far apart.
    pivots_ : (P,) rows of `instances_` whose distances count. n_iter_ : int.

    Notes
    -----
    Sammon 1969. Solved by majorization with weights 1/d instead of the printed pseudo-Newton
    steps: no magic factor, E never rises. The floor is the 1 % quantile of the distances to the nearest other
    instance, at least 1 % of their median, so that nearly equal instances cannot outweigh all others; it enters the
    weights only.
    Start, cost, pivots above 4000 different instances and new instances as in `Smacof`.
    """

    params = SCALING_PARAMS

    def __init__(
        self,
        *,
        n_components: int = 2,
        max_iter: int = 300,
        tolerance: float = 1e-4,
        n_pivots: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.tolerance = tolerance
        self.n_pivots = n_pivots
        self.random_state = random_state

    @property
    def _power(self) -> int:
        return -1
