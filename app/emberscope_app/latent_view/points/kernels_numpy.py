"""The kernels in numpy, for the seconds until numba's are compiled. At most `LIMIT` points a
call."""

import numpy as np
from numpy.typing import NDArray

PHASES = 4
OFF = np.float32(-1e6)
# Every k-th point is drawn above this: a thin map for a second, instead of a window that waits
LIMIT = 5_000


Strip = tuple[NDArray, NDArray, np.float32]


def project(
    points: NDArray,
    part: tuple[int, int],
    matrix: NDArray,
    focal: float,
    middle: tuple[float, float],
    out: NDArray,
) -> None:
    """Screen positions; see `kernels.project`."""
    some = slice(*part)
    a, b, c = points[:, some]
    for k in range(3):  # a matrix product this thin is five times slower
        out[k, some] = matrix[k, 0] * a + matrix[k, 1] * b + matrix[k, 2] * c + matrix[k, 3]
    x, y, z = out[:, some]
    behind = ~(z > 1e-3)
    scale = focal / np.where(behind, np.float32(1), z)
    x[:] = np.where(behind, OFF, middle[0] + x * scale)
    y[:] = np.where(behind, OFF, middle[1] - y * scale)


def in_view(
    points: NDArray,
    part: tuple[int, int],
    view: NDArray,
    mask: NDArray,
    size: tuple[int, int],
    margin: int,
    out: NDArray,
) -> None:
    """Which points are on the image; see `kernels.in_view`."""
    some = slice(*part)
    x, y = _at(points[:, some], view)
    out[some] = (x >= -margin) & (y >= -margin) & mask[some]
    out[some] &= (x < size[0] + margin) & (y < size[1] + margin)


def _at(points: NDArray, view: NDArray) -> tuple[NDArray, NDArray]:
    return points[0] * view[0] + view[1], points[1] * view[2] + view[3]


def _over(
    old: NDArray[np.uint32], color: NDArray[np.uint32], opacity: NDArray[np.uint32] | np.uint32
) -> NDArray[np.uint32]:
    rest = np.uint32(256) - opacity
    low = np.uint32(0xFF00FF)
    rb = ((color & low) * opacity + (old & low) * rest) >> np.uint32(8)
    ag = (((color >> np.uint32(8)) & np.uint32(0xFF)) | np.uint32(0xFF0000)) * opacity
    ag = (ag + ((old >> np.uint32(8)) & low) * rest) >> np.uint32(8)
    return (rb & low) | ((ag & low) << np.uint32(8))


def _thin(count: int) -> slice:
    return slice(None, None, 1 + (count - 1) // LIMIT) if count else slice(None)


def blend(
    strip: Strip,
    points: NDArray,
    view: NDArray,
    rows: NDArray,
    sprites: NDArray,
    colors: NDArray,
    atlas: tuple[NDArray, NDArray],
) -> None:
    """Sprites over the image, one sprite pixel at a time; of points that meet in a pixel the last
    one counts."""
    image, ids, top = strip
    masks, extents = atlas
    some = _thin(len(rows))
    rows, sprites, colors = rows[some], sprites[some], colors[some]
    height, width = image.shape
    half = int(extents[sprites].max(initial=0))
    x, y = _at(points[:, rows], view)
    y = y - top
    keep = (x > -half) & (y > -half) & (x < width + half) & (y < height + half)
    rows, sprites, colors, x, y = (
        rows[keep],
        sprites[keep].astype(np.int64),
        colors[keep],
        x[keep],
        y[keep],
    )
    xi, yi = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    phase = ((y - yi) * PHASES).astype(np.int64) * PHASES + ((x - xi) * PHASES).astype(np.int64)
    mask = sprites * PHASES**2 + phase
    center = masks.shape[1] // 2
    for v in range(-half, half + 1):
        for u in range(-half, half + 1):
            cover = masks[mask, center + v, center + u].astype(np.uint32)
            xx, yy = xi + u, yi + v
            hit = np.flatnonzero((cover > 0) & (xx >= 0) & (yy >= 0) & (xx < width) & (yy < height))
            opacity = (cover[hit] * (colors[hit] >> np.uint32(24)) + np.uint32(254)) // np.uint32(
                255
            )
            opacity += opacity >> np.uint32(7)
            at = (yy[hit], xx[hit])
            image[at] = _over(image[at], colors[hit] & np.uint32(0xFFFFFF), opacity)
            full = cover[hit] >= 128
            ids[at[0][full], at[1][full]] = rows[hit][full]


def specks(
    strip: Strip,
    points: NDArray,
    view: NDArray,
    mask: NDArray,
    rgb: NDArray,
    opacity: np.uint32,
    side: int,
) -> None:
    """See-through squares; see `kernels.specks`."""
    image, ids, top = strip
    rows = np.flatnonzero(mask)
    rows = rows[_thin(len(rows))]
    height, width = image.shape
    x, y = _at(points[:, rows], view)
    back = np.float32((side - 1) / 2)
    x, y = x - back, y - back - top
    keep = (x >= -side) & (y >= -side) & (x < width) & (y < height)
    rows, xi, yi = rows[keep], *(np.floor(at[keep]).astype(np.int64) for at in (x, y))
    colors = rgb[np.minimum(rows, len(rgb) - 1)]
    for v in range(side):
        for u in range(side):
            hit = (xi + u >= 0) & (yi + v >= 0) & (xi + u < width) & (yi + v < height)
            at = (yi[hit] + v, xi[hit] + u)
            image[at] = _over(image[at], colors[hit], opacity)
            ids[at] = rows[hit]


def splat(
    strip: Strip,
    depth: NDArray,
    screen: NDArray,
    rows: NDArray,
    colors: NDArray,
    radius: int,
    fog: tuple[np.float32, np.float32, np.uint32],
) -> None:
    """Opaque dots, far ones first; see `kernels.splat`."""
    image, ids, top = strip
    near, far, haze = fog
    some = _thin(len(rows))
    rows, colors = rows[some], colors[some]
    height, width = image.shape
    order = np.argsort(-screen[2, rows], kind="stable")
    rows, colors = rows[order], colors[order]
    x, y, z = screen[:, rows]
    xi, yi = np.floor(x).astype(np.int64), np.floor(y - top).astype(np.int64)
    part = np.clip(
        (z - near) * (np.float32(154) / max(far - near, np.float32(1e-6))), 0, 154
    ).astype(np.uint32)
    strength = ((colors >> np.uint32(24)) + np.uint32(1)) * (np.uint32(256) - part) >> np.uint32(8)
    shade = _over(
        np.full(len(rows), haze | np.uint32(0xFF000000)), colors & np.uint32(0xFFFFFF), strength
    )
    for v in range(-radius, radius + 1):
        for u in range(-radius, radius + 1):
            hit = np.flatnonzero(
                (xi + u >= 0) & (yi + v >= 0) & (xi + u < width) & (yi + v < height)
            )
            hit = hit[z[hit] < depth[yi[hit] + v, xi[hit] + u]]
            at = (yi[hit] + v, xi[hit] + u)
            depth[at], image[at], ids[at] = z[hit], shade[hit], rows[hit]
