"""What actions do on the map of a run. Imports light: the window reads it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Motion:
    """An action that was taken.

    count : how often. residual : a share of a step. degrees : what it turns by (0 for a shift,
    counterclockwise on the first two axes). period : of a turn, in steps (inf for a shift). mirrors
    : taken where no turn comes half as near.
    way : (d,) from the middle of where it was taken to where it led.
    """

    name: str
    count: int
    residual: float
    degrees: float
    period: float
    mirrors: bool
    way: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Next:
    """Where an action leads from the row asked about: Z (d,), the row that fits (-1 where nothing
    does), and `miss`, how far it is off in steps (see `unfolding.operators.Preview`)."""

    name: str
    Z: tuple[float, ...]
    row: int
    miss: float


@dataclass(frozen=True, slots=True)
class Motions:
    """actions : those that were taken. inverses : pairs of names (first, second) of which the
    second undoes the first, best first. next : of each action, from the row asked about; empty
    without one."""

    actions: tuple[Motion, ...]
    inverses: tuple[tuple[str, str], ...]
    next: tuple[Next, ...]
