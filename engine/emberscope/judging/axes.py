"""What entries can be sliced by: class, clip, part of a clip, and the columns of labels."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile

import numpy as np
from numpy.typing import NDArray

from emberscope.findings.headline import class_name, clip_name
from emberscope.findings.judged.levels import GROUND, SliceAxis
from emberscope.judging.evidence import Entries, Places
from emberscope.labels.columns import NUMBER
from emberscope.project.columns import CLIP, TARGET, UNITS, columns_of_bags
from emberscope.project.model.project import Project
from emberscope.project.nouns import nouns_of

_PARTS = 4  # of a clip
_MOST, _FEW, _RANGES = 40, 6, 5  # values of an axis; of more numbers than few, so many ranges
_WHOLE = 1000  # from which on numbers are written without a part
_DIGITS = 3  # of other numbers, at most


def axes_of(project: Project, places: Places, entries: Entries) -> list[SliceAxis]:
    """Those with two values or more."""
    found = [axis for make in AXES for axis in make(project, places, entries)]
    return [axis for axis in found if 1 < len(axis.names) <= _MOST]


def _by_class(project: Project, places: Places, entries: Entries) -> Iterator[SliceAxis]:
    kinds = np.unique(entries.truth[entries.truth != GROUND])
    names = [class_name(project, kind) for kind in kinds.tolist()]
    code = np.where(entries.truth != GROUND, np.searchsorted(kinds, entries.truth), -1)
    yield SliceAxis("class", "Class", names, code)


def _by_clip(project: Project, places: Places, entries: Entries) -> Iterator[SliceAxis]:
    clips, code = np.unique(places.source[entries.instance], return_inverse=True)
    names = told_apart([clip_name(project, clip) for clip in clips.tolist()])
    yield SliceAxis("clip", nouns_of(project).say("Clip"), names, code.reshape(-1).astype(np.int64))


def told_apart(names: list[str]) -> list[str]:
    """Names without the letters that all begin or end with: "01" and "02" of "day_01.arf" and
    "day_02.arf"; as they are where one of them would be left with nothing."""
    if len(names) < 2:
        return names
    first, last = _alike(names), _alike([name[::-1] for name in names])
    while first and names[0][first - 1].isalnum():  # whole words only
        first -= 1
    while last and names[0][len(names[0]) - last].isalnum():
        last -= 1
    short = [name[first : len(name) - last] for name in names]
    return short if all(short) and len(set(short)) == len(names) else names


def _alike(names: list[str]) -> int:
    """How many letters all begin with."""
    return sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1,
                                    zip(*names, strict=False)))


def _by_part(project: Project, places: Places, entries: Entries) -> Iterator[SliceAxis]:
    """Quarters of each clip, by its frames that have entries; none of point sets, whose bags lie in
    any order."""
    if project.of_points:
        return
    source, frame = (of[entries.instance].astype(np.float64)
                     for of in (places.source, places.frame))
    share = np.zeros(len(entries))
    for clip in np.unique(source):
        own = source == clip
        first, last = frame[own].min(), frame[own].max()
        share[own] = (frame[own] - first) / max(last - first + 1, 1)
    names = ["first quarter", "second quarter", "third quarter", "last quarter"]
    code = np.minimum((share * _PARTS).astype(np.int64), _PARTS - 1)
    if len(np.unique(code)) > 1:
        yield SliceAxis("part", "Part of the clip", names, code)


def _by_columns(project: Project, places: Places, entries: Entries) -> Iterator[SliceAxis]:
    """What the labels of the targets, their frames and clips say."""
    of_bags = columns_of_bags(project, places.bag_ids)
    target = entries.truth != GROUND
    for name, column in of_bags.items():
        if name in (CLIP, TARGET):  # a slice of its own; as many as there are targets
            continue
        of_targets = column.take(np.where(target, entries.bag, -1))
        code, names = of_targets.levels()
        if column.kind == NUMBER and len(np.unique(of_targets.values[of_targets.known])) > _FEW:
            near = of_targets.near()
            code, names = (_ranges(of_targets.values) if near is None or len(near[1]) > _FEW
                           else (near[0], _range_names(near[1])))
        unit = f", {UNITS[name]}" if name in UNITS and column.kind == NUMBER else ""
        code = _with_ground(code, places.source[entries.instance], target)
        yield SliceAxis(name, f"{name[:1].upper()}{name[1:]}{unit}", names, code)


def _ranges(value: NDArray[np.float64]) -> tuple[NDArray[np.int64], list[str]]:
    """Numbers (M,) in ranges with about equally many in each: their numbers, -1 of NaN, and
    names."""
    known = np.isfinite(value)
    edges = np.unique(np.quantile(value[known], np.linspace(0, 1, _RANGES + 1)))
    at = np.clip(np.searchsorted(edges, value, "right") - 1, 0, len(edges) - 2)
    names = _range_names(list(pairwise(edges.tolist())))
    return np.where(known, at, -1).astype(np.int64), names


def _range_names(ranges: Sequence[tuple[float, float]]) -> list[str]:
    """"984\u20131010": two digits of what lies between the nearest ends, for more say nothing."""
    gaps = np.diff(np.unique(ranges))
    digits = max(1 - math.floor(math.log10(gaps.min())), 0) if len(gaps) else _DIGITS

    def short(end: float) -> str:
        kept = float(f"{end:.{_DIGITS}g}") if abs(end) < _WHOLE else round(end)
        return f"{round(kept, digits):g}"

    return ["\u2013".join(dict.fromkeys(map(short, ends))) for ends in ranges]


def _with_ground(
    code: NDArray[np.int64], clip: NDArray, target: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Ground gets the value of the targets of its clip where all of a clip have the same, such as
    day or night, and else none."""
    pairs = np.unique(np.stack([clip[target], code[target]], axis=1), axis=0)
    if len(pairs) < 2 or len(np.unique(pairs[:, 0])) < len(pairs):
        return code
    at = np.minimum(np.searchsorted(pairs[:, 0], clip), len(pairs) - 1)
    there = np.where(pairs[at, 0] == clip, pairs[at, 1], -1)
    return np.where(target, code, there)


AXES: tuple[Callable[[Project, Places, Entries], Iterator[SliceAxis]], ...] = (
    _by_class, _by_clip, _by_part, _by_columns,
)  # fmt: skip
