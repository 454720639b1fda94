"""Principal curve: the line through the middle of the data."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from emberscope.base.param import N_COMPONENTS, param
from emberscope.embedding.principal.elastic_map import BEND, STRETCH, ElasticNet


class PrincipalCurve(ElasticNet):
    """One smooth line through the middle of the data; the first axis is the way along it.

    Axes from the second on are principal components of what lies beside the line, so a 2-D
    embedding shows way and deviation.

    Attributes
    ----------
    Those of `ElasticNet`. The first column of `embedding_` is arc length, centered, units of X.

    Notes
    -----
    Hastie and Stuetzle 1989: every point of the line is the mean of what projects onto it; here as
    an elastic chain: springs take the place of the smoother. A straight line is the first principal
    component; a soft one zigzags over broad data (at bend 0.1 its way along a band of 15 x 4 was 39
    long, at 10 it is 22). Closed curves are cut somewhere. O(N K D) per round.
    """

    sheet = 1
    n_components: int = replace(N_COMPONENTS, high=64)
    n_nodes: int = param(
        50, low=4, high=1000, title="Nodes", group="Net", help="Nodes of the line.",
    )
    stretch: float = STRETCH
    bend: float = replace(BEND, default=10.0)

    def _unrolled(self, places: NDArray) -> NDArray:
        """Arc length along the line."""
        way = self._way()
        return np.interp(places[:, 0], np.arange(len(way)), way)[:, None]

    def _lattice_of(self, Z: NDArray) -> NDArray:
        way, s = self._way(), Z[:, 0]
        inside = np.interp(s, way, np.arange(len(way)))
        first, last = max(way[1], 1e-300), max(way[-1] - way[-2], 1e-300)
        beyond = np.minimum(s, 0) / first + np.maximum(s - way[-1], 0) / last
        return (inside + beyond)[:, None]

    def _way(self) -> NDArray:
        """(K,) arc length from the first node, increasing."""
        lengths = np.linalg.norm(np.diff(self.prototypes_, axis=0), axis=1)
        return np.concatenate(
            [[0.0], np.cumsum(np.maximum(lengths, 1e-12 * lengths.sum() + 1e-300))]
        )
