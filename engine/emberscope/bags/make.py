"""Labels become bags of instances (help page: labels)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.background import Places, background_drafts
from emberscope.bags.fusion import fuse
from emberscope.bags.grid import Grid, center_inside
from emberscope.bags.model import Bags, Instances
from emberscope.bags.recipe import ROWS, BagRecipe, gaps_in_words
from emberscope.bags.support import Draft, drafts_of, grids_of
from emberscope.bags.verdict import says, verdict
from emberscope.base.ids import bag_id
from emberscope.labels.geometry import (
    area,
    as_boxes,
    bounds,
    inside,
    intersection,
)
from emberscope.labels.model import (
    BETWEEN,
    Box,
    Ellipse,
    FrameLabel,
    Ignore,
    Label,
    Polygon,
    TargetClass,
    tight_box,
)

FrameSizes = Mapping[int, tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class MadeBags:
    """What `make_bags` returns.

    instances : N instances, each once, in the order of sources, frames and labels. bags : K bags of
    their rows.
    y : (N,) int8, bag labels spread over the instances, -1 before +1, marks before both.
    conflicts : (C,) int64, rows that lie in a positive and in a negative bag and carry no mark.
    notes : sentences for the person.
    """

    instances: Instances
    bags: Bags
    y: NDArray[np.int8]
    conflicts: NDArray[np.int64]
    notes: list[str]
    # (N,) True where a mark decided y, or what follows from pairs that a person marked
    marked: NDArray[np.bool_]

    @property
    def certain(self) -> NDArray[np.bool_]:
        """(N,) True where y is known, not inherited: marked, in a negative bag, or alone in a
        positive bag."""
        alone = np.zeros(len(self.instances), bool)
        alone[self.bags.members[self.bags.indptr[:-1][(self.bags.sizes == 1)
                                                      & (self.bags.labels > 0)]]] = True
        return self.marked | (self.y < 0) | (alone & (self.y > 0))


def make_bags(
    labels: Iterable[Label],
    classes: Mapping[int, TargetClass],
    frame_sizes: FrameSizes,
    recipe: BagRecipe,
    *,
    marks: Mapping[int, int] | None = None,
) -> MadeBags:
    """Instances and bags of a set of labels.

    Parameters
    ----------
    labels : the labels. classes : class id -> class; its role is the label of the bag, 0 for a
        class not there.
    frame_sizes : source id -> (n_frames, rows, cols). Labels of other sources are left out, with a
        note.
    recipe : level, grid and background sampling.
    marks : instance id -> class id; overrides what the bags say of an instance, 0 takes the
        instance out.

    Notes
    -----
    Positive labels: patches whose center is in the box; patches that share area with the disc of a
    spot; every patch a certain scribble touches, each a bag of its own; patches near an imprecise
    scribble; patches that share area with a polygon, an ellipse or a line; the grid of the whole
    frame. Negative labels take only what they vouch for: patches
    wholly inside a box or an outline (or the one about a box smaller than a patch, unless it
    reaches a target), the nearest patch of a spot. Patches that were sampled between labels share
    bags. Each size of the recipe has its patches in the bag. Unlabeled regions are in no bag. Bag
    ids follow from label ids and instance ids from pixels, so that the same labels give the same
    bags in every process. O(labels + instances).
    """
    marks = marks or {}
    report = _Report(gaps_in_words(recipe))
    drafts: list[Draft] = []
    grids: dict[int, list[Grid]] = {}
    ordered = sorted(labels, key=lambda label: (label.source, label.frame, label.id))
    places = Places(ordered, classes, recipe)
    for (source, frame), group in groupby(ordered, key=lambda label: (label.source, label.frame)):
        found = list(group)
        size = frame_sizes.get(source)
        if size is None or not 0 <= frame < size[0]:
            for label in found:
                report("Source or frame is not there", label.id)
            continue
        if source not in grids:
            grids[source] = grids_of(size[1], size[2], recipe)
            report.frames_of(size[1], size[2], recipe)
        drafts.extend(_frame_drafts(found, classes, grids[source], recipe, places, report))
    return _assemble(drafts, classes, marks, report, apart=recipe.level == ROWS)


def _frame_drafts(
    labels: Sequence[Label], classes: Mapping[int, TargetClass], grids: Sequence[Grid],
    recipe: BagRecipe, places: Places, report: "_Report",
) -> list[Draft]:
    """All bags of one frame."""
    chip = recipe.level == "chip"
    drafts = []
    for label in labels:
        sign, class_id = verdict(label, classes)
        made = drafts_of(label, sign=sign, class_id=class_id, grids=grids, chip=chip)
        if not made and not isinstance(label, Ignore) and not says(label, "complete"):
            report("Outside the frame, so without a bag", label.id)
        drafts.extend(made)
    if len(labels) > 1:
        drafts = _fuse_by_class(drafts, chip, report)
        drafts = _clear_of_targets(drafts, grids)
        drafts = drafts if chip else _joined(drafts)
    if recipe.background and any(says(label, "complete") for label in labels):
        drafts.extend(background_drafts(labels, drafts, classes, grids, recipe, places, report))
    ignores = [label for label in labels if isinstance(label, Ignore)]
    return _without_ignored(drafts, ignores, report) if ignores else drafts


def _fuse_by_class(drafts: list[Draft], chip: bool, report: "_Report") -> list[Draft]:
    positive = sorted((d for d in drafts if d.sign > 0), key=lambda d: d.class_id)
    fused = [d for d in drafts if d.sign <= 0]
    for _, group in groupby(positive, key=lambda d: d.class_id):
        fused.extend(fuse(list(group), chip=chip, report=report))
    return sorted(fused, key=lambda d: (d.label.id, d.ordinal))


def _clear_of_targets(drafts: Sequence[Draft], grids: Sequence[Grid]) -> list[Draft]:
    """Boxes of background smaller than a patch do not vouch for targets beside them, which their
    patches may reach.

    Such patches go; where none is left, the box itself is the instance.
    """
    grid, reach = grids[0], max(max(grid.width, grid.height) for grid in grids) / 2
    targets = np.concatenate([np.empty((0, 4)),
                              *(_reached(draft, reach) for draft in drafts if draft.sign > 0)])
    out = []
    for draft in drafts:
        shape = isinstance(draft.label, Box | Polygon | Ellipse)
        box = bounds(draft.label) if draft.sign < 0 and shape else None
        own = inside(box, (grid.rows, grid.cols)) if box is not None else None
        if own is not None and len(targets):
            beyond = intersection(draft.boxes, own)[:, 0] < area(draft.boxes)
            touching = beyond & (intersection(draft.boxes, targets).max(axis=1) > 0)
            if touching.any():
                draft = replace(draft, boxes=as_boxes(own) if touching.all()
                                else draft.boxes[~touching])
        out.append(draft)
    return out


def _joined(drafts: Sequence[Draft]) -> list[Draft]:
    """Patches of background sampled between labels share bags as large as the positive ones of the
    frame, on average: alone, the size of their bags would give them away."""
    single = [d for d in drafts if d.sign < 0 and d.label.origin == BETWEEN]
    if len(single) < 2:
        return list(drafts)
    sizes = [len(d.boxes) for d in drafts if d.sign > 0] or [len(single)]
    n_bags = min(max(round(sum(len(d.boxes) for d in single) / float(np.mean(sizes))), 1),
                 len(single))
    joined = []
    for k in range(n_bags):
        share = single[k::n_bags]
        boxes = dict.fromkeys(tuple(box) for d in share for box in d.boxes.tolist())
        joined.append(share[0].with_boxes(as_boxes(list(boxes))))
    rest = [d for d in drafts if not (d.sign < 0 and d.label.origin == BETWEEN)]
    return sorted([*rest, *joined], key=lambda d: (d.label.id, d.ordinal))


def _reached(draft: Draft, reach: float) -> NDArray[np.float64]:
    """Boxes that a target lies in, (n, 4): of a box or an outline its target or itself; else what
    its patches show, and `reach` px more for spots and lines, whose target goes on beyond them."""
    if isinstance(draft.label, Box | Polygon | Ellipse):
        return as_boxes(tight_box(draft.label) or bounds(draft.label) or ())
    return (draft.boxes + reach * np.array([-1, -1, 1, 1])
            * (not isinstance(draft.label, FrameLabel)))


def _without_ignored(
    drafts: list[Draft], ignores: Sequence[Ignore], report: "_Report"
) -> list[Draft]:
    kept = []
    for draft in drafts:
        gone = np.zeros(len(draft.boxes), bool)
        for ignore in ignores:
            region = bounds(ignore)
            gone |= True if region is None else center_inside(draft.boxes, region)
        if gone.all():
            report("Wholly ignored, so without a bag", draft.label.id)
        else:
            kept.append(draft if not gone.any() else replace(draft, boxes=draft.boxes[~gone]))
    return kept


def _assemble(
    drafts: Sequence[Draft], classes: Mapping[int, TargetClass], marks: Mapping[int, int],
    report: "_Report", *, apart: bool
) -> MadeBags:
    """Rows, CSR and instance labels of the drafts."""
    sizes = np.array([len(draft.boxes) for draft in drafts], np.int64)
    every = Instances.at(
        np.repeat(np.array([draft.label.source for draft in drafts], np.int64), sizes),
        np.repeat(np.array([draft.label.frame for draft in drafts], np.int64), sizes),
        np.concatenate([draft.boxes for draft in drafts]) if drafts else np.empty((0, 4)),
    )
    every = replace(every, apart=apart)
    bag = np.repeat(np.arange(len(drafts)), sizes)
    removed = [key for key, class_id in marks.items() if class_id == 0]
    if removed:
        keep = ~np.isin(every.ids, np.array(removed, np.int64))
        every, bag = every.take(keep), bag[keep]
    rows, first = _rows_by_id(every.ids)
    instances = every.take(first)
    counts = np.bincount(bag, minlength=len(drafts))
    kept = [draft for draft, count in zip(drafts, counts, strict=True) if count]
    bags = Bags(
        np.concatenate([[0], np.cumsum(counts[counts > 0])]).astype(np.int64),
        rows,
        np.array([draft.sign for draft in kept], np.int8),
        np.array([bag_id(draft.label.id, draft.ordinal) for draft in kept], np.int64),
        np.array([draft.class_id for draft in kept], np.int64),
    )
    return _judge(instances, bags, classes, marks, report)


def _rows_by_id(ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row of every entry in the table of distinct ids, which keeps the order of first appearance;
    first entries."""
    _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[inverse].astype(np.int64), first[order]


def _judge(
    instances: Instances, bags: Bags, classes: Mapping[int, TargetClass], marks: Mapping[int, int],
    report: "_Report"
) -> MadeBags:
    """Instance labels: bags, then marks; conflicts are what no mark has settled."""
    y = bags.instance_labels(len(instances))
    conflicts = bags.conflicts(len(instances))
    marked = np.zeros(len(instances), bool)
    for class_id in sorted(set(marks.values())):
        rows = instances.rows_of(np.array([i for i, c in marks.items() if c == class_id], np.int64))
        if class_id not in classes:
            continue
        y[rows] = classes[class_id].role
        marked[rows] = True
    conflicts = conflicts[~marked[conflicts]]
    notes = report.sentences()
    if len(conflicts):
        notes.append(_conflicts_note(len(conflicts)))
    return MadeBags(instances, bags, y, conflicts, notes, marked)


def _conflicts_note(n: int) -> str:
    if n == 1:
        return "1 instance lies in positive and negative bags; it counts as negative."
    return f"{n} instances lie in positive and negative bags; they count as negative."


class _Report:
    """Collects label ids per thing that happened, one sentence each in the end."""

    def __init__(self, gaps: str = "") -> None:
        self._gaps = gaps
        self._found: dict[str, list[int]] = {}
        self._too_small: dict[tuple[int, int, int], None] = {}

    def __call__(self, what: str, label_id: int) -> None:
        self._found.setdefault(what, []).append(label_id)

    def frames_of(self, rows: int, cols: int, recipe: BagRecipe) -> None:
        """Which patches do not fit into frames of a source."""
        sides = recipe.sides if recipe.level == "instance" else ()
        self._too_small.update(dict.fromkeys((side, rows, cols) for side in sides
                                             if side > min(rows, cols)))

    def sentences(self) -> list[str]:
        cut = [
            f"Patches of {side} px do not fit into frames of {cols} x {rows} px and are cut to "
            f"{min(side, cols)} x {min(side, rows)} px; smaller ones do."
            for side, rows, cols in self._too_small
        ]
        gaps = [self._gaps] if self._gaps else []
        return gaps + cut + [_sentence(what, list(dict.fromkeys(ids)))
                             for what, ids in self._found.items()]


def _sentence(what: str, ids: list[int]) -> str:
    shown = ", ".join(str(i) for i in ids[:5]) + (" ..." if len(ids) > 5 else "")
    return f"{what}: {len(ids)} label{'s' if len(ids) > 1 else ''} ({shown})."
