"""Several maps beside each other as one figure, each as it is seen."""

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Any

from PIL import Image

from emberscope.figures.canvas import SCALE, Canvas, Color, Font
from emberscope.figures.figure import Figure
from emberscope.figures.maps import MapData, paint_map_2d
from emberscope.figures.tables import map_rows

_ALONE, _ONE = (960, 640), (480, 400)  # px of a map, and of one of several
_BESIDE = 3  # maps in a row at most, where there are no more


class Shifted:
    """Another canvas from a place on. See `canvas.Canvas`."""

    def __init__(self, canvas: Canvas, at: tuple[int, int], size: tuple[int, int]) -> None:
        self._canvas, self._at, self.size = canvas, at, size

    def _moved(self, xy: Any) -> list[float]:
        flat = [float(value) for part in xy
                for value in (part if hasattr(part, "__len__") else (part,))]  # fmt: skip
        return [value + self._at[k % 2] for k, value in enumerate(flat)]

    def line(self, xy: Any, fill: Any = None, width: int = 0, joint: str | None = None) -> None:
        """See `canvas.Canvas`."""
        self._canvas.line(self._moved(xy), fill=fill, width=width, joint=joint)

    def polygon(self, xy: Any, fill: Any = None, outline: Any = None, width: int = 1) -> None:
        """See `canvas.Canvas`."""
        self._canvas.polygon(self._moved(xy), fill=fill, outline=outline, width=width)

    def rectangle(self, xy: Any, fill: Any = None, outline: Any = None, width: int = 1) -> None:
        """See `canvas.Canvas`."""
        self._canvas.rectangle(self._moved(xy), fill=fill, outline=outline, width=width)

    def ellipse(self, xy: Any, fill: Any = None, outline: Any = None, width: int = 1) -> None:
        """See `canvas.Canvas`."""
        self._canvas.ellipse(self._moved(xy), fill=fill, outline=outline, width=width)

    def text(
        self, xy: Any, text: Any, fill: Any = None, font: Any = None, anchor: str | None = None
    ) -> None:
        """See `canvas.Canvas`."""
        self._canvas.text(tuple(self._moved(xy)), text, fill=fill, font=font, anchor=anchor)

    def textlength(self, text: Any, font: Any = None) -> float:
        """See `canvas.Canvas`."""
        return self._canvas.textlength(text, font=font)

    def upright(self, at: tuple[float, float], words: str, fill: Color, font: Font) -> None:
        """See `canvas.Canvas`."""
        self._canvas.upright((at[0] + self._at[0], at[1] + self._at[1]), words, fill, font)

    def paste(self, image: Image.Image, at: tuple[int, int]) -> None:
        """See `canvas.Canvas`."""
        self._canvas.paste(image, (at[0] + self._at[0], at[1] + self._at[1]))


def maps_figure(
    title: str, maps: Sequence[MapData], ids: Sequence[Any], below: tuple[str, ...] = ()
) -> Figure:
    """The figure of maps in rows. Its data are those of all of them, each with the title of its
    map. ids : (N,) int64 of the instances of each. below : lines under it."""
    count = len(maps)
    size = _ALONE if count == 1 else _ONE
    columns = count if count <= _BESIDE else ceil(sqrt(count))

    def paint(canvas: Canvas) -> None:
        for at, data in enumerate(maps):
            place = at % columns * size[0] * SCALE, at // columns * size[1] * SCALE
            part = Shifted(canvas, place, (size[0] * SCALE, size[1] * SCALE))
            paint_map_2d(part, data, size=size)

    def rows() -> list[list[object]]:
        tables = [map_rows(data, own) for data, own in zip(maps, ids, strict=True)]
        head: list[object] = ["map", *tables[0][0]]
        return [head, *([data.title, *row] for data, table in zip(maps, tables, strict=True)
                        for row in table[1:])]  # fmt: skip

    whole = columns * size[0], -(-count // columns) * size[1]
    return Figure(title, whole, paint, rows, below, maps[0].theme)
