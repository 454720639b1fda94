"""Landmark Isomap: shortest paths from a few hundred landmarks place all instances."""

from dataclasses import replace

from emberscope.base.param import RANDOM_STATE, Param
from emberscope.embedding.components import COMPONENTS
from emberscope.embedding.kernel.isomap import GEODESIC, LANDMARKS, N_LANDMARKS, Isomap


class LandmarkIsomap(Isomap):
    """Isomap for many instances: paths start from landmarks only, everything else is triangulated.

    Attributes
    ----------
    landmarks_ : (L,) int64, rows of `instances_`. The others as in `Isomap`.

    Notes
    -----
    de Silva and Tenenbaum 2004. Landmarks are half farthest-point, half random; with
    `stratify` the random half takes equally many of every label. Unlike in print, up to 20 axes are triangulated and
    the principal ones of all instances kept: 300 landmarks then differ from all instances by a Procrustes of 0.001 on
    4000 chips (in print 0.02) and 1e-5 on the flat roll, more landmarks gain little.
    O(L N) time and L N numbers of memory after the neighbor search.
    """

    stratify: bool
    params = (
        *GEODESIC,
        replace(N_LANDMARKS, default=LANDMARKS),
        Param("stratify", "bool", False, title="Landmarks of every label", group="Computation", advanced=True,
              help="Choose as many landmarks of a rare label as of a common one, so that its shape is kept; "
              "reads labels."),
        COMPONENTS,
        RANDOM_STATE,
    )

    def __init__(
        self,
        *,
        n_components: int = 2,
        n_neighbors: int = 10,
        graph: str = "knn",
        radius: float | None = None,
        conformal: bool = False,
        drop_short_circuits: bool = False,
        n_landmarks: int = LANDMARKS,
        stratify: bool = False,
        components: str = "bridge",
        random_state: int = 0,
    ) -> None:
        super().__init__(
            n_components=n_components, n_neighbors=n_neighbors, graph=graph, radius=radius, conformal=conformal,
            drop_short_circuits=drop_short_circuits, n_landmarks=n_landmarks, components=components,
            random_state=random_state,
        )
        self.stratify = stratify

    @property
    def reads_labels(self) -> bool:
        return bool(self.stratify)
