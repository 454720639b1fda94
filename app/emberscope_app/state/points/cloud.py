"""The points of the run on show, once for both maps: where, how they look, which are hidden,
selected, pointed at."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.findings.imputed_rounds import IMPUTED
from emberscope.findings.maps.bag_points import (
    INSTANCES,
    OF_BAGS,
    OUTLINES,
    WITNESSES,
    BagPoints,
    at_means,
    bag_points,
)
from emberscope.findings.shown_axes import FIRST, Axes
from emberscope.project import Changes, Run
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import concepts_edited
from emberscope_app.state.knowledge.shown_axes import Shown, axes_on_show, shown_axes
from emberscope_app.state.points.filter import filter_of
from emberscope_app.state.points.looks import Choice, Looks, looks_of
from emberscope_app.state.points.placing import Placed, levels_of, on_axes, place_points
from emberscope_app.state.points.points_on_show import PointsOnShow
from emberscope_app.state.runs.jobs import Job
from emberscope_app.theme.look import current, look
from emberscope_app.when.timers import Share, later


class _Read(NamedTuple):
    """All that is shown of the run in focus, or of the newest layout of one that is being made;
    then `own` is None."""

    run: Run | None
    own: Run | None
    partial: Job | None
    placed: Placed
    axes: Axes
    flat: Placed
    looks: Looks
    rows: RowIndex
    selected: NDArray[np.bool_]
    units: BagPoints | None = None
    members: NDArray[np.float32] | None = None


def cloud_of(session: Session) -> "Cloud":
    """The one cloud of a session."""
    return session.only(Cloud)


class Cloud(PointsOnShow):
    """Reads the points from the session, and says when they are others.

    changed(what): "points" (another run or partial embedding), "moved" (the same points elsewhere:
    `show_at`), "style", "selection" or "hover".
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.partial: Job | None = None
        self._read_for: Run | None = None  # the run in focus when the points were read
        self._newest: Job | None = None  # whose layout came last
        self._live = Share(self._show_newest, self)
        self.size_by = "fixed"
        self.points_as = INSTANCES  # of `bag_points.POINTS`
        # (N, 3) where the instances themselves are in the plane, where points stand for bags
        self.members: NDArray[np.float32] = np.zeros((0, 3), np.float32)
        # Value of the slider that moved the points; None: they are where the run has them
        self.at: float | None = None
        self.slides = False  # somebody holds the slider that moves the points
        # The points of the run on show are read in a moment; there are none until then
        self.coming = False
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        session.selection.changed.connect(lambda _origin: self._read_selection())
        session.selection.hovered.connect(lambda _origin: self.changed.emit("hover"))
        session.jobs.partial.connect(self._on_partial)
        session.jobs.changed.connect(self._on_job)
        look().changed.connect(self._restyle)
        shown_axes(session).ready.connect(self._restyle)
        filter_of(session).changed.connect(self._on_filter)
        self._read_run()

    # --- what the maps change

    def _on_filter(self) -> None:
        if not self._gathers_again():
            self._read_visible()
            self.changed.emit("style")

    def set_size_by(self, name: str) -> None:
        if name != self.size_by:
            self.size_by = name
            if not self._gathers_again():
                sizes = self._score(self._alike(self._run), name)
                self.levels, self.sized = levels_of(
                    sizes.values if sizes is not None else None, len(self)
                )
                self.changed.emit("style")

    def set_points_as(self, name: str) -> None:
        """Show instances, or a point a bag: of `bag_points.POINTS`."""
        if name != self.points_as:
            self.points_as, self.hidden = name, frozenset()
            self.turns.aside(self._gather, self._show_points)

    def set_dim_others(self, on: bool) -> None:
        if on != self.dim_others:
            self.dim_others = on
            self.changed.emit("style")

    # --- reading the session

    def _on_project(self, changes: Changes) -> None:
        if changes.everything:
            self.partial, self._newest, self.hidden, self.size_by = None, None, frozenset(), "fixed"
        if self._session.run is not self._read_for or changes.everything:
            self._read_run()
        elif changes.touch("marks", "classes", "labels", "sources") or concepts_edited(changes):
            if self.points_as in OF_BAGS:  # a mark may make another one the witness
                self.turns.aside(self._gather, self._show_points)
            else:
                self._restyle()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names and self._session.run is not self._read_for:
            self._read_run()
        elif "axes" in names:
            self.turns.aside(self._gather, self._show_points)
        elif "color_by" in names or ("round" in names and self._session.focus.color_by == IMPUTED):
            self.hidden = frozenset() if "color_by" in names else self.hidden
            self._restyle()

    def _on_partial(self, job: Job) -> None:
        known = job.partial if job.lays_out and job.active else None
        if known is not None and known.ndim == 2:
            self._newest = job
            self._live.ask()

    def _show_newest(self) -> None:
        """The newest of the layouts of a run; those that came faster than they could be drawn are
        left out."""
        job = self._newest
        if job is not None and job.active:
            self.partial = job
            self.turns.aside(self._gather, self._show_points)

    def _on_job(self, job: Job) -> None:
        if self.partial is None or job.id != self.partial.id:
            return
        if job.active:
            self.changed.emit("progress")
            return
        self.partial = None
        if job.state != "finished":
            self._read_run()
        else:  # its run is on show in a moment: the old one does not flash up
            later(self, self._settle)

    def _settle(self) -> None:
        """Where no run came of the layout on show, the one in focus is on the maps again."""
        if self.partial is None and self._run is None and not self.coming:
            self._read_run()

    def _read_run(self) -> None:
        """Another run: nothing of the one before stays while its points are awaited."""
        self.turns.aside(self._gather, self._show_points)
        self.coming = self.turns.waits(self._gather)
        if self.coming:
            nowhere = np.zeros((0, 2), np.float32)
            looks = self._looks(None, 0)(None)
            none = place_points(nowhere)
            self._put(
                _Read(None, None, None, none, FIRST, none, looks, RowIndex(None), np.zeros(0, bool))
            )
            self.changed.emit("points")

    def _gather(self) -> Callable[[], _Read]:
        """What a thread makes of the run on show."""
        run, partial, chosen = self._session.run, self.partial, self._session.selection.ids
        live = partial.partial if partial is not None else None
        own = run if live is None else None
        Z = live if live is not None else run.Z if run is not None else np.zeros((0, 2), np.float32)
        axes = axes_on_show(own, self._session.focus.axes)
        looks = self._looks(self._alike(own), len(Z))
        project, shown_as = self._session.project.frozen(labels=False), self.points_as

        def read() -> _Read:
            index, placed = RowIndex(own), place_points(Z)
            flat = on_axes(placed, axes)
            members, units = flat.places, None
            if own is not None and shown_as in OF_BAGS and len(own.bags):
                units = bag_points(project, own)
                if shown_as != WITNESSES:
                    placed, flat = _moved(at_means(Z, own.bags, units), Z, axes)
            selected = index.flags(chosen) if own is not None else np.zeros(len(Z), bool)
            return _Read(
                run, own, partial, placed, axes, flat, looks(units), index, selected, units, members
            )

        return read

    def _show_points(self, found: _Read) -> None:
        if found.run is self._session.run and found.partial is self.partial:
            self.coming = False
            self._put(found)
            self.changed.emit("points")

    def _put(self, found: _Read) -> None:
        self._read_for, self._run, self.at, self._index = found.run, found.own, None, found.rows
        self.units, self.whole_extent = found.units, self.points_as == OUTLINES
        self.members = found.members if found.members is not None else found.flat.places
        self._place(found.placed, found.axes, found.flat)
        self._whole_bags = None
        self._put_looks(found.looks)
        self._put_selected(found.selected)

    def _alike(self, run: Run | None) -> Run | None:
        """The run that points look like: their own, of a live layout one of the same instances."""
        runs = self._session.runs
        return (
            runs.alike
            if run is None and self.partial is not None and self.partial is runs.job
            else run
        )

    def _looks(self, run: Run | None, n: int) -> Callable[[BagPoints | None], Looks]:
        project, focus = self._session.project.frozen(labels=False), self._session.focus
        scores = self._score(run, focus.color_by), self._score(run, self.size_by)
        choice = Choice(focus.color_by, focus.round, current(), *scores, self.points_as)
        return lambda units: looks_of(project, run, n, choice, units)

    def _score(self, run: Run | None, name: str) -> Shown | None:
        return shown_axes(self._session).score(run, name) if run is not None else None

    def _restyle(self) -> None:
        """Colors, glyphs or classes are others."""
        if not self._gathers_again():
            self.turns.aside(self._look_again, self._show_looks)

    def _gathers_again(self) -> bool:
        """Whether points are on their way, with looks and selection as they were: then all of it is
        read once more."""
        if not self.turns.waits(self._gather):
            return False
        self.turns.aside(self._gather, self._show_points)
        return True

    def _look_again(self) -> Callable[[], tuple[Run | None, Looks]]:
        run, looks = self._run, self._looks(self._alike(self._run), len(self.places))
        units = self.units
        return lambda: (run, looks(units))

    def _show_looks(self, found: tuple[Run | None, Looks]) -> None:
        run, looks = found
        if run is self._run and len(looks.rgb) == len(self.places):
            self._put_looks(looks)
            self.changed.emit("style")

    def _read_selection(self) -> None:
        if not self._gathers_again():
            self.turns.aside(self._find_selected, self._show_selected)

    def _find_selected(self) -> Callable[[], tuple[RowIndex, NDArray[np.bool_]]]:
        index, ids = self._index, self._session.selection.ids
        n, pickable = len(self.places), self.pickable
        return lambda: (index, index.flags(ids) if pickable else np.zeros(n, bool))

    def _show_selected(self, found: tuple[RowIndex, NDArray[np.bool_]]) -> None:
        index, selected = found
        if index is self._index and len(selected) == len(self.places):
            self._put_selected(selected)
            self.changed.emit("selection")

    def show_at(self, value: float | None, Z: NDArray | None) -> None:
        """Show the points elsewhere, as the run would have them at another value; None: where it
        has them.

        Z : (N, d). The frame stays that of the run, so that nothing jumps.
        """
        run = self.run
        if run is None or self.partial is not None or (value is None and self.at is None):
            return
        self.at = value
        axes, now = self.shown_axes, run.Z if Z is None else Z
        placed = place_points(now, like=run.Z)
        flat = on_axes(placed, axes, like=run.Z)
        self.members = flat.places
        if self.units is not None and self.points_as != WITNESSES:
            placed, flat = _moved(at_means(now, run.bags, self.units), run.Z, axes)
        self._place(placed, axes, flat)
        self._read_visible()
        self.changed.emit("moved")


def _moved(Z: NDArray, like: NDArray, axes: Axes) -> tuple[Placed, Placed]:
    """Points at Z (N, d) in the frame of the instances they are of (N, d), in space and in the
    plane."""
    placed = place_points(Z, like=like)
    return placed, on_axes(placed, axes, like=like)
