"""Runs judged on bags that were held out: curves, slices, two runs side by side."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.findings.judged.levels import METHOD, Estimate, Judged
from emberscope.findings.judged.pair import Compared
from emberscope.project.model.project import Run
from emberscope.project.model.snapshot import Snapshot, from_snapshot
from emberscope.tasks.request import AboutRun, Request


class JudgeRun(AboutRun[Judged], frozen=True, kw_only=True):
    """What truth says of its held-out scores, at every level. by : whose, of its method or of its
    classifier."""

    by: str = METHOD


class SliceAreas(msgspec.Struct, frozen=True):
    """Of each slice (C,): area under the ROC curve, NaN without both kinds, ends of its 95 %
    interval, targets, ground, and groups that depend on each other; known : whether targets and
    ground are enough to say anything."""

    area: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    targets: NDArray[np.int64]
    ground: NDArray[np.int64]
    groups: NDArray[np.int64]
    known: NDArray[np.bool_]

    def estimates(self) -> list[Estimate]:
        """(C,) the areas with their intervals."""
        return [Estimate(*map(float, ends)) for ends in zip(self.area, self.low, self.high,
                                                            strict=True)]


class CutSlices(Request[SliceAreas], frozen=True, kw_only=True):
    """Areas of slices. target, score, group, cell : (M,) of the entries of a level; cell : the
    slice of each, -1 for none. cells : how many slices."""

    target: NDArray[np.bool_]
    score: NDArray[np.float64]
    group: NDArray[np.int64]
    cell: NDArray[np.int64]
    cells: int


class CompareRuns(Request[Compared], frozen=True, kw_only=True):
    """The second run against the first one. snapshot : of their project. by : as of `JudgeRun`."""

    snapshot: Snapshot
    first: Run
    second: Run
    by: str = METHOD


def judge_run(request: JudgeRun, monitor: Monitor) -> Judged:
    """See `judging.judge`."""
    from emberscope.judging import judge

    return judge.judge_run(from_snapshot(request.snapshot), request.run, by=request.by,
                           monitor=monitor)


def cut_slices(request: CutSlices, monitor: Monitor) -> SliceAreas:
    """See `evaluate.slices`."""
    from emberscope.evaluate.slices import Sliced

    monitor.step(0.0, "Slices")
    cut = Sliced(request.target, request.score, request.group)
    found = cut.areas(request.cell, request.cells)
    return SliceAreas(found.area, found.low, found.high, found.targets.astype(np.int64),
                      found.ground.astype(np.int64), found.groups.astype(np.int64), found.known)


def compare_runs(request: CompareRuns, monitor: Monitor) -> Compared:
    """See `judging.compare`."""
    from emberscope.judging import compare

    return compare.compare_runs(from_snapshot(request.snapshot), request.first, request.second,
                                by=request.by, monitor=monitor)
