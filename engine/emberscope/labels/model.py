"""Weak labels as plain frozen records in pixel units. No Qt geometry.

Pixel-edge coordinates: a one-pixel object at column c, row r is [c, c+1) x [r, r+1).
"""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from emberscope.base.errors import DataError
from emberscope.base.plain_numbers import check_numbers, make_plain
from emberscope.base.plain_text import LONGEST_NOTE, is_showable, make_showable, showable
from emberscope.labels.columns import Value, plain_columns
from emberscope.labels.lines import MAX_POINTS, bounds_of_line

Slot = Annotated[int, msgspec.Meta(ge=1, le=7)]
BETWEEN = "sampled between labels"  # origin of background boxes of one patch, which share bags
# Ids of the classes every project has; UNKNOWN is not in the class table
BACKGROUND, UNKNOWN = 2, 0


FARTHEST = 1e7            # px; no coordinate of a label is farther from the corner of its frame
Id = Annotated[int, msgspec.Meta(ge=0, lt=2**62)]


class TargetClass(msgspec.Struct, frozen=True, kw_only=True):
    """A class an analyst labels with. `role` +1 target, -1 background; `slot` 1..7 fixes color and
    glyph."""

    id: Id
    name: str
    role: Literal[-1, 1]
    slot: Slot

    def __post_init__(self) -> None:
        make_showable(self, "name")


DEFAULT_CLASSES = (
    TargetClass(id=1, name="Target", role=1, slot=1),
    TargetClass(id=BACKGROUND, name="Background", role=-1, slot=2),
)


class About(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What else is known of a label: nothing that a bag depends on.

    track : number of the object that it is of, the same on all frames of a clip; None for no track.
    occluded : partly hidden. author, time : who drew it and when (ISO 8601, UTC). note : words for
    people. uncertain : whoever drew it was not sure. checked : somebody else looked at it. columns
    : whatever else truth or a table says of it, by name, as its range; see `labels.columns`.
    """

    track: Id | None = None
    occluded: bool = False
    author: str = ""
    time: str = ""
    note: str = ""
    uncertain: bool = False
    checked: bool = False
    columns: dict[str, Value] = {}

    def __post_init__(self) -> None:
        make_showable(self, "author", "time")
        if self.columns:
            msgspec.structs.force_setattr(self, "columns", plain_columns(self.columns))
        if len(self.note) > LONGEST_NOTE or not is_showable(self.note):
            msgspec.structs.force_setattr(self, "note", showable(self.note, LONGEST_NOTE))


# No label refers to anything that could refer back: the garbage collector need not look at them,
# and with 100 000 of them each of its full passes would take 0.1 s longer.
class _Label(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", gc=False):
    id: Id                 # stable, never reused
    source: Id             # source id
    frame: Id              # 0-based
    class_id: Id = 1
    origin: str = "manual"  # manual | imported | sampled | propagated | model; words may follow
    about: About | None = None

    def __post_init__(self) -> None:
        self._read_numbers()

    def _read_numbers(self, *fields: str) -> None:
        """Numbers of Python in place of those of numpy. Raises DataError for a field, or an id,
        that is no number."""
        make_plain(self)
        check_numbers(self, "id", "source", "frame", "class_id", whole=True)
        check_numbers(self, *fields)

    def _check(self, *pixels: float | None) -> None:
        """Raises DataError for a coordinate that is none, wherever the label comes from."""
        for value in pixels:
            number = isinstance(value, float | int)
            # NaN is not between them either
            if value is not None and not (number and -FARTHEST <= value <= FARTHEST):
                raise DataError(f"label {self.id} has a coordinate that is not finite, or far out",
                                hint="Draw it again.")


    def _check_points(
        self, points: tuple[tuple[float, float], ...], what: str, called: str, *, least: int
    ) -> None:
        """Raises DataError for too few points, too many, or one that is none."""
        if len(points) < least:
            few = f"without a {called[:-1]}" if least == 1 else f"of fewer than {least} {called}"
            raise DataError(f"label {self.id} is {what} {few}", hint="Draw it again.")
        if len(points) > MAX_POINTS:
            raise DataError(f"label {self.id} is {what} of more than {MAX_POINTS} {called}",
                            hint="Split it.")
        self._check(*bounds_of_line(points))


class Spot(_Label, frozen=True, kw_only=True, tag="spot"):
    """A dot on the target; `rho` is its position uncertainty in px."""

    x: float
    y: float
    rho: float = 5.0

    def __post_init__(self) -> None:
        self._read_numbers("x", "y", "rho")
        self._check(self.x, self.y, self.rho)


class Scribble(_Label, frozen=True, kw_only=True, tag="scribble"):
    """A polyline over some target pixels. `certain`: every touched patch is a positive of its
    own."""

    points: tuple[tuple[float, float], ...]
    rho: float = 5.0
    certain: bool = True

    def __post_init__(self) -> None:
        self._read_numbers("rho")
        self._check_points(self.points, "a line", "points", least=1)
        self._check(self.rho)


class Polygon(_Label, frozen=True, kw_only=True, tag="polygon"):
    """The outline of a target by its corners; the last one is joined to the first. It is tight, as
    a box of looseness 0 is."""

    points: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        self._read_numbers()
        self._check_points(self.points, "an outline", "corners", least=3)


class Ellipse(_Label, frozen=True, kw_only=True, tag="ellipse"):
    """An ellipse around a target, by the corners of the box that it fills. It is tight."""

    x0: float
    y0: float
    x1: float
    y1: float

    def __post_init__(self) -> None:
        self._read_numbers("x0", "y0", "x1", "y1")
        self._check(self.x0, self.y0, self.x1, self.y1)


class Polyline(_Label, frozen=True, kw_only=True, tag="line"):
    """A line of some width along a target that is long and thin; `width` in px."""

    points: tuple[tuple[float, float], ...]
    width: float = 4.0

    def __post_init__(self) -> None:
        self._read_numbers("width")
        self._check_points(self.points, "a line", "points", least=2)
        self._check(self.width)


class Box(_Label, frozen=True, kw_only=True, tag="box"):
    """A box; `looseness` r = 0 is tight, r > 0 relaxed. `core` is the tight box where known."""

    x0: float
    y0: float
    x1: float
    y1: float
    looseness: float = 0.0
    core: tuple[float, float, float, float] | None = None

    def __post_init__(self) -> None:
        if not (  # as nearly all labels are: the rest of the question takes ten times as long
            type(self.x0)
            is type(self.y0)
            is type(self.x1)
            is type(self.y1)
            is type(self.looseness)
            is float
            and type(self.id) is type(self.source) is type(self.frame) is type(self.class_id) is int
            and self.core is None
        ):
            self._read_numbers("x0", "y0", "x1", "y1", "looseness")
        if self.core is not None or not (
            -FARTHEST <= self.x0 <= FARTHEST and -FARTHEST <= self.y0 <= FARTHEST
            and -FARTHEST <= self.x1 <= FARTHEST and -FARTHEST <= self.y1 <= FARTHEST
            and -FARTHEST <= self.looseness <= FARTHEST
        # Nearly all labels are boxes without a core: a third of the time of the general question
        ):
            self._check(self.x0, self.y0, self.x1, self.y1, self.looseness, *(self.core or ()))


class FrameLabel(_Label, frozen=True, kw_only=True, tag="frame"):
    """A word about the whole frame.

    `contains`: a target of this class is somewhere in it. `empty`: only background.
    `complete`: every target in it is labeled, so background may be sampled outside the labels.
    """

    says: Literal["contains", "empty", "complete"] = "contains"


class Ignore(_Label, frozen=True, kw_only=True, tag="ignore"):
    """Leave this region (or the whole frame, where the corners are None) out of everything. It is
    of no class, whichever was chosen as it was drawn: no label of that one."""

    x0: float | None = None
    y0: float | None = None
    x1: float | None = None
    y1: float | None = None

    def __post_init__(self) -> None:
        self._read_numbers("x0", "y0", "x1", "y1")
        msgspec.structs.force_setattr(self, "class_id", UNKNOWN)
        corners = (self.x0, self.y0, self.x1, self.y1)
        self._check(*corners)
        if None in corners and corners != (None,) * 4:
            raise DataError(f"label {self.id} has some of its corners only", hint="Draw it again.")


Label = Spot | Scribble | Box | Polygon | Ellipse | Polyline | FrameLabel | Ignore


def kind(label: Label) -> str:
    """"spot", "scribble", "box", "relaxed", "polygon", "ellipse", "line", "frame" or "ignore": the
    tool that draws such a label."""
    if isinstance(label, Box) and label.looseness > 0:
        return "relaxed"
    return type(label).__struct_config__.tag  # type: ignore[return-value]


def is_sampled(label: Label) -> bool:
    """Whether the program drew it: background of an import or of a run, which nobody has looked
    at."""
    return label.origin.startswith("sampled")


def tight_box(label: Label) -> tuple[float, float, float, float] | None:
    """Corners of the target of a box, where it is tight or knows its core, and of what an outline
    encloses; None for all other labels."""
    if isinstance(label, Polygon):
        return bounds_of_line(label.points)
    if isinstance(label, Ellipse):
        return label.x0, label.y0, label.x1, label.y1
    if not isinstance(label, Box):
        return None
    return label.core or (None if label.looseness else (label.x0, label.y0, label.x1, label.y1))


# A detection is a patch, as large as its target and up to a sixth of its side beside it
_OF_DETECTION = 0.5


def label_of_run(
    run_id: int, key: int, *, source: int, frame: int, class_id: int, corners: Sequence[float]
) -> Box:
    """What a run found on a clip, as a label of a detector: a relaxed box, since the target is
    somewhere in the patch that was found. key : id of the label. corners : of the patch, px."""
    x0, y0, x1, y1 = map(float, corners)
    return Box(id=key, source=source, frame=frame, class_id=class_id, x0=x0, y0=y0, x1=x1, y1=y1,
               looseness=_OF_DETECTION, origin=f"model run {run_id}")
