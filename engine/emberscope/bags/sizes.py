"""Patches that fit the targets: how large, how far apart and of how many sizes, as the labels say."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from emberscope.bags.recipe import sides_in_words
from emberscope.labels.geometry import Corners, bounds
from emberscope.labels.model import Box, Label, TargetClass, tight_box

SMALLEST, LARGEST, STEP = 16, 128, 8  # px, of patches that are suggested
FACTOR = 1.1          # a patch's side over that of a target
_APART = 2.0          # sizes that differ by more get patches of their own
_TAILS = (10, 90)     # percentiles: rarer sizes get no patches of their own
_TRIPLED = 3.0        # looseness at which a box has three times the sides of its target
_OF_FRAME = 16        # patches along the shorter side of a frame where no label tells more


@dataclass(frozen=True, slots=True)
class FittingSizes:
    """Sides of patches in px: `patch`, its step `stride`, those of further sizes `also`, and `why` in a sentence."""

    patch: int
    stride: int
    also: tuple[int, ...]
    why: str


def fitting_sizes(
    labels: Iterable[Label], classes: Mapping[int, TargetClass], frame_sizes: Mapping[int, tuple[int, int, int]]
) -> FittingSizes:
    """Sides of patches for the targets that are labeled.

    Parameters
    ----------
    labels : of any kind; those of targets count. classes : class id -> class. frame_sizes : source id -> (n_frames,
        rows, cols); labels of other sources do not count.

    Returns
    -------
    sizes : multiples of 8 px, 16 to 128 px and at most half of the smallest frame; steps of half a patch.

    Notes
    -----
    A target's size is the longer side of its tight box, and a patch is a tenth larger. Of patches of 16 to 72 px on
    eight clips (persons, cars, drones, aircraft, birds, vehicles on a range; trees on true labels, held out) the one
    nearest to that had the best area inside positive bags or lost up to .004 to it; patches of twice a target's size
    lost up to .04 and missed up to 29 % of the targets. Where a class has no tight box its size is estimated: a
    relaxed box has 1 + 2 r / 3 times the sides of its target (as the window draws it), a spot or a scribble spans it.
    One size, for the median of the most frequent class, serves targets up to twice as large or small; medians of
    other classes and tails of all sizes that lie further from it get patches of their own. Without any target the
    frames decide. O(labels log labels).
    """
    known: dict[int, list[float]] = {}
    guessed: dict[int, list[float]] = {}
    shortest = min((min(rows, cols) for _, rows, cols in frame_sizes.values()), default=SMALLEST * _OF_FRAME)
    for label in labels:
        role, size = classes.get(label.class_id), frame_sizes.get(label.source)
        if role is None or role.role < 0 or size is None:
            continue
        tight = tight_box(label)
        side = _side(tight or bounds(label), size) / (1.0 if tight else _looser(label))
        if side > 0:
            (known if tight else guessed).setdefault(label.class_id, []).append(side)
    found = [known.get(key) or guessed[key] for key in sorted({*known, *guessed})]
    largest = max(SMALLEST, min(LARGEST, shortest // 2))
    if not found:
        patch = _rounded(shortest / _OF_FRAME, largest)
        why = f"No label says how large targets are: patches of {patch} px, step {patch // 2}, for frames of {shortest}"
        return FittingSizes(patch, patch // 2, (), f"{why} px.")
    patch, *also = _chosen(found, largest)
    why = _why(found, [patch, *sorted(also)], sure=guessed.keys() <= known.keys())
    return FittingSizes(patch, patch // 2, tuple(sorted(also)), why)


def _side(box: Corners | None, size: tuple[int, int, int]) -> float:
    """The longer side of the part in a frame of (n_frames, rows, cols); 0 for none."""
    x0, y0, x1, y1 = box or (0.0, 0.0, 0.0, 0.0)
    _, rows, cols = size
    return float(max(min(x1, cols) - max(x0, 0.0), min(y1, rows) - max(y0, 0.0), 0.0))


def _looser(label: Label) -> float:
    """How many times longer a label is than its target, about."""
    return 1.0 + (_TRIPLED - 1.0) * label.looseness / _TRIPLED if isinstance(label, Box) else 1.0


def _chosen(found: list[list[float]], largest: int) -> list[int]:
    """The patch for the most frequent class first, then those for classes and tails that it does not serve."""
    every = np.concatenate([np.asarray(sides) for sides in found])
    middles = [np.percentile(sides, 50, method="lower") for sides in sorted(found, key=len, reverse=True)]
    wanted = [*middles, *np.percentile(every, _TAILS)]  # a middle between two kinds of targets would serve neither
    sides: list[float] = []
    for side in np.clip(np.array(wanted) * FACTOR, SMALLEST, largest).tolist():
        if all(max(side / other, other / side) > _APART for other in sides):
            sides.append(side)
    return list(dict.fromkeys(_rounded(side, largest) for side in sides))


def _rounded(side: float, largest: int) -> int:
    steps = min(round(side / STEP), largest // STEP)
    return max(STEP * steps, SMALLEST)


def _why(found: list[list[float]], patches: list[int], *, sure: bool) -> str:
    low, high = np.rint(np.percentile(np.concatenate([np.asarray(sides) for sides in found]), _TAILS)).astype(int)
    size = f"{low} px" if low == high else f"{low} to {high} px"
    step = "steps of half a patch" if patches[1:] else f"step {patches[0] // 2}"
    return f"Targets are {'' if sure else 'about '}{size}: patches of {sides_in_words(patches)} px, {step}."
