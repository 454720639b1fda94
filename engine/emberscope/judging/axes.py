"""What entries can be sliced by: class, clip, part of a clip, size and looseness of their label."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile

import numpy as np
from numpy.typing import NDArray

from emberscope.base.ids import label_of_bag
from emberscope.findings.headline import class_name, clip_name
from emberscope.findings.judged.levels import GROUND, SliceAxis
from emberscope.judging.evidence import Entries, Evidence
from emberscope.labels.model import Box, tight_box

_BINS = 4  # of a number
_MOST = 40  # values of an axis


def axes_of(evidence: Evidence, entries: Entries) -> list[SliceAxis]:
    """Those with two values or more."""
    found = [axis for make in AXES for axis in make(evidence, entries)]
    return [axis for axis in found if 1 < len(axis.names) <= _MOST]


def _by_class(evidence: Evidence, entries: Entries) -> Iterator[SliceAxis]:
    kinds = np.unique(entries.truth[entries.truth != GROUND])
    names = [class_name(evidence.project, kind) for kind in kinds.tolist()]
    code = np.where(entries.truth != GROUND, np.searchsorted(kinds, entries.truth), -1)
    yield SliceAxis("class", "Class", names, code)


def _by_clip(evidence: Evidence, entries: Entries) -> Iterator[SliceAxis]:
    clips, code = np.unique(evidence.run.source[entries.instance], return_inverse=True)
    names = told_apart([clip_name(evidence.project, clip) for clip in clips.tolist()])
    yield SliceAxis("clip", "Clip", names, code.reshape(-1).astype(np.int64))


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


def _by_part(evidence: Evidence, entries: Entries) -> Iterator[SliceAxis]:
    """Quarters of each clip, by its frames that have entries."""
    source, frame = (of[entries.instance].astype(np.float64)
                     for of in (evidence.run.source, evidence.run.frame))
    share = np.zeros(len(entries))
    for clip in np.unique(source):
        own = source == clip
        first, last = frame[own].min(), frame[own].max()
        share[own] = (frame[own] - first) / max(last - first + 1, 1)
    names = ["first quarter", "second quarter", "third quarter", "last quarter"]
    code = np.minimum((share * _BINS).astype(np.int64), _BINS - 1)
    if len(np.unique(code)) > 1:
        yield SliceAxis("part", "Part of the clip", names, code)


def _by_size(evidence: Evidence, entries: Entries) -> Iterator[SliceAxis]:
    """The side of the target, the root of the area of its tight box."""
    def side(label: object) -> float:
        box = tight_box(label)  # type: ignore[arg-type]
        return float("nan") if box is None else ((box[2] - box[0]) * (box[3] - box[1])) ** 0.5

    yield from _binned("size", "Size of the target", " px", _of_labels(evidence, entries, side))


def _by_looseness(evidence: Evidence, entries: Entries) -> Iterator[SliceAxis]:
    def loose(label: object) -> float:
        return label.looseness if isinstance(label, Box) else float("nan")

    yield from _binned("looseness", "Looseness r", "", _of_labels(evidence, entries, loose))


AXES: tuple[Callable[[Evidence, Entries], Iterator[SliceAxis]], ...] = (
    _by_class, _by_clip, _by_part, _by_size, _by_looseness,
)  # fmt: skip


def _of_labels(
    evidence: Evidence, entries: Entries, value: Callable[[object], float]
) -> NDArray[np.float64]:
    """(M,) what the label of the bag of each target says; NaN for ground."""
    labels, of_bag = evidence.project.labels, {}
    target = entries.truth != GROUND
    out = np.full(len(entries), np.nan)
    for bag in np.unique(entries.bag[target]).tolist():
        label = label_of_bag(int(evidence.bags.ids[bag]))
        of_bag[bag] = value(labels[label]) if label in labels else float("nan")
    out[target] = [of_bag[bag] for bag in entries.bag[target].tolist()]
    return out


def _binned(name: str, title: str, unit: str, value: NDArray) -> Iterator[SliceAxis]:
    """Values where there are few, else quarters of them."""
    known = np.isfinite(value)
    if not known.any():
        return
    few = np.unique(np.round(value[known], 2))
    if len(few) <= _BINS + 2:
        code = np.searchsorted(few, np.round(value, 2))
        names = [f"{each:g}{unit}" for each in few.tolist()]
    else:
        edges = np.unique(np.round(np.quantile(value[known], np.linspace(0, 1, _BINS + 1)), 1))
        code = np.clip(np.searchsorted(edges, value, "right") - 1, 0, len(edges) - 2)
        names = _between(edges.tolist(), unit)
    yield SliceAxis(name, title, names, np.where(known, code, -1).astype(np.int64))


def _between(edges: Sequence[float], unit: str) -> list[str]:
    """"8\u201312 px"."""
    return [f"{low:g}\u2013{high:g}{unit}" for low, high in pairwise(edges)]
