"""How well bags are separated, clip by clip and class by class."""

from collections.abc import Container, Iterator, Mapping

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
    where it is the only one, and the numbers of the clip where it is the only one there. A clip
    without bags of both kinds has a row that counts what it has.
    """
    whole = bag_areas(found, bags, parts)
    rows = [*_rows(whole, ALL)]
    every = {row.source: row for row in rows}
    for kind in classes_of(bags) if len(classes_of(bags)) > 1 else ():
        own = list(_rows(bag_areas(found, bags, parts,
                                   only=(bags.labels < 0) | (bags.classes == kind)), kind))
        rows += one_claim(own, every,
                          {row.source for row in own
                           if _positives(row) == _positives(every[row.source])})
    return whole, rows


def _positives(row: Part) -> float:
    return row.numbers["positive_bags"]


def one_claim(rows: list[Part], every: Mapping[int, Part], alone: Container[int]) -> list[Part]:
    """Rows of a class, its mean over clips first: one claim has one interval, which entries of
    other classes and clips would else change.

    every : the rows of all classes, by source. alone : clips whose targets are all of this class,
    so that what is said of it is said of the clip. Where the class is on one clip, its mean is the
    number of that clip.
    """
    mean, *clips = [Part(row.source, row.class_id, every[row.source].numbers) if row.source in alone
                    else row
                    for row in rows]
    if len(clips) == 1:
        mean = Part(mean.source, mean.class_id, {**mean.numbers, **clips[0].numbers})
    return [mean, *clips]


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
