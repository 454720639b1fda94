"""The objects of a truth: taken as boxes of the frames, or left out and counted with the reason."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import msgspec

from emberscope.base.errors import FormatError
from emberscope.frames.source import FrameSource
from emberscope.frames.turning import turned_box
from emberscope.labels.columns import Value
from emberscope.labels.geometry import Corners
from emberscope.labels.model import FARTHEST, About

_IGNORED = re.compile(r"don'?t[ _-]?care|ignored?([ _-]?region)?", re.IGNORECASE)
MOST_NAME = 100  # characters of a class
_ALIKE = 0.02    # by how much the scales of width and height may differ, as whole pixels make them
Size = tuple[float, float]  # width, height
Points = tuple[tuple[float, float], ...]


class Outline(NamedTuple):
    """An object that is drawn closer than by a box. points : px, the corners of a polygon, the
    points of a line, or two opposite corners of the box that an ellipse fills. box : the one that
    the file gives beside it, which counts where outlines are not asked for."""

    shape: Literal["polygon", "ellipse", "line"]
    points: Points
    box: Corners | None = None


class TruthBox(msgspec.Struct, frozen=True):
    """One object of the truth. A box without area is a place without known extent.

    frame : 0-based. x0, y0, x1, y1 : px, pixel-edge coordinates. name : class name as written in
    the file.
    ignore : leave this region out (VOC difficult, names such as DontCare). about : what else the
    file says of it.
    shape : what it is in the file, "box" of all where outlines are not asked for. points : those of
    a polygon or a line, px; the box is that around them.
    """

    frame: int
    x0: float
    y0: float
    x1: float
    y1: float
    name: str = "Target"
    ignore: bool = False
    about: About | None = None
    shape: Literal["box", "polygon", "ellipse", "line"] = "box"
    points: Points = ()

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Corners x0, y0, x1, y1 in pixels."""
        return self.x0, self.y0, self.x1, self.y1

    @property
    def is_point(self) -> bool:
        """Whether it has no extent: the file gives a center only."""
        return self.x1 == self.x0 and self.y1 == self.y0


@dataclass(slots=True)
class Facts:
    """What a truth says of its clip, and of frames, by the name of the column
    (`labels.columns`)."""

    clip: dict[str, Value] = field(default_factory=dict)
    frames: dict[int, dict[str, Value]] = field(default_factory=dict)

    def of_frame(self, frame: int, columns: Mapping[str, Value]) -> None:
        """Add what is said of a frame."""
        if columns:
            self.frames.setdefault(frame, {}).update(columns)


class Objects:
    """Collects the objects of one truth for the frames of one source.

    `there` counts what the files hold for these frames; each of them is taken (`boxes`) or left out
    (`left`, by reason), and `finish` checks that the numbers agree. A box is taken to be drawn on
    the frame as it is shown, unless the size that the truth gives for its image says otherwise:
    then it is scaled, or turned like the image. `facts` is what the truth says besides.

    outlines : take polygons, ellipses and lines as they are drawn, not as the boxes around them.
    """

    def __init__(self, source: FrameSource, *, outlines: bool = False) -> None:
        self._outlines = outlines
        self.there = 0
        self.facts = Facts()
        self.boxes: list[TruthBox] = []
        self.left: Counter[str] = Counter()
        self._source = source
        self._rows, self._cols = source.shape
        self._seen: set[tuple[int, Corners, str, bool, Points]] = set()
        # Sentences on boxes that were taken, with what was done to them
        self._done: Counter[str] = Counter()
        self._turned: dict[int, int] = {}

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the frames."""
        return self._rows, self._cols

    @property
    def n_frames(self) -> int:
        """How many frames the source has."""
        return self._source.n_frames

    def leave(self, why: str, count: int = 1) -> None:
        """Count objects that are left out; `why` completes "1 box ... left out"."""
        self.left[why] += count

    def take(
        self,
        frame: int,
        corners: Corners,
        name: str = "",
        *,
        ignore: bool = False,
        size: Size | None = None,
        about: About | None = None,
    ) -> None:
        """Take one object, or leave it out with the reason.

        frame : 0-based. corners : x0, y0, x1, y1 in pixel-edge coordinates of the image of the
        truth; swapped ones are put in order. size : width and height of that image, where the truth
        says them. about : its track and what else a file says of it.
        """
        self._take(TruthBox(frame, *corners, name=name, ignore=ignore, about=about), size)

    def take_outline(
        self, frame: int, outline: Outline, name: str = "", *, ignore: bool = False,
        size: Size | None = None, about: About | None = None,
    ) -> None:
        """As `take`, one object by its outline. Where outlines are not asked for, and of a region
        to be left out, it is the box around it."""
        kept = self._outlines and not ignore
        around = enclosing(outline.points) if kept or outline.box is None else outline.box
        found = TruthBox(frame, *around, name=name, ignore=ignore, about=about)
        if kept and not found.is_point:
            points = () if outline.shape == "ellipse" else outline.points
            found = msgspec.structs.replace(found, shape=outline.shape, points=points)
        elif not self._outlines:
            self._done["put around outlines, which can be kept as they are drawn"] += 1
        self._take(found, size)

    def _take(self, found: TruthBox, size: Size | None) -> None:
        if not 0 <= found.frame < self._source.n_frames:
            self.leave("past the last frame")
            return
        if not all(abs(corner) <= FARTHEST for corner in found.box):  # also refuses NaN
            self.leave("beyond all frames")
            return
        x0, y0, x1, y1 = found.box
        if x1 < x0 or y1 < y0:
            self._done["drawn from another corner"] += 1
            x0, y0, x1, y1 = min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
        placed = self._placing(found.frame, (x0, y0, x1, y1), size)
        if placed is None:
            return
        self._done["without a name, and called Target"] += not found.name
        x0, y0, x1, y1 = placed((x0, y0, x1, y1))
        points = tuple(placed((x, y, x, y))[:2] for x, y in found.points)
        self._put(TruthBox(
            found.frame, x0, y0, x1, y1, (found.name or "Target")[:MOST_NAME], found.ignore,
            found.about, found.shape, points,
        ))  # fmt: skip

    def _put(self, found: TruthBox) -> None:
        flat = found.x1 == found.x0 or found.y1 == found.y0
        said = found.frame, found.box, found.name, found.ignore, found.points
        if flat and not found.is_point and found.shape != "line":
            self.leave("without area")
        elif self._is_outside(found):
            self.leave("outside the frame")
        elif said in self._seen:
            self.leave("drawn twice")
        else:
            self._seen.add(said)
            self.boxes.append(found)
            over = max(-found.x0, -found.y0, found.x1 - self._cols, found.y1 - self._rows)
            if over > 0 and not found.is_point and found.shape == "box":
                self._done["cut at the edge of the frame"] += 1

    def _is_outside(self, found: TruthBox) -> bool:
        if found.is_point:
            return not (0 <= found.x0 < self._cols and 0 <= found.y0 < self._rows)
        return found.x0 >= self._cols or found.y0 >= self._rows or found.x1 <= 0 or found.y1 <= 0

    def _placing(
        self, frame: int, box: Corners, size: Size | None
    ) -> Callable[[Corners], Corners] | None:
        """What puts a box, or corners on its outline, of an image of some size on the frame; None
        where it was left out."""
        shown = (self._cols, self._rows)
        if size is None or not (size[0] > 0 and size[1] > 0) or size == shown:
            return _as_it_is
        turned = self._turned.get(frame)
        if turned is None:
            turned = self._turned[frame] = int(self._source.frame_meta(frame).get("turned", 1))
        words, stored = f"{_px(size)}", size
        if not (turned >= 5 and _scale(size[::-1], shown) is not None
                and _scale(size, shown) is None):
            turned = 1
        else:
            done = f"drawn on the images as they are stored, {words}, and turned with them"
            self._done[done] += 1
            box, size = turned_box(box, stored, turned), (size[1], size[0])
        scale = _scale(size, shown)
        if (scale is None and size == shown[::-1] and box[2] <= shown[0]
                and (box[2] > size[0] or box[3] > size[1])):
            self._done["on images whose width and height are named the wrong way round"] += 1
            return _as_it_is
        if scale is None:
            self.leave(f"drawn on images of {words}, where frames have {_px(shown)},")
            return None
        if size != shown:
            self._done[f"drawn at {words} and scaled to {_px(shown)}"] += 1
        across, down = scale

        def placed(corners: Corners) -> Corners:
            x0, y0, x1, y1 = turned_box(corners, stored, turned)
            return x0 * across, y0 * down, x1 * across, y1 * down

        return placed

    def finish(self, notes: list[str]) -> list[TruthBox]:
        """The boxes in frame order; sentences on what was done to them and what was left out go to
        `notes`."""
        taken = len(self.boxes)
        assert taken + self.left.total() == self.there, (
            "an object of the truth was neither taken nor counted"
        )
        for why, count in (+self._done).items():
            notes.append(f"{count} {'box was' if count == 1 else 'boxes were'} {why}.")
        for why, count in sorted(self.left.items()):
            if count:
                notes.append(f"{count} {_noun(why, count)} {why} left out.")
        if not taken:
            notes.append("The truth names no box on these frames.")
        return sorted(self.boxes, key=lambda found: found.frame)


def _as_it_is(corners: Corners) -> Corners:
    return corners


def enclosing(points: Sequence[tuple[float, float]]) -> Corners:
    """The box around points in pixel-edge coordinates. Raises ValueError for none."""
    across, down = [x for x, _ in points], [y for _, y in points]
    return min(across), min(down), max(across), max(down)


def is_rectangle(points: Sequence[tuple[float, float]]) -> bool:
    """Whether a polygon is a box, its first corner perhaps said again at the end."""
    x0, y0, x1, y1 = enclosing(points)
    return len(points) <= 5 and set(points) == {(x0, y0), (x1, y0), (x1, y1), (x0, y1)}


def is_ignored(name: str) -> bool:
    """Whether a name says that its region is to be left out: ignore, DontCare and the like."""
    return _IGNORED.fullmatch(name) is not None


def said_yes(text: str | None) -> bool:
    """Whether a field means yes: 1, 1.0, true, yes, y, in any case of letters."""
    word = (text or "").strip().casefold()
    if word in ("true", "yes", "y", "t", "on"):
        return True
    try:
        return float(word) != 0
    except ValueError:
        return False


def number(text: str, where: str, what: str) -> float:
    """A finite number; a comma counts as the decimal point. Raises FormatError."""
    try:
        value = float(
            text.replace(",", ".", 1) if text.count(",") == 1 and "." not in text else text
        )
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FormatError(where, None, f"{what} is {text!r:.40}, not a number")
    return value


def _scale(size: Size, shown: Size) -> tuple[float, float] | None:
    """From an image to the frame: across and down, None where they are no image of one scene."""
    across, down = shown[0] / size[0], shown[1] / size[1]
    rounding = 1 / min(*size, *shown)
    return (across, down) if abs(across / down - 1) <= max(_ALIKE, 1.5 * rounding) else None


def _px(size: Size) -> str:
    return f"{size[0]:g} x {size[1]:g} px"


def _noun(why: str, count: int) -> str:
    noun = (
        "object"
        if why.startswith(
            (
                "without a box",
                "marked",
                "of a shape",
                "without a place",
                "of a player",
                "of updates",
            )
        )
        else "box"
    )
    return noun if count == 1 else {"box": "boxes", "object": "objects"}[noun]
