"""Labels of different kinds on the same object become one, smaller bag."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.support import Draft
from emberscope.labels.geometry import (
    Corners,
    area,
    bounds,
    centers,
    comes_near,
    inside,
    intersection,
    outline_holds,
    points_in_box,
)
from emberscope.labels.lines import Line, line_of
from emberscope.labels.model import (
    Box,
    Ellipse,
    FrameLabel,
    Label,
    Polygon,
    Polyline,
    Scribble,
    Spot,
    kind,
)

Report = Callable[[str, int], None]  # (what happened, label id)
APART = "Shares no instance with a finer label on the same object, both bags stay"
FUSED = "Fused with a finer label on the same object"

# coarse to fine; certain scribbles are 0
_ORDER = {
    "frame": 6,
    "relaxed": 5,
    "box": 4,
    "polygon": 3,
    "ellipse": 3,
    "line": 3,
    "scribble": 2,
    "spot": 1,
}


def fuse(drafts: Sequence[Draft], *, chip: bool, report: Report) -> list[Draft]:
    """Fuse the positive bags of one class on one frame.

    Coarse to fine (frame, relaxed box, box, outline or line, scribble, spot, certain scribble) each
    label looks for the nearest finer one on its object: a spot or most of a scribble inside it,
    half of a tight box or of an outline inside it. The finer label's bag becomes the intersection
    of both supports and the coarser bag goes: the smaller one implies it. One finer label answers
    for one label of each kind; a frame label is answered by anything.
    """
    by_label: dict[int, list[Draft]] = {}
    for draft in drafts:
        by_label.setdefault(draft.label.id, []).append(draft)
    labels = {key: found[0].label for key, found in by_label.items()}
    if len({_rank(label) for label in labels.values()}) < 2:
        return list(drafts)
    near = _Near(list(labels.values()))
    taken: set[tuple[int, str]] = set()
    shrunk: set[int] = set()
    for coarse in sorted(labels.values(), key=lambda label: (-_rank(label), label.id)):
        if isinstance(coarse, Scribble) and coarse.id in shrunk:
            continue  # what is left of it need not reach the spots it passes
        fine = _partner(coarse, [label for label in near.to(coarse) if label.id in by_label], taken)
        if fine is None:
            continue
        common = _intersect(by_label[coarse.id], by_label[fine.id], chip)
        report(FUSED if common else APART, coarse.id)
        if common:
            taken.add((fine.id, kind(coarse)))
            by_label[fine.id] = common
            shrunk.add(fine.id)
            del by_label[coarse.id]
    return [draft for found in by_label.values() for draft in found]


class _Near:
    """Which labels of a frame may be on the object of another: a thousand pairs are compared in
    numpy at once."""

    def __init__(self, labels: Sequence[Label]) -> None:
        self._labels = labels
        # what is said of the frame is near to everything
        whole = (-np.inf, -np.inf, np.inf, np.inf)
        self._corners = np.array([bounds(label) or whole for label in labels], np.float64)
        left, top, right, bottom = self._corners.T
        self._always = (right <= left) | (bottom <= top)

    def to(self, label: Label) -> list[Label]:
        """Those whose enclosing boxes touch that of a label, and those without area."""
        box = bounds(label)
        if box is None:
            return list(self._labels)
        at = self._corners
        touch = ((at[:, 0] <= box[2]) & (at[:, 2] >= box[0])
                 & (at[:, 1] <= box[3]) & (at[:, 3] >= box[1]))
        return [self._labels[row] for row in np.flatnonzero(touch | self._always).tolist()]


def _rank(label: Label) -> int:
    return 0 if isinstance(label, Scribble) and label.certain else _ORDER[kind(label)]


def _partner(coarse: Label, others: Sequence[Label], taken: set[tuple[int, str]]) -> Label | None:
    """The nearest finer label on the same object that no label of the coarse one's kind has
    taken."""
    if isinstance(coarse, FrameLabel):
        return next((label for label in others if _rank(label) < _rank(coarse)), None)
    here = centers(_corners(coarse))[0]
    found = [
        (float(np.hypot(*(centers(_corners(label))[0] - here))), label.id, label)
        for label in others
        if _rank(label) < _rank(coarse) and (label.id, kind(coarse)) not in taken
        and _same_object(coarse, label)
    ]
    return min(found)[2] if found else None


def _corners(label: Label) -> Corners:
    box = bounds(label)
    assert box is not None  # a frame label has no partner to be near to
    return box


def _same_object(coarse: Label, fine: Label) -> bool:
    dots = _line(fine)
    if isinstance(coarse, Box):
        box = _corners(coarse)
        if dots is None:
            return bool(intersection(box, _corners(fine))[0, 0] >= 0.5 * area(_corners(fine))[0])
        return bool(points_in_box(dots.points, box).mean() >= 0.5)
    if isinstance(coarse, Polygon | Ellipse):
        return dots is not None and bool(outline_holds(coarse, dots.points).mean() >= 0.5)
    way = _line(coarse)
    assert dots is not None  # of all that is finer than a line or a spot
    assert way is not None
    assert isinstance(coarse, Polyline | Scribble | Spot)
    return comes_near(dots, way, coarse.width / 2 if isinstance(coarse, Polyline) else coarse.rho)


def _line(label: Label) -> Line | None:
    """The points of a spot, a scribble or a line."""
    if isinstance(label, Scribble | Polyline):
        return line_of(label.points)
    return line_of([(label.x, label.y)]) if isinstance(label, Spot) else None


def _intersect(coarse: list[Draft], fine: list[Draft], chip: bool) -> list[Draft]:
    """The finer label's bags on the common support; empty where there is none.

    Certain bags (of one instance each) are never taken away: they stay whole as soon as one of them
    is common.
    """
    if isinstance(fine[0].label, Scribble) and fine[0].label.certain:
        reached = np.concatenate([draft.boxes for draft in fine])
        touching = (_boxes_meet(coarse[0].boxes, reached) if chip
                    else _common(reached, coarse[0].boxes).any())
        return fine if touching else []
    if chip and not isinstance(coarse[0].label, FrameLabel):
        a, b = coarse[0].boxes[0], fine[0].boxes[0]
        both = inside(np.r_[np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])], (2**31, 2**31))
        return [fine[0].with_boxes(np.array([both]))] if both else []
    if isinstance(coarse[0].label, FrameLabel):
        return fine
    boxes = fine[0].boxes[_common(fine[0].boxes, coarse[0].boxes)]
    return [fine[0].with_boxes(boxes)] if len(boxes) else []


def _common(a: NDArray, b: NDArray) -> NDArray[np.bool_]:
    """(len(a),) True where a box of `a` is also in `b`."""
    known = {box.tobytes() for box in b}
    return np.array([box.tobytes() in known for box in a], bool)


def _boxes_meet(a: NDArray, b: NDArray) -> bool:
    return bool((intersection(a, b) > 0).any())
