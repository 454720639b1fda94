"""Paints a table of tiles on a canvas for a page."""

import numpy as np

from emberscope.figures.canvas import FAINT, SCALE, SECONDARY, TEXT, Canvas, font, says
from emberscope.figures.figure import Figure
from emberscope.findings.coloring import ramp
from emberscope.findings.judged.tiles import BRIGHTEST, PALEST, Tile, Tiles

SIZE = (560, 400)  # px
_TOP, _FOOT, _RIGHT, _GAP, _APART = 72, 30, 16, 2, 8
_HATCH = 8  # px between lines, along a side
_NUMBER, _SHADE, _SHADES = 34, 3, 32  # px of the lowest number and of a step of colors, and steps


def tiles_figure(tiles: Tiles, below: tuple[str, ...] = ()) -> Figure:
    """The figure of a table of tiles. below : lines under it."""
    return Figure(tiles.title, SIZE, lambda canvas: paint_tiles(canvas, tiles),
                  lambda: tiles_rows(tiles), below)


def tiles_rows(tiles: Tiles) -> list[list[object]]:
    """A row per tile: its row, its column, the share of its color, what stands on it."""
    rows: list[list[object]] = [["row", "column", "value", "count", "words"]]
    for heading, row in zip(tiles.rows, tiles.tiles, strict=True):
        rows += [[heading.words, column.words, tile.big, tile.small, tile.spoken]
                 for column, tile in zip(tiles.columns, row, strict=True)]
    return rows


def paint_tiles(canvas: Canvas, tiles: Tiles, size: tuple[int, int] = SIZE) -> None:
    """In light colors at the top left of a canvas, within so many px."""
    says(canvas, (16 * SCALE, 12 * SCALE), tiles.title, px=14, color=TEXT["light"])
    wide = max((canvas.textlength(row.words, font=font(11)) for row in tiles.rows), default=0.0)
    left, top = 16 * SCALE + wide + 8 * SCALE, _TOP * SCALE
    across = (size[0] - _RIGHT) * SCALE - left
    if not tiles.rows:
        return
    apart = _APART * SCALE if tiles.apart else 0
    down = (size[1] - _FOOT) * SCALE - top - apart
    step = (across - apart) / len(tiles.columns), down / len(tiles.rows)
    last = len(tiles.columns) - 1, len(tiles.rows) - 1
    gray = SECONDARY["light"]
    says(canvas, (left + across / 2, 44 * SCALE), tiles.across, px=11, anchor="mm", color=gray)
    for j, column in enumerate(tiles.columns):
        place = left + (j + 0.5) * step[0] + (apart if j == last[0] else 0), 62 * SCALE
        says(canvas, place, column.words, px=11, anchor="mm", color=gray)
    for i, (heading, row) in enumerate(zip(tiles.rows, tiles.tiles, strict=True)):
        below = apart if i == last[1] else 0
        middle = top + (i + 0.5) * step[1] + below
        says(canvas, (left - 8 * SCALE, middle), heading.words, px=11, anchor="rm", color=gray)
        for j, tile in enumerate(row):
            x = left + j * step[0] + (apart if j == last[0] else 0)
            y = top + i * step[1] + below
            box = [x, y, x + step[0] - _GAP * SCALE, y + step[1] - _GAP * SCALE]
            _paint_tile(canvas, box, tile)
    middle = (size[1] - 14) * SCALE
    says(canvas, ((size[0] - _RIGHT) * SCALE, middle), tiles.note, px=11, anchor="rm", color=gray)
    if tiles.ends is not None:
        _paint_scale(canvas, tiles.ends, (16 * SCALE, middle))


def _paint_scale(canvas: Canvas, ends: tuple[float, float], at: tuple[float, float]) -> None:
    """What the darkest and the brightest tile are."""
    gray, (x, y), wide = SECONDARY["light"], at, _SHADE * _SHADES * SCALE
    says(canvas, at, f"{ends[0]:.2f}", px=11, anchor="lm", color=gray)
    x += _NUMBER * SCALE
    shades = ramp(np.linspace(PALEST, BRIGHTEST, _SHADES), 0, 1)
    for k, shade in enumerate(shades.tolist()):
        left = x + k * _SHADE * SCALE
        canvas.rectangle([left, y - 4 * SCALE, left + _SHADE * SCALE, y + 4 * SCALE],
                         fill=tuple(shade))
    says(canvas, (x + wide + 6 * SCALE, y), f"{ends[1]:.2f}", px=11, anchor="lm", color=gray)


def _hatch(canvas: Canvas, box: list[float]) -> None:
    """Pale, with lines from the lower left to the upper right."""
    left, top, right, bottom = box
    canvas.rectangle(box, fill=(*FAINT["light"], 90), outline=FAINT["light"])
    for at in np.arange(left + top + _HATCH * SCALE, right + bottom, _HATCH * SCALE).tolist():
        x, end = max(left, at - bottom), min(right, at - top)
        canvas.line([x, at - x, end, at - end], fill=FAINT["light"], width=SCALE)


def _paint_tile(canvas: Canvas, box: list[float], tile: Tile) -> None:
    if tile.hatched:
        _hatch(canvas, box)
        return
    ground = tuple(ramp(np.array([tile.tone]), 0, 1)[0].tolist())
    canvas.rectangle(box, fill=ground)
    color = TEXT["light"] if sum(ground) > 330 else (255, 255, 255)
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    up = 9 * SCALE if tile.small else 0
    says(canvas, (x, y - up), tile.big, px=13, anchor="mm", color=color)
    says(canvas, (x, y + up), tile.small, px=11, anchor="mm", color=color)
