"""How a cloud is drawn: glyphs while each can be seen, small squares above, the selection last."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope_app.latent_view.points.draws import DIM, alpha_of, chosen, plain, rows_in
from emberscope_app.latent_view.points.rasterizer import AS_IS, Draws, Raster
from emberscope_app.latent_view.points.sprites import CHOSEN, RADIUS, Atlas, deep_sprites, sprites
from emberscope_app.state.points.looks import Still
from emberscope_app.state.points.placing import SIZE_LEVELS

GLYPHS_MAX = 250_000  # points in view above which shapes are gone
SQUARES_MAX = 4_000_000  # points in view above which each is a single pixel
_REACH = 8  # px from a point to where its glyph may end
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


def speck(in_view: int, ratio: float) -> tuple[float, int]:
    """Of a point among so many that none shows its shape: how many times as opaque it is as a
    larger one, and its side in device px."""
    if in_view > SQUARES_MAX:
        return 2.0, max(round(ratio), 1)
    return 1.0, max(round(2 * ratio), 2)


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
        self._kept: _Glyphs | None = None  # what does not depend on the view

    def draw(
        self,
        raster: Raster,
        still: Still,
        points: NDArray[np.float32],
        view: NDArray[np.float32],
        size: tuple[int, int],
        ratio: float,
    ) -> None:
        """Fill a raster with points (3, N); `size` and the view are in device px. Of more points
        than have glyphs nothing is kept: those in view are looked for each time."""
        raster.clear(*size)
        many = points.shape[1] > GLYPHS_MAX
        margin = round(_REACH * ratio) if many else 0
        seen = raster.in_view(points, view, still.visible, margin=margin)
        in_view, among = int(np.count_nonzero(seen)), seen if many else still.visible
        strength = opacity(in_view if many else still.shown_count)
        glyphs = self._glyphs(still, among, strength, (radius(in_view), ratio))
        if glyphs.plain is not None:
            raster.blend(points, view, glyphs.plain, glyphs.small)
        else:
            more, side = speck(in_view, ratio)
            alpha = alpha_of(still, more * strength)
            others = among > still.selected  # True is more than False
            raster.specks(points, view, others, still.rgb, alpha=alpha, side=side)
        if glyphs.chosen is not None:
            raster.blend(points, view, glyphs.chosen, glyphs.large)
        else:
            draw_outlined(raster, still, points, view, among & still.selected, ratio)

    def _glyphs(
        self, still: Still, among: NDArray[np.bool_], strength: float, key: tuple[float, float]
    ) -> "_Glyphs":
        if among is not still.visible:
            self._kept = None
            return _glyphs_of(still, among, strength, key)
        if self._kept is None or self._kept.key != key or not still.same(self._kept.of):
            self._kept = _glyphs_of(still, among, strength, key)
        return self._kept


class _Glyphs(NamedTuple):
    """key : radius and pixel ratio. plain, chosen : None of too many."""

    of: Still
    key: tuple[float, float]
    plain: Draws | None
    chosen: Draws | None
    small: Atlas
    large: Atlas


def _glyphs_of(
    still: Still, among: NDArray[np.bool_], strength: float, key: tuple[float, float]
) -> _Glyphs:
    """Of the points in a mask."""
    size, ratio = key
    factors = tuple(np.linspace(0.7, 1.5, SIZE_LEVELS)) if still.sized else (1.0,)
    small = sprites(size, ratio, factors)
    large = sprites(max(size, 1.6) * CHOSEN, ratio, factors)
    ringed, some, rings = among & still.selected, None, None
    if np.count_nonzero(among) <= GLYPHS_MAX:
        some = plain(still, rows_in(among > ringed), small, strength)
    if np.count_nonzero(ringed) <= SORTED_MAX:
        rings = chosen(still, rows_in(ringed), large)
    return _Glyphs(still, key, some, rings, small, large)


def same_arrays(some: tuple[NDArray, ...], others: tuple[NDArray, ...]) -> bool:
    """Whether these are the very same arrays: the kernels trust that rows are those of the
    points."""
    return len(some) == len(others) and all(a is b for a, b in zip(some, others, strict=True))


def draw_outlined(
    raster: Raster, still: Still, points: NDArray, view: NDArray, mask: NDArray[np.bool_],
    ratio: float,
) -> None:  # fmt: skip
    """A very large selection: squares on a common outline."""
    _, side = speck(int(np.count_nonzero(mask)), ratio)
    ink = np.array([still.ink], np.uint32)
    wider = side + 2 * max(round(ratio), 1)
    raster.specks(points, view, mask, ink, alpha=255, side=wider)
    raster.specks(points, view, mask, still.rgb, alpha=255, side=side)


class PointPainter3D(_Painter):
    """Draws a cloud in perspective, nearer points larger and stronger."""

    def __init__(self) -> None:
        super().__init__()
        # What does not depend on the view: draws of the others, and which are selected
        self._kept: tuple[Still, Draws, NDArray[np.bool_], NDArray[np.int32]] | None = None

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
        positions (3, N)."""
        raster.clear(*size)
        screen = raster.project(still.places.T, matrix, focal=focal)
        count = still.shown_count
        small, large = deep_sprites(ratio)
        kept = self._kept
        if kept is None or not still.same(kept[0]):
            mask = still.visible & still.selected
            others = plain(still, rows_in(still.visible > mask), small, 1.0)
            kept = self._kept = still, others, mask, rows_in(mask)
        _, some, mask, rows = kept
        if count > SORTED_MAX:
            # Opaque dots need no order; a dimmed one is mixed with the ground, not laid over what
            # is behind it.
            raster.splat(
                screen, some, radius=max(round(ratio), 1), near=depth[0], far=depth[1], fog=fog
            )
        else:
            base = min(opacity(count) * 1.3, 0.9) * (DIM if still.dims else 1.0)
            raster.blend(screen, AS_IS, _by_depth(some, still, screen, depth, small, base), small)
        if len(rows) <= SORTED_MAX:
            raster.blend(screen, AS_IS, _chosen_by_depth(rows, still, screen, depth, large), large)
        else:
            draw_outlined(raster, still, screen, AS_IS, mask, ratio)
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
    order = np.argsort(-screen[2, draws.rows], kind="stable")
    rows = draws.rows[order]
    near = _nearness(screen[2, rows], depth)
    level = np.minimum(near * small.levels, small.levels - 1).astype(np.int32)
    alpha = np.maximum(255 * base * (FAR_OPACITY + (1 - FAR_OPACITY) * near), 8).astype(np.uint32)
    return Draws(
        rows, small.fill(still.slots[rows], level), still.rgb[rows] | (alpha << np.uint32(24))
    )


def _chosen_by_depth(
    rows: NDArray[np.int32], still: Still, screen: NDArray, depth: tuple[float, float], large: Atlas
) -> Draws:
    """Selected points back to front, ring and glyph of each together, sized by distance."""
    rows = rows[np.argsort(-screen[2, rows], kind="stable")]
    level = np.minimum(_nearness(screen[2, rows], depth) * large.levels, large.levels - 1).astype(
        np.int32
    )
    sprite = np.stack([large.ring(still.slots[rows], level), large.fill(still.slots[rows], level)])
    ink = np.full(len(rows), 0xFF000000 | still.ink, np.uint32)
    color = np.stack([ink, still.rgb[rows] | np.uint32(0xFF000000)])
    return Draws(np.repeat(rows, 2), np.ravel(sprite, "F"), np.ravel(color, "F"))
