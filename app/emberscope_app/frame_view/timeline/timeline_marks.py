"""What the timeline shows of a source, as arrays: marks per class, copied spans, bands of frame
labels. No Qt."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from emberscope.labels.model import FrameLabel
from emberscope.labels.table import FRAME
from emberscope.project import Project

BINNED_FROM = 2000  # frames: more are shown as bins, darkest = most


@dataclass(slots=True)
class Track:
    """One class. drawn: (n,) frames with a label made by hand or imported, with counts (n,). spans:
    [first, last] runs of frames with a label copied or found by a model."""

    class_id: int
    drawn: NDArray[np.int64]
    counts: NDArray[np.int64]
    spans: list[tuple[int, int]]


@dataclass(slots=True)
class Band:
    """Frames first to last whose frame labels say the same: "contains" with a class, "empty" or
    "complete"."""

    first: int
    last: int
    says: str
    class_id: int | None = None


@dataclass(slots=True)
class Marks:
    """Tracks by class order, and the bands of frame labels."""

    tracks: list[Track] = field(default_factory=list)
    bands: list[Band] = field(default_factory=list)


def read_marks(project: Project, source: int) -> Marks:
    """Marks of a source. O(labels of the project) in numpy."""
    table = project.labels.table()
    here, words = table.sources == source, table.kinds == FRAME
    shapes = here & ~words
    tracks = []
    for key in sorted(project.classes):
        mine = shapes & (table.classes == key)
        frames, counts = np.unique(table.frames[mine & ~table.copied], return_counts=True)
        copied = np.unique(table.frames[mine & table.copied])
        tracks.append(Track(key, frames, counts, runs_of(copied.tolist())))
    return Marks(tracks, _bands(table.labels[here & words].tolist()))


def _bands(labels: list[FrameLabel]) -> list[Band]:
    """Of the frame labels of a source; that every target is labeled shows where nothing else is
    said."""
    by_words: dict[tuple[str, int | None], set[int]] = {}
    for label in labels:
        key = (label.says, label.class_id if label.says == "contains" else None)
        by_words.setdefault(key, set()).add(label.frame)
    complete = ("complete", None)
    said = set[int]().union(*(frames for key, frames in by_words.items() if key != complete))
    if complete in by_words:
        by_words[complete] -= said
    return [
        Band(first, last, *key)
        for key, frames in by_words.items()
        for first, last in runs_of(sorted(frames))
    ]


def runs_of(frames: list[int]) -> list[tuple[int, int]]:
    """Consecutive numbers as (first, last)."""
    found: list[tuple[int, int]] = []
    for frame in frames:
        if found and frame == found[-1][1] + 1:
            found[-1] = (found[-1][0], frame)
        else:
            found.append((frame, frame))
    return found


def binned(
    frames: NDArray[np.int64], counts: NDArray[np.int64], *, first: float, last: float, bins: int
) -> NDArray[np.float64]:
    """(bins,) share 0..1 of the fullest bin, for marks that would lie on each other."""
    if not len(frames):
        return np.zeros(bins)
    inside = (frames >= first) & (frames < last)
    at = np.clip((frames[inside] - first) / max(last - first, 1e-9) * bins, 0, bins - 1).astype(
        np.int64
    )
    found = np.bincount(at, weights=counts[inside], minlength=bins).astype(float)
    return found / max(found.max(), 1.0)


def ticks(first: float, last: float, *, most: int = 8) -> list[int]:
    """Frames that carry a number on the ruler: steps of 1, 2 or 5 times a power of ten, counted
    from frame 1."""
    span = max(last - first, 1.0)
    step = next(k * 10**p for p in range(9) for k in (1, 2, 5) if span / (k * 10**p) <= most)
    start = int(np.ceil((first + 1) / step) * step) - 1
    shown = list(range(start, int(last) + 1, step))
    return shown if step == 1 or not first <= 0 else [0, *[f for f in shown if f > 0.4 * step]]
