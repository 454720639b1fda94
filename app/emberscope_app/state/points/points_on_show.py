"""The points on show as maps ask for them: where they are, how they look, which are hidden,
selected, pointed at."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from emberscope.findings.maps.bag_points import BagPoints
from emberscope.findings.point_looks import LegendEntry, PointStyle
from emberscope.findings.shown_axes import Axes
from emberscope.project import Run
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.filter import filter_of
from emberscope_app.state.points.looks import Looks, Still
from emberscope_app.state.points.placing import Placed, limits
from emberscope_app.theme.look import current

Limits = tuple[NDArray, NDArray]


class Plane(NamedTuple):
    """Where the flat map shows the points: as places and limits of `PointsOnShow`, the third axis
    0."""

    places: NDArray[np.float32]
    limits: Limits | None


class PointsOnShow(QObject):
    """Row n here is row n of `run`. Arrays are replaced, never changed in place.

    changed(what): "points" (others), "moved" (the same points elsewhere), "style", "selection" or
    "hover".

    run : whose points these are. None while there are none, while they come, and of a partial
    embedding: its points belong to no run yet, they are shown and not picked. What keeps ids or
    rows asks this one, which has as many rows as there are points, and never the run in focus.

    Z (N, d) as computed; places (N, 3) float32 the same, centered and scaled so that nearly all lie
    in [-1, 1], missing axes 0; axes (3, N) the very same, along memory as they are kept. limits:
    lowest and highest of the visible places, outliers left aside (see `placing.limits`).

    shown_axes : the two columns of Z that the flat map shows; plane : where it does, places and
    limits of their own.

    units : where points are bags, the rows that stand for them; others are not visible.
    whole_extent : limits are those of all instances all the same: their outlines are drawn.
    """

    changed = Signal(str)

    Z: NDArray
    places: NDArray[np.float32]
    radius: float
    limits: Limits | None
    shown_axes: Axes
    plane: Plane
    visible: NDArray[np.bool_]
    shown_count: int
    selected: NDArray[np.bool_]
    chosen_count: int
    style: PointStyle
    rgb: NDArray[np.uint32]
    slots: NDArray[np.uint8]
    levels: NDArray[np.uint8]
    sized: bool
    units: BagPoints | None = None
    whole_extent = False
    _run: Run | None
    _index: RowIndex
    _all: Placed
    _flat: Placed
    _finite: NDArray[np.bool_]

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.turns = session.turns
        self.hidden: frozenset[int] = frozenset()
        self.dim_others = False
        self._whole_bags: NDArray[np.int64] | None = None  # found when first asked for
        self._bag: tuple[Run | None, int, int] = (None, -1, -1)  # run and row last asked for, bag

    def hide(self, hidden: frozenset[int]) -> None:
        """Hide the points whose group is one of these (legend)."""
        if hidden != self.hidden:
            self.hidden = hidden
            self._read_visible()
            self.changed.emit("style")

    @property
    def drawn(self) -> tuple[NDArray, ...]:
        """The arrays an image of the points is made of: with others of them it is of another
        cloud."""
        return self.places, self.visible, self.selected, self.rgb, self.slots, self.levels

    def __len__(self) -> int:
        return len(self.places)

    @property
    def axes(self) -> NDArray[np.float32]:
        return self.places.T

    @property
    def run(self) -> Run | None:
        return self._run

    @property
    def dimensions(self) -> int:
        return self.Z.shape[1]

    @property
    def pickable(self) -> bool:
        """The points are those of a run."""
        return self._run is not None

    @property
    def dims(self) -> bool:
        """The others step back now."""
        return self.dim_others and self.chosen_count > 0

    @property
    def legend(self) -> tuple[LegendEntry, ...]:
        return self.style.legend

    @property
    def hover_row(self) -> int:
        """Row of the instance pointed at, -1 where none or hidden."""
        hover = self._session.selection.hover
        if hover is None or not self.pickable:
            return -1
        rows = self.rows_of(np.array([hover]))
        if self.units is not None and len(rows):
            rows = self.units.stands[rows]
            rows = rows[rows >= 0]
        return int(rows[0]) if len(rows) and self.visible[rows[0]] else -1

    @property
    def whole_bags(self) -> NDArray[np.int64]:
        """Bags of more than two members that are selected as a whole."""
        if self._whole_bags is None:
            self._whole_bags = np.empty(0, np.int64)
            if self.pickable and self.chosen_count and self._run is not None:
                bags = self._run.bags
                counts = np.bincount(
                    bags.bag_of_member[self.selected[bags.members]], minlength=len(bags)
                )
                self._whole_bags = np.flatnonzero((counts == bags.sizes) & (counts > 2))
        return self._whole_bags

    def bag_of(self, row: int) -> int:
        """The first bag of a row, -1 where it is in none. Who points at it asks at each painting,
        and looking for it takes as long as there are points."""
        run = self._run
        if self._bag[0] is not run or self._bag[1] != row:
            self._bag = run, row, run.bags.first_of(row) if run is not None else -1
        return self._bag[2]

    def rows_of(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of the instance ids that are here, ascending. O(len(ids) log N)."""
        return self._index.rows(ids)

    def ids_of(self, rows: NDArray) -> NDArray[np.int64]:
        return self._run.ids[rows] if self._run is not None else np.empty(0, np.int64)

    def ids_meant(self, rows: NDArray) -> NDArray[np.int64]:
        """Ids, ascending, of the instances that points mean: of a bag all of its members."""
        units, run = self.units, self._run
        if units is None or run is None:
            return np.sort(self.ids_of(rows))
        bags, inside = run.bags, np.zeros(len(run.bags), bool)
        inside[units.bags[np.isin(units.rows, rows)]] = True
        return np.sort(run.ids[np.unique(bags.members[inside[bags.bag_of_member]])])

    def still(self) -> Still:
        """All of it as it is now."""
        return Still(
            self.places,
            self.radius,
            self.rgb,
            self.slots,
            self.levels,
            self.sized,
            self.visible,
            self.selected,
            self.shown_count,
            self.dims,
            int(current().ink[1:], 16),
        )

    def _place(self, placed: Placed, axes: Axes, flat: Placed) -> None:
        self.Z, self.places, self.radius = placed.Z, placed.places, placed.radius
        self.shown_axes, self._all, self._flat = axes, placed, flat
        self._finite = placed.finite if flat is placed else placed.finite & flat.finite

    def _put_looks(self, looks: Looks) -> None:
        self.style, self.rgb, self.slots = looks.style, looks.rgb, looks.style.slot
        self.levels, self.sized = looks.levels, looks.sized
        self._read_visible()

    def _read_visible(self) -> None:
        visible = self._finite
        kept = filter_of(self._session).rows(self._run)
        if kept is not None:
            visible = visible & kept
        if self.units is not None:
            stands = np.zeros(len(visible), bool)
            stands[self.units.rows] = True
            visible = visible & stands
        if self.hidden:
            visible = visible & ~np.isin(self.style.group, list(self.hidden))
        self.visible = visible
        self.shown_count = int(np.count_nonzero(visible))
        self.limits = self._limits_of(self._all)
        flat = self._flat
        self.plane = Plane(
            flat.places, self.limits if flat is self._all else self._limits_of(flat)
        )

    def _limits_of(self, placed: Placed) -> Limits | None:
        bags = self.units is not None and not self.whole_extent
        some = self.hidden or bags or filter_of(self._session).on
        return limits(placed.places[self.visible]) if some else placed.limits

    def _put_selected(self, selected: NDArray[np.bool_]) -> None:
        """A bag is selected where one of its members is."""
        if self.units is not None:
            stands = self.units.stands[selected]
            selected = selected.copy()
            selected[stands[stands >= 0]] = True
        self.selected, self._whole_bags = selected, None
        self.chosen_count = int(np.count_nonzero(selected))
