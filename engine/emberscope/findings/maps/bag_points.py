"""Points that stand for bags: which instance stands for which bag, where, and how it looks."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.segments import segment_reduce
from emberscope.findings.coloring import CLASS_COLORS, class_slots, slot_colors
from emberscope.findings.point_looks import LegendEntry, PointStyle
from emberscope.project.model.project import Project, Run
from emberscope.project.model.witness import witness_scores

# What the points of a map are.
INSTANCES, OUTLINED = "instances", "outlined"
MEANS, WITNESSES, OUTLINES = "means", "witnesses", "outlines"
# In the order of lists, with what each is called there and what a legend says of it.
POINTS = {
    INSTANCES: ("instances", ""),
    OUTLINED: ("in bags", "outlines of bags"),
    MEANS: ("bag means", "one point a bag, at the mean of its instances"),
    WITNESSES: ("witnesses", "one point a bag, at its witness"),
    OUTLINES: ("bag outlines", "one outline a bag, its mean inside"),
}
OF_BAGS = (MEANS, WITNESSES, OUTLINES)  # a point a bag
WITH_HULLS = (OUTLINED, OUTLINES)
_WAYS = 24  # directions in which the members of a bag that lie farthest out are its corners


class BagPoints(NamedTuple):
    """Which rows of a run stand for its bags.

    rows, bags : (B,) a row that stands for a bag, and that bag. stands : (N,) the row that stands
    for the first bag of each row, -1 where none does.
    """

    rows: NDArray[np.int64]
    bags: NDArray[np.int64]
    stands: NDArray[np.int64]


def bag_points(project: Project, run: Run) -> BagPoints:
    """The witness of each bag stands for it; of a bag whose witness stands for another one, the
    best member that stands for none. A bag without such a member has no point."""
    bags, score = run.bags, witness_scores(project, run)
    own = np.zeros(len(run.ids)) if score is None else np.nan_to_num(score, nan=-np.inf)
    order = np.lexsort((-own[bags.members], bags.bag_of_member))
    ranked, there = bags.members[order].astype(np.int64), np.flatnonzero(bags.sizes > 0)
    best = ranked[bags.indptr[:-1][there]]
    first = np.zeros(len(best), bool)
    first[np.unique(best, return_index=True)[1]] = True
    taken, rows = set(best[first].tolist()), np.where(first, best, -1)
    for at in np.flatnonzero(~first).tolist():  # few: bags that overlap
        k = int(there[at])
        members = ranked[bags.indptr[k] : bags.indptr[k + 1]].tolist()
        rows[at] = next((row for row in members if row not in taken), -1)
        taken.add(int(rows[at]))
    kept = rows >= 0
    of_bag = np.full(len(bags), -1, np.int64)
    of_bag[there[kept]] = rows[kept]
    first_bag = bags.first_bag(len(run.ids))
    stands = np.where(first_bag >= 0, of_bag[first_bag], -1) if len(bags) else first_bag
    return BagPoints(rows[kept], there[kept], stands)


def at_means(Z: NDArray, bags: Bags, points: BagPoints) -> NDArray:
    """Z (N, d) with every row that stands for a bag at the mean of the members of that; members
    without a place do not count."""
    members: NDArray[np.float64] = Z[bags.members].astype(np.float64)
    there = np.asarray(np.isfinite(members).all(axis=1))
    members[~there] = 0.0
    starts = bags.indptr[:-1]
    count = segment_reduce(np.add, np.asarray(there, np.float64), starts)
    with np.errstate(invalid="ignore"):
        means = segment_reduce(np.add, members, starts) / count[:, None]
    out = Z.copy()
    out[points.rows] = means[points.bags]
    return out


def bag_style(
    project: Project, run: Run, style: PointStyle, points: BagPoints, *, theme: str, by_class: bool
) -> PointStyle:
    """A style with the glyph of its bag on every row that stands for one, and bags counted in the
    legend. by_class : colors are those of classes, and so are these."""
    classes = run.bags.classes[points.bags]
    slots, colors, group = style.slot.copy(), style.rgb, style.group
    slots[points.rows] = class_slots(project, classes)
    if by_class:
        colors, group = style.rgb.copy(), style.group.copy()
        colors[points.rows] = slot_colors(slots[points.rows], theme)
        group[points.rows] = classes
        known = {info.id: info for info in project.classes.values()}
        legend = tuple(
            LegendEntry(info.slot, CLASS_COLORS[theme][info.slot], info.name,
                        int(np.count_nonzero(classes == kind)), kind)
            for kind, info in known.items() if (classes == kind).any()
        )  # fmt: skip
    else:
        own = group[points.rows]
        counted = (replace(entry, count=int(np.count_nonzero(own == entry.key)), says="")
                   for entry in style.legend)  # fmt: skip
        legend = tuple(entry for entry in counted if entry.count)
    return replace(style, slot=slots, rgb=colors, group=group, legend=legend)


def with_note(style: PointStyle, points: str) -> PointStyle:
    """A style whose legend says what the points are."""
    note = POINTS[points][1]
    return replace(style, note=", ".join(filter(None, (style.note, note)))) if note else style


def hulls(
    places: NDArray, bags: Bags, visible: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows (B, 24) of the members of bags that lie farthest out in as many directions, which are
    the corners of an outline, and which bags (B,) these are: those of three visible members or
    more. places : (N, 2 or more), in any unit. O(members)."""
    seen = visible[bags.members] & np.isfinite(places[bags.members, :2]).all(axis=1)
    rows, bag = bags.members[seen].astype(np.int64), bags.bag_of_member[seen]
    count = np.bincount(bag, minlength=len(bags))
    enough = count[bag] > 2
    rows, bag = rows[enough], bag[enough]
    if not len(rows):
        return np.empty((0, _WAYS), np.int64), np.empty(0, np.int64)
    starts = np.flatnonzero(np.diff(bag, prepend=-1))
    number = np.cumsum(np.diff(bag, prepend=-1) != 0) - 1
    xy, corners = places[rows, :2].astype(np.float64), np.empty((len(starts), _WAYS), np.int64)
    for way, angle in enumerate(np.linspace(0, 2 * np.pi, _WAYS, endpoint=False).tolist()):
        far = xy @ (np.cos(angle), np.sin(angle))
        most = np.flatnonzero(far == segment_reduce(np.maximum, far, starts)[number])
        corners[number[most[::-1]], way] = rows[most[::-1]]
    return corners, bag[starts]
