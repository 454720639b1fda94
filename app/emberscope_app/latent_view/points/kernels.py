"""Numba kernels of the point rasterizer. Only `rasterizer.Kernels` imports this module (and so
numba), in a thread.

Images are (H, W) uint32, premultiplied ARGB. Colors are uint32 with the opacity in the high byte
and plain RGB below. An image may be drawn in strips, each by its own thread: `image` and `ids` are
rows from `top` on then. `kernels_numpy` holds the same functions in numpy, for the seconds before
these are compiled.
"""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit

PHASES = 4            # sub-pixel positions per axis of a sprite, see `sprites.Atlas`
OFF = np.float32(-1e6)  # screen position of what lies behind the camera


@njit(cache=True, nogil=True)
def project(
    points: NDArray,
    matrix: NDArray,
    focal: float,
    cx: float,
    cy: float,
    width: int,
    height: int,
    out: NDArray,
) -> int:
    """Screen positions; returns how many lie in the image.

    points (N, 3) float32; matrix (3, 4) float32, rows x, y, depth. focal 0: the rows are pixels
    already; else perspective about (cx, cy) with y up. out (N, 3) float32: x, y in px from the top
    left corner, depth.
    """
    inside = 0
    for i in range(points.shape[0]):
        a, b, c = points[i, 0], points[i, 1], points[i, 2]
        x = matrix[0, 0] * a + matrix[0, 1] * b + matrix[0, 2] * c + matrix[0, 3]
        y = matrix[1, 0] * a + matrix[1, 1] * b + matrix[1, 2] * c + matrix[1, 3]
        z = matrix[2, 0] * a + matrix[2, 1] * b + matrix[2, 2] * c + matrix[2, 3]
        if focal > 0:
            if z > np.float32(1e-3):
                s = focal / z
                x, y = cx + x * s, cy - y * s
            else:
                x, y = OFF, OFF
        out[i, 0], out[i, 1], out[i, 2] = x, y, z
        if x >= 0 and y >= 0 and x < width and y < height:
            inside += 1
    return inside


@njit(cache=True, nogil=True)
def _over(old: np.uint32, color: np.uint32, opacity: np.uint32) -> np.uint32:
    """`color` over a premultiplied pixel; opacity 0..256."""
    rest = np.uint32(256) - opacity
    rb = (
        (color & np.uint32(0xFF00FF)) * opacity + (old & np.uint32(0xFF00FF)) * rest
    ) >> np.uint32(8)
    ag = (((color >> np.uint32(8)) & np.uint32(0xFF)) | np.uint32(0xFF0000)) * opacity
    ag = (ag + ((old >> np.uint32(8)) & np.uint32(0xFF00FF)) * rest) >> np.uint32(8)
    return (rb & np.uint32(0xFF00FF)) | ((ag & np.uint32(0xFF00FF)) << np.uint32(8))


@njit(cache=True, nogil=True)
def blend(
    image: NDArray,
    ids: NDArray,
    top: np.float32,
    screen: NDArray,
    rows: NDArray,
    sprites: NDArray,
    colors: NDArray,
    masks: NDArray,
    extents: NDArray,
) -> None:
    """Draw sprites in the order given, each over what is there; the id buffer keeps the row drawn
    last.

    rows, sprites (M,) int32; colors (M,) uint32; masks (K * PHASES**2, S, S) uint8; extents (K,)
    int32, the half size of each sprite in px. Rows whose position is not finite are left out.
    """
    height, width = image.shape
    center = masks.shape[1] // 2
    for k in range(rows.shape[0]):
        i, sprite = rows[k], sprites[k]
        if not (0 <= i < screen.shape[0] and 0 <= sprite < extents.shape[0]):
            continue  # nothing looks at the bounds of an array in here
        x, y = screen[i, 0], screen[i, 1] - top
        half = extents[sprite]
        if not (x > -half and y > -half and x < width + half and y < height + half):
            continue
        xi, yi = int(np.floor(x)), int(np.floor(y))
        mask = masks[(sprite * PHASES + int((y - yi) * PHASES)) * PHASES + int((x - xi) * PHASES)]
        color = colors[k] & np.uint32(0xFFFFFF)
        strength = colors[k] >> np.uint32(24)
        for v in range(max(-half, -yi), min(half, height - 1 - yi) + 1):
            for u in range(max(-half, -xi), min(half, width - 1 - xi) + 1):
                cover = np.uint32(mask[center + v, center + u])
                if cover == 0:
                    continue
                opacity = (cover * strength + np.uint32(254)) // np.uint32(255)
                opacity += opacity >> np.uint32(7)
                image[yi + v, xi + u] = np.uint32(_over(image[yi + v, xi + u], color, opacity))
                if cover >= 128:
                    ids[yi + v, xi + u] = i


@njit(cache=True, nogil=True)
def dust(
    image: NDArray,
    ids: NDArray,
    top: np.float32,
    screen: NDArray,
    rows: NDArray,
    colors: NDArray,
    side: int,
) -> None:
    """Squares of side x side px, see-through, in the order given: glyphs too small to show a
    shape."""
    height, width = image.shape
    back = np.float32((side - 1) / 2)
    for k in range(rows.shape[0]):
        i = rows[k]
        if not 0 <= i < screen.shape[0]:
            continue
        y = screen[i, 1] - back - top
        if not (y > -side and y < height):
            continue
        x = screen[i, 0] - back
        if not (x > -side and x < width):
            continue
        xi, yi = int(x + side) - side, int(y + side) - side  # rounds down, cheaper than floor
        color = colors[k] & np.uint32(0xFFFFFF)
        opacity = colors[k] >> np.uint32(24)
        opacity += opacity >> np.uint32(7)
        for v in range(max(yi, 0), min(yi + side, height)):
            for u in range(max(xi, 0), min(xi + side, width)):
                image[v, u] = np.uint32(_over(image[v, u], color, opacity))
                ids[v, u] = i


@njit(cache=True, nogil=True)
def splat(
    image: NDArray,
    ids: NDArray,
    depth: NDArray,
    top: np.float32,
    screen: NDArray,
    rows: NDArray,
    colors: NDArray,
    radius: int,
    near: np.float32,
    far: np.float32,
    fog: np.uint32,
) -> None:
    """Opaque square dots with a depth buffer, fading into `fog` with distance: one pass, no
    sorting.

    depth (H, W) float32, +inf where empty. radius in px (0 = one pixel). fog: uint32 0x00RRGGBB.
    """
    height, width = image.shape
    reach = radius + 1
    scale = np.float32(154) / max(far - near, np.float32(1e-6))  # at `far` 60 % fog
    for k in range(rows.shape[0]):
        i = rows[k]
        if not 0 <= i < screen.shape[0]:
            continue
        y = screen[i, 1] - top
        if not (y > -reach and y < height + reach):
            continue
        x, z = screen[i, 0], screen[i, 2]
        if not (x > -reach and x < width + reach):
            continue
        xi, yi = int(x + reach) - reach, int(y + reach) - reach
        part = np.uint32(min(max((z - near) * scale, np.float32(0)), np.float32(154)))
        strength = ((colors[k] >> np.uint32(24)) + np.uint32(1)) * (
            np.uint32(256) - part
        ) >> np.uint32(8)
        color = np.uint32(
            _over(fog | np.uint32(0xFF000000), colors[k] & np.uint32(0xFFFFFF), strength)
        )
        for v in range(max(yi - radius, 0), min(yi + radius + 1, height)):
            for u in range(max(xi - radius, 0), min(xi + radius + 1, width)):
                if z < depth[v, u]:
                    depth[v, u] = z
                    image[v, u] = color
                    ids[v, u] = i
