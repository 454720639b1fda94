"""What each threshold of a score finds and gets wrong, with bands: ROC, precision, false alarms per
frame."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.kernels import njit
from emberscope.base.proportion import clustered_interval
from emberscope.evaluate.scores import grouped_auc_interval
from emberscope.evaluate.within_clips import Value
from emberscope.evaluate.worth import worth

DRAWS = 300
SHARES = np.concatenate([np.linspace(0, 0.1, 21), np.linspace(0.12, 1, 45)])
RECALLS = np.linspace(0.02, 1.0, 50)
ALARMS = np.geomspace(0.01, 100.0, 81)  # false alarms per frame
PARTIAL_SHARE, PARTIAL_ALARMS = 0.1, 1.0  # where the partial area ends
_MEAN = 2.0  # shares of as many entries vary as the mean of a curve does at least


@dataclass(frozen=True, slots=True)
class Band:
    """A curve and the ends of its 95 % interval at each place. x, y, low, high : (P,) float64."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Curves:
    """Of one score against truth.

    found : share of targets found over the share of ground taken for target, or over false alarms
    per frame where frames are known. precision : share of what is found that is target, over the
    share of targets found. area : under `found` where it is a ROC curve, NaN else. partial : the
    mean of `found` up to a tenth of the ground, or up to one false alarm per frame.
    average_precision : the mean precision over all targets found. independent : entries that a
    target is worth, 1 where groups do not matter.
    """

    found: Band
    precision: Band
    area: Value
    partial: Value
    average_precision: Value
    independent: float


def curves(
    positive: NDArray[np.bool_], score: NDArray, group: NDArray, *,
    frames: NDArray | None = None, draws: int = DRAWS, seed: int = 0,
) -> Curves:
    """Curves of scores, with 95 % intervals for other groups of the same kind.

    Parameters
    ----------
    positive : (N,) True for targets. score : (N,), larger = more target-like; -inf is never found.
    group : (N,) what depends on each other, such as bags of one block of frames, or clips.
    frames : None for the ROC curve; else (G,) how many frames each group has, which are then
        numbered from 0 and need not have entries: ground is counted per frame.

    Notes
    -----
    Groups are drawn with replacement; one pass over the entries in the order of their scores makes
    all curves of a draw, O(draws N). Each end is that of a share of as many independent targets as
    have the variance of the draws (`clustered_interval`): the draws alone say that what was found
    every time is certain. Along the curve one entry of ground may be off. Raises DataError where
    targets, or ground, are missing, and for a NaN.
    """
    positive, score = _checked(positive, score)
    own = np.unique(group, return_inverse=True)[1].reshape(-1)  # without those that are empty
    group = own if frames is None else np.asarray(group)
    n_groups = int(group.max()) + 1 if frames is None else len(frames)
    ground = (np.bincount(group[~positive], minlength=n_groups) if frames is None
              else np.asarray(frames)).astype(np.float64)
    grid, end = (SHARES, PARTIAL_SHARE) if frames is None else (ALARMS, PARTIAL_ALARMS)
    found, precise, means = _drawn(positive, score, group, ground, (grid, end), (draws, seed))
    alone = _independent(positive, score, own)
    count, sure = float(positive.sum()), _Sure(n_groups, alone)
    steps = 1 / float(ground.sum())
    across = _widened(Band(grid, found[0], *sure.ends(found, count)), steps)
    along = Band(RECALLS, precise[0], *sure.ends(precise, count * RECALLS))
    part, average, area = means[0].tolist()
    whole = Value(float("nan"), 0.0, 1.0)
    if frames is None:
        whole = Value(area, *grouped_auc_interval(np.where(positive, 1, -1), score, group))
    few = grid <= end
    return Curves(
        across, along, whole,
        Value(part, _mean(grid[few], across.low[few]), _mean(grid[few], across.high[few])),
        Value(average, *(float(one[0]) for one in sure.ends(means[:, 1:2], _MEAN * count))), alone,
    )  # fmt: skip


def drawn_areas(
    positive: NDArray[np.bool_], score: NDArray, group: NDArray, *, draws: int = DRAWS,
    seed: int = 0
) -> NDArray[np.float64]:
    """(draws + 1,) areas under the ROC curve, first of the sample, then of each draw of groups; NaN
    where a draw has not both kinds. Of the same groups and seed the draws are the same."""
    positive, score = _checked(positive, score)
    group = np.unique(group, return_inverse=True)[1].reshape(-1)
    ground = np.bincount(group[~positive], minlength=int(group.max()) + 1).astype(np.float64)
    none = (np.empty(0), PARTIAL_SHARE)
    return _drawn(positive, score, group, ground, none, (draws, seed))[2][:, 2]


def _checked(
    positive: NDArray, score: NDArray
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    positive, score = np.asarray(positive, bool), np.asarray(score, np.float64)
    if np.isnan(score).any():
        raise DataError("a score is NaN")
    if positive.all() or not positive.any():
        raise DataError("a curve needs targets and ground",
                        hint="Label some target and some background.")
    return positive, score


def _drawn(
    positive: NDArray, score: NDArray, group: NDArray, ground: NDArray,
    along: tuple[NDArray, float], drawing: tuple[int, int],
) -> tuple[NDArray, NDArray, NDArray]:
    """What `_trace` writes. ground : (G,) of each group. along : places of the curve, and where its
    partial area ends. drawing : number of draws, seed."""
    n_groups = len(ground)
    weights = _draws(n_groups, *drawing)
    known = np.isfinite(score)
    order = np.flatnonzero(known)[np.argsort(-score[known], kind="stable")]
    last = np.append(np.diff(score[order]) != 0, True) if len(order) else np.empty(0, bool)
    targets = weights @ np.bincount(group[positive], minlength=n_groups)
    found = np.empty((len(weights), len(along[0])))
    precise = np.empty((len(weights), len(RECALLS)))
    means = np.empty((len(weights), 3))
    _trace(positive[order], group[order], last, weights, targets, weights @ ground, along[0],
           RECALLS, along[1], found, precise, means)
    return found, precise, means


@dataclass(frozen=True, slots=True)
class _Sure:
    """How sure shares are of which every draw of the groups says something. alone : entries that
    one is worth where groups do not matter to the share."""

    groups: int
    alone: float

    def ends(self, drawn: NDArray, n: NDArray | float) -> tuple[NDArray, NDArray]:
        """Of shares of n (P,) entries, from (B, P): the sample itself, then the draws."""
        there = np.isfinite(drawn[1:])
        count = there.sum(axis=0)
        mean = np.where(there, drawn[1:], 0).sum(axis=0) / np.maximum(count, 1)
        off = np.where(there, drawn[1:] - mean, 0)
        variance = (off**2).sum(axis=0) / np.maximum(count - 1, 1)
        variance *= self.groups / max(self.groups - 1, 1)
        variance = np.where(count > 1, variance, np.inf)
        return clustered_interval(drawn[0], np.asarray(n), variance, self.groups, self.alone)


def _widened(band: Band, step: float) -> Band:
    """The same where the place may be off by one entry of ground: below that nothing is known."""
    low = np.interp(band.x - step, band.x, band.low, left=0.0)
    high = np.interp(band.x + step, band.x, band.high)
    return Band(band.x, band.y, low, np.maximum(high, band.high))


def _mean(x: NDArray, y: NDArray) -> float:
    """Of a curve over its places; before the first one it is as there."""
    whole = float((np.diff(x) * (y[1:] + y[:-1]) / 2).sum()) + float(x[0] * y[0])
    return whole / float(x[-1])


def _draws(n_groups: int, draws: int, seed: int) -> NDArray[np.float64]:
    """(draws + 1, G) how often each group counts; the first row is the sample itself."""
    drawn = np.random.default_rng(seed).integers(n_groups, size=(draws, n_groups))
    flat = np.bincount((np.arange(draws)[:, None] * n_groups + drawn).ravel(),
                       minlength=draws * n_groups)
    return np.concatenate([np.ones((1, n_groups)), flat.reshape(draws, n_groups)]).astype(float)


def _independent(positive: NDArray[np.bool_], score: NDArray, group: NDArray) -> float:
    """Entries that a target is worth, where groups have targets of like scores."""
    found = worth(positive, score, group, np.zeros(len(score), np.int64))[0]
    return float(np.clip(found[0] / positive.sum(), 1 / positive.sum(), 1.0))


@njit(cache=True, nogil=True)
def _trace(
    positive: NDArray, group: NDArray, last: NDArray, weights: NDArray, targets: NDArray,
    ground: NDArray, grid: NDArray, recalls: NDArray, end: float, found: NDArray, precise: NDArray,
    means: NDArray,
) -> None:
    """Curves of each row of weights (B, G) of entries in descending order of their scores.

    last : whether the next one scores lower. targets, ground : (B,) what shares are of. means :
    (B, 3), the mean of `found` up to `end`, average precision, area; NaN without either kind.
    """
    for b in range(len(weights)):
        if targets[b] <= 0 or ground[b] <= 0:
            found[b], precise[b], means[b] = np.nan, np.nan, np.nan
            continue
        right, wrong, x0, y0, p0 = 0.0, 0.0, 0.0, 0.0, 1.0
        at, to, area, part, average = 0, 0, 0.0, 0.0, 0.0
        for n in range(len(positive)):
            weight = weights[b, group[n]]
            if positive[n]:
                right += weight
            else:
                wrong += weight
            if not last[n] or right + wrong == 0.0:
                continue
            x, y, p = wrong / ground[b], right / targets[b], right / (right + wrong)
            while at < len(grid) and grid[at] < x:
                found[b, at] = y0 + (y - y0) * (grid[at] - x0) / (x - x0) if x > x0 else y
                at += 1
            while to < len(recalls) and recalls[to] <= y + 1e-12:
                precise[b, to] = p
                to += 1
            area += (x - x0) * (y + y0) / 2
            if x0 < end:
                stop = min(x, end)
                top = y0 + (y - y0) * (stop - x0) / (x - x0) if x > x0 else y
                part += (stop - x0) * (top + y0) / 2
            average += (y - y0) * p
            x0, y0, p0 = x, y, p
        while at < len(grid):
            found[b, at] = y0
            at += 1
        while to < len(recalls):
            precise[b, to] = np.nan if y0 < 1.0 - 1e-9 else p0
            to += 1
        if x0 < end:
            part += (end - x0) * y0
        means[b, 0], means[b, 1], means[b, 2] = part / end, average, area
