"""What a metric did to neighbors, and triplets to look at. Imports light: the window reads it."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from emberscope.metric.triplet_rows import TripletRows


@dataclass(frozen=True)
class Neighborhoods:
    """Of a run with N instances.

    before, after : (N, k) int32 rows of the nearest, in the features and by the metric. kind : (N,)
    int8, -1 background, 1 target or witness, 0 unknown. impostors : (N, 2) int32, how many
    instances of the other kind lie nearer than the third nearest of its own, before and after; -1
    where it is unknown. triplets : the hardest by the metric. edges : (M, D) float32 HOG of
    instances `edges_of` (M,), columns named `edge_names`; none where chips cannot be read. space :
    what "after" is. margin : of the triplets.
    """

    before: NDArray[np.int32]
    after: NDArray[np.int32]
    kind: NDArray[np.int8]
    impostors: NDArray[np.int32]
    triplets: TripletRows
    space: str
    margin: float
    edges_of: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    edges: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    edge_names: list[str] = field(default_factory=list)
