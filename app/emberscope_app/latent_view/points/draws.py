"""Which points of a map are drawn in which order: the selected ones last, on their rings."""

import numpy as np

from emberscope_app.latent_view.points.rasterizer import Draws
from emberscope_app.latent_view.points.sprites import Atlas
from emberscope_app.state.points.looks import Still

DIM = 0.35                  # opacity of the others while something is selected
_RINGS_ONE_BY_ONE = 20_000  # above this the selection gets one common outline


def plain(points: Still, atlas: Atlas, opacity: float) -> Draws:
    """The points that are not selected, see-through; paler while others are selected."""
    alpha = opacity * (DIM if points.dims else 1.0)
    rows = np.flatnonzero(points.visible & ~points.selected).astype(np.int32)
    color = points.rgb[rows] | np.uint32(max(round(255 * alpha), 8) << 24)
    return Draws(rows, atlas.fill(points.slots[rows], points.levels[rows]), color)


def chosen(points: Still, atlas: Atlas) -> Draws:
    """The selected points, opaque, each on its ink ring; of very many first all rings, then all
    points."""
    rows = np.flatnonzero(points.visible & points.selected).astype(np.int32)
    slots, levels = points.slots[rows], points.levels[rows]
    ink = np.full(len(rows), 0xFF000000 | points.ink, np.uint32)
    twice = np.stack([rows, rows])
    sprites = np.stack([atlas.ring(slots, levels), atlas.fill(slots, levels)])
    colors = np.stack([ink, points.rgb[rows] | np.uint32(0xFF000000)])
    if len(rows) <= _RINGS_ONE_BY_ONE:
        return Draws(twice.T.ravel(), sprites.T.ravel(), colors.T.ravel())
    return Draws(twice.ravel(), sprites.ravel(), colors.ravel())
