"""How the instances of a run look: class, colour, glyph and legend, computed once for maps, chips and lists."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.ids import bag_name
from emberscope.project import Project, Run
from emberscope_app.theme.tokens import SEQUENTIAL, Tokens


@dataclass(frozen=True, slots=True)
class LegendEntry:
    slot: int          # glyph
    color: str
    title: str
    count: int


@dataclass(frozen=True, slots=True)
class PointStyle:
    """Row n belongs to row n of the run.

    slot : (N,) uint8 glyph slot of the class, 0 unknown, 255 ignored. rgb : (N, 3) uint8.
    legend : entries, most frequent first. scale : (low, high) of a number colouring, else None.
    """

    slot: NDArray[np.uint8]
    rgb: NDArray[np.uint8]
    legend: tuple[LegendEntry, ...]
    scale: tuple[float, float] | None = None


def instance_classes(project: Project, run: Run) -> NDArray[np.int64]:
    """(N,) class id of each instance: its mark, else the class of its bag (a negative bag wins), 0 unknown, -1 ignored."""
    bags, n = run.bags, len(run.ids)
    out = np.zeros(n, np.int64)
    of_member = bags.classes[bags.bag_of_member] if len(bags) else np.empty(0, np.int64)
    sign = bags.labels[bags.bag_of_member] if len(bags) else np.empty(0, np.int8)
    for wanted in (0, 1, -1):
        out[bags.members[sign == wanted]] = of_member[sign == wanted]
    if project.marks:
        marked = np.fromiter(project.marks, np.int64, len(project.marks))
        classes = np.fromiter(project.marks.values(), np.int64, len(project.marks))
        order = np.argsort(marked)
        at = np.searchsorted(marked[order], run.ids)
        at = np.minimum(at, len(marked) - 1)
        hit = marked[order][at] == run.ids
        out[hit] = np.where(classes[order][at[hit]] == 0, -1, classes[order][at[hit]])
    return out


def class_slots(project: Project, classes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Glyph slots of class ids."""
    slots = np.zeros(len(classes), np.uint8)
    for info in project.classes.values():
        slots[classes == info.id] = info.slot
    slots[classes == -1] = 255
    return slots


def ramp(values: NDArray, low: float, high: float) -> NDArray[np.uint8]:
    """(N, 3) uint8 colours of numbers on the sequential scale; NaN becomes the middle gray."""
    stops = np.array([[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in SEQUENTIAL], float)
    x = np.clip((np.asarray(values, float) - low) / max(high - low, 1e-12), 0, 1) * (len(stops) - 1)
    bad = ~np.isfinite(x)
    x = np.where(bad, 0, x)
    out = np.stack([np.interp(x, np.arange(len(stops)), stops[:, c]) for c in range(3)], axis=1)
    out[bad] = (110, 117, 126)
    return np.rint(out).astype(np.uint8)


def style_points(project: Project, run: Run, color_by: str, tokens: Tokens) -> PointStyle:
    """Colours of a run's instances: "class", "bag", "source", or the name of a per-point score."""
    classes = instance_classes(project, run)
    slots = class_slots(project, classes)
    if color_by in run.point_scores:
        values = np.asarray(run.point_scores[color_by], float)
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        return PointStyle(slots, ramp(values, low, high), (), (low, high))
    if color_by == "bag":
        return _by_group(slots, run.bags.first_bag(len(run.ids)), lambda k: f"Bag {bag_name(run.bag_ids[k])}" if k >= 0 else "No bag", tokens)
    if color_by == "source":
        return _by_group(slots, run.source, lambda s: project.sources[s].name if s in project.sources else f"Source {s}", tokens)
    return _by_class(project, classes, slots, tokens)


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _by_class(project: Project, classes: NDArray, slots: NDArray[np.uint8], tokens: Tokens) -> PointStyle:
    palette = np.array([_rgb(color) for color in tokens.classes], np.uint8)
    rgb = palette[np.where(slots == 255, 0, slots)]
    legend = [
        LegendEntry(info.slot, tokens.classes[info.slot], info.name, int(np.sum(classes == info.id)))
        for info in project.classes.values()
    ]
    legend.append(LegendEntry(0, tokens.classes[0], "Unknown", int(np.sum(classes == 0))))
    legend.append(LegendEntry(255, tokens.classes[0], "Ignored", int(np.sum(classes == -1))))
    return PointStyle(slots, rgb, tuple(entry for entry in legend if entry.count))


def _by_group(slots: NDArray[np.uint8], groups: NDArray, title, tokens: Tokens) -> PointStyle:
    values, index, counts = np.unique(groups, return_inverse=True, return_counts=True)
    palette = np.array([_rgb(color) for color in tokens.classes[1:]], np.uint8)
    rgb = palette[index % len(palette)]
    order = np.argsort(-counts, kind="stable")[:8]
    legend = tuple(
        LegendEntry(1, tokens.classes[1 + int(i) % len(palette)], title(int(values[i])), int(counts[i])) for i in order
    )
    return PointStyle(slots, rgb, legend)
