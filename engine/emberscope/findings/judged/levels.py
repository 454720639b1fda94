"""What truth says of the held-out scores of a run, and what follows from a threshold: plain data
and counts."""

from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.proportion import wilson_interval

INSTANCE, BAG, DETECTION = "instance", "bag", "detection"
LEVELS = (INSTANCE, BAG, DETECTION)
# Whose held-out scores: of the method of a run, or of its classifier.
METHOD, CLASSIFIER = "method", "classifier"
# Names of these scores and of the folds of bags among the diagnostics of a run.
HELD_NAMES = {METHOD: ("held_score", "bag_fold"),
              CLASSIFIER: ("classifier_held", "classifier_fold")}  # fmt: skip
GROUND = 0  # in place of the class of a target
_ANYTHING = 0.95  # the width of an interval from which on it says nothing


class Estimate(msgspec.Struct, frozen=True):
    """A number and the ends of its 95 % interval; NaN, 0 and 1 where there is none."""

    value: float
    low: float
    high: float

    @property
    def says_nothing(self) -> bool:
        """Whether the interval of a share or an area holds nearly every value there is."""
        return self.high - self.low >= _ANYTHING


class Traced(msgspec.Struct, frozen=True):
    """A curve and the ends of its 95 % interval at each place, (P,) all of them."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


class SliceAxis(msgspec.Struct, frozen=True):
    """Something to slice by. names : of its values, in order. code : (M,) the value of each entry,
    -1 for none, which ground may have: it is then compared with the targets of every value."""

    id: str
    title: str
    names: list[str]
    code: NDArray[np.int64]


class Slice(msgspec.Struct, frozen=True):
    """A part of the targets. values : axis id -> number of the value. area : of the ROC curve, its
    interval wide enough for all slices looked at. groups : of entries that depend on each other,
    which it rests on. weak : whether it is lower than all others together, beyond what chance does
    among so many."""

    title: str
    values: dict[str, int]
    area: Estimate
    targets: int
    ground: int
    groups: int
    weak: bool

    @property
    def unsure(self) -> bool:
        """Whether its interval says nothing."""
        return self.area.says_nothing

    @property
    def interval(self) -> str:
        """See `slice_interval`."""
        return slice_interval(self.area, self.groups)


def slice_interval(area: Estimate, groups: int) -> str:
    """"0.85 - 0.91"; "too few groups (2)" where the interval says nothing."""
    if area.says_nothing:
        return f"too few groups ({groups})"
    return f"{area.low:.2f} \u2013 {area.high:.2f}"


class Level(msgspec.Struct, frozen=True):
    """A run judged instance by instance, bag by bag, or by what it would report on the frames.

    why_not : why it cannot be, a sentence; then there are no entries. remedy : what helps then:
    "measure", "truth", "label", "again", "bag" for judging by bags, or "method" for judging by
    scores of the method. rests_on : on what the
    numbers rest, in words. M entries: ids (M,) of instances or bags; score (M,) float64, -inf for
    a target that is never found; truth (M,) class of the target, 0 for ground; said (M,) the class
    that it is said to be above the threshold; group (M,) entries that depend on each other.
    frames : that were looked at. found : share of targets over share of ground, or over false
    alarms per frame of detections. precision : over the share of targets found. start : the
    threshold to begin with. independent : entries that one is worth. looked : slices among which
    the weakest were sought. scored : whether detections are those on clips that were scored, whose
    entries are no instances: all ids are -1. note : what they are, a sentence.
    """

    name: str
    why_not: str
    remedy: str
    rests_on: str
    ids: NDArray[np.int64]
    score: NDArray[np.float64]
    truth: NDArray[np.int64]
    said: NDArray[np.int64]
    group: NDArray[np.int64]
    frames: int
    found: Traced
    precision: Traced
    area: Estimate
    partial: Estimate
    average_precision: Estimate
    start: float
    independent: float
    axes: list[SliceAxis]
    weakest: list[Slice]
    looked: int
    scored: bool = False
    note: str = ""

    @property
    def per_frame(self) -> bool:
        """Whether ground is counted per frame."""
        return self.name == DETECTION

    def share(self, count: int, n: int) -> Estimate:
        """A share of entries, with the 95 % interval of as many as these are worth."""
        low, high = wilson_interval(count * self.independent, n * self.independent)
        return Estimate(count / n if n else float("nan"), low, high)


class Judged(msgspec.Struct, frozen=True):
    """levels : in the order of `LEVELS`. conflicts : instances that lie in bags of both kinds;
    conflict_bags : how many bags have some."""

    run: int
    levels: list[Level]
    conflicts: int
    conflict_bags: int

    def level(self, name: str) -> Level:
        """One of them."""
        return self.levels[LEVELS.index(name)]


_NO_CURVE = Traced(*(np.empty(0) for _ in range(4)))
_NOTHING = Estimate(float("nan"), 0.0, 1.0)


class WhyNot(NamedTuple):
    """Why a level cannot be judged, a sentence, and what helps."""

    words: str
    remedy: str


def without(name: str, why: WhyNot) -> Level:
    """A level that cannot be judged."""
    ids, none = np.empty(0, np.int64), np.empty(0)
    return Level(name, *why, "", ids, none, ids, ids, ids, 0, _NO_CURVE, _NO_CURVE, _NOTHING,
                 _NOTHING, _NOTHING, float("nan"), 1.0, [], [], 0)


class AtThreshold(NamedTuple):
    """found : share of the targets. false : share of the ground, or false alarms per frame. right :
    share of all entries that are judged rightly."""

    threshold: float
    found: Estimate
    false: float
    right: Estimate


class Tally:
    """Counts of the entries of a level above any threshold, from scores that are sorted once.

    kinds : classes of targets, ascending.
    """

    def __init__(self, level: Level) -> None:
        self.level = level
        self.kinds: list[int] = [kind for kind in np.unique([*level.truth, *level.said]).tolist()
                                 if kind != GROUND]
        self._sorted = {
            (truth, said): np.sort(level.score[(level.truth == truth) & (level.said == said)])
            for truth in (*self.kinds, GROUND) for said in self.kinds
        }  # fmt: skip
        self._targets = np.sort(level.score[level.truth != GROUND])
        self._ground = np.sort(level.score[level.truth == GROUND])
        self.thresholds = np.unique(level.score[np.isfinite(level.score)])

    def confusion(self, threshold: float) -> NDArray[np.int64]:
        """(C + 1, C + 1) rows by truth, columns by what is said, ground last."""
        kinds = [*self.kinds, GROUND]
        out = np.zeros((len(kinds), len(kinds)), np.int64)
        for (truth, said), scores in self._sorted.items():
            above = len(scores) - int(np.searchsorted(scores, threshold))
            out[kinds.index(truth), kinds.index(said)] += above
            out[kinds.index(truth), -1] += len(scores) - above
        return out

    def rows(self, truth: int, said: int, threshold: float) -> NDArray[np.int64]:
        """Rows of the entries that are this and are said to be that, 0 for ground."""
        level = self.level
        above = level.score >= threshold
        named = above & (level.said == said) if said != GROUND else ~above
        return np.flatnonzero((level.truth == truth) & named)

    def at(self, threshold: float) -> AtThreshold:
        """What the threshold finds, and what it gets wrong."""
        hit = _from(self._targets, threshold)
        false = _from(self._ground, threshold)
        n, ground = len(self._targets), len(self._ground)
        right = hit + ground - false
        beside = max(self.level.frames if self.level.per_frame else ground, 1)
        return AtThreshold(threshold, self.level.share(hit, n), false / beside,
                           self.level.share(right, n + ground))

    def threshold_at(self, false: float) -> float:
        """The lowest threshold that gets no more than this share of ground, or so many false alarms
        per frame, wrong."""
        beside = self.level.frames if self.level.per_frame else len(self._ground)
        allowed = int(np.floor(false * max(beside, 1) + 1e-9))
        if allowed >= len(self._ground):
            return float(self.thresholds[0]) if len(self.thresholds) else 0.0
        above = self._ground[len(self._ground) - 1 - allowed]  # the first that must stay below
        at = int(np.searchsorted(self.thresholds, above, "right"))
        last = float(self.thresholds[-1])
        return float(self.thresholds[at]) if at < len(self.thresholds) else np.nextafter(last, 2)

    def threshold_finding(self, share: float) -> float:
        """The highest threshold that finds this share of the targets, or all of them that can be
        found."""
        known = self._targets[np.isfinite(self._targets)]
        if not len(known):
            return 0.0
        wanted = max(int(np.ceil(share * len(self._targets) - 1e-9)), 1)
        return float(known[max(len(known) - wanted, 0)])


def balanced_threshold(score: NDArray, target: NDArray[np.bool_]) -> float:
    """The threshold with the largest share of targets found less the share of ground taken.

    score, target : (M,).
    """
    thresholds = np.unique(score[np.isfinite(score)])
    if not len(thresholds):
        return 0.0
    found, false = (np.searchsorted(np.sort(score[own]), thresholds) / max(own.sum(), 1)
                    for own in (target, ~target))
    return float(thresholds[int(np.argmax(false - found))])


def _from(ordered: NDArray, threshold: float) -> int:
    return len(ordered) - int(np.searchsorted(ordered, threshold))


def found_in_cells(
    level: Level, cell: NDArray[np.int64], n_cells: int, threshold: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Share of the targets found in each slice, NaN without any, and how many targets it has.

    cell : (M,) the slice of each entry, -1 for none.
    """
    mine = (level.truth != GROUND) & (cell >= 0)
    targets = np.bincount(cell[mine], minlength=n_cells)
    hit = np.bincount(cell[mine & (level.score >= threshold)], minlength=n_cells)
    with np.errstate(invalid="ignore"):
        return hit / targets, targets


def crossed(first: SliceAxis, second: SliceAxis | None) -> NDArray[np.int64]:
    """(M,) the slice of each entry by two axes, row by row of the first; -1 for none."""
    if second is None:
        return np.asarray(first.code)
    both = (first.code >= 0) & (second.code >= 0)
    return np.where(both, first.code * len(second.names) + second.code, -1)
