"""The points of the run on show as maps know them: where, how they look, which are hidden, selected, pointed at."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from emberscope.project import Run
from emberscope_app.latent_view.looks import Looks, Still
from emberscope_app.latent_view.placing import Placed, levels_of, limits
from emberscope_app.state.jobs import Job
from emberscope_app.state.points import LegendEntry, PointStyle
from emberscope_app.state.row_index import RowIndex
from emberscope_app.state.session import Session
from emberscope_app.theme.look import current

CONCEPT_STARS, GROUND_SQUARES = "stars", "squares"  # where concepts lie, and clusters of negative instances
PAIR_LINKS = "links"  # between chips marked alike or different
TRACKS = "tracks"     # the way from frame to frame


class ShownPoints(QObject):
    """Row n here is row n of the run. Arrays are replaced, never changed in place.

    changed(what): "points" (another run or partial embedding), "moved" (the same points elsewhere: `show_at`), "style",
    "selection" or "hover".
    Z (N, d) as computed; places (N, 3) float32 the same, centered and scaled so that nearly all lie in [-1, 1],
    missing axes 0; axes (3, N) the same along memory, where numpy is ten times as fast. limits: lowest and highest of
    the visible places, outliers left aside (see `limits`).
    """

    changed = Signal(str)
    Z: NDArray
    places: NDArray[np.float32]
    axes: NDArray[np.float32]
    radius: float
    _all_limits: tuple[NDArray, NDArray] | None
    _finite: NDArray[np.bool_]

    style: PointStyle
    rgb: NDArray[np.uint32]
    slots: NDArray[np.uint8]
    levels: NDArray[np.int32]
    sized: bool
    visible: NDArray[np.bool_]
    selected: NDArray[np.bool_]
    shown_count: int
    chosen_count: int
    limits: tuple[NDArray, NDArray] | None
    _run: Run | None
    _index: RowIndex

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.turns = session.turns
        self.partial: Job | None = None
        self.hidden: frozenset[int] = frozenset()
        self.size_by = "fixed"
        self.at: float | None = None  # value of the slider that moved the points; None: they are where the run has them
        self._whole_bags: NDArray[np.int64] | None = None  # found when first asked for
        self.dim_others = False
        self.layers = frozenset({CONCEPT_STARS, PAIR_LINKS})  # what is drawn over the points

    # --- what the maps ask for

    def __len__(self) -> int:
        return len(self.places)

    @property
    def run(self) -> Run | None:
        return self._run

    @property
    def dimensions(self) -> int:
        return self.Z.shape[1]

    @property
    def pickable(self) -> bool:
        """Points of a partial embedding belong to no run yet: they are shown, not picked."""
        return self._run is not None and self.partial is None

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
        return int(rows[0]) if len(rows) and self.visible[rows[0]] else -1

    @property
    def whole_bags(self) -> NDArray[np.int64]:
        """Bags of more than two members that are selected as a whole."""
        if self._whole_bags is None:
            self._whole_bags = np.empty(0, np.int64)
            if self.pickable and self.chosen_count and self._run is not None:
                bags = self._run.bags
                counts = np.bincount(bags.bag_of_member[self.selected[bags.members]], minlength=len(bags))
                self._whole_bags = np.flatnonzero((counts == bags.sizes) & (counts > 2))
        return self._whole_bags

    def rows_of(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of the instance ids that are here, ascending. O(len(ids) log N)."""
        return self._index.rows(ids)

    def ids_of(self, rows: NDArray) -> NDArray[np.int64]:
        return self._run.ids[rows] if self._run is not None else np.empty(0, np.int64)

    def still(self) -> Still:
        """All of it as it is now."""
        return Still(self.places, self.radius, self.rgb, self.slots, self.levels, self.sized, self.visible,
                     self.selected, self.shown_count, self.dims, int(current().ink[1:], 16))

    # --- what the maps change

    def hide(self, hidden: frozenset[int]) -> None:
        """Hide the points whose group is one of these (legend)."""
        if hidden != self.hidden:
            self.hidden = hidden
            self._read_visible()
            self.changed.emit("style")

    def set_size_by(self, name: str) -> None:
        if name != self.size_by:
            self.size_by = name
            self.levels, self.sized = levels_of(self._run, name, len(self))
            self.changed.emit("style")

    def set_dim_others(self, on: bool) -> None:
        if on != self.dim_others:
            self.dim_others = on
            self.changed.emit("style")

    def show_layer(self, layer: str, on: bool) -> None:
        """Draw CONCEPT_STARS, GROUND_SQUARES, PAIR_LINKS or TRACKS over the points, or not."""
        layers = self.layers | {layer} if on else self.layers - {layer}
        if layers != self.layers:
            self.layers = layers
            self.changed.emit("hover")

    # --- what is put here

    def _place(self, placed: Placed) -> None:
        self.Z, self.places, self.axes, self.radius = placed.Z, placed.places, placed.axes, placed.radius
        self._all_limits, self._finite = placed.limits, placed.finite

    def _put_looks(self, looks: Looks) -> None:
        self.style, self.rgb, self.slots = looks.style, looks.rgb, looks.style.slot
        self.levels, self.sized = looks.levels, looks.sized
        self._read_visible()

    def _read_visible(self) -> None:
        visible = self._finite
        if self.hidden:
            visible = visible & ~np.isin(self.style.group, list(self.hidden))
        self.visible = visible
        self.shown_count = int(np.count_nonzero(visible))
        self.limits = limits(self.places[visible]) if self.hidden else self._all_limits

    def _put_selected(self, selected: NDArray[np.bool_]) -> None:
        self.selected, self._whole_bags = selected, None
        self.chosen_count = int(np.count_nonzero(selected))
