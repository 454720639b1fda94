"""What motions of actions are found in: the dimensions that a track unfolds into, more than a map
shows. Imports light: the window reads it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.project.model.project import Run


@dataclass(frozen=True, slots=True)
class TrackModel:
    """Z (N, r), all dimensions: what follows is expected by distances in these. moved : in how many
    of the first ones motions act."""

    Z: NDArray
    moved: int

    @property
    def places(self) -> NDArray:
        """Where motions act, (N, m)."""
        return np.ascontiguousarray(self.Z[:, : self.moved])


def track_model(run: Run) -> TrackModel | None:
    """Of a run that was made of actions; None of another one."""
    Z = run.state.get("model_")
    if Z is None or len(Z) != len(run.Z):
        return None
    moved = run.state.get("motion_dimensions_", Z.shape[1])
    return TrackModel(np.asarray(Z, np.float32), int(moved))
