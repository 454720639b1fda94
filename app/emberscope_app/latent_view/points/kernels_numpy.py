"""The kernels in numpy, for the seconds until numba's are compiled. At most `LIMIT` points a
call."""

import numpy as np
from numpy.typing import NDArray

PHASES = 4
OFF = np.float32(-1e6)
# Every k-th point is drawn above this: a thin map for a second, instead of a window that waits
LIMIT = 5_000


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
    """Screen positions; see `kernels.project`."""
    a, b, c = points.T
    for k in range(3):  # a matrix product this thin is five times slower
        out[:, k] = matrix[k, 0] * a + matrix[k, 1] * b + matrix[k, 2] * c + matrix[k, 3]
    if focal > 0:
        behind = out[:, 2] <= 1e-3
        scale = focal / np.where(behind, np.float32(1), out[:, 2])
        out[:, 0] = np.where(behind, OFF, cx + out[:, 0] * scale)
        out[:, 1] = np.where(behind, OFF, cy - out[:, 1] * scale)
    x, y = out[:, 0], out[:, 1]
    return int(np.count_nonzero((x >= 0) & (y >= 0) & (x < width) & (y < height)))


def _over(
    old: NDArray[np.uint32], color: NDArray[np.uint32], opacity: NDArray[np.uint32]
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
    """Sprites over the image, one sprite pixel at a time; of points that meet in a pixel the last
    one counts."""
    some = _thin(len(rows))
    rows, sprites, colors = rows[some], sprites[some], colors[some]
    height, width = image.shape
    half = int(extents[sprites].max(initial=0))
    x, y = screen[rows, 0], screen[rows, 1] - top
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


def dust(
    image: NDArray,
    ids: NDArray,
    top: np.float32,
    screen: NDArray,
    rows: NDArray,
    colors: NDArray,
    side: int,
) -> None:
    """See-through squares; see `kernels.dust`."""
    some = _thin(len(rows))
    rows, colors = rows[some], colors[some]
    height, width = image.shape
    x, y = (
        screen[rows, 0] - np.float32((side - 1) / 2),
        screen[rows, 1] - np.float32((side - 1) / 2) - top,
    )
    xi, yi = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    opacity = colors >> np.uint32(24)
    opacity += opacity >> np.uint32(7)
    for v in range(side):
        for u in range(side):
            hit = (xi + u >= 0) & (yi + v >= 0) & (xi + u < width) & (yi + v < height)
            at = (yi[hit] + v, xi[hit] + u)
            image[at] = _over(image[at], colors[hit] & np.uint32(0xFFFFFF), opacity[hit])
            ids[at] = rows[hit]


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
    """Opaque dots, far ones first; see `kernels.splat`."""
    some = _thin(len(rows))
    rows, colors = rows[some], colors[some]
    height, width = image.shape
    order = np.argsort(-screen[rows, 2], kind="stable")
    rows, colors = rows[order], colors[order]
    x, y, z = screen[rows].T
    xi, yi = np.floor(x).astype(np.int64), np.floor(y - top).astype(np.int64)
    part = np.clip(
        (z - near) * (np.float32(154) / max(far - near, np.float32(1e-6))), 0, 154
    ).astype(np.uint32)
    strength = ((colors >> np.uint32(24)) + np.uint32(1)) * (np.uint32(256) - part) >> np.uint32(8)
    shade = _over(
        np.full(len(rows), fog | np.uint32(0xFF000000)), colors & np.uint32(0xFFFFFF), strength
    )
    for v in range(-radius, radius + 1):
        for u in range(-radius, radius + 1):
            hit = np.flatnonzero(
                (xi + u >= 0) & (yi + v >= 0) & (xi + u < width) & (yi + v < height)
            )
            hit = hit[z[hit] < depth[yi[hit] + v, xi[hit] + u]]
            at = (yi[hit] + v, xi[hit] + u)
            depth[at], image[at], ids[at] = z[hit], shade[hit], rows[hit]
