"""Several maps beside each other as one figure, each as it is seen."""

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Any

from emberscope.figures.canvas import SCALE, Canvas, Shifted
from emberscope.figures.figure import Figure
from emberscope.figures.maps import MapData, paint_map_2d
from emberscope.figures.tables import map_rows

_ALONE, _ONE = (960, 640), (480, 400)  # px of a map, and of one of several
_BESIDE = 3  # maps in a row at most, where there are no more


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
