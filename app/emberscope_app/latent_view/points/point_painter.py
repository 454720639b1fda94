"""How a cloud is drawn: glyphs while each can be seen, small squares above, the selection last."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope_app.latent_view.points.draws import DIM, chosen, plain
from emberscope_app.latent_view.points.rasterizer import Draws, Raster
from emberscope_app.latent_view.points.sprites import CHOSEN, RADIUS, Atlas, deep_sprites, sprites
from emberscope_app.state.points.looks import Still
from emberscope_app.state.points.placing import SIZE_LEVELS

GLYPHS_MAX = 250_000  # points in view above which shapes are gone
SORTED_MAX = 50_000   # points that are drawn back to front in 3-D; a depth buffer above
FAR_OPACITY = 0.4


def opacity(count: int) -> float:
    """Of a plain point among `count`: 0.6 up to 3 000, falling to 0.12."""
    return float(np.clip(0.6 * (3000 / max(count, 1)) ** 0.3, 0.12, 0.6 if count > 3000 else 0.75))


def radius(in_view: int) -> float:
    """px, in quarters, so that a zoom does not make new sprites at every step."""
    if in_view <= 20_000:
        return RADIUS
    return max(round(4 * RADIUS * (20_000 / in_view) ** 0.25) / 4, 1.0)


class _Painter:
    """Keeps the image on show, `raster`, and others to draw the next one into, maybe in a
    thread."""

    def __init__(self) -> None:
        self.raster = Raster()
        self._spare: list[Raster] = []

    def spare(self) -> Raster:
        """One that nobody else draws into."""
        return self._spare.pop() if self._spare else Raster()

    def show(self, raster: Raster) -> None:
        """This is on show from now on."""
        self._spare = [self.raster]
        self.raster = raster


class PointPainter2D(_Painter):
    """Draws a cloud in the plane."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: _Kept2D | None = None  # what does not depend on the view

    def draw(
        self,
        raster: Raster,
        still: Still,
        places: NDArray[np.float32],
        matrix: NDArray[np.float32],
        size: tuple[int, int],
        ratio: float,
    ) -> NDArray[np.float32]:
        """Fill a raster; `size` and the matrix are in device px. Returns the screen positions (N,
        3)."""
        raster.clear(*size)
        screen, in_view = raster.project(places, matrix, focal=0.0)
        _, _, some, selected, small, large = self._draws(still, in_view, ratio)
        if in_view > GLYPHS_MAX:
            raster.dust(screen, some, side=max(round(2 * ratio), 2))
        else:
            raster.blend(screen, some, small)
        draw_chosen(raster, screen, selected, large, ratio)
        return screen

    def _draws(self, still: Still, in_view: int, ratio: float) -> "_Kept2D":
        size, kept = radius(in_view), self._kept
        if kept is None or kept.key != (size, ratio) or not still.same(kept.of):
            factors = tuple(np.linspace(0.7, 1.5, SIZE_LEVELS)) if still.sized else (1.0,)
            small, large = (
                sprites(size, ratio, factors),
                sprites(max(size, 1.6) * CHOSEN, ratio, factors),
            )
            some = plain(still, small, opacity(still.shown_count))
            kept = self._kept = _Kept2D(
                still, (size, ratio), some, chosen(still, large), small, large
            )
        return kept


class _Kept2D(NamedTuple):
    of: Still
    key: tuple[float, float]
    plain: Draws
    chosen: Draws
    small: Atlas
    large: Atlas


def same_arrays(some: tuple[NDArray, ...], others: tuple[NDArray, ...]) -> bool:
    """Whether these are the very same arrays: the kernels trust that rows are those of the
    points."""
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


class PointPainter3D(_Painter):
    """Draws a cloud in perspective, nearer points larger and stronger."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: tuple[Still, Draws, Draws] | None = None  # what does not depend on the view

    def draw(
        self,
        raster: Raster,
        still: Still,
        matrix: NDArray[np.float32],
        focal: float,
        depth: tuple[float, float],
        size: tuple[int, int],
        ratio: float,
        fog: int,
    ) -> NDArray[np.float32]:
        """Fill a raster. `depth`: nearest and farthest distance of the cloud. Returns screen
        positions (N, 3)."""
        raster.clear(*size)
        screen, _ = raster.project(still.places, matrix, focal=focal)
        count = still.shown_count
        small, large = deep_sprites(ratio)
        kept = self._kept
        if kept is None or not still.same(kept[0]):
            kept = self._kept = still, plain(still, small, 1.0), chosen(still, large)
        _, some, selected = kept
        if count > SORTED_MAX:
            # Opaque dots need no order; a dimmed one is mixed with the ground, not laid over what
            # is behind it.
            raster.splat(
                screen, some, radius=max(round(ratio), 1), near=depth[0], far=depth[1], fog=fog
            )
        else:
            base = min(opacity(count) * 1.3, 0.9) * (DIM if still.dims else 1.0)
            raster.blend(screen, _by_depth(some, still, screen, depth, small, base), small)
        if len(selected) // 2 <= SORTED_MAX:
            selected = _with_levels(selected, still, screen, depth, large)
        draw_chosen(raster, screen, selected, large, ratio)
        return screen


def _nearness(z: NDArray, depth: tuple[float, float]) -> NDArray:
    """0 at the farthest, 1 at the nearest point."""
    return np.nan_to_num(np.clip((depth[1] - z) / max(depth[1] - depth[0], 1e-6), 0, 1))


def _by_depth(
    draws: Draws,
    still: Still,
    screen: NDArray,
    depth: tuple[float, float],
    small: Atlas,
    base: float,
) -> Draws:
    """Back to front, sized and faded by distance."""
    order = np.argsort(-screen[draws.rows, 2], kind="stable")
    rows = draws.rows[order]
    near = _nearness(screen[rows, 2], depth)
    level = np.minimum(near * small.levels, small.levels - 1).astype(np.int32)
    alpha = np.maximum(255 * base * (FAR_OPACITY + (1 - FAR_OPACITY) * near), 8).astype(np.uint32)
    return Draws(
        rows, small.fill(still.slots[rows], level), still.rgb[rows] | (alpha << np.uint32(24))
    )


def _with_levels(
    draws: Draws, still: Still, screen: NDArray, depth: tuple[float, float], large: Atlas
) -> Draws:
    """Selected points back to front, ring and glyph of each together, sized by distance."""
    rows = draws.rows[::2] if len(draws) // 2 <= 20_000 else draws.rows[: len(draws) // 2]
    order = np.argsort(-screen[rows, 2], kind="stable")
    rows = rows[order]
    level = np.minimum(_nearness(screen[rows, 2], depth) * large.levels, large.levels - 1).astype(
        np.int32
    )
    sprite = np.stack([large.ring(still.slots[rows], level), large.fill(still.slots[rows], level)])
    ink = draws.colors[0] if len(draws) else np.uint32(0)
    color = np.stack([np.full(len(rows), ink, np.uint32), still.rgb[rows] | np.uint32(0xFF000000)])
    return Draws(np.repeat(rows, 2), np.ravel(sprite, "F"), np.ravel(color, "F"))
