"""Labels on their way out: what every format is given to write."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from emberscope.labels.geometry import Corners
from emberscope.labels.model import About

# The class that regions to be left out have in other programs, and are known again by
IGNORE = "ignore"


class Item(NamedTuple):
    """One label in a file of another program.

    shape : "box" or "ellipse" of two corners of the box that it fills, "point" of one, "line" and
    "polygon" of several. points : px, pixel-edge coordinates of the frame
    as it is shown, all inside of it. name : of its class. ignore : a region to be left out. about :
    its track and the like.
    """

    shape: Literal["box", "point", "line", "polygon", "ellipse"]
    name: str
    points: tuple[tuple[float, float], ...]
    ignore: bool = False
    about: About = About()

    @property
    def box(self) -> Corners:
        """Corners x0, y0, x1, y1 of what encloses it, px."""
        across, down = zip(*self.points, strict=True)
        return min(across), min(down), max(across), max(down)


class OutFrame(NamedTuple):
    """One frame. number : that in the clip, from 0. image : the path of its image, seen from the
    folder that is written, or the one it would have. stem : a name for the file about it, unlike
    those of all others of the clip."""

    number: int
    image: str
    stem: str
    items: Sequence[Item] = ()


class OutClip(NamedTuple):
    """One clip. name : a file name without an ending, unlike those of all others. width, height :
    px."""

    name: str
    width: int
    height: int
    n_frames: int
    frames: Sequence[OutFrame] = ()
    fps: float | None = None


class Out(NamedTuple):
    """All that is written: clips, and the names of classes in their order; their places are their
    numbers."""

    clips: Sequence[OutClip]
    names: Sequence[str]

    def all_frames(self) -> Iterator[tuple[OutClip, OutFrame]]:
        """Each frame with its clip."""
        return ((clip, frame) for clip in self.clips for frame in clip.frames)


def digits(value: float) -> str:
    """A coordinate as text: "12" of 12.0, else all digits that it takes to read the same number."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def plain_number(value: float) -> float | int:
    """A coordinate for JSON: whole numbers without a fraction."""
    return int(value) if float(value).is_integer() else float(value)


def side(low: float, high: float) -> float:
    """The length from one edge to another, without the last digits that a difference makes up."""
    return round(high - low, 9)


def edge(low: float, length: float) -> float:
    """The far edge, as `side` had it."""
    return round(low + length, 9)


def new_file(folder: Path, *parts: str) -> Path:
    """A path below a folder, whose folders are made."""
    path = folder.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
