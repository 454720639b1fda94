"""Weak labels as plain frozen records in pixel units. No Qt geometry.

Pixel-edge coordinates: a one-pixel object at column c, row r is [c, c+1) x [r, r+1).
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

import msgspec

from emberscope.base.errors import DataError

Slot = Annotated[int, msgspec.Meta(ge=1, le=7)]
BETWEEN = "sampled between labels"  # origin of background boxes of one patch, which share bags
BACKGROUND, UNKNOWN = 2, 0  # ids of the classes every project has; UNKNOWN is not in the class table


FARTHEST = 1e7            # px; no coordinate of a label is farther from the corner of its frame
Id = Annotated[int, msgspec.Meta(ge=0, lt=2**62)]


class TargetClass(msgspec.Struct, frozen=True, kw_only=True):
    """A class an analyst labels with. `role` +1 target, -1 background; `slot` 1..7 fixes color and glyph."""

    id: Id
    name: str
    role: Literal[-1, 1]
    slot: Slot


DEFAULT_CLASSES = (
    TargetClass(id=1, name="Target", role=1, slot=1),
    TargetClass(id=BACKGROUND, name="Background", role=-1, slot=2),
)


class _Label(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    id: Id                 # stable, never reused
    source: Id             # source id
    frame: Id              # 0-based
    class_id: Id = 1
    origin: str = "manual"  # manual | imported | sampled | propagated | model; words may follow

    def _check(self, *pixels: float | None) -> None:
        """Raises DataError for a coordinate that is none, wherever the label comes from."""
        for value in pixels:
            if value is not None and not -FARTHEST <= value <= FARTHEST:  # NaN is not between them either
                raise DataError(f"label {self.id} has a coordinate that is not finite, or far out",
                                hint="Draw it again.")


class Spot(_Label, frozen=True, kw_only=True, tag="spot"):
    """A dot on the target; `rho` is its position uncertainty in px."""

    x: float
    y: float
    rho: float = 5.0

    def __post_init__(self) -> None:
        self._check(self.x, self.y, self.rho)


class Scribble(_Label, frozen=True, kw_only=True, tag="scribble"):
    """A polyline over some target pixels. `certain`: every touched patch is a positive of its own."""

    points: tuple[tuple[float, float], ...]
    rho: float = 5.0
    certain: bool = True

    def __post_init__(self) -> None:
        self._check(self.rho, *(value for point in self.points for value in point))
        if not self.points:
            raise DataError(f"label {self.id} is a line without a point", hint="Draw it again.")


class Box(_Label, frozen=True, kw_only=True, tag="box"):
    """A box; `looseness` r = 0 is tight, r > 0 relaxed. `core` is the tight box where known."""

    x0: float
    y0: float
    x1: float
    y1: float
    looseness: float = 0.0
    core: tuple[float, float, float, float] | None = None

    def __post_init__(self) -> None:
        self._check(self.x0, self.y0, self.x1, self.y1, self.looseness, *(self.core or ()))


class FrameLabel(_Label, frozen=True, kw_only=True, tag="frame"):
    """A word about the whole frame.

    `contains`: a target of this class is somewhere in it. `empty`: only background.
    `complete`: every target in it is labeled, so background may be sampled outside the labels.
    """

    says: Literal["contains", "empty", "complete"] = "contains"


class Ignore(_Label, frozen=True, kw_only=True, tag="ignore"):
    """Leave this region (or the whole frame, where the corners are None) out of everything."""

    x0: float | None = None
    y0: float | None = None
    x1: float | None = None
    y1: float | None = None

    def __post_init__(self) -> None:
        corners = (self.x0, self.y0, self.x1, self.y1)
        self._check(*corners)
        if None in corners and corners != (None,) * 4:
            raise DataError(f"label {self.id} has some of its corners only", hint="Draw it again.")


Label = Spot | Scribble | Box | FrameLabel | Ignore


def kind(label: Label) -> str:
    """"spot", "scribble", "box", "relaxed", "frame" or "ignore": the tool that draws such a label."""
    if isinstance(label, Box) and label.looseness > 0:
        return "relaxed"
    return type(label).__struct_config__.tag  # type: ignore[return-value]


def tight_box(label: Label) -> tuple[float, float, float, float] | None:
    """Corners of the target of a box, where it is tight or knows its core; None for all other labels."""
    if not isinstance(label, Box):
        return None
    return label.core or (None if label.looseness else (label.x0, label.y0, label.x1, label.y1))


class LabelSet:
    """The labels of a project by id and by frame. Changed only through operations."""

    def __init__(self, labels: Iterable[Label] = ()) -> None:
        self._by_id: dict[int, Label] = {}
        self._by_frame: dict[tuple[int, int], dict[int, Label]] = {}
        self._in_order: dict[tuple[int, int], list[Label]] = {}  # what was asked for, until its frame changes
        for label in labels:
            self.put(label)

    def copy(self) -> "LabelSet":
        """The same labels, which later edits do not touch. 0.1 us per label."""
        found = LabelSet()
        found._by_id = dict(self._by_id)
        found._by_frame = {place: dict(labels) for place, labels in self._by_frame.items()}
        return found

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Label]:
        """By id, which is the order of drawing."""
        return iter([self._by_id[key] for key in sorted(self._by_id)])

    def __contains__(self, label_id: object) -> bool:
        return label_id in self._by_id

    def __getitem__(self, label_id: int) -> Label:
        return self._by_id[label_id]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LabelSet) and self._by_id == other._by_id

    __hash__ = None  # type: ignore[assignment]

    def on_frame(self, source: int, frame: int) -> list[Label]:
        """Labels of one frame, oldest first."""
        known = self._in_order.get((source, frame))
        if known is None:
            found = self._by_frame.get((source, frame), {})
            known = self._in_order[source, frame] = [found[key] for key in sorted(found)]
        return known.copy()

    def frames(self, source: int) -> list[int]:
        """Frames of a source that carry a label, ascending."""
        return sorted(frame for (src, frame), found in self._by_frame.items() if src == source and found)

    def in_source(self, source: int) -> list[Label]:
        return [label for frame in self.frames(source) for label in self.on_frame(source, frame)]

    def put(self, label: Label) -> None:
        """Add a label, or replace the one with its id."""
        self.drop(label.id)
        self._by_id[label.id] = label
        self._by_frame.setdefault((label.source, label.frame), {})[label.id] = label
        self._in_order.pop((label.source, label.frame), None)

    def drop(self, label_id: int) -> None:
        """Remove a label; unknown ids are fine."""
        label = self._by_id.pop(label_id, None)
        if label is not None:
            self._by_frame[label.source, label.frame].pop(label_id)
            self._in_order.pop((label.source, label.frame), None)
