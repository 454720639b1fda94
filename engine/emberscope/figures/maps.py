"""Maps of a run on a canvas: in the plane and in space, with chips; and sheets of chips as
images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from emberscope.figures.canvas import (
    FAINT,
    GROUND,
    INK,
    SCALE,
    SECONDARY,
    TEXT,
    Canvas,
    Pixels,
    font,
)
from emberscope.figures.overlays import (
    Overlays,
    paint_graph,
    paint_histograms,
    paint_outlines,
)
from emberscope.findings.coloring import IGNORED_SLOT, rgb, slot_colors
from emberscope.findings.point_looks import PointStyle
from emberscope.findings.score_words import Scale, shades
from emberscope.findings.shown_axes import FIRST, Axes, columns

# Radii of the cloud: in three dimensions, instances farther out may lie behind who looks
_IN_SIGHT = 2.0
_FAINT_WAY = 90  # of 255, how opaque the line of what moved is
_POINTS = 20_000  # above this, lines and words lie over an image of the points


@dataclass(frozen=True, slots=True)
class MapData:
    """What a map shows.

    Z : (N, d). look : of its N rows, for `theme`, "light" or "dark". chips : row -> (s, s) uint8,
    of the rows that may show theirs. ringed : (N,), the instances with a ring around them; None for
    no rings. axes : which two the map in the plane shows. shown : (N,), the instances that have a
    point; None for all. over : what lies over the points in the plane. ways : (2, W, 2) coordinates
    at which lines begin and end, of what moved; None for none. frame : lowest and highest x and y
    that are seen, ((x, x), (y, y)); None for all but outliers.
    """

    Z: NDArray
    look: PointStyle
    chips: Mapping[int, NDArray[np.uint8]]
    title: str
    subtitle: str = ""
    theme: str = "light"
    ringed: NDArray[np.bool_] | None = None
    axes: Axes = FIRST
    shown: NDArray[np.bool_] | None = None
    over: Overlays = Overlays()
    ways: NDArray | None = None
    frame: tuple[tuple[float, float], tuple[float, float]] | None = None


def map_2d(data: MapData, *, size: tuple[int, int] = (960, 640), n_chips: int = 24) -> Image.Image:
    """`paint_map_2d` as an image, `SCALE` times as large."""
    canvas = Pixels((size[0] * SCALE, size[1] * SCALE), GROUND[data.theme])
    paint_map_2d(canvas, data, size=size, n_chips=n_chips)
    return canvas.image


def map_3d(data: MapData, *, size: tuple[int, int] = (960, 640), n_chips: int = 16) -> Image.Image:
    """`paint_map_3d` as an image, `SCALE` times as large."""
    canvas = Pixels((size[0] * SCALE, size[1] * SCALE), GROUND[data.theme])
    paint_map_3d(canvas, data, size=size, n_chips=n_chips)
    return canvas.image


def paint_map_2d(
    canvas: Canvas, data: MapData, *, size: tuple[int, int] = (960, 640), n_chips: int = 24
) -> None:
    """Two coordinates in the glyphs and colors of `look`, some chips where they lie; a
    strip for one."""
    Z = np.asarray(columns(data.Z, data.axes), float)
    if Z.shape[1] == 1:
        jitter = np.random.default_rng(0).uniform(-1, 1, len(Z)) * np.ptp(Z[:, 0]) * 0.12
        Z = np.column_stack([Z[:, 0], jitter])
    shown = np.ones(len(Z), bool) if data.shown is None else data.shown
    ends = _ends(Z[shown, :2]) if data.frame is None else np.array(data.frame).T
    margin = 64 if data.frame is None else 16
    every, inside = _fit(Z[:, :2], size, margin=margin, ends=ends)
    seen, xy = _only(data, inside, shown), every[inside & shown]
    many = len(xy) > _POINTS and not isinstance(canvas, Pixels)
    joined = np.where((inside & shown)[:, None], every, np.nan)
    if not many:  # else an image of the points would cover it
        paint_graph(canvas, data.over, joined, data.theme)
    _draw(canvas, seen, xy, np.ones(len(xy)), size=size, n_chips=n_chips, scene=None)
    if many:
        paint_graph(canvas, data.over, joined, data.theme)
    if data.ways is not None:
        starts, stops = (_fit(way, size, margin=margin, ends=ends)[0] for way in data.ways)
        _ways(canvas, *_inside(starts, stops, size), data.theme)
    paint_outlines(canvas, data.over, every)
    if data.over.histograms:
        hues = {entry.key: rgb(entry.color) for entry in seen.look.legend}
        paint_histograms(canvas, xy, seen.look.group, hues or _by_slot(seen), size)


def _by_slot(data: MapData) -> dict[int, tuple[int, ...]]:
    """Colors of groups that a legend does not list: they are classes, by their glyphs."""
    keys, first = np.unique(data.look.group, return_index=True)
    hues = slot_colors(data.look.slot[first], data.theme)
    return {int(key): tuple(hue) for key, hue in zip(keys, hues.tolist(), strict=True)}


def paint_map_3d(
    canvas: Canvas, data: MapData, *, size: tuple[int, int] = (960, 640), n_chips: int = 16
) -> None:
    """Three coordinates in perspective, far points smaller and paler, over a floor grid."""
    Z = np.zeros((len(data.Z), 3))
    Z[:, : min(3, data.Z.shape[1])] = data.Z[:, :3]
    center, radius = _center(Z)
    near_by = np.linalg.norm(Z - center, axis=1) < _IN_SIGHT * radius
    shown = near_by if data.shown is None else near_by & data.shown
    data, Z = _only(data, near_by, data.shown), Z[shown]
    view = _Camera(35.0, 22.0, size)
    xy, depth = view.project((Z - center) / radius)
    near = (depth.max() - depth) / max(float(np.ptp(depth)), 1e-9)
    _draw(canvas, data, xy, 0.4 + 0.6 * near, size=size, n_chips=n_chips, scene=view)


def chip_sheet(chips: Sequence[NDArray[np.uint8]], slots: NDArray[np.uint8]) -> Image.Image:
    """Chips on a light sheet, twelve in a row, under each a bar in the color of its glyph slot.

    `chips` : (rows, cols) each. `slots` : (chips,).
    """
    columns, side, step = min(12, len(chips)), 56, 64
    rows = -(-len(chips) // columns)
    sheet = Image.new(
        "RGB", ((columns * step - 8) * SCALE, (rows * step + 2) * SCALE), GROUND["light"]
    )
    draw = ImageDraw.Draw(sheet)
    for i, (chip, color) in enumerate(zip(chips, slot_colors(slots, "light"), strict=True)):
        x, y = (i % columns) * step * SCALE, (i // columns) * step * SCALE
        sheet.paste(_chip_image(chip, side), (x, y))
        bar = [x, y + (side + 2) * SCALE, x + side * SCALE - 1, y + (side + 4) * SCALE]
        draw.rectangle(bar, fill=tuple(color.tolist()))
    return sheet


class _Camera:
    """A perspective view of the unit ball."""

    def __init__(self, azimuth: float, elevation: float, size: tuple[int, int]) -> None:
        a, e = np.radians(azimuth), np.radians(elevation)
        turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
        tilt = np.array([[1, 0, 0], [0, np.sin(e), -np.cos(e)], [0, np.cos(e), np.sin(e)]])
        self.rotation = tilt @ turn
        self.size = size

    def project(self, points: NDArray) -> tuple[NDArray, NDArray]:
        """Pixels (N, 2) and depth (N,), larger = farther."""
        p = points @ self.rotation.T
        distance = 3.6
        scale = 0.46 * min(self.size) * distance / (distance - p[:, 2])
        xy = np.column_stack(
            [self.size[0] / 2 + p[:, 0] * scale, self.size[1] / 2 + p[:, 1] * scale]
        )
        return xy, -p[:, 2]


def _draw(
    canvas: Canvas, data: MapData, xy: NDArray, strength: NDArray, *, size: tuple[int, int],
    n_chips: int, scene: _Camera | None,
) -> None:
    theme, radius = data.theme, 2.6 if len(xy) > 1500 else 3.4
    many = len(xy) > _POINTS and not isinstance(canvas, Pixels)
    ground = Pixels((size[0] * SCALE, size[1] * SCALE), GROUND[theme]) if many else canvas
    if scene is not None:
        _floor(ground, scene, theme)
    _points(ground, data, xy, strength, radius)
    if isinstance(ground, Pixels) and ground is not canvas:
        canvas.paste(ground.image, (0, 0))
    if data.ringed is not None:
        _rings(canvas, xy[data.ringed] * SCALE, (radius + 2.5) * SCALE, INK[theme])
    if data.chips:
        _chips(canvas, data, xy, strength, n_chips, size)
    _words(canvas, data, size)


def _points(canvas: Canvas, data: MapData, xy: NDArray, strength: NDArray, radius: float) -> None:
    alpha = 0.85 if len(xy) <= 1500 else max(0.18, 0.55 * (3000 / len(xy)) ** 0.35)
    slots, colors = data.look.slot, data.look.rgb
    for i in np.argsort(strength, kind="stable"):
        paint = (*(int(c) for c in colors[i]), int(255 * alpha * strength[i]))
        r = radius * SCALE * (0.6 + 0.4 * strength[i])
        _glyph(canvas, int(slots[i]), xy[i] * SCALE, r, paint)


def _glyph(draw: Canvas, slot: int, at: NDArray, r: float, paint: tuple[int, ...]) -> None:
    x, y = float(at[0]), float(at[1])
    if slot == 1:
        draw.ellipse([x - r, y - r, x + r, y + r], fill=paint)
    elif slot == 2:
        draw.rectangle([x - 0.88 * r, y - 0.88 * r, x + 0.88 * r, y + 0.88 * r], fill=paint)
    elif slot in (3, 5):
        s = -1 if slot == 3 else 1
        draw.polygon(
            [(x, y + s * 1.1 * r), (x + r, y - s * 0.75 * r), (x - r, y - s * 0.75 * r)], fill=paint
        )
    elif slot == 4:
        draw.polygon(_diamond(x, y, 1.15 * r), fill=paint)
    elif slot == 0:
        draw.polygon(_diamond(x, y, 1.15 * r), outline=paint)
    elif slot == 6:
        draw.rectangle([x - 0.4 * r, y - 1.1 * r, x + 0.4 * r, y + 1.1 * r], fill=paint)
    else:
        w = 0.36 * r if slot != IGNORED_SLOT else 0.2 * r
        draw.rectangle([x - 1.1 * r, y - w, x + 1.1 * r, y + w], fill=paint)
        draw.rectangle([x - w, y - 1.1 * r, x + w, y + 1.1 * r], fill=paint)


def _rings(draw: Canvas, at: NDArray, r: float, ink: tuple[int, int, int]) -> None:
    for x, y in at.tolist():
        draw.ellipse([x - r, y - r, x + r, y + r], outline=ink, width=SCALE)


def _ways(draw: Canvas, starts: NDArray, stops: NDArray, theme: str) -> None:
    """Lines of what moved, each with a dot where it ends."""
    paint, r = (*INK[theme], _FAINT_WAY), 1.6 * SCALE
    for (x0, y0), (x1, y1) in zip((SCALE * starts).tolist(), (SCALE * stops).tolist(),
                                  strict=True):
        draw.line([(x0, y0), (x1, y1)], fill=paint, width=SCALE)
        draw.ellipse([x1 - r, y1 - r, x1 + r, y1 + r], fill=paint)


def _diamond(x: float, y: float, r: float) -> list[tuple[float, float]]:
    return [(x, y - r), (x + r, y), (x, y + r), (x - r, y)]


def _chips(
    canvas: Canvas, data: MapData, xy: NDArray, strength: NDArray, count: int, size: tuple[int, int]
) -> None:
    """Chips of well spread points of all classes in turn, near ones first, none over another; at
    most `count`."""
    side = 44
    taken: list[tuple[float, float]] = []
    rows = [row for row in in_turn(data.look.slot).tolist() if row in data.chips]
    for i in sorted(rows, key=lambda row: bool(strength[row] < 0.7)):
        x = float(np.clip(xy[i, 0] + 10, 4, size[0] - side - 4))
        y = float(np.clip(xy[i, 1] - side - 10, 44, size[1] - side - 44))
        if any(abs(x - a) < side + 26 and abs(y - b) < side + 26 for a, b in taken):
            continue
        taken.append((x, y))
        paint = tuple(int(c) for c in data.look.rgb[i])
        anchor = (float(xy[i, 0]) * SCALE, float(xy[i, 1]) * SCALE)
        corner = (x * SCALE, (y + side) * SCALE)
        canvas.line([anchor, corner], fill=(*paint, 170), width=SCALE)
        canvas.paste(_chip_image(data.chips[i], side), (round(x * SCALE), round(y * SCALE)))
        frame = [x * SCALE - 2, y * SCALE - 2, (x + side) * SCALE + 1, (y + side) * SCALE + 1]
        canvas.rectangle(frame, outline=(*paint, 255), width=SCALE)
        if len(taken) == count:
            break


def in_turn(slots: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Rows so that the classes alternate, in random order within a class. `slots` : (N,); returns
    (N,)."""
    shuffled = np.random.default_rng(0).permutation(len(slots))
    turn = np.zeros(len(slots), np.int64)
    for slot in np.unique(slots):
        own = shuffled[slots[shuffled] == slot]
        turn[own] = np.arange(len(own))
    return np.argsort(turn, kind="stable")


def _chip_image(chip: NDArray[np.uint8], side: int) -> Image.Image:
    return (
        Image.fromarray(chip)
        .resize((side * SCALE, side * SCALE), Image.Resampling.BICUBIC)
        .convert("RGB")
    )


def _words(draw: Canvas, data: MapData, size: tuple[int, int]) -> None:
    theme = data.theme
    big, small = font(15), font(12)
    draw.text((16 * SCALE, 12 * SCALE), data.title, fill=TEXT[theme], font=big)
    draw.text((16 * SCALE, 34 * SCALE), data.subtitle, fill=SECONDARY[theme], font=small)
    x, y = 20.0 * SCALE, float((size[1] - 20) * SCALE)
    for entry in data.look.legend:
        words = entry.says or f"{entry.title}  {entry.count:,}".replace(",", " ")
        x, y = _room(draw, (x, y), words, size[0])
        _glyph(draw, entry.slot, np.array([x, y]), 4.5 * SCALE, (*rgb(entry.color), 255))
        x = _says(draw, (x + 10 * SCALE, y), words, theme) + 16 * SCALE
    if data.look.note:
        x, y = _room(draw, (x, y), data.look.note, size[0])
        x = _says(draw, (x - 4 * SCALE, y), data.look.note, theme) + 16 * SCALE
    if data.look.scale is not None:
        x = _ramp(draw, (x, y), data.look.scale, theme) + 20 * SCALE
    if data.ringed is not None and data.ringed.any():
        _rings(draw, np.array([[x + 2 * SCALE, y]]), 4.5 * SCALE, INK[theme])
        _says(
            draw,
            (x + 12 * SCALE, y),
            f"Selected  {int(data.ringed.sum()):,}".replace(",", " "),
            theme,
        )


def _room(draw: Canvas, at: tuple[float, float], words: str, width: int) -> tuple[float, float]:
    """Where words of the legend go: there, or at the left of the line above where they would leave
    the image."""
    x, y = at
    fits = x + 10 * SCALE + draw.textlength(words, font=font(12)) <= (width - 8) * SCALE
    return (x, y) if fits or x <= 20 * SCALE else (20.0 * SCALE, y - 20 * SCALE)


def _says(draw: Canvas, at: tuple[float, float], words: str, theme: str) -> float:
    """Words of a legend from a place on; returns where they end."""
    draw.text(at, words, fill=TEXT[theme], font=font(12), anchor="lm")
    return at[0] + draw.textlength(words, font=font(12))


def _ramp(draw: Canvas, at: tuple[float, float], scale: Scale, theme: str) -> float:
    """What the two ends of a scale mean, its colors between them; returns where it ends."""
    x = _says(draw, at, f"{scale.means[0]} {scale.ends[0]}", theme) + 8 * SCALE
    wide = 96 * SCALE
    colors = shades(np.linspace(scale.low, scale.high, wide), scale, theme)
    for i, color in enumerate(colors.tolist()):
        draw.line([x + i, at[1] - 4 * SCALE, x + i, at[1] + 4 * SCALE], fill=tuple(color))
    return _says(draw, (x + wide + 8 * SCALE, at[1]), f"{scale.ends[1]} {scale.means[1]}", theme)


def _floor(draw: Canvas, scene: _Camera, theme: str) -> None:
    ticks = np.linspace(-1, 1, 9)
    for t in ticks:
        for ends in (np.array([[t, -1, -1], [t, 1, -1]]), np.array([[-1, t, -1], [1, t, -1]])):
            xy, _ = scene.project(ends * [1, 1, 0.8])
            draw.line([tuple(p * SCALE) for p in xy], fill=(*FAINT[theme], 255), width=1)


def _ends(Z: NDArray) -> NDArray:
    """The ends (2, 2) of the middle 99.6 % along each axis, the low ones first. What lies far
    beyond is left out, not moved to the border, where it would look like a group."""
    finite = np.isfinite(Z).all(axis=1)
    return np.quantile(Z[finite], [0.002, 0.998], axis=0) if finite.any() else np.zeros((2, 2))


def _fit(
    Z: NDArray, size: tuple[int, int], *, margin: int, ends: NDArray
) -> tuple[NDArray, NDArray[np.bool_]]:
    """Pixels (N, 2) of coordinates, equal scale on both axes, y up; and which of them lie on the
    image, (N,). ends : (2, 2) of what is to lie inside of the margin."""
    low, high = ends
    span = np.maximum(high - low, 1e-12)
    scale = min((size[0] - 2 * margin) / span[0], (size[1] - 2 * margin - 24) / span[1])
    xy = (Z - (low + high) / 2) * scale * [1, -1] + [size[0] / 2, size[1] / 2 + 6]
    low, high = _edges(size)
    return xy, ((xy >= low) & (xy <= high)).all(axis=1)


def _edges(size: tuple[int, int]) -> tuple[NDArray, NDArray]:
    """The left upper and the right lower corner, px, between which points lie."""
    return np.array([12.0, 52.0]), np.array([size[0] - 12.0, size[1] - 36.0])


def _inside(
    starts: NDArray, stops: NDArray, size: tuple[int, int]
) -> tuple[NDArray, NDArray]:
    """The parts of lines (W, 2) that lie between the edges; those that lie beyond are left out."""
    low, high = _edges(size)
    way = np.where(stops == starts, 1e-9, stops - starts)
    shares = np.sort(np.stack([(low - starts) / way, (high - starts) / way]), axis=0)
    begin = np.maximum(shares[0].max(axis=1), 0.0)
    end = np.minimum(shares[1].min(axis=1), 1.0)
    seen = begin < end
    start, way = starts[seen], way[seen]
    return start + begin[seen, None] * way, start + end[seen, None] * way


def _only(
    data: MapData, inside: NDArray[np.bool_], shown: NDArray[np.bool_] | None = None
) -> MapData:
    """The points that lie on the image, and how many do not. shown : (N,), others are none."""
    shown = np.ones(len(inside), bool) if shown is None else shown
    away, inside = int((~inside & shown).sum()), inside & shown
    if inside.all():
        return data
    row_of = np.cumsum(inside) - 1
    chips = {int(row_of[row]): chip for row, chip in data.chips.items() if inside[row]}
    words = "1 instance lies" if away == 1 else f"{away} instances lie"
    beyond = f"{words} beyond the image" if away else ""
    subtitle = "; ".join(filter(None, (data.subtitle, beyond)))
    look = replace(
        data.look,
        slot=data.look.slot[inside],
        rgb=data.look.rgb[inside],
        group=data.look.group[inside],
    )
    ringed = None if data.ringed is None else data.ringed[inside]
    return replace(
        data, Z=data.Z[inside], look=look, chips=chips, subtitle=subtitle, ringed=ringed, shown=None
    )


def _center(Z: NDArray) -> tuple[NDArray, float]:
    finite = Z[np.isfinite(Z).all(axis=1)]
    if not len(finite):
        return np.zeros(Z.shape[1]), 1.0
    low, high = np.quantile(finite, [0.002, 0.998], axis=0)
    center = (low + high) / 2
    radius = float(np.quantile(np.linalg.norm(finite - center, axis=1), 0.998))
    return center, radius if radius > 0 else 1.0
