"""The points of one of several maps side by side: those of a run, or a part of them, where they are
laid over another run."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.findings.shown_axes import FIRST
from emberscope.project import Changes, Run
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import concepts_edited
from emberscope_app.state.knowledge.shown_axes import Shown
from emberscope_app.state.points.looks import Choice, Looks, looks_of
from emberscope_app.state.points.placing import Placed, limits, place_points
from emberscope_app.state.points.points_on_show import PointsOnShow
from emberscope_app.theme.look import current, look


@dataclass(frozen=True, slots=True)
class View:
    """What one map shows.

    Z : (N, d) of the N instances of the run. like : (M, d), the map whose frame they are in.
    color : by what they are colored; shades : the numbers it stands for, where they are not of the
    run. only : (N,) which of them are shown. alone : (N,) those that no other map has: hollow.
    """

    run: Run
    Z: NDArray
    like: NDArray
    color: str
    shades: Shown | None = None
    only: NDArray[np.bool_] | None = None
    alone: NDArray[np.bool_] | None = None


class ComparedPoints(PointsOnShow):
    """Follows selection and pointing of the session; `show` gives it a view, `move` other
    places."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._run = None
        self._view: View | None = None
        nowhere = place_points(np.zeros((0, 2), np.float32))
        self._index = RowIndex(None)
        self._place(nowhere, FIRST, nowhere)
        self._put_looks(self._looks())
        self._put_selected(np.zeros(0, bool))
        session.selection.changed.connect(lambda _origin: self._read_selection())
        session.selection.hovered.connect(lambda _origin: self.changed.emit("hover"))
        session.changed.connect(self._on_project)
        look().changed.connect(self._restyle)
        self.levels, self.sized = np.zeros(0, np.uint8), False

    def show(self, view: View) -> None:
        """Show other points, or the same otherwise."""
        placed = place_points(view.Z, like=view.like)
        self._view, self._run, self._index = view, view.run, RowIndex(view.run)
        self._place(placed, FIRST, placed)
        self._put_looks(self._looks())
        self._put_selected(self._index.flags(self._session.selection.ids))
        self.changed.emit("points")

    def places_of(self, Z: NDArray) -> NDArray[np.float32]:
        """Places of coordinates (P, d) in the frame of the view (P, 3)."""
        like = self._view.like if self._view is not None else Z
        return place_points(Z, like=like).places

    def move(self, places: NDArray[np.float32]) -> None:
        """Show the points at other places (N, 3); nothing of their looks changes."""
        placed, places = self._all, np.asfortranarray(places)
        finite = np.isfinite(places.sum(axis=1))
        moved = Placed(placed.Z, places, placed.radius, limits(places), finite)
        self._place(moved, FIRST, moved)
        self._read_visible()
        self.changed.emit("moved")

    def _looks(self) -> Looks:
        view = self._view
        run, n = (view.run, len(view.Z)) if view is not None else (None, 0)
        color = view.color if view is not None else "class"
        focus = self._session.focus
        choice = Choice(
            color, focus.round, current(), view.shades if view is not None else None, None
        )
        return looks_of(self._session.project.frozen(labels=False), run, n, choice)

    def _put_looks(self, looks: Looks) -> None:
        super()._put_looks(looks)
        alone = self._view.alone if self._view is not None else None
        if alone is not None:
            self.slots = np.where(alone, 0, self.slots).astype(np.uint8)

    def _read_visible(self) -> None:
        super()._read_visible()
        only = self._view.only if self._view is not None else None
        if only is not None:
            self.visible = self.visible & only
            self.shown_count = int(np.count_nonzero(self.visible))

    def _read_selection(self) -> None:
        self._put_selected(self._index.flags(self._session.selection.ids))
        self.changed.emit("selection")

    def _restyle(self) -> None:
        self._put_looks(self._looks())
        self.changed.emit("style")

    def _on_project(self, changes: Changes) -> None:
        if not changes.everything and (
            changes.touch("marks", "classes", "labels") or concepts_edited(changes)
        ):
            self._restyle()
