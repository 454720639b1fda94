"""Detections beside truth: which are hits, which false alarms, and how many of each at a score."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.evaluate.curves import curves
from emberscope.evaluate.held_out import enough_blocks
from emberscope.labels.geometry import as_boxes, centers
from emberscope.labels.truth_objects import TruthBox
from emberscope.scoring.detections import Detections

REACH = 8.0  # px: how far outside the box of a target the middle of a detection may lie
HIT, FALSE_ALARM, NEITHER = 1, 0, -1


@dataclass(frozen=True, slots=True)
class Matches:
    """N detections of a clip beside truth.

    score : (N,) float32. outcome : (N,) int8, `HIT`, `FALSE_ALARM`, or `NEITHER` for what lies in
    a region to be left out, is another one on a target that was found, or lies on a frame without
    truth. target : (N,) int64, row of the truth that was hit, else -1. place : (N,) int64, number
    of the frame among all frames with truth, -1 on others. targets : (T,) int64, place of each
    target that counts. frames : (F,) int64, those with truth, false alarms are counted per one of
    these.
    skipped : detections on frames without truth.
    """

    score: NDArray[np.float32]
    outcome: NDArray[np.int8]
    target: NDArray[np.int64]
    place: NDArray[np.int64]
    targets: NDArray[np.int64]
    frames: NDArray[np.int64]
    skipped: int

    @property
    def n_frames(self) -> int:
        """How many frames have truth."""
        return len(self.frames)

    def curve(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """FROC: false alarms per frame, share of targets found, and score from which on a detection
        counts, all (K + 1,), one per distinct score, descending; the first is (0, 0, inf).

        The share is NaN where there is no target.
        """
        counted = self.outcome != NEITHER
        score, hit = self.score[counted], self.outcome[counted] == HIT
        order = np.argsort(-score, kind="stable")
        score, hit = score[order], hit[order]
        last = np.flatnonzero(np.append(score[1:] != score[:-1], True)[: len(score)])
        alarms, found = np.cumsum(~hit)[last], np.cumsum(hit)[last]
        with np.errstate(invalid="ignore"):
            share = np.append(0, found) / np.float64(len(self.targets))
        return (np.append(0, alarms) / max(self.n_frames, 1), share,
                np.append(np.inf, score[last].astype(np.float64)))

    def found_at(self, false_alarms: float) -> tuple[float, float]:
        """Share of targets found at no more false alarms per frame than that, and the score from
        which on detections then count."""
        alarms, found, threshold = self.curve()
        at = int(np.searchsorted(alarms, false_alarms, side="right")) - 1
        return float(found[at]), float(threshold[at])

    def found_within(self, false_alarms: float) -> tuple[float, float]:
        """95 % interval of the share found at a number of false alarms per frame, for other frames
        of the same kind. NaN where there is no target.

        By blocks of frames, for those next to each other depend on each other; that everything was
        found, or nothing, is no certainty (`evaluate.curves`).
        """
        if not len(self.targets):
            return float("nan"), float("nan")
        block = enough_blocks(np.zeros_like(self.frames), self.frames)
        block = np.unique(block, return_inverse=True)[1].reshape(-1)
        hit, false = (np.flatnonzero(self.outcome == each) for each in (HIT, FALSE_ALARM))
        missed = np.bincount(self.targets, minlength=self.n_frames)
        missed -= np.bincount(self.place[hit], minlength=self.n_frames)
        lost = np.repeat(np.arange(self.n_frames), missed)
        place = np.concatenate([self.place[hit], lost, self.place[false], [0]])
        never = np.full(len(lost) + 1, -np.inf)  # what is not found, and a false alarm that is none
        score = np.concatenate([self.score[hit], never[1:], self.score[false], never[:1]])
        positive = np.arange(len(place)) < len(self.targets)
        band = curves(positive, score, block[place], frames=np.bincount(block)).found
        share = self.found_at(false_alarms)[0]
        low, high = (float(np.interp(false_alarms, band.x, end)) for end in (band.low, band.high))
        return min(low, share), max(high, share)


def match(
    found: Detections, truth: Sequence[TruthBox], frames: ArrayLike, *, reach: float = REACH
) -> Matches:
    """Tell hits from false alarms on one clip.

    Parameters
    ----------
    found : detections of the clip. truth : of the clip, all classes alike. frames : those, from 0,
        whose truth is known, (F,) whole numbers, with or without a target; detections on others are
        left out, and counted.
    reach : px.

    Notes
    -----
    The highest detection chooses first. It hits the nearest target that is free and whose box,
    grown by `reach`, holds its middle; every target is hit once. O(N log N + N T).
    """
    known = np.unique(np.asarray(frames, np.int64))
    at = np.searchsorted(known, found.frame)
    there = np.isin(found.frame, known)
    outcome = np.where(there, FALSE_ALARM, NEITHER).astype(np.int8)
    target = np.full(len(found), -1, np.int64)
    wanted = set(known.tolist())
    rows = [n for n, box in enumerate(truth) if box.frame in wanted]
    boxes, of_frame = as_boxes([truth[n].box for n in rows]), [truth[n].frame for n in rows]
    ignored = np.array([truth[n].ignore for n in rows], bool)
    middle = centers(found.box)
    for mine, near in _by_frame(found, np.array(of_frame, np.int64)):
        low, high = boxes[near, :2] - reach, boxes[near, 2:] + reach
        free = ~ignored[near]
        for row in mine[np.argsort(-found.score[mine], kind="stable")].tolist():
            inside = ((middle[row] >= low) & (middle[row] < high)).all(axis=1)
            if not inside.any():
                continue
            away = np.hypot(*(centers(boxes[near]) - middle[row]).T)
            nearest = int(np.where(inside & free, away, np.inf).argmin())
            hit = bool(inside[nearest] and free[nearest])
            outcome[row] = HIT if hit else NEITHER
            if hit:
                target[row], free[nearest] = rows[int(near[nearest])], False
    counting = np.searchsorted(known, np.array(of_frame, np.int64)[~ignored])
    return Matches(found.score, outcome, target, np.where(there, at, -1), counting, known,
                   int((~there).sum()))


def _by_frame(
    found: Detections, of_frame: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Rows of detections and of truth boxes of every frame that has both."""
    for frame in np.intersect1d(found.frame, of_frame):
        yield np.flatnonzero(found.frame == frame), np.flatnonzero(of_frame == frame)
