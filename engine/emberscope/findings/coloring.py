"""What class the instances of a run are, and the colors that classes and numbers have everywhere.

Okabe-Ito hues, four of them lifted for dark ground; color and glyph together say the class.
"""

import weakref
from collections import deque

import numpy as np
from numpy.typing import NDArray

from emberscope.project.model.project import Project, Run

FOUND = "witness"  # by what the method found: what a run is colored by until somebody chooses
# By slot; slot 0 is unknown.
CLASS_COLORS = {
    "dark": (
        "#8D96A1",
        "#E69F00",
        "#56B4E9",
        "#00A97F",
        "#CC79A7",
        "#E2693B",
        "#F0E442",
        "#3D8FD1",
    ),
    "light": (
        "#6C7681",
        "#B87700",
        "#2383BD",
        "#00805F",
        "#A9538A",
        "#C24E12",
        "#8F7F00",
        "#0065A3",
    ),
}
# Light end = high, in both themes
SEQUENTIAL = ("#18093A", "#5D126C", "#A32D5E", "#E05635", "#F99E16", "#FBED7F")
# Of numbers: from nothing to say to the end that asks for attention; with both ends that ask;
# without a value.
DOUBT = {
    "dark": ("#56606B", "#77606B", "#A9505F", "#E8703A", "#FBD35F"),
    "light": ("#B9C1C9", "#CDA08C", "#D4683C", "#A32D4A", "#4E0D5C"),
}
TWO_SIDED = {
    "dark": ("#4FB0FF", "#5A86AD", "#565E67", "#B08A48", "#FFB429"),
    "light": ("#0A5CA8", "#6E9CC4", "#BCC4CC", "#CF9A4E", "#8F5200"),
}
NO_VALUE = {"dark": "#2E343B", "light": "#D8DDE3"}
MISSING = (110, 117, 126)
IGNORED_SLOT = 255
_known: deque[tuple[tuple[weakref.ref[NDArray], ...], NDArray[np.int64]]] = deque(maxlen=4)


def instance_classes(project: Project, run: Run) -> NDArray[np.int64]:
    """(N,) class id of each instance: its mark, else its bag's (a negative bag wins); 0 unknown, -1
    ignored. Not to be written to. O(N + members), O(N) where the run was asked about before."""
    out = _classes_of_bags(run)
    if not project.marks:
        return out
    verdict = project.marks.of(run.ids)
    return np.where(verdict < 0, out, np.where(verdict == 0, -1, verdict))


def _classes_of_bags(run: Run) -> NDArray[np.int64]:
    """Every view asks for them at every mark, and they never change."""
    arrays = (run.ids, run.indptr, run.members, run.bag_labels, run.bag_classes)
    for known, out in tuple(_known):
        if all(ref() is array for ref, array in zip(known, arrays, strict=True)):
            return out
    bags = run.bags
    of_member = bags.classes[bags.bag_of_member]
    sign = bags.labels[bags.bag_of_member]
    out = np.zeros(len(run.ids), np.int64)
    for wanted in (0, 1, -1):
        out[bags.members[sign == wanted]] = of_member[sign == wanted]
    out.flags.writeable = False
    _known.append((tuple(map(weakref.ref, arrays)), out))
    return out


def class_slots(project: Project, classes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Glyph slots of class ids: 0 unknown, 255 ignored. `classes` : (N,); returns (N,)."""
    slots = np.zeros(len(classes), np.uint8)
    for info in project.classes.values():
        slots[classes == info.id] = info.slot
    slots[classes == -1] = IGNORED_SLOT
    return slots


def slot_names(project: Project) -> dict[int, str]:
    """What glyph slots stand for, in words."""
    names = {info.slot: info.name for info in project.classes.values()}
    return {0: "Unknown", IGNORED_SLOT: "Ignored", **names}


def rgb(color: str) -> tuple[int, int, int]:
    """"#RRGGBB" as three numbers 0..255."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def slot_colors(slots: NDArray[np.uint8], theme: str) -> NDArray[np.uint8]:
    """(N, 3) uint8 colors of glyph slots."""
    palette = np.array([rgb(color) for color in CLASS_COLORS[theme]], np.uint8)
    return palette[np.where(slots < len(palette), slots, 0)]


def ramp(values: NDArray, low: float, high: float) -> NDArray[np.uint8]:
    """(N, 3) uint8 colors of numbers on the sequential scale; NaN becomes gray."""
    stops = np.array([rgb(color) for color in SEQUENTIAL], float)
    x = np.clip((np.asarray(values, float) - low) / max(high - low, 1e-12), 0, 1) * (len(stops) - 1)
    bad = ~np.isfinite(x)
    x = np.where(bad, 0, x)
    out = np.stack([np.interp(x, np.arange(len(stops)), stops[:, c]) for c in range(3)], axis=1)
    out[bad] = MISSING
    return np.rint(out).astype(np.uint8)
