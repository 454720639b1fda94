"""Patches that fit the targets: how large, how far apart and of how many sizes, as the labels say."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.recipe import sides_in_words
from emberscope.labels.model import TargetClass
from emberscope.labels.table import FRAME, IGNORE, SCRIBBLE, LabelTable

SMALLEST, LARGEST, STEP = 24, 128, 8  # px, of patches that are suggested
_APART = 2.0          # sizes that differ by more get patches of their own
_TAILS = (10, 90)     # percentiles: rarer sizes get no patches of their own
_TRIPLED = 3.0        # looseness at which a box has three times the sides of its target
_SLENDER = 2.0        # length over width of a target that only its length is known of
_OF_FRAME = 16        # patches along the shorter side of a frame where no label tells more


@dataclass(frozen=True, slots=True)
class FittingSizes:
    """Sides of patches in px: `patch`, its step `stride`, those of further sizes `also`, and `why` in a sentence."""

    patch: int
    stride: int
    also: tuple[int, ...]
    why: str


def fitting_sizes(
    labels: LabelTable, classes: Mapping[int, TargetClass], frame_sizes: Mapping[int, tuple[int, int, int]]
) -> FittingSizes:
    """Sides of patches for the targets that are labeled.

    Parameters
    ----------
    labels : of any kind; shapes around targets count. classes : class id -> class. frame_sizes : source id ->
        (n_frames, rows, cols); labels of other sources do not count.

    Returns
    -------
    sizes : multiples of 8 px, 24 to 128 px and at most half of the smallest frame; steps of two
        thirds of a patch in multiples of 4 px.

    Notes
    -----
    A patch has the area of a target's tight box. Features look at twice its side, so that a long target is still seen
    whole, while a patch beside it shows less of it than a larger one would. Area under the ROC curve inside positive
    bags by the five rules of mi-umap, patch / step in px, the one chosen here in parentheses, on one draw of labels:
    cars (24/16 .947) 32/16 .948, 40/20 .881; cars in boxes of twice their size (24/16 .937) 32/16 .946, 40/20 .947;
    persons (24/16 .959) 24/12 .958, 16/8 .937, 32/16 .881; drone (24/16 .977) 24/12 .962, 32/16 .944; aircraft
    (24/16 .966) 24/12 .938, 16/8 .863, 32/16 .984; range by day (24/16 .982) 24/12 .976, 32/16 .967, 40/20 .950; by
    night (32/20 .990) 32/16 .979, 48/24 .947, 56/28 .893. Patches of 16 px lower what true labels reach on
    all four clips that were tried with them (by .007 to .035). Steps of half a patch gained .012 on the cars, nothing
    or less on the others, and make more instances, by the square.

    Where a class has no tight box its size is estimated: a relaxed box has 1 + 2 r / 3 times the sides of its target
    (as the window draws it), a spot spans it, a scribble runs along a target half as wide. One size, for the median of
    the most frequent class, serves targets up to twice as large or small; medians of other classes and tails of all
    sizes that lie further from it get patches of their own. Without any target the frames decide. O(labels log labels)
    in numpy: the window asks anew at every edit.
    """
    shortest = min((min(rows, cols) for _, rows, cols in frame_sizes.values()), default=SMALLEST * _OF_FRAME)
    targets = [key for key, info in classes.items() if info.role >= 0]
    shapes = (labels.kinds != FRAME) & (labels.kinds != IGNORE)
    rows = shapes & np.isin(labels.classes, targets) & np.isin(labels.sources, list(frame_sizes))
    of = labels.take(rows)
    sides, sure = _sides(of, frame_sizes)
    known, guessed = ({key: sides[which & (of.classes == key)] for key in np.unique(of.classes[which]).tolist()}
                      for which in ((sides > 0) & sure, (sides > 0) & ~sure))
    found = [known.get(key, guessed.get(key, sides[:0])) for key in sorted({*known, *guessed})]
    largest = max(SMALLEST, min(LARGEST, shortest // 2))
    if not found:
        patch = _rounded(shortest / _OF_FRAME, largest)
        why = f"No label says how large targets are: patches of {patch} px, step {step_of(patch)}"
        return FittingSizes(patch, step_of(patch), (), f"{why}, for frames of {shortest} px.")
    patch, *also = _chosen(found, largest)
    why = _why(found, [patch, *sorted(also)], sure=guessed.keys() <= known.keys())
    return FittingSizes(patch, step_of(patch), tuple(sorted(also)), why)


def step_of(patch: int) -> int:
    """Steps of two thirds of a patch, px."""
    return max(4 * round(patch / 6), 1)


def _sides(
    labels: LabelTable, frame_sizes: Mapping[int, tuple[int, int, int]]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """(n,) sides of the squares with the areas of the labels' targets inside their frames, 0 for none; and whether the
    labels say so themselves."""
    sources = np.array(sorted(frame_sizes), np.int64)
    ends = np.array([frame_sizes[key][:0:-1] for key in sources.tolist()], float).reshape(-1, 2)  # cols, rows
    sure = np.isfinite(labels.tight[:, 0])
    corners = np.where(sure[:, None], labels.tight, labels.corners)
    extent = np.minimum(corners[:, 2:], ends[np.searchsorted(sources, labels.sources)]) - np.maximum(corners[:, :2], 0)
    inside = (extent >= 0).all(axis=1)
    extent = np.maximum(extent, 0)
    # how many times longer a label is than its target, about
    looser = np.where(sure, 1.0, 1.0 + (_TRIPLED - 1.0) * labels.looseness / _TRIPLED)
    sides = np.sqrt(extent[:, 0] * extent[:, 1]) / looser
    sides = np.where(labels.kinds == SCRIBBLE, extent.max(axis=1, initial=0) / math.sqrt(_SLENDER), sides)
    return np.where(inside, sides, 0.0), sure


def _chosen(found: Sequence[NDArray[np.float64]], largest: int) -> list[int]:
    """The patch for the most frequent class first, then those for classes and tails that it does not serve."""
    every = np.concatenate(found)
    middles = [np.percentile(sides, 50, method="lower") for sides in sorted(found, key=len, reverse=True)]
    wanted = [*middles, *np.percentile(every, _TAILS)]  # a middle between two kinds of targets would serve neither
    sides: list[float] = []
    for side in np.clip(np.array(wanted), SMALLEST, largest).tolist():
        if all(max(side / other, other / side) > _APART for other in sides):
            sides.append(side)
    return list(dict.fromkeys(_rounded(side, largest) for side in sides))


def _rounded(side: float, largest: int) -> int:
    steps = min(round(side / STEP), largest // STEP)
    return max(STEP * steps, SMALLEST)


def _why(found: Sequence[NDArray[np.float64]], patches: list[int], *, sure: bool) -> str:
    low, high = np.rint(np.percentile(np.concatenate(found), _TAILS)).astype(int)
    size = f"{low} px" if low == high else f"{low} to {high} px"
    size = size if sure else f"about {size}"
    fitting = f"patches of {sides_in_words(patches)} px, step {step_of(patches[0])}"
    return f"Targets have the area of squares of {size}: {fitting}."
