"""About what a run takes, as numbers. Imports light: the window reads it."""

from collections.abc import Mapping
from dataclasses import dataclass

from emberscope.bags.clip_sides import ClipSides


@dataclass(frozen=True, slots=True)
class Estimate:
    """About what a run takes. stages : seconds by the name of the stage.

    advice : sentences about the data, where an earlier run has left them. sides : on which side of
    the split the clips lie; empty where nothing is held out.
    """

    instances: int
    bags: int
    new_instances: int  # whose features are not kept yet
    features: int
    stages: Mapping[str, float]
    bytes: int
    advice: tuple[str, ...] = ()
    sides: tuple[ClipSides, ...] = ()

    @property
    def seconds(self) -> float:
        """Of all stages."""
        return sum(self.stages.values())
