"""The tracks of a run: its instances in the order of their frames, and the actions between them.
Imports light."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from emberscope.labels.side_info import Actions, SideInfo, SideRecord
from emberscope.project.model.project import Run

_SHORTEST = 3  # instances of a track without actions


@dataclass(frozen=True, slots=True)
class TrackSteps:
    """Steps from row `before` (Q,) to row `after` (Q,) of a run; action (Q,) : index into `names`,
    -1 = not known.

    made_of : whether the run was made of these actions, and not only shows them.
    """

    before: NDArray[np.int64]
    after: NDArray[np.int64]
    action: NDArray[np.int64]
    names: tuple[str, ...]
    made_of: bool = False

    def __len__(self) -> int:
        return len(self.before)


def track_steps(run: Run, records: Iterable[SideRecord]) -> TrackSteps:
    """The steps a run was made of; else those of the actions among its instances; else from frame
    to frame.

    The last only where every frame has one instance and a source three frames at least; no steps
    elsewhere. O(N log N).
    """
    state = run.state
    if "actions_" in state and len(state.get("before_", ())):
        return TrackSteps(
            np.asarray(state["before_"], np.int64),
            np.asarray(state["after_"], np.int64),
            np.asarray(state["action_"], np.int64),
            tuple(map(str, state["actions_"])),
            made_of=True,
        )
    actions = [record for record in records if isinstance(record, Actions)]
    side = SideInfo.of(actions, run.ids) if actions else SideInfo()
    if side.sequences:
        parts = [(track.rows[:-1], track.rows[1:], track.actions) for track in side.sequences]
        before, after, action = (np.concatenate(part) for part in zip(*parts, strict=True))
        return TrackSteps(before, after, action, side.actions)
    return _by_frames(run)


def _by_frames(run: Run) -> TrackSteps:
    order = np.lexsort((run.frame, run.source))
    same = np.diff(run.source[order]) == 0
    step = np.diff(run.frame[order].astype(np.int64))
    counts = np.unique(run.source, return_counts=True)[1] if len(order) else np.zeros(0)
    if not len(order) or counts.max() < _SHORTEST or (same & (step == 0)).any():
        none = np.zeros(0, np.int64)
        return TrackSteps(none, none, none, ())
    pairs = np.array(
        [
            (a, b)
            for (a, b), kept in zip(pairwise(order.tolist()), same.tolist(), strict=True)
            if kept
        ]
    )
    return TrackSteps(pairs[:, 0], pairs[:, 1], np.full(len(pairs), -1), ())
