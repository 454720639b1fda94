"""Paints a table of colored tiles on a canvas for a page: a confusion, slices."""

import numpy as np

from emberscope.figures.canvas import FAINT, SCALE, SECONDARY, TEXT, Canvas, font, says
from emberscope.figures.maps import glyph
from emberscope.findings.coloring import CLASS_COLORS, ramp, rgb
from emberscope.findings.judged.tiles import Heading, Tile, Tiles

_CELL, _GAP = (84, 52), 2  # px of a tile
_TOP, _HEAD, _BELOW, _PAD = 64, 20, 36, 16
_PALEST, _BRIGHTEST = 0.08, 0.80  # of the color scale
_INK, _WHITE = (20, 24, 28), (255, 255, 255)


def tiles_size(tiles: Tiles) -> tuple[int, int]:
    """Px that the table takes on a page."""
    wide = _left(tiles) + _CELL[0] * len(tiles.columns) + _PAD
    return max(wide, 360), _TOP + _HEAD + _CELL[1] * len(tiles.rows) + _BELOW


def paint_tiles(canvas: Canvas, tiles: Tiles) -> None:
    """Every tile of one size, in light colors."""
    left, top = _left(tiles), _TOP + _HEAD
    _say(canvas, (_PAD, 12), tiles.title, 14, TEXT["light"])
    middle = left + _CELL[0] * len(tiles.columns) / 2
    _say(canvas, (middle, _TOP - 6), tiles.across, 12, anchor="mb")
    for j, heading in enumerate(tiles.columns):
        _heading(canvas, heading, left + (j + 0.5) * _CELL[0], top - 8, "mm")
    for i, row in enumerate(tiles.tiles):
        y = top + i * _CELL[1]
        _heading(canvas, tiles.rows[i], left - 8, y + _CELL[1] / 2, "rm")
        for j, tile in enumerate(row):
            _paint_tile(canvas, tile, left + j * _CELL[0], y)
    _paint_scale(canvas, tiles, top + len(tiles.rows) * _CELL[1] + 18)


def _left(tiles: Tiles) -> int:
    wide = max((font(11).getlength(row.words) / SCALE + 18 for row in tiles.rows), default=0.0)
    return round(wide) + _PAD + 8


def _say(
    canvas: Canvas, at: tuple[float, float], words: str, px: int,
    color: tuple[int, ...] = SECONDARY["light"], *, anchor: str = "la",
) -> None:  # fmt: skip
    says(canvas, (at[0] * SCALE, at[1] * SCALE), words, px=px, color=color, anchor=anchor)


def _heading(canvas: Canvas, heading: Heading, x: float, y: float, anchor: str) -> None:
    """Words, and before them the glyph of a class."""
    _say(canvas, (x, y), heading.words, 11, TEXT["light"], anchor=anchor)
    if heading.slot >= 0:
        wide = font(11).getlength(heading.words) / SCALE
        start = x - (wide if anchor[0] == "r" else wide / 2) - 9
        color = CLASS_COLORS["light"][min(heading.slot, len(CLASS_COLORS["light"]) - 1)]
        at = np.array([start, y]) * SCALE
        glyph(canvas, heading.slot, at, 4.0 * SCALE, (*rgb(color), 255))


def _paint_tile(canvas: Canvas, tile: Tile, x: float, y: float) -> None:
    box = [v * SCALE for v in (x, y, x + _CELL[0] - _GAP, y + _CELL[1] - _GAP)]
    if tile.hatched:
        canvas.rectangle(box, fill=_WHITE, outline=FAINT["light"], width=SCALE)
        for step in range(8, _CELL[0] + _CELL[1], 8):
            _hatch(canvas, box, step * SCALE)
        return
    value = _PALEST + (_BRIGHTEST - _PALEST) * min(max(tile.share, 0.0), 1.0)
    ground = tuple(ramp(np.array([value]), 0, 1)[0].tolist())
    canvas.rectangle(box, fill=ground)
    words = _INK if sum(ground) > 330 and ground[1] > 90 else _WHITE
    middle = (x + (_CELL[0] - _GAP) / 2, y + _CELL[1] / 2 - (9 if tile.small else 1))
    _say(canvas, middle, tile.big, 14, words, anchor="mm")
    _say(canvas, (middle[0], middle[1] + 18), tile.small, 11, words, anchor="mm")


def _hatch(canvas: Canvas, box: list[float], step: float) -> None:
    """A stroke from the left or lower side of a tile up to its top or right one."""
    wide, high = box[2] - box[0], box[3] - box[1]
    down, across = min(step, high), min(step, wide)
    if step < wide + high:
        start = (box[0] + step - down, box[1] + down)
        end = (box[0] + across, box[1] + step - across)
        canvas.line([start, end], fill=FAINT["light"], width=SCALE)


def _paint_scale(canvas: Canvas, tiles: Tiles, y: float) -> None:
    """The ends of the colors, and the note."""
    x = float(_PAD)
    if tiles.ends is not None:
        _say(canvas, (x, y), f"{tiles.ends[0]:.2f}", 11, anchor="lm")
        colors = ramp(np.linspace(_PALEST, _BRIGHTEST, 48), 0, 1).tolist()
        for k, color in enumerate(colors):
            start = x + 30 + 2 * k
            box = [start * SCALE, (y - 3) * SCALE, (start + 2) * SCALE, (y + 3) * SCALE]
            canvas.rectangle(box, fill=tuple(color))
        _say(canvas, (x + 134, y), f"{tiles.ends[1]:.2f}", 11, anchor="lm")
        x += 172
    _say(canvas, (x, y), tiles.note, 11, anchor="lm")
