"""How well bags are separated, clip by clip and class by class."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.evaluate.held_out import HeldOut, Parts, bag_areas
from emberscope.evaluate.within_clips import Value, WithinClips
from emberscope.project.model.parts import ALL, AREAS, Part


def areas_by_part(found: HeldOut, bags: Bags, parts: Parts) -> tuple[WithinClips, list[Part]]:
    """Areas of all held-out bags inside their clips, and rows of the same for each clip, each
    class, and both.

    A class is its positive bags against all negative ones of the clip; it has no rows of its own
    where it is the only one. A clip without bags of both kinds has a row that counts what it has.
    """
    whole = bag_areas(found, bags, parts)
    rows = [*_rows(whole, ALL)]
    for kind in classes_of(bags) if len(classes_of(bags)) > 1 else ():
        rows += _rows(bag_areas(found, bags, parts,
                                only=(bags.labels < 0) | (bags.classes == kind)), kind)
    return whole, rows


def classes_of(bags: Bags) -> list[int]:
    """The classes of positive bags."""
    kinds: NDArray[np.int64] = np.unique(bags.classes[bags.labels > 0])
    return kinds.tolist()


def _rows(found: WithinClips, kind: int) -> Iterator[Part]:
    # others say nothing of a class
    there = np.full(len(found.clips), True) if kind == ALL else found.positives > 0
    counts = {"positive_bags": int(found.positives.sum()),
              "negative_bags": int(found.negatives[there].sum())}
    yield Part(ALL, kind, _named(found.mean) | counts)
    for at, clip in enumerate(found.clips.tolist()):
        counts = {"positive_bags": int(found.positives[at]),
                  "negative_bags": int(found.negatives[at])}
        if kind == ALL or counts["positive_bags"]:
            yield Part(clip, kind, _named(found.each[at]) | counts)


def _named(value: Value) -> dict[str, float]:
    return dict(zip(AREAS, value, strict=False)) if np.isfinite(value.value) else {}
