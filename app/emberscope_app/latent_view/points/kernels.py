"""Numba kernels of the point rasterizer. Only `rasterizer.Kernels` imports this module (and so
numba), in a thread.

Points are (3, N) float32, an axis along memory. Where they go on the image says `view` (4,)
float32, scale and shift of x, then of y; a point that is no number goes nowhere. Images are (H, W)
uint32, premultiplied ARGB. Colors are uint32 with the opacity in the high byte and plain RGB below.
An image may be drawn in strips, each by its own thread: a strip is (image, ids, top), rows from
`top` on. `kernels_numpy` holds the same functions in numpy, for the seconds before these are
compiled.
"""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit

PHASES = 4            # sub-pixel positions per axis of a sprite, see `sprites.Atlas`
OFF = np.float32(-1e6)  # screen position of what lies behind the camera
_BLOCK = 1024         # points that are looked at before any of them is drawn


@njit(cache=True, nogil=True)
def project(
    points: NDArray,
    part: tuple[int, int],
    matrix: NDArray,
    focal: float,
    middle: tuple[float, float],
    out: NDArray,
) -> None:
    """Screen positions in perspective of a part of the points, from one to before another.

    matrix (3, 4) float32, rows x, y, depth. middle: of the image, y is up from there. out (3, N)
    float32: x, y in px from the top left corner, depth.
    """
    for i in range(part[0], part[1]):
        a, b, c = points[0, i], points[1, i], points[2, i]
        x = matrix[0, 0] * a + matrix[0, 1] * b + matrix[0, 2] * c + matrix[0, 3]
        y = matrix[1, 0] * a + matrix[1, 1] * b + matrix[1, 2] * c + matrix[1, 3]
        z = matrix[2, 0] * a + matrix[2, 1] * b + matrix[2, 2] * c + matrix[2, 3]
        if z > np.float32(1e-3):
            s = focal / z
            x, y = middle[0] + x * s, middle[1] - y * s
        else:
            x, y = OFF, OFF
        out[0, i], out[1, i], out[2, i] = x, y, z


@njit(cache=True, nogil=True)
def in_view(
    points: NDArray,
    part: tuple[int, int],
    view: NDArray,
    mask: NDArray,
    size: tuple[int, int],
    margin: int,
    out: NDArray,
) -> None:
    """Which of a part of the points are in the mask (N,) and on an image of this width and height,
    or so near to it. out : (N,) bool."""
    first, last = part
    xs, ys, some = points[0, first:last], points[1, first:last], mask[first:last]
    found, low = out[first:last], np.float32(-margin)
    right, bottom = np.float32(size[0] + margin), np.float32(size[1] + margin)
    for i in range(len(found)):  # without a branch: eight and more at once
        x, y = xs[i] * view[0] + view[1], ys[i] * view[2] + view[3]
        found[i] = (x >= low) & (y >= low) & (x < right) & (y < bottom) & some[i]


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
    strip: tuple[NDArray, NDArray, np.float32],
    points: NDArray,
    view: NDArray,
    rows: NDArray,
    sprites: NDArray,
    colors: NDArray,
    atlas: tuple[NDArray, NDArray],
) -> None:
    """Draw sprites in the order given, each over what is there; the id buffer keeps the row drawn
    last.

    rows, sprites (M,) int32; colors (M,) uint32; atlas: masks (K * PHASES**2, S, S) uint8, and
    extents (K,) int32, the half size of each sprite in px.
    """
    image, ids, top = strip
    masks, extents = atlas
    height, width = image.shape
    center = masks.shape[1] // 2
    for k in range(rows.shape[0]):
        i, sprite = rows[k], sprites[k]
        if not (0 <= i < points.shape[1] and 0 <= sprite < extents.shape[0]):
            continue  # nothing looks at the bounds of an array in here
        x, y = points[0, i] * view[0] + view[1], points[1, i] * view[2] + view[3] - top
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
def _pixels_of(
    xs: NDArray, ys: NDArray, view: NDArray, mask: NDArray, reach: tuple[float, float, float],
    wide: int, out: NDArray,
) -> None:
    """Number of the pixel that each point goes to, -1 where none. reach : the first row, and the
    ends of rows and columns. Without a branch: many at once."""
    first, bottom, right = reach
    start = np.int32(first) * np.int32(wide)
    for j in range(len(mask)):
        x, y = xs[j] * view[0] + view[1], ys[j] * view[2] + view[3]
        inside = (y >= first) & (y < bottom) & (x >= np.float32(0)) & (x < right) & mask[j]
        x, y = x if inside else np.float32(0), y if inside else first
        at = np.int32(y) * np.int32(wide) + np.int32(x) - start
        out[j] = at if inside else np.int32(-1)


@njit(cache=True, nogil=True)
def specks(
    strip: tuple[NDArray, NDArray, np.float32],
    points: NDArray,
    view: NDArray,
    mask: NDArray,
    rgb: NDArray,
    opacity: np.uint32,
    side: int,
) -> None:
    """Squares of side x side px of the points in the mask, see-through, in their order: glyphs too
    small to show a shape, of very many points.

    rgb (N,) uint32, or (1,) of them all. Color and id of a pixel lie beside each other meanwhile,
    with a border as wide as a square, so that a point touches few places of the memory and asks
    for no edge. Indices are unsigned: numba does not ask whether they count from the end.
    """
    image, ids, top = strip
    height, width = image.shape
    wide, last = width + 2 * side, min(points.shape[1], len(mask))
    pixels = np.empty((height + 2 * side, wide), np.uint64)
    for v in range(height):
        for u in range(width):
            pixels[v + side, u + side] = _named(np.uint32(ids[v, u]), image[v, u])
    flat, square = pixels.ravel(), np.empty(side * side, np.uint64)
    for k in range(side * side):
        square[k] = k // side * wide + k % side
    shift = np.float32(side) - np.float32((side - 1) / 2)
    there = view + np.array([0, shift, 0, shift], np.float32)
    reach = top, top + np.float32(height + side), np.float32(width + side)
    at, near = np.empty(_BLOCK, np.int32), np.empty(_BLOCK + 1, np.uint64)
    for start in range(0, last, _BLOCK):
        stop = min(start + _BLOCK, last)
        xs, ys, some = points[0, start:stop], points[1, start:stop], mask[start:stop]
        _pixels_of(xs, ys, there, some, reach, wide, at)
        count = np.uint64(0)
        for j in range(stop - start):  # those of this strip, without a branch nobody can foresee
            near[count] = j
            count += np.uint64(at[j] >= 0)
        for j in near[:count]:
            i, first = np.uint64(start) + j, np.uint64(np.uint32(at[j]))
            color = rgb[min(i, np.uint64(len(rgb) - 1))]
            for offset in square:
                p = first + offset
                flat[p] = _named(i, np.uint32(_over(np.uint32(flat[p]), color, opacity)))
    for v in range(height):
        for u in range(width):
            image[v, u] = np.uint32(pixels[v + side, u + side])
            ids[v, u] = np.int32(pixels[v + side, u + side] >> np.uint64(32))


@njit(cache=True, nogil=True)
def _named(row: np.uint64, color: np.uint32) -> np.uint64:
    return np.uint64(row) << np.uint64(32) | np.uint64(color)


@njit(cache=True, nogil=True)
def splat(
    strip: tuple[NDArray, NDArray, np.float32],
    depth: NDArray,
    screen: NDArray,
    rows: NDArray,
    colors: NDArray,
    radius: int,
    fog: tuple[np.float32, np.float32, np.uint32],
) -> None:
    """Opaque square dots with a depth buffer, fading with distance: one pass, no sorting.

    depth (H, W) float32, +inf where empty. screen (3, N) as `project` makes it. radius in px (0 =
    one pixel). fog: depth where it begins and where it is thickest, color 0x00RRGGBB.
    """
    image, ids, top = strip
    near, far, haze = fog
    height, width = image.shape
    reach = radius + 1
    scale = np.float32(154) / max(far - near, np.float32(1e-6))  # at `far` 60 % fog
    for k in range(rows.shape[0]):
        i = rows[k]
        if not 0 <= i < screen.shape[1]:
            continue
        y = screen[1, i] - top
        if not (y > -reach and y < height + reach):
            continue
        x, z = screen[0, i], screen[2, i]
        if not (x > -reach and x < width + reach):
            continue
        xi, yi = int(x + reach) - reach, int(y + reach) - reach
        part = np.uint32(min(max((z - near) * scale, np.float32(0)), np.float32(154)))
        strength = ((colors[k] >> np.uint32(24)) + np.uint32(1)) * (
            np.uint32(256) - part
        ) >> np.uint32(8)
        color = np.uint32(
            _over(haze | np.uint32(0xFF000000), colors[k] & np.uint32(0xFFFFFF), strength)
        )
        for v in range(max(yi - radius, 0), min(yi + radius + 1, height)):
            for u in range(max(xi - radius, 0), min(xi + radius + 1, width)):
                if z < depth[v, u]:
                    depth[v, u] = z
                    image[v, u] = color
                    ids[v, u] = i
