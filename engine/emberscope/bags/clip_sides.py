"""On which side of a split the bags of a clip lie, as numbers. Imports light: the window reads
it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClipSides:
    """How many labeled bags of a clip are held out in a fold, are only learned from, and take no
    part. folds : the numbers of the folds that hold out bags of it."""

    name: str
    held: int
    learned: int
    left_out: int
    folds: tuple[int, ...] = ()

    @property
    def mixed(self) -> bool:
        """Whether frames of it are on both sides of a fold."""
        return len(self.folds) > 1 or (self.held > 0 and self.learned > 0)
