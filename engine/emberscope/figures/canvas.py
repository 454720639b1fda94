"""What painters of maps and plots draw on: pixels of an image. `ink.Ink` takes the same and keeps
lines and words."""

from collections.abc import Sequence
from typing import Any, Protocol

from PIL import Image, ImageDraw, ImageFont

SCALE = 2  # units of a canvas in a px on the page: crisp on dense screens
GROUND = {"dark": (15, 17, 20), "light": (255, 255, 255)}
TEXT = {"dark": (237, 239, 242), "light": (20, 24, 28)}
INK = {"dark": (255, 255, 255), "light": (20, 24, 28)}  # of rings
FAINT = {"dark": (38, 43, 49), "light": (218, 223, 228)}
SECONDARY = {"dark": (174, 181, 190), "light": (67, 75, 85)}

Color = tuple[int, ...]  # (r, g, b) or (r, g, b, opacity), 0..255
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


class Canvas(Protocol):
    """The part of `PIL.ImageDraw` that painters use, and two things more. Places are units from the
    top left."""

    size: tuple[int, int]

    def line(self, xy: Any, fill: Any = None, width: int = 0, joint: str | None = None) -> None:
        """Straight lines through places."""

    def polygon(self, xy: Any, fill: Any = None, outline: Any = None, width: int = 1) -> None:
        """A closed outline."""

    def rectangle(self, xy: Any, fill: Any = None, outline: Any = None, width: int = 1) -> None:
        """From its top left to its bottom right."""

    def ellipse(self, xy: Any, fill: Any = None, outline: Any = None, width: int = 1) -> None:
        """Inside such a rectangle."""

    def text(
        self, xy: Any, text: Any, fill: Any = None, font: Any = None, anchor: str | None = None
    ) -> None:
        """Words at a place; anchor : as Pillow has it, "la" where none is given."""

    def textlength(self, text: Any, font: Any = None) -> float:
        """How wide words are."""

    def upright(self, at: tuple[float, float], words: str, fill: Color, font: Font) -> None:
        """Words read from below, whose middle lies at a place."""

    def paste(self, image: Image.Image, at: tuple[int, int]) -> None:
        """An image from its top left."""


class Pixels(ImageDraw.ImageDraw):
    """A canvas that is an image."""

    def __init__(self, size: tuple[int, int], ground: Color) -> None:
        self.image, self.size = Image.new("RGB", size, ground), size
        super().__init__(self.image, "RGBA")

    def upright(self, at: tuple[float, float], words: str, fill: Color, font: Font) -> None:
        """See `Canvas`."""
        wide, high = round(self.textlength(words, font=font)) + 4, 18 * SCALE
        strip = Image.new("L", (wide, high), 0)
        ImageDraw.Draw(strip).text((2, high / 2), words, fill=255, font=font, anchor="lm")
        turned = strip.rotate(90, expand=True)
        self.image.paste(fill[:3], (round(at[0] - high / 2), round(at[1] - wide / 2)), turned)

    def paste(self, image: Image.Image, at: tuple[int, int]) -> None:
        """See `Canvas`."""
        self.image.paste(image, at)


class Shifted:
    """Another canvas from a place on."""

    def __init__(self, canvas: Canvas, at: tuple[int, int], size: tuple[int, int]) -> None:
        self._canvas, self._at, self.size = canvas, at, size

    def _moved(self, xy: Any) -> list[float]:
        flat = [float(value) for part in xy
                for value in (part if hasattr(part, "__len__") else (part,))]  # fmt: skip
        return [value + self._at[k % 2] for k, value in enumerate(flat)]

    def line(self, xy: Any, fill: Any = None, width: int = 0, joint: str | None = None) -> None:
        """See `Canvas`."""
        self._canvas.line(self._moved(xy), fill=fill, width=width, joint=joint)

    def polygon(self, xy: Any, fill: Any = None, outline: Any = None, width: int = 1) -> None:
        """See `Canvas`."""
        self._canvas.polygon(self._moved(xy), fill=fill, outline=outline, width=width)

    def rectangle(self, xy: Any, fill: Any = None, outline: Any = None, width: int = 1) -> None:
        """See `Canvas`."""
        self._canvas.rectangle(self._moved(xy), fill=fill, outline=outline, width=width)

    def ellipse(self, xy: Any, fill: Any = None, outline: Any = None, width: int = 1) -> None:
        """See `Canvas`."""
        self._canvas.ellipse(self._moved(xy), fill=fill, outline=outline, width=width)

    def text(
        self, xy: Any, text: Any, fill: Any = None, font: Any = None, anchor: str | None = None
    ) -> None:
        """See `Canvas`."""
        self._canvas.text(tuple(self._moved(xy)), text, fill=fill, font=font, anchor=anchor)

    def textlength(self, text: Any, font: Any = None) -> float:
        """See `Canvas`."""
        return self._canvas.textlength(text, font=font)

    def upright(self, at: tuple[float, float], words: str, fill: Color, font: Font) -> None:
        """See `Canvas`."""
        self._canvas.upright((at[0] + self._at[0], at[1] + self._at[1]), words, fill, font)

    def paste(self, image: Image.Image, at: tuple[int, int]) -> None:
        """See `Canvas`."""
        self._canvas.paste(image, (at[0] + self._at[0], at[1] + self._at[1]))


def font(px: int) -> Font:
    """The built-in typeface, `px` high on the page."""
    return ImageFont.load_default(px * SCALE)


def says(
    canvas: Canvas, at: Sequence[float], words: str, *, px: int, color: Color, anchor: str = "la"
) -> None:
    """Words `px` high on the page. The face of Pillow has no thin space, and no dash."""
    plain = words.replace("\N{THIN SPACE}", " ").replace("\N{EN DASH}", "-")
    canvas.text(tuple(at), plain, fill=color, font=font(px), anchor=anchor)
