"""The instances of the run on show that lie on the frame on show: where they are, which one is
under the pointer."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.ids import label_of_bag
from emberscope.project import Run
from emberscope.project.model.witness import witness_scores
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.filter import filter_of
from emberscope_app.state.points.selected_region import Region, region

_NO_ROWS = np.empty(0, np.int64)


class FrameInstances:
    """A view on the run on show, read again only when the run or the frame changes.

    run : whose rows these are, also in the moment before they are read again.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._of: tuple[int | None, int, Run | None] = (None, -1, None)
        self._kept: NDArray[np.bool_] | None = None  # by the filter
        self.rows = _NO_ROWS
        self._index = RowIndex(None)
        self._chosen_of: tuple[NDArray[np.int64], NDArray[np.bool_]] | None = None
        self._conflicts: tuple[Run | None, frozenset[int]] = (None, frozenset())

    @property
    def run(self) -> Run | None:
        return self._of[2]

    def update(self) -> None:
        """Find the rows of the frame. O(N), about 1 ms at a million instances."""
        focus, run = self._session.focus, self._session.run
        kept = filter_of(self._session).rows(run)
        key = (focus.source, focus.frame, run)
        if self._of[:2] == key[:2] and self._of[2] is run and self._kept is kept:
            return
        self._of, self._kept = key, kept
        self.rows = (
            _NO_ROWS
            if run is None
            else np.flatnonzero((run.frame == focus.frame) & (run.source == focus.source))
        )
        if run is not None and kept is not None:
            self.rows = self.rows[kept[self.rows]]

    def at(self, x: float, y: float) -> int | None:
        """Id of the instance under a frame point: the smallest support, the nearest center among
        equals."""
        run = self.run
        if run is None or not len(self.rows):
            return None
        box = run.box[self.rows]
        inside = np.flatnonzero(
            (box[:, 0] <= x) & (x < box[:, 2]) & (box[:, 1] <= y) & (y < box[:, 3])
        )
        if not len(inside):
            return None
        box = box[inside]
        size = (box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1])
        far = np.hypot((box[:, 0] + box[:, 2]) / 2 - x, (box[:, 1] + box[:, 3]) / 2 - y)
        return int(run.ids[self.rows[inside[np.lexsort((far, np.round(size)))[0]]]])

    def within(self, x0: float, y0: float, x1: float, y1: float) -> NDArray[np.int64]:
        """Ids of instances whose center lies in a box."""
        run = self.run
        return run.ids[self.rows_within(x0, y0, x1, y1)] if run is not None else _NO_ROWS

    def rows_within(self, x0: float, y0: float, x1: float, y1: float) -> NDArray[np.int64]:
        """Rows of the run whose center lies in a box of this frame."""
        run = self.run
        if run is None:
            return _NO_ROWS
        at = _centers(run.box[self.rows])
        return self.rows[(at >= (x0, y0)).all(axis=1) & (at < (x1, y1)).all(axis=1)]

    def centers(self, x0: float, y0: float, x1: float, y1: float) -> NDArray[np.float32]:
        """(n, 2) centers of instances inside a box, for the faint dots of a box being edited."""
        run = self.run
        return (
            _centers(run.box[self.rows_within(x0, y0, x1, y1)])
            if run is not None
            else np.empty((0, 2), np.float32)
        )

    def selected(self) -> NDArray[np.float32]:
        """(n, 4) supports of the selected instances on this frame."""
        run, ids = self.run, self._session.selection.ids
        if run is None or not len(ids) or not len(self.rows):
            return np.empty((0, 4), np.float32)
        return run.box[self.rows[self._chosen(run)[self.rows]]]

    def region(self) -> Region:
        """How the selected instances are marked on this frame."""
        run, boxes = self.run, self.selected()
        if run is None or not len(boxes):
            return region(boxes, None, np.zeros(0, bool))
        rows = self.rows[self._chosen(run)[self.rows]]
        outlined = np.zeros(len(run.ids), bool)
        outlined[run.bags.members[self._outlined(run)[run.bags.bag_of_member]]] = True
        return region(boxes, witness_scores(self._session.project, run, rows), outlined[rows])

    def _chosen(self, run: Run) -> NDArray[np.bool_]:
        """(N,) True where a row of the run is selected; found once per selection, because pointing
        asks too."""
        ids = self._session.selection.ids
        if self._index.of is not run:
            self._index = RowIndex(run)
            self._chosen_of = None
        if self._chosen_of is None or self._chosen_of[0] is not ids:
            found = np.zeros(len(run.ids), bool)
            found[self._index.rows(ids)] = True
            self._chosen_of = (ids, found)
        return self._chosen_of[1]

    def hovered(self) -> NDArray[np.float32] | None:
        """(4,) support of the instance pointed at in any view."""
        run, hover = self.run, self._session.selection.hover
        if run is None or hover is None:
            return None
        found = self.rows[run.ids[self.rows] == hover]
        return run.box[found[0]] if len(found) else None

    def bag_outlines(self) -> list[NDArray[np.float32]]:
        """Enclosing boxes on this frame of bags selected as a whole, or of those the one selected
        instance is in."""
        run, ids = self.run, self._session.selection.ids
        if run is None or not len(ids) or not len(self.rows):
            return []
        bags, wanted = run.bags, self._outlined(run)
        of_member = bags.bag_of_member
        here = np.zeros(len(run.ids), bool)
        here[self.rows] = True
        found = []
        for k in np.unique(of_member[here[bags.members] & wanted[of_member]])[:64].tolist():
            box = run.box[bags.of(k)][here[bags.of(k)]]
            found.append(np.concatenate([box[:, :2].min(axis=0), box[:, 2:].max(axis=0)]))
        return found

    def _outlined(self, run: Run) -> NDArray[np.bool_]:
        """(K,) bags that have an outline."""
        bags = run.bags
        share = np.bincount(
            bags.bag_of_member[self._chosen(run)[bags.members]], minlength=len(bags)
        )
        return (
            share > 0
            if len(self._session.selection.ids) == 1
            else (share == bags.sizes) & (share > 0)
        )

    def of_label(self, label_id: int) -> NDArray[np.int64]:
        """Ids of the instances in the bags a label made."""
        run = self.run
        if run is None:
            return _NO_ROWS
        bags = run.bags
        mine = [k for k, bag in enumerate(bags.ids.tolist()) if label_of_bag(bag) == label_id]
        return np.unique(run.ids[np.concatenate([bags.of(k) for k in mine])]) if mine else _NO_ROWS

    def conflicts(self) -> frozenset[int]:
        """Labels whose bags share an instance with a bag of the other sign; found once per run."""
        run = self.run
        if run is None:
            return frozenset()
        if self._conflicts[0] is not run:
            bags = run.bags
            both = np.zeros(len(run.ids), bool)
            both[bags.conflicts(len(run.ids))] = True
            touched = np.unique(bags.bag_of_member[both[bags.members]]).tolist()
            self._conflicts = (run, frozenset(label_of_bag(bags.ids[k]) for k in touched))
        return self._conflicts[1]


def _centers(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray((boxes[:, :2] + boxes[:, 2:]) / 2, np.float32)
