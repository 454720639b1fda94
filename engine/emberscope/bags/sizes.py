"""Patches that fit the targets: how large, how far apart and of how many sizes, as the labels
say."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.recipe import sides_in_words
from emberscope.labels.model import TargetClass
from emberscope.labels.origins import IMPORTED, WORDS
from emberscope.labels.table import (
    BOX,
    FRAME,
    IGNORE,
    LINE,
    SCRIBBLE,
    SPOT,
    TIGHT,
    LabelTable,
)

SMALLEST, LARGEST, STEP = 24, 128, 8  # px, of patches that labels alone suggest
LADDER = (20, 24, 32, 40, 48, 64, 80, 96, 128)  # px, of patches that bags judge
_APART = 2.0          # sizes that differ by more get patches of their own
_TAILS = (10, 90)     # percentiles: rarer sizes get no patches of their own
_TRIPLED = 3.0        # looseness at which a box has three times the sides of its target
_SLENDER = 2.0        # length over width of a target that only its length is known of
# than labels suggest, by this factor at most: what looser boxes than these would mean
_MAY_BE_SMALLER = 4.5
_MAY_BE_LARGER = 1.5
# share of spots in a class from which they count: the radius of one or two is as it came
_SOME = 0.2
_OF_FRAME = 16        # patches along the shorter side of a frame where no label tells more


@dataclass(frozen=True, slots=True)
class JudgedSide:
    """What held-out bags say of the targets of a class (`pipeline.sizes`).

    side : px, of the patch that tells targets from the ground of their bags best. area : by how
    much, the area under the ROC curve. other, other_area : the same of the size that it is compared
    with, or of the next best one.
    """

    class_id: int
    side: int
    area: float
    other: int
    other_area: float


@dataclass(frozen=True, slots=True)
class FittingSizes:
    """Sides of patches in px: `patch`, its step `stride`, those of further sizes `also`, and `why`
    in a sentence.

    judged : by class, what bags that were held out added to what labels say; empty where nothing
    was judged.
    """

    patch: int
    stride: int
    also: tuple[int, ...]
    why: str
    judged: tuple[JudgedSide, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenSize:
    """A class whose labels do not know how large its targets are, they only bound it.

    sides : of the patches that may fit, px, ascending. said : the one that labels alone suggest.
    claimed : whether a person drew boxes of it as tight ones, which counts where bags do not speak
    against it.
    """

    class_id: int
    sides: tuple[int, ...]
    said: int
    claimed: bool


def fitting_sizes(
    labels: LabelTable, classes: Mapping[int, TargetClass],
    frame_sizes: Mapping[int, tuple[int, int, int]], *, judged: Sequence[JudgedSide] = (),
) -> FittingSizes:
    """Sides of patches for the targets that are labeled.

    Parameters
    ----------
    labels : of any kind; shapes around targets count. classes : class id -> class. frame_sizes :
        source id -> (n_frames, rows, cols); labels of other sources do not count. judged : what
        bags said of some classes, whose labels count no more.

    Returns
    -------
    sizes : multiples of 8 px, 24 to 128 px and at most half of the smallest frame; steps of two
        thirds of a patch in multiples of 4 px.

    Notes
    -----
    A patch has the area of a target's tight box. Features look at twice its side, so that a long
    target is still seen whole, while a patch beside it shows less of it than a larger one would.
    Smaller patches lower what true labels reach on every clip that was tried; steps of half a patch
    gain next to nothing and make more instances, by the square (`bench sizes`).

    Where a class has no tight box its size is estimated: a relaxed box has 1 + 2 r / 3 times the
    sides of its target (as the window draws it), a spot spans it, a scribble runs along a target
    half as wide. One size, for the median of the most frequent class, serves targets up to twice as
    large or small; medians of other classes and tails of all sizes that lie further from it get
    patches of their own. Without any target the frames decide. O(labels log labels) in numpy: the
    window asks anew at every edit.
    """
    shortest, largest = _limits(frame_sizes)
    found = _by_class(_shapes(labels, classes, frame_sizes), frame_sizes)
    for one in judged:
        if one.class_id in found:
            found[one.class_id] = _Sides(np.full(len(found[one.class_id].px), float(one.side)),
                                         sure=True, fitted=True)
    if not found:
        patch = _rounded(shortest / _OF_FRAME, largest)
        why = f"No label says how large targets are: patches of {patch} px, step {step_of(patch)}"
        return FittingSizes(patch, step_of(patch), (), f"{why}, for frames of {shortest} px.")
    used = tuple(one for one in judged if one.class_id in found)
    patch, *also = _chosen(list(found.values()), largest)
    patches = [patch, *sorted(also)]
    why = _why_judged(used, patches, classes) if used else _why(list(found.values()), patches)
    return FittingSizes(patch, step_of(patch), tuple(sorted(also)), why, used)


def open_sizes(
    labels: LabelTable, classes: Mapping[int, TargetClass],
    frame_sizes: Mapping[int, tuple[int, int, int]]
) -> list[OpenSize]:
    """Classes whose targets may have other sizes than the labels suggest, and the sizes they may
    have.

    Those with boxes that a person drew, none of which knows its core: the target is somewhere in
    such a box. Cores, and tight boxes that came with truth, leave nothing open. O(labels log
    labels).
    """
    _, largest = _limits(frame_sizes)
    of = _shapes(labels, classes, frame_sizes)
    of = of.take(~np.isin(of.classes, _measured(of)))
    found, outer = _by_class(of, frame_sizes), _outer(of, frame_sizes)
    out = []
    for class_id, sides in found.items():
        drawn = outer[(of.classes == class_id) & (of.kinds == BOX) & (outer > 0)]
        if not len(drawn):
            continue
        said, widest = float(np.median(sides.px)), float(np.median(drawn))
        low, high = said / _MAY_BE_SMALLER, max(widest, said * _MAY_BE_LARGER)
        within = [side for side in LADDER if low <= side <= high and side <= largest]
        patch = min(max(said, SMALLEST), largest)
        nearest = min(LADDER, key=lambda side: abs(math.log(side / patch)))
        if within and within != [nearest]:
            out.append(OpenSize(class_id, tuple(within), nearest, sides.sure))
    return out


def step_of(patch: int) -> int:
    """Steps of two thirds of a patch, px."""
    return max(4 * round(patch / 6), 1)


@dataclass(frozen=True, slots=True)
class _Sides:
    """Sides of the squares with the areas of the targets of a class, (n,) px. sure : whether
    labels, or bags, say so;
    fitted : whether they are sides of patches already."""

    px: NDArray[np.float64]
    sure: bool
    fitted: bool = False


def _limits(frame_sizes: Mapping[int, tuple[int, int, int]]) -> tuple[int, int]:
    """The shortest side of all frames, and the largest patch that is suggested for them, px."""
    shortest = min((min(rows, cols) for _, rows, cols in frame_sizes.values()),
                   default=SMALLEST * _OF_FRAME)
    return shortest, max(SMALLEST, min(LARGEST, shortest // 2))


def _shapes(
    labels: LabelTable, classes: Mapping[int, TargetClass],
    frame_sizes: Mapping[int, tuple[int, int, int]]
) -> LabelTable:
    """Labels that have a shape, around targets on frames that are there."""
    targets = [key for key, info in classes.items() if info.role >= 0]
    shapes = (labels.kinds != FRAME) & (labels.kinds != IGNORE)
    return labels.take(shapes & np.isin(labels.classes, targets)
                       & np.isin(labels.sources, list(frame_sizes)))


def _measured(of: LabelTable) -> list[int]:
    """Classes of which a label knows the tight box of its target by more than the word of whoever
    drew it."""
    boxes = np.flatnonzero(np.isin(of.kinds, TIGHT) & np.isfinite(of.tight[:, 0]))
    cored = of.looseness[boxes] > 0
    known = {int(of.classes[row]) for row in boxes[cored].tolist()}
    return sorted(known
                  | {label.class_id for label in of.labels[boxes[~cored]]
                     if label.origin.startswith(WORDS[IMPORTED])})


def _by_class(of: LabelTable, frame_sizes: Mapping[int, tuple[int, int, int]]) -> dict[int, _Sides]:
    """What the labels of each class say, ids ascending.

    A tight box counts before an estimate. Where every fifth label or more of a class is a spot and
    others are loose boxes, the target is larger than a spot and smaller than a box: the geometric
    mean of the box and the median spot.
    """
    sides, sure = _sides(of, frame_sizes)
    found: dict[int, _Sides] = {}
    for key in np.unique(of.classes).tolist():
        own = (of.classes == key) & (sides > 0)
        spot, box = own & (of.kinds == SPOT), own & np.isin(of.kinds, TIGHT)
        if (own & sure).any():
            found[key] = _Sides(sides[own & sure], sure=True)
        elif box.any() and spot.sum() >= _SOME * own.sum():
            found[key] = _Sides(np.sqrt(sides[box] * np.median(sides[spot])), sure=False)
        elif own.any():
            found[key] = _Sides(sides[own], sure=False)
    return found


def _outer(of: LabelTable, frame_sizes: Mapping[int, tuple[int, int, int]]) -> NDArray[np.float64]:
    """(n,) sides of the squares with the areas of the labels as they are drawn, inside their
    frames; 0 for none."""
    return np.sqrt(_extent(of.corners, of, frame_sizes).prod(axis=1))


def _extent(
    corners: NDArray, of: LabelTable, frame_sizes: Mapping[int, tuple[int, int, int]]
) -> NDArray[np.float64]:
    """(n, 2) width and height of corners (n, 4) inside the frames of the labels; 0 for what lies
    outside."""
    sources = np.array(sorted(frame_sizes), np.int64)
    # cols, rows
    ends = np.array([frame_sizes[key][:0:-1] for key in sources.tolist()], float).reshape(-1, 2)
    extent = np.minimum(corners[:, 2:],
                        ends[np.searchsorted(sources, of.sources)]) - np.maximum(corners[:, :2], 0)
    return np.where((extent >= 0).all(axis=1)[:, None], extent, 0.0)


def _sides(
    labels: LabelTable, frame_sizes: Mapping[int, tuple[int, int, int]]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """(n,) sides of the squares with the areas of the labels' targets inside their frames, 0 for
    none; and whether the labels say so themselves."""
    sure = np.isfinite(labels.tight[:, 0])
    extent = _extent(np.where(sure[:, None], labels.tight, labels.corners), labels, frame_sizes)
    # how many times longer a label is than its target, about
    looser = np.where(sure, 1.0, 1.0 + (_TRIPLED - 1.0) * labels.looseness / _TRIPLED)
    sides = np.sqrt(extent[:, 0] * extent[:, 1]) / looser
    lines = np.isin(labels.kinds, (SCRIBBLE, LINE))
    return np.where(lines, extent.max(axis=1, initial=0) / math.sqrt(_SLENDER), sides), sure


def _chosen(found: Sequence[_Sides], largest: int) -> list[int]:
    """The patch for the most frequent class first, then those for classes and tails that it does
    not serve."""
    fitting = [one.px if one.fitted else np.clip(one.px, SMALLEST, largest) for one in found]
    middles = [np.percentile(sides, 50, method="lower")
               for sides in sorted(fitting, key=len, reverse=True)]
    # a middle between two kinds serves neither
    wanted = [*middles, *np.percentile(np.concatenate(fitting), _TAILS)]
    sides: list[float] = []
    for side in np.array(wanted).tolist():
        if all(max(side / other, other / side) > _APART for other in sides):
            sides.append(side)
    return list(dict.fromkeys(_rounded(side, largest) for side in sides))


def _rounded(side: float, largest: int) -> int:
    if side < SMALLEST:
        return min(LADDER, key=lambda step: abs(step - side))
    return max(STEP * min(round(side / STEP), largest // STEP), SMALLEST)


def _why(found: Sequence[_Sides], patches: list[int]) -> str:
    low, high = np.rint(np.percentile(np.concatenate([one.px for one in found]),
                                      _TAILS)).astype(int)
    size = f"{low} px" if low == high else f"{low} to {high} px"
    size = size if all(one.sure for one in found) else f"about {size}"
    fitting = f"patches of {sides_in_words(patches)} px, step {step_of(patches[0])}"
    return f"Targets have the area of squares of {size}: {fitting}."


def _why_judged(
    judged: Sequence[JudgedSide], patches: list[int], classes: Mapping[int, TargetClass]
) -> str:
    fitting = f"Patches of {sides_in_words(patches)} px, step {step_of(patches[0])}"
    best = [f"{one.side} px {one.area:.2f}, {one.other} px {one.other_area:.2f}" for one in judged]
    if len(judged) > 1:
        best = [f"{classes[one.class_id].name} {words}"
                for one, words in zip(judged, best, strict=True)]
    return (
        f"{fitting}: they tell targets from the ground of held-out bags best ({'; '.join(best)})."
    )
