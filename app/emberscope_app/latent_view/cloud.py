"""The points of the run on show, once for both maps: where, how they look, which are hidden, selected, pointed at."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, Signal

from emberscope.project import Changes, Run
from emberscope_app.latent_view.rasterizer import Draws
from emberscope_app.latent_view.sprites import Atlas
from emberscope_app.state.concepts import concepts_edited
from emberscope_app.state.imputed_rounds import IMPUTED
from emberscope_app.state.jobs import Job
from emberscope_app.state.points import LegendEntry, PointStyle, style_points
from emberscope_app.state.row_index import RowIndex
from emberscope_app.state.session import Session
from emberscope_app.state.share import Share
from emberscope_app.state.shown_axes import shown_axes
from emberscope_app.theme.look import current, look

SIZE_LEVELS = 6
CONCEPT_STARS, GROUND_SQUARES = "stars", "squares"  # where concepts lie, and clusters of negative instances
PAIR_LINKS = "links"  # between chips marked alike or different
TRACKS = "tracks"     # the way from frame to frame
DIM = 0.35            # opacity of the others while something is selected
_OUTSIDE, _MARGIN = 0.005, 0.2  # share of the points at each end that may be outliers; width added on both sides
_ENOUGH = 100_000     # points that tell the limits as well as more would
_RINGS_ONE_BY_ONE = 20_000  # above this the selection gets one common outline


def cloud_of(session: Session) -> "Cloud":
    """The one cloud of a session."""
    found = session.findChild(Cloud, "cloud", Qt.FindChildOption.FindDirectChildrenOnly)
    return found if isinstance(found, Cloud) else Cloud(session)


class Cloud(QObject):
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

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.setObjectName("cloud")
        self._session = session
        self.partial: Job | None = None
        self._newest: Job | None = None  # whose layout came last
        self._live = Share(self._show_newest, self)
        self.hidden: frozenset[int] = frozenset()
        self.size_by = "fixed"
        self.at: float | None = None  # value of the slider that moved the points; None: they are where the run has them
        self._first_bag: NDArray[np.int64] | None = None   # both computed when first asked for
        self._whole_bags: NDArray[np.int64] | None = None
        self.dim_others = False
        self.layers = frozenset({CONCEPT_STARS, PAIR_LINKS})  # what is drawn over the points
        self.turns = session.turns
        self._ahead = _Ahead(session)
        self.coming = False  # the points of the run on show are read in a moment; there are none until then
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        session.selection.changed.connect(lambda _origin: self._read_selection())
        session.selection.hovered.connect(lambda _origin: self.changed.emit("hover"))
        session.jobs.partial.connect(self._on_partial)
        session.jobs.changed.connect(self._on_job)
        look().changed.connect(self._show_style)
        shown_axes(session).ready.connect(self._show_style)
        self._read_run()

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
    def first_bag(self) -> NDArray[np.int64]:
        """(N,) the first bag of each row, -1 in none."""
        if self._first_bag is None:
            run = self._run
            has = run is not None and len(run.bags) > 0
            self._first_bag = run.bags.first_bag(len(run.ids)) if has and run is not None else np.full(len(self), -1)
        return self._first_bag

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

    def plain(self, atlas: Atlas, opacity: float) -> Draws:
        """The points that are not selected, see-through; paler while others are selected."""
        alpha = opacity * (DIM if self.dims else 1.0)
        rows = np.flatnonzero(self.visible & ~self.selected).astype(np.int32)
        color = self.rgb[rows] | np.uint32(max(round(255 * alpha), 8) << 24)
        return Draws(rows, atlas.fill(self.slots[rows], self.levels[rows]), color)

    def chosen(self, atlas: Atlas) -> Draws:
        """The selected points, opaque, each on its ink ring; of very many first all rings, then all points."""
        rows = np.flatnonzero(self.visible & self.selected).astype(np.int32)
        slots, levels = self.slots[rows], self.levels[rows]
        ink = np.full(len(rows), 0xFF000000 | int(current().ink[1:], 16), np.uint32)
        twice = np.stack([rows, rows])
        sprites = np.stack([atlas.ring(slots, levels), atlas.fill(slots, levels)])
        colors = np.stack([ink, self.rgb[rows] | np.uint32(0xFF000000)])
        if len(rows) <= _RINGS_ONE_BY_ONE:
            return Draws(twice.T.ravel(), sprites.T.ravel(), colors.T.ravel())
        return Draws(twice.ravel(), sprites.ravel(), colors.ravel())

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

    # --- reading the session

    def _on_project(self, changes: Changes) -> None:
        if changes.everything:
            self.partial, self._newest, self.hidden, self.size_by = None, None, frozenset(), "fixed"
        if self._session.run is not self._run or changes.everything:
            self._read_run()
        elif changes.touch("marks", "classes", "labels", "sources") or concepts_edited(changes):
            self.turns.take(self._show_style)

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names and self._session.run is not self._run:
            self._read_run()
        elif names & {"color_by", "axes"} or ("round" in names and self._session.focus.color_by == IMPUTED):
            self.hidden = frozenset() if "color_by" in names else self.hidden
            self._read_style()
            self.changed.emit("style")

    def _show_style(self) -> None:
        self._read_style()
        self.changed.emit("style")

    def _on_partial(self, job: Job) -> None:
        if job.active and job.partial is not None and job.partial.ndim == 2:
            self._newest = job
            self._live.ask()

    def _show_newest(self) -> None:
        """The newest of the layouts of a run; those that came faster than they could be drawn are left out."""
        job = self._newest
        if job is not None and job.active:
            self.partial = job
            self._show_run()

    def _on_job(self, job: Job) -> None:
        if self.partial is None or job.id != self.partial.id:
            return
        if job.active:
            self.changed.emit("progress")
            return
        self.partial = None
        if job.state != "finished":  # the run of a finished job is on show in a moment: the old one does not flash up
            self._read_run()

    def _read_run(self) -> None:
        """Another run: nothing of the one before stays while its points are awaited."""
        self.turns.take(self._ahead.place)
        self.turns.take(self._show_run)
        self.coming = self.turns.waits(self._show_run)
        if self.coming:
            self._read_points(None)
            self.changed.emit("points")

    def _show_run(self) -> None:
        self.coming = False
        self._read_points(self._session.run)
        self._ahead.placed = None
        self.changed.emit("points")

    def _read_points(self, run: Run | None) -> None:
        self._run, self.at = run, None
        if self.partial is not None and self.partial.partial is not None:
            _put(self, self.partial.partial)
        else:
            _put(self, run.Z if run is not None else np.zeros((0, 2), np.float32))
        self._index = RowIndex(self._run)
        self._first_bag = self._whole_bags = None
        self._read_style()
        self._read_selection(tell=False)

    def _read_style(self) -> None:
        run, n = self._run, len(self.places)
        if run is not None and len(run.ids) == n:
            focus = self._session.focus
            self.style = style_points(self._session.project, run, focus.color_by, current(), number=focus.round,
                                      shown=shown_axes(self._session))
        else:
            gray = np.array([[int(current().t3[i : i + 2], 16) for i in (1, 3, 5)]], np.uint8)
            self.style = PointStyle(np.ones(n, np.uint8), np.repeat(gray, n, axis=0), np.zeros(n, np.int64), ())
        parts = self.style.rgb.astype(np.uint32)
        self.rgb = (parts @ np.array([1 << 16, 1 << 8, 1], np.uint32)).astype(np.uint32)
        self.slots = self.style.slot
        self.levels, self.sized = levels_of(self._run, self.size_by, len(self))
        self._read_visible()

    def _read_visible(self) -> None:
        visible = self._finite
        if self.hidden:
            visible = visible & ~np.isin(self.style.group, list(self.hidden))
        self.visible = visible
        self.shown_count = int(np.count_nonzero(visible))
        self.limits = limits(self.places[visible]) if self.hidden else self._all_limits

    def _read_selection(self, *, tell: bool = True) -> None:
        selected = np.zeros(len(self.places), np.bool_)
        if self.pickable:
            selected[self.rows_of(self._session.selection.ids)] = True
        self.selected = selected
        self.chosen_count = int(np.count_nonzero(selected))
        self._whole_bags = None
        if tell:
            self.changed.emit("selection")


def show_at(cloud: Cloud, value: float | None, Z: NDArray | None) -> None:
    """Show the points elsewhere, as the run would have them at another value; None: where it has them.

    Z : (N, d). The frame stays that of the run, so that nothing jumps.
    """
    run = cloud.run
    if run is None or cloud.partial is not None or (value is None and cloud.at is None):
        return
    cloud.at = value
    _put(cloud, run.Z if Z is None else Z, like=run.Z)
    cloud._read_visible()
    cloud.changed.emit("moved")


@dataclass(frozen=True, slots=True)
class _Placed:
    """Where points are: all that follows from their coordinates Z alone (see `Cloud`)."""

    Z: NDArray
    places: NDArray[np.float32]
    axes: NDArray[np.float32]
    radius: float  # of the ball around all
    limits: tuple[NDArray, NDArray] | None
    finite: NDArray[np.bool_]


def _place(Z: NDArray, *, like: NDArray | None = None) -> _Placed:
    places = normalized(Z, like=like)
    axes = np.ascontiguousarray(places.T)
    square = np.einsum("nd,nd->n", places, places)
    radius = float(np.sqrt(np.nanmax(square, initial=0.01)))
    return _Placed(Z, places, axes, radius, limits(places), np.isfinite(axes.sum(axis=0)))


class _Ahead:
    """Places the points of the run that is on show in a moment: the maps draw right after they are there."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.placed: _Placed | None = None

    def place(self) -> None:
        run = self._session.run
        self.placed = _place(run.Z) if run is not None else None


def _put(cloud: Cloud, Z: NDArray, *, like: NDArray | None = None) -> None:
    """Put the points where they are, which may be known already."""
    known = cloud._ahead.placed
    found = known if known is not None and known.Z is Z and like is None else _place(Z, like=like)
    cloud.Z, cloud.places, cloud.axes, cloud.radius = found.Z, found.places, found.axes, found.radius
    cloud._all_limits, cloud._finite = found.limits, found.finite


def levels_of(run: Run | None, score: str, n: int) -> tuple[NDArray[np.int32], bool]:
    """(n,) sizes of points by a score of theirs, 0 .. SIZE_LEVELS - 1; and whether there is such a score."""
    values = run.point_scores.get(score) if run is not None else None
    if values is None or len(values) != n or not np.isfinite(values).any():
        return np.zeros(n, np.int32), False
    low, high = np.nanmin(values), np.nanmax(values)
    part = np.nan_to_num((values - low) / max(float(high - low), 1e-12))
    return np.minimum(part * SIZE_LEVELS, SIZE_LEVELS - 1).astype(np.int32), True


def limits(places: NDArray) -> tuple[NDArray, NDArray] | None:
    """Lowest and highest coordinates of nearly all places: outliers do not count, a cloud without any is whole.

    Per axis the middle 99 % and a fifth of its width on both sides, but no more than there is. None of no places.
    """
    axes = np.ascontiguousarray(places.T)  # numpy is many times faster along memory
    finite = np.isfinite(axes).all(axis=0)
    if not finite.all():
        axes = axes[:, finite]
    count = axes.shape[1]
    if not count:
        return None
    low, high = np.quantile(axes[:, :: 1 + count // _ENOUGH].astype(float), (_OUTSIDE, 1 - _OUTSIDE), axis=1)
    margin = _MARGIN * (high - low)
    return np.maximum(low - margin, axes.min(axis=1)), np.minimum(high + margin, axes.max(axis=1))


def frame_of(Z: NDArray) -> tuple[NDArray, float] | None:
    """What `normalized` takes for the middle (d,), and for half the widest axis; None of no places."""
    found = limits(Z)
    if found is None:
        return None
    low, high = found
    return (low + high) / 2, float((high - low).max()) / 2 or 1.0


def flat_places(Z: NDArray, axes: tuple[int, int]) -> NDArray[np.float32]:
    """(N, 3) float32: two columns of Z (N, d), in the frame of the first three where they are of these, in one of their
    own elsewhere; the third is 0."""
    own = list(axes)
    places = normalized(Z)[:, own] if max(axes) < 3 else normalized(Z[:, own])[:, :2]
    return np.concatenate([places, np.zeros((len(places), 1), np.float32)], axis=1)


def normalized(Z: NDArray, *, like: NDArray | None = None) -> NDArray[np.float32]:
    """(N, 3) float32: Z centered on its middle and scaled as a whole so that the widest axis spans [-1, 1], outliers
    left aside (see `limits`). like : (M, d) whose middle and width are taken instead."""
    places = np.zeros((len(Z), 3), np.float32)
    d = min(Z.shape[1], 3)
    found = frame_of((Z if like is None else like)[:, :d])
    if found is None:
        places[:, :d] = np.nan
    else:
        middle, half = found
        places[:, :d] = (Z[:, :d] - middle) / half
    return places
