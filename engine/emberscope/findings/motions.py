"""What actions do on the map of a run. Imports light: the window reads it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby


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
class Planned:
    """The fewest actions from one row to another. actions : in turn, none where no way was found.
    Z : (n + 1, d) the places along it. row : the one nearest to its end, -1 where there is no way.
    miss : how far its end is from the goal, in steps."""

    actions: tuple[str, ...]
    Z: tuple[tuple[float, ...], ...]
    row: int
    miss: float

    @property
    def words(self) -> str:
        """ "turn left x4, 0.1 steps off"."""
        if self.row < 0:
            return "No way by these actions was found"
        return f"{in_turn(self.actions)}, {self.miss:.2f} steps off"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a view is on the tracks.

    view : its row. row : of the likeliest place. Z : (d,) the mean place. sure : share of the
    belief within a step of the likeliest.
    """

    view: int
    row: int
    Z: tuple[float, ...]
    sure: float


@dataclass(frozen=True, slots=True)
class Places:
    """Where views are, one after the other."""

    views: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Motions:
    """actions : those that were taken. inverses : pairs of names (first, second) of which the
    second undoes the first, best first. next : of each action, from the row asked about; empty
    without one. way : between the two rows asked about; None without any."""

    actions: tuple[Motion, ...]
    inverses: tuple[tuple[str, str], ...]
    next: tuple[Next, ...]
    way: Planned | None = None


def in_turn(actions: Sequence[str]) -> str:
    """ "forward x3, turn right"; "nothing to do" of none."""
    runs = [(name, len(list(same))) for name, same in groupby(actions)]
    words = ", ".join(name + (f" x{count}" if count > 1 else "") for name, count in runs)
    return words or "nothing to do"
