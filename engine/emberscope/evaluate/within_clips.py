"""Numbers of each clip by itself, and their mean: what a day clip and a night clip have in common
is no more."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.evaluate.scores import auc, auc_interval
from emberscope.evaluate.worth import worth


class Value(NamedTuple):
    """A number and the ends of its 95 % interval; NaN, 0 and 1 where there is none."""

    value: float
    low: float
    high: float


NONE = Value(float("nan"), 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class WithinClips:
    """The area under the ROC curve inside clips.

    mean : over the clips that can be judged; pooled over all where none can. pooled : whether it
    is. clips : (C,) int64 numbers of the clips, ascending. each : the area of each, NONE for one
    without both kinds of bags. positives, negatives : (C,) int64. entries : (2, J) how many
    independent positives, and negatives, each of the J areas is worth that the mean is of.
    """

    mean: Value
    pooled: bool
    clips: NDArray[np.int64]
    each: list[Value]
    positives: NDArray[np.int64]
    negatives: NDArray[np.int64]
    entries: NDArray[np.float64]

    def at(self, mean: float) -> Value:
        """Another mean of as many entries, such as one corrected for a choice, with its own
        interval."""
        return Value(mean, *auc_interval(mean, *self.entries))

    @property
    def judged(self) -> NDArray[np.bool_]:
        """(C,) True for clips with both kinds."""
        return (self.positives > 0) & (self.negatives > 0)


def within_clips(y: NDArray, score: NDArray, groups: NDArray, clips: NDArray) -> WithinClips:
    """Area under the ROC curve, pairs compared inside a clip only, and the mean of the clips.

    Scores of two clips have no common scale: pooled, a clip whose targets all score above the
    ground of another makes the area of both look good. Every clip counts alike, however many bags
    it has. Where no clip has both kinds, areas can only be pooled; then clips are what depends on
    each other.

    Parameters
    ----------
    y : (N,) in {-1, +1}. score : (N,), larger = more positive. groups : (N,) what depends on each
        other inside a clip, such as blocks of frames. clips : (N,) int64.

    Notes
    -----
    Intervals are `auc_interval` of as many entries as those of each clip are worth. That of the
    mean speaks of these clips, of other bags on them: what another clip would bring, the spread of
    the clips shows, and no interval of two or three can. Of one clip with few groups it may cover
    the true area less often than it says. O(N log N). Raises DataError as `auc`.
    """
    y, score = np.asarray(y), np.asarray(score, np.float64)
    numbers, clip = np.unique(np.asarray(clips), return_inverse=True)
    clip, positive = clip.reshape(-1), y > 0
    pos, neg = (np.bincount(clip[own], minlength=len(numbers)) for own in (positive, ~positive))
    if not (pos.any() and neg.any()):
        return WithinClips(NONE, False, numbers, [NONE] * len(numbers), pos, neg, np.zeros((2, 1)))
    both = np.flatnonzero((pos > 0) & (neg > 0))
    if not len(both):
        whole = np.zeros(len(y), np.int64)
        entries = worth(positive, score, clip, whole).T
        pooled = Value(auc(y, score), *auc_interval(auc(y, score), *entries))
        return WithinClips(pooled, True, numbers, [NONE] * len(numbers), pos, neg, entries)
    key = np.column_stack([clip, np.unique(groups, return_inverse=True)[1].reshape(-1)])
    group = np.unique(key, axis=0, return_inverse=True)[1].reshape(-1)
    found = worth(positive, score, group, clip)
    each = [NONE] * len(numbers)
    for number in both.tolist():
        own = clip == number
        area = auc(y[own], score[own])
        each[number] = Value(area, *auc_interval(area, *found[number]))
    mean = float(np.mean([each[number].value for number in both]))
    entries = found[both].T
    return WithinClips(Value(mean, *auc_interval(mean, *entries)), False, numbers, each, pos, neg,
                       entries)
