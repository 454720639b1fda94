"""Which points of a map are drawn in which order: the selected ones last, on their rings."""

import numpy as np
from numpy.typing import NDArray

from emberscope_app.latent_view.points.rasterizer import Draws
from emberscope_app.latent_view.points.sprites import Atlas
from emberscope_app.state.points.looks import Still

DIM = 0.35                  # opacity of the others while something is selected
_RINGS_ONE_BY_ONE = 20_000  # above this the selection gets one common outline


def alpha_of(points: Still, opacity: float) -> int:
    """Opacity, 0..255, of points that are not selected: paler while others are selected."""
    return min(max(round(255 * opacity * (DIM if points.dims else 1.0)), 8), 255)


def plain(points: Still, rows: NDArray[np.int32], atlas: Atlas, opacity: float) -> Draws:
    """Points that are not selected, see-through."""
    color = points.rgb[rows] | np.uint32(alpha_of(points, opacity) << 24)
    return Draws(rows, atlas.fill(points.slots[rows], points.levels[rows]), color)


def chosen(points: Still, rows: NDArray[np.int32], atlas: Atlas) -> Draws:
    """Selected points, opaque, each on its ink ring; of very many first all rings, then all
    points."""
    slots, levels = points.slots[rows], points.levels[rows]
    ink = np.full(len(rows), 0xFF000000 | points.ink, np.uint32)
    twice = np.stack([rows, rows])
    sprites = np.stack([atlas.ring(slots, levels), atlas.fill(slots, levels)])
    colors = np.stack([ink, points.rgb[rows] | np.uint32(0xFF000000)])
    if len(rows) <= _RINGS_ONE_BY_ONE:
        return Draws(twice.T.ravel(), sprites.T.ravel(), colors.T.ravel())
    return Draws(twice.ravel(), sprites.ravel(), colors.ravel())


def rows_in(mask: NDArray[np.bool_]) -> NDArray[np.int32]:
    """The rows of a mask, as they are drawn."""
    return np.flatnonzero(mask).astype(np.int32)
