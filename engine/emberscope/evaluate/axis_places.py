"""Whether an embedding shows where frames were taken rather than what is on them: clips and frames
set apart."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from emberscope.evaluate.scores import auc

CLEAR = 0.5   # separation from which it is seen (AUC 0.75)
_LEAST = 10   # instances of each side that can tell anything
_MOST = 16    # clips that are asked about, the largest
_ENOUGH = 20_000  # instances that tell as much as more would


class Told(NamedTuple):
    """How well a number tells things apart, 0 .. 1 each: clips, early frames of a clip from late
    ones, targets.

    clips, targets : 2 AUC - 1 in size. frames : rank correlation with the number of the frame in
    size. Clips and frames are compared among instances of equal sign only and targets inside clips
    only, so that where a clip holds more targets than another neither passes for the other.
    """

    clips: float
    frames: float
    targets: float

    @property
    def place(self) -> float:
        """The larger one of clips and frames."""
        return max(self.clips, self.frames)

    @property
    def is_place(self) -> bool:
        """It is seen, and tells places apart better than targets."""
        return self.place >= CLEAR and self.place > self.targets


def told_by_axes(Z: NDArray, source: NDArray, frame: NDArray, sign: NDArray) -> list[Told]:
    """One for each column of Z (N, d). source, frame, sign : (N,) ints; sign is that of bags, -1, 0
    or +1."""
    Z, *where = _part(Z, source, frame, sign)
    return [_told(column, column, column, *where) for column in Z.T]


def told_by_picture(Z: NDArray, source: NDArray, frame: NDArray, sign: NDArray) -> Told:
    """The same of the directions through Z (N, d) that tell each of them best: axes of a layout can
    be turned."""
    Z, source, frame, sign = _part(Z, source, frame, sign)
    clips = [Z @ _direction(Z, (source == clip).astype(float), sign) for clip in _largest(source)]
    best = max(clips, key=lambda along: _clips(along, source, sign), default=Z[:, 0])
    later = np.zeros(len(Z))
    for clip in np.unique(source):
        own = source == clip
        later[own] = rankdata(frame[own]) / own.sum()
    strata = 3 * np.unique(source, return_inverse=True)[1] + sign
    return _told(best, Z @ _direction(Z, later, strata),
                 Z @ _direction(Z, sign.astype(float), source), source, frame,
                 sign)


def _part(Z: NDArray, *where: NDArray) -> tuple[NDArray, ...]:
    """What is asked about: instances of the largest clips, evenly among many."""
    rows = np.flatnonzero(np.isin(where[0], _largest(where[0])))
    rows = rows[:: 1 + len(rows) // _ENOUGH]
    return np.asarray(Z, float)[rows], *(np.asarray(found)[rows] for found in where)


def _told(for_clips: NDArray, for_frames: NDArray, for_targets: NDArray, source: NDArray,
          frame: NDArray,
          sign: NDArray) -> Told:
    return Told(_clips(for_clips, source, sign), _frames(for_frames, source, frame, sign),
                _apart(for_targets[sign != 0], sign[sign != 0] > 0, source[sign != 0]))


def _clips(along: NDArray, source: NDArray, sign: NDArray) -> float:
    """Of the clip that stands most apart from the others."""
    clips = _largest(source)
    return max((_apart(along, source == clip, sign) for clip in clips),
               default=0.0) if len(clips) > 1 else 0.0


def _largest(source: NDArray) -> NDArray:
    clips, counts = np.unique(source, return_counts=True)
    return clips[np.argsort(-counts, kind="stable")[:_MOST]]


def _apart(along: NDArray, one: NDArray, strata: NDArray) -> float:
    """Separation of two sides inside strata, the mean over those with enough of both, by their
    instances; direction counts: what points one way in one stratum and the other way in the next
    tells nothing."""
    total, weight = 0.0, 0
    for stratum in np.unique(strata):
        use = strata == stratum
        sides = np.where(one[use], 1, -1)
        if min((sides > 0).sum(), (sides < 0).sum()) >= _LEAST:
            total += (2 * auc(sides, along[use]) - 1) * len(sides)
            weight += len(sides)
    return abs(total) / weight if weight else 0.0


def _frames(along: NDArray, source: NDArray, frame: NDArray, sign: NDArray) -> float:
    """Of the clip whose frames go most with it; a clip of few frames has no early and late ones."""
    found = [0.0]
    for clip in np.unique(source):
        total, weight = 0.0, 0
        for value in np.unique(sign):
            use = (source == clip) & (sign == value)
            if (use.sum() >= 2 * _LEAST and len(np.unique(frame[use])) > 2
                and np.ptp(along[use]) > 0):
                ranks = rankdata(along[use]), rankdata(frame[use])
                total += float(np.corrcoef(*ranks)[0, 1]) * use.sum()
                weight += int(use.sum())
        found.append(abs(total) / weight if weight else 0.0)
    return max(found)


def _direction(Z: NDArray, wanted: NDArray, strata: NDArray) -> NDArray:
    """(d,) along which a number is best predicted, linearly, after the means of strata are taken
    out of both."""
    centered, left = Z.copy(), np.asarray(wanted, float).copy()
    for stratum in np.unique(strata):
        use = strata == stratum
        centered[use] -= centered[use].mean(axis=0)
        left[use] -= left[use].mean()
    return np.linalg.lstsq(centered, left, rcond=None)[0]
