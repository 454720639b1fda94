"""Landmark Isomap: shortest paths from a few hundred landmarks place all instances."""

from dataclasses import replace

from emberscope.base.param import RANDOM_STATE, param
from emberscope.embedding.components import COMPONENTS
from emberscope.embedding.kernel.isomap import LANDMARKS, N_LANDMARKS, AlongGraph


class LandmarkIsomap(AlongGraph):
    """Isomap for many instances: paths start from landmarks only, everything else is triangulated.

    Attributes
    ----------
    landmarks_ : (L,) int64, rows of `instances_`. The others as in `Isomap`.

    Notes
    -----
    de Silva and Tenenbaum 2004. Landmarks are half farthest-point, half random; with `stratify` the
    random half takes equally many of every label. Unlike in print, up to 20 axes are triangulated
    and the principal ones of all instances kept: 300 landmarks then show nearly what all instances
    show, and more gain little. O(L N) time and L N numbers of memory after the neighbor search.
    """

    n_landmarks: int = replace(N_LANDMARKS, default=LANDMARKS)
    stratify: bool = param(
        False, title="Landmarks of every label", group="Computation", advanced=True,
        help="Choose as many landmarks of a rare label as of a common one, so that its shape is "
        "kept; reads labels.",
    )
    components: str = COMPONENTS
    random_state: int = RANDOM_STATE

    @property
    def reads_labels(self) -> bool:
        return bool(self.stratify)
