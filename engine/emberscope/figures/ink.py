"""A canvas that keeps what was drawn, as lines, words and images: files of vectors are written of
it."""

from dataclasses import dataclass
from typing import Any

from PIL import Image

from emberscope.figures.canvas import Color, Font

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Shape:
    """Corners of an outline, or the two of the box around an ellipse. closed : the last one meets
    the first."""

    corners: tuple[Place, ...]
    fill: Color | None = None
    stroke: Color | None = None
    width: float = 1.0
    closed: bool = True
    is_round: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """Where their base line begins; px : their size; wide : their width. turned : read from
    below."""

    at: Place
    text: str
    color: Color
    px: float
    wide: float
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """An image from its top left."""

    at: Place
    image: Image.Image


Item = Shape | Words | Picture


class Ink:
    """See `canvas.Canvas`. items : in the order in which they were drawn."""

    def __init__(self, size: tuple[int, int], ground: Color) -> None:
        self.size = size
        self.items: list[Item] = []
        self.rectangle([0, 0, size[0], size[1]], fill=ground)

    def line(self, xy: Any, fill: Any = None, width: int = 0, joint: str | None = None) -> None:
        """See `canvas.Canvas`."""
        self.items.append(Shape(_places(xy), stroke=fill, width=max(width, 1), closed=False))

    def polygon(self, xy: Any, fill: Any = None, outline: Any = None, width: int = 1) -> None:
        """See `canvas.Canvas`."""
        self.items.append(Shape(_places(xy), fill, outline, width))

    def rectangle(self, xy: Any, fill: Any = None, outline: Any = None, width: int = 1) -> None:
        """See `canvas.Canvas`."""
        (x0, y0), (x1, y1) = _places(xy)
        self.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], fill, outline, width)

    def ellipse(self, xy: Any, fill: Any = None, outline: Any = None, width: int = 1) -> None:
        """See `canvas.Canvas`."""
        self.items.append(Shape(_places(xy), fill, outline, width, is_round=True))

    def text(
        self, xy: Any, text: Any, fill: Any = None, font: Any = None, anchor: str | None = None
    ) -> None:
        """See `canvas.Canvas`."""
        across, down = tuple(anchor or "la")
        wide = self.textlength(text, font=font)
        x = xy[0] - {"l": 0.0, "m": wide / 2, "r": wide}[across]
        self.items.append(Words((x, xy[1] + _base(font, down)), text, fill, _px(font), wide))

    def textlength(self, text: Any, font: Any = None) -> float:
        """See `canvas.Canvas`."""
        return float(font.getlength(text))

    def upright(self, at: Place, words: str, fill: Color, font: Font) -> None:
        """See `canvas.Canvas`."""
        wide = self.textlength(words, font=font)
        place = at[0] + _base(font, "m"), at[1] + wide / 2
        self.items.append(Words(place, words, fill, _px(font), wide, turned=True))

    def paste(self, image: Image.Image, at: tuple[int, int]) -> None:
        """See `canvas.Canvas`."""
        self.items.append(Picture(at, image.convert("RGB")))


def _places(xy: Any) -> tuple[Place, ...]:
    """Pairs, however they are given: [(x, y), ...] or [x, y, ...]."""
    flat = [
        float(value)
        for part in xy
        for value in (part if hasattr(part, "__len__") else (part,))
    ]
    return tuple(zip(flat[::2], flat[1::2], strict=True))


def _px(font: Any) -> float:
    return float(font.size)


def _base(font: Any, down: str) -> float:
    """From what an anchor of Pillow names down to the base line."""
    above, below = font.getmetrics()
    return {
        "a": above, "t": 0.76 * above, "m": (above - below) / 2, "s": 0.0, "b": 0.0, "d": -below,
    }[down]  # fmt: skip
