"""The grid of a study as a figure: tables of tiles beside each other, of one color scale."""

from collections.abc import Sequence

from emberscope.figures.canvas import SCALE, Canvas, Shifted
from emberscope.figures.figure import Figure
from emberscope.figures.tiles import paint_tiles
from emberscope.findings.measures import title_of
from emberscope.findings.studied.grid import PlaceScore, grid_panels, study_rows

_TILE, _NAMES, _HEADS = (46, 30), 130, 110  # px of a tile, of names of rows, of headings and scale
_LEAST, _BESIDE = 300, 3  # px of a table; how many stand beside each other


def study_figure(
    title: str, places: Sequence[PlaceScore], score: str, below: tuple[str, ...] = ()
) -> Figure:
    """The figure of a study, tables as `findings.studied.grid.grid_panels` has them. Its data are a
    row for each place. score : the measure that places are compared by. below : lines under it."""
    tables = [panel.tiles for panel in grid_panels(places, score)]
    wide = max((len(table.columns) for table in tables), default=1)
    high = max((len(table.rows) for table in tables), default=1)
    one = max(_NAMES + _TILE[0] * wide, _LEAST), _HEADS + _TILE[1] * high
    columns = max(min(len(tables), _BESIDE), 1)

    def paint(canvas: Canvas) -> None:
        for at, table in enumerate(tables):
            place = at % columns * one[0] * SCALE, at // columns * one[1] * SCALE
            paint_tiles(Shifted(canvas, place, (one[0] * SCALE, one[1] * SCALE)), table, one)

    whole = columns * one[0], max(-(-len(tables) // columns), 1) * one[1]
    to_do = ", pale: to do" if any(place.mean is None for place in places) else ""
    lines = (title, f"{title_of(score)}, one color scale{to_do}", *below)
    return Figure(title, whole, paint, lambda: study_rows(places, score), lines)
