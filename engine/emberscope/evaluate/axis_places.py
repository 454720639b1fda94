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
_DRAWS = 999  # of frames dealt to bags anew, none of which may set frames apart as much


class Told(NamedTuple):
    """How well a number tells things apart, 0 .. 1 each: clips, early frames of a clip from late
    ones, targets, single frames of a clip whatever their order.

    clips, targets : 2 AUC - 1 in size. frames : rank correlation with the number of the frame in
    size. single : root of the share of variance that lies between frames, beyond what lies between
    them where frames are dealt to bags by chance: patches of one bag overlap, and are alike anyway.
    Clips and frames are compared among instances of equal sign only and targets inside clips only,
    so that where a clip holds more targets than another neither passes for the other.
    """

    clips: float
    frames: float
    targets: float
    single: float = 0.0

    @property
    def place(self) -> float:
        """The largest one of clips, frames and single frames."""
        return max(self.clips, self.frames, self.single)

    @property
    def is_place(self) -> bool:
        """It is seen, and tells places apart better than targets."""
        return self.place >= CLEAR and self.place > self.targets


def told_by_axes(
    Z: NDArray, source: NDArray, frame: NDArray, sign: NDArray, bag: NDArray | None = None
) -> list[Told]:
    """One for each column of Z (N, d). source, frame, sign : (N,) ints; sign is that of bags, -1, 0
    or +1. bag : (N,) int, one that holds the instance; without it nothing is said of single
    frames."""
    Z, *where = _part(Z, source, frame, sign, _or_none(bag, Z))
    return [
        _told(column, column, column, *where[:3])._replace(
            single=_single(rankdata(column)[:, None], *where)
        )
        for column in Z.T
    ]


def told_by_picture(
    Z: NDArray, source: NDArray, frame: NDArray, sign: NDArray, bag: NDArray | None = None
) -> Told:
    """The same of the directions through Z (N, d) that tell each of them best: axes of a layout can
    be turned."""
    Z, source, frame, sign, bag = _part(Z, source, frame, sign, _or_none(bag, Z))
    clips = [Z @ _direction(Z, (source == clip).astype(float), sign) for clip in _largest(source)]
    best = max(clips, key=lambda along: _clips(along, source, sign), default=Z[:, 0])
    later = np.zeros(len(Z))
    for clip in np.unique(source):
        own = source == clip
        later[own] = rankdata(frame[own]) / own.sum()
    strata = _strata(source, sign)
    along = Z @ _direction(Z, later, strata), Z @ _direction(Z, sign.astype(float), source)
    told = _told(best, *along, source, frame, sign)
    return told._replace(single=_single(Z, source, frame, sign, bag))


def _or_none(bag: NDArray | None, Z: NDArray) -> NDArray:
    """One bag for all where none is known: it cannot be dealt to another frame."""
    return np.zeros(len(Z), np.int64) if bag is None else bag


def _strata(source: NDArray, sign: NDArray) -> NDArray[np.int64]:
    return 3 * np.unique(source, return_inverse=True)[1] + sign


def _part(Z: NDArray, *where: NDArray) -> tuple[NDArray, ...]:
    """What is asked about: instances of the largest clips, evenly among many."""
    rows = np.flatnonzero(np.isin(where[0], _largest(where[0])))
    rows = rows[:: 1 + len(rows) // _ENOUGH]
    return np.asarray(Z, float)[rows], *(np.asarray(found)[rows] for found in where)


def _told(
    for_clips: NDArray, for_frames: NDArray, for_targets: NDArray, source: NDArray,
    frame: NDArray, sign: NDArray,
) -> Told:
    return Told(_clips(for_clips, source, sign), _frames(for_frames, source, frame, sign),
                _apart(for_targets[sign != 0], sign[sign != 0] > 0, source[sign != 0]))


def _single(
    Z: NDArray, source: NDArray, frame: NDArray, sign: NDArray, bag: NDArray
) -> float:
    """Of the direction through Z (N, d) along which frames are most apart, of those of one clip and
    sign. O(draws bags d)."""
    strata = _strata(source, sign)
    centered = Z - _means(Z, np.unique(strata, return_inverse=True)[1])
    spread, vectors = np.linalg.eigh(centered.T @ centered)
    used = spread > 1e-9 * max(float(spread.max(initial=0.0)), 1e-300)
    if not used.any() or len(Z) < 2 * _LEAST:
        return 0.0
    white = centered @ (vectors[:, used] / np.sqrt(spread[used]))
    units, unit = np.unique(np.stack([strata, frame, bag]), axis=1, return_inverse=True)
    count = np.bincount(unit)
    sums = np.stack([np.bincount(unit, values) for values in white.T], axis=1)
    group = np.unique(units[:2], axis=1, return_inverse=True)[1]
    share = _between(sums, count, group)
    rng = np.random.default_rng(0)
    chance = 0.0
    for _ in range(_DRAWS):
        order = np.lexsort((rng.random(len(count)), units[0]))  # strata stay together
        dealt = _between(sums[order], count[order], group)
        if dealt >= share * (1 - 1e-9):
            return 0.0
        chance += dealt / _DRAWS
    return float(np.sqrt((share - chance) / (1.0 - chance)))


def _between(sums: NDArray, count: NDArray, group: NDArray) -> float:
    """Share of the variance between frames, along the direction of most. sums : (units, d) of white
    coordinates. count, group : (units,) how many instances, and the number of their frame."""
    sizes = np.bincount(group, count)
    totals = np.stack([np.bincount(group, values) for values in sums.T], axis=1)
    means = totals / np.sqrt(sizes)[:, None]
    return float(np.linalg.eigvalsh(means.T @ means)[-1])


def _means(Z: NDArray, group: NDArray) -> NDArray[np.float64]:
    """(N, d) the mean of the group of each."""
    sums = np.stack([np.bincount(group, values) for values in Z.T], axis=1)
    return (sums / np.bincount(group)[:, None])[group]


def _clips(along: NDArray, source: NDArray, sign: NDArray) -> float:
    """Of the clip that stands most apart from the others."""
    clips = _largest(source)
    if len(clips) < 2:
        return 0.0
    return max(_apart(along, source == clip, sign) for clip in clips)


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
