"""How a cloud is drawn: glyphs while each can be seen, small squares above, the selection last."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from emberscope_app.latent_view.cloud import DIM, SIZE_LEVELS, Cloud
from emberscope_app.latent_view.rasterizer import Draws, Raster
from emberscope_app.latent_view.sprites import CHOSEN, RADIUS, Atlas, deep_sprites, sprites
from emberscope_app.theme.look import current

GLYPHS_MAX = 250_000  # points in view above which shapes are gone
SORTED_MAX = 50_000   # points that are drawn back to front in 3-D; a depth buffer above
FAR_OPACITY = 0.4
_RINGS_ONE_BY_ONE = 20_000  # above this the selection gets one common outline


def opacity(count: int) -> float:
    """Of a plain point among `count`: 0.6 up to 3 000, falling to 0.12."""
    return float(np.clip(0.6 * (3000 / max(count, 1)) ** 0.3, 0.12, 0.6 if count > 3000 else 0.75))


def radius(in_view: int) -> float:
    """px, in quarters, so that a zoom does not make new sprites at every step."""
    if in_view <= 20_000:
        return RADIUS
    return max(round(4 * RADIUS * (20_000 / in_view) ** 0.25) / 4, 1.0)


@dataclass
class PointPainter2D:
    """Draws a cloud in the plane; keeps what does not depend on the view."""

    raster: Raster = field(default_factory=Raster)
    _key: tuple = ()
    _of: tuple[NDArray, ...] = ()
    _parts: tuple[Draws, Draws, Atlas, Atlas] | None = None

    def forget(self) -> None:
        """The cloud looks different."""
        self._key = ()

    def draw(self, cloud: Cloud, places: NDArray[np.float32], matrix: NDArray[np.float32], size: tuple[int, int],
             ratio: float) -> NDArray[np.float32]:
        """Fill the raster; `size` and the matrix are in device px. Returns the screen positions (N, 3)."""
        self.raster.clear(*size)
        screen, in_view = self.raster.project(places, matrix, focal=0.0)
        plain, chosen, small, large = self._draws(cloud, in_view, ratio)
        if in_view > GLYPHS_MAX:
            self.raster.dust(screen, plain, side=max(round(2 * ratio), 2))
        else:
            self.raster.blend(screen, plain, small)
        draw_chosen(self.raster, screen, chosen, large, ratio)
        return screen

    def _draws(self, cloud: Cloud, in_view: int, ratio: float) -> tuple[Draws, Draws, Atlas, Atlas]:
        size = radius(in_view)
        key = (size, ratio)
        if self._parts is None or key != self._key or not same_arrays(self._of, cloud.drawn):
            factors = tuple(np.linspace(0.7, 1.5, SIZE_LEVELS)) if cloud.sized else (1.0,)
            small, large = sprites(size, ratio, factors), sprites(max(size, 1.6) * CHOSEN, ratio, factors)
            self._parts = _plain(cloud, small, opacity(cloud.shown_count)), _chosen(cloud, large), small, large
            self._key, self._of = key, cloud.drawn
        return self._parts


def _plain(cloud: Cloud, atlas: Atlas, opacity: float) -> Draws:
    """The points that are not selected, see-through; paler while others are selected."""
    alpha = opacity * (DIM if cloud.dims else 1.0)
    rows = np.flatnonzero(cloud.visible & ~cloud.selected).astype(np.int32)
    color = cloud.rgb[rows] | np.uint32(max(round(255 * alpha), 8) << 24)
    return Draws(rows, atlas.fill(cloud.slots[rows], cloud.levels[rows]), color)


def _chosen(cloud: Cloud, atlas: Atlas) -> Draws:
    """The selected points, opaque, each on its ink ring; of very many first all rings, then all points."""
    rows = np.flatnonzero(cloud.visible & cloud.selected).astype(np.int32)
    slots, levels = cloud.slots[rows], cloud.levels[rows]
    ink = np.full(len(rows), 0xFF000000 | int(current().ink[1:], 16), np.uint32)
    twice = np.stack([rows, rows])
    sprites = np.stack([atlas.ring(slots, levels), atlas.fill(slots, levels)])
    colors = np.stack([ink, cloud.rgb[rows] | np.uint32(0xFF000000)])
    if len(rows) <= _RINGS_ONE_BY_ONE:
        return Draws(twice.T.ravel(), sprites.T.ravel(), colors.T.ravel())
    return Draws(twice.ravel(), sprites.ravel(), colors.ravel())


def same_arrays(some: tuple[NDArray, ...], others: tuple[NDArray, ...]) -> bool:
    """Whether these are the very same arrays: the kernels trust that rows are those of the points."""
    return len(some) == len(others) and all(a is b for a, b in zip(some, others, strict=True))


def draw_chosen(raster: Raster, screen: NDArray, chosen: Draws, large: Atlas, ratio: float) -> None:
    """The selection on top; a very large one as squares on a common outline."""
    half = len(chosen) // 2
    if half <= SORTED_MAX:
        raster.blend(screen, chosen, large)
        return
    side = max(round(2 * ratio), 2)
    raster.dust(screen, chosen.take(np.arange(half)), side=side + 2 * max(round(ratio), 1))
    raster.dust(screen, chosen.take(np.arange(half, len(chosen))), side=side)


@dataclass
class PointPainter3D:
    """Draws a cloud in perspective, nearer points larger and stronger."""

    raster: Raster = field(default_factory=Raster)
    _of: tuple[NDArray, ...] = ()
    _parts: tuple[Draws, Draws] | None = None

    def forget(self) -> None:
        """The cloud looks different."""
        self._parts = None

    def draw(self, cloud: Cloud, matrix: NDArray[np.float32], focal: float, depth: tuple[float, float],
             size: tuple[int, int], ratio: float, fog: int) -> NDArray[np.float32]:
        """Fill the raster. `depth`: nearest and farthest distance of the cloud. Returns screen positions (N, 3)."""
        self.raster.clear(*size)
        screen, _ = self.raster.project(cloud.places, matrix, focal=focal)
        count = cloud.shown_count
        small, large = deep_sprites(ratio)
        if self._parts is None or not same_arrays(self._of, cloud.drawn):
            self._parts, self._of = (_plain(cloud, small, 1.0), _chosen(cloud, large)), cloud.drawn
        plain, chosen = self._parts
        if count > SORTED_MAX:
            # Opaque dots need no order; a dimmed one is mixed with the ground, not laid over what is behind it.
            self.raster.splat(screen, plain, radius=max(round(ratio), 1), near=depth[0], far=depth[1], fog=fog)
        else:
            base = min(opacity(count) * 1.3, 0.9) * (DIM if cloud.dims else 1.0)
            self.raster.blend(screen, _by_depth(plain, cloud, screen, depth, small, base), small)
        if len(chosen) // 2 <= SORTED_MAX:
            chosen = _with_levels(chosen, cloud, screen, depth, large)
        draw_chosen(self.raster, screen, chosen, large, ratio)
        return screen


def _nearness(z: NDArray, depth: tuple[float, float]) -> NDArray:
    """0 at the farthest, 1 at the nearest point."""
    return np.nan_to_num(np.clip((depth[1] - z) / max(depth[1] - depth[0], 1e-6), 0, 1))


def _by_depth(
    draws: Draws, cloud: Cloud, screen: NDArray, depth: tuple[float, float], small: Atlas, base: float
) -> Draws:
    """Back to front, sized and faded by distance."""
    order = np.argsort(-screen[draws.rows, 2], kind="stable")
    rows = draws.rows[order]
    near = _nearness(screen[rows, 2], depth)
    level = np.minimum(near * small.levels, small.levels - 1).astype(np.int32)
    alpha = np.maximum(255 * base * (FAR_OPACITY + (1 - FAR_OPACITY) * near), 8).astype(np.uint32)
    return Draws(rows, small.fill(cloud.slots[rows], level), cloud.rgb[rows] | (alpha << np.uint32(24)))


def _with_levels(draws: Draws, cloud: Cloud, screen: NDArray, depth: tuple[float, float], large: Atlas) -> Draws:
    """Selected points back to front, ring and glyph of each together, sized by distance."""
    rows = draws.rows[::2] if len(draws) // 2 <= 20_000 else draws.rows[: len(draws) // 2]
    order = np.argsort(-screen[rows, 2], kind="stable")
    rows = rows[order]
    level = np.minimum(_nearness(screen[rows, 2], depth) * large.levels, large.levels - 1).astype(np.int32)
    sprite = np.stack([large.ring(cloud.slots[rows], level), large.fill(cloud.slots[rows], level)])
    ink = draws.colors[0] if len(draws) else np.uint32(0)
    color = np.stack([np.full(len(rows), ink, np.uint32), cloud.rgb[rows] | np.uint32(0xFF000000)])
    return Draws(np.repeat(rows, 2), np.ravel(sprite, "F"), np.ravel(color, "F"))
