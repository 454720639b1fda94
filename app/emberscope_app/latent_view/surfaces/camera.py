"""The camera of the 3-D map: a turntable around a center, axis 2 up. Plain numbers, no Qt."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

FIELD_OF_VIEW = np.radians(32.0)
_STEEPEST = np.radians(89.0)


@dataclass
class Camera:
    """azimuth and elevation in radians, distance in map units; `center` is what it looks at."""

    azimuth: float = np.radians(-30.0)
    elevation: float = np.radians(10.0)
    distance: float = 5.0
    center: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))

    def axes(self) -> NDArray[np.float64]:
        """Rows: right, up, forward, as unit vectors of the map."""
        ca, sa, ce, se = (
            np.cos(self.azimuth),
            np.sin(self.azimuth),
            np.cos(self.elevation),
            np.sin(self.elevation),
        )
        forward = np.array([sa * ce, -se, -ca * ce])
        right = np.array([ca, 0.0, sa])
        return np.array([right, np.cross(right, forward), forward])

    def matrix(self) -> NDArray[np.float32]:
        """(3, 4): x, y, depth of a map point as the rasterizer takes them."""
        axes = self.axes()
        shift = -axes @ self.center
        shift[2] += self.distance
        return np.column_stack([axes, shift]).astype(np.float32)

    def focal(self, height: float) -> float:
        """px a unit at depth 1, for an image of this height."""
        return float(height / 2 / np.tan(FIELD_OF_VIEW / 2))

    def project(self, points: NDArray, width: float, height: float) -> NDArray[np.float64]:
        """(N, 3) px from the top left corner and depth: for the few points of overlays."""
        x, y, z = (np.asarray(points, float) @ self.matrix()[:, :3].T + self.matrix()[:, 3]).T
        scale = self.focal(height) / np.maximum(z, 1e-3)
        return np.column_stack([width / 2 + x * scale, height / 2 - y * scale, z])

    def orbit(self, dx: float, dy: float) -> None:
        """Turn by a drag in px."""
        self.azimuth = float((self.azimuth - dx * 0.008 + np.pi) % (2 * np.pi) - np.pi)
        self.elevation = float(np.clip(self.elevation + dy * 0.008, -_STEEPEST, _STEEPEST))

    def pan(self, dx: float, dy: float, height: float) -> None:
        """Move the center so that it follows a drag in px."""
        right, up, _ = self.axes()
        unit = self.distance / self.focal(height)
        self.center = self.center - right * dx * unit + up * dy * unit

    def zoom(self, factor: float) -> None:
        self.distance = float(np.clip(self.distance / factor, 0.05, 100.0))

    def fitted(
        self, points: NDArray, aspect: float, fills: float = 1.0
    ) -> tuple[NDArray, float] | None:
        """Center (3,) and distance that show all points (3, N) from this side; `aspect` is width /
        height of the image.
        fills : share of the height that they may take. None for no points. Touches nothing: a
        thread may ask a copy.
        """
        if not points.shape[1]:
            return None
        low, high = points.min(axis=1).astype(float), points.max(axis=1).astype(float)
        center, axes = (low + high) / 2, self.axes()
        x, y, z = axes.astype(points.dtype) @ points - (axes @ center)[:, None].astype(points.dtype)
        tangent = 0.86 * np.tan(FIELD_OF_VIEW / 2)
        x, y = np.abs(x, out=x), np.abs(y, out=y)
        x *= 1 / (tangent * max(aspect, 0.1))
        y *= 1 / min(tangent, fills * np.tan(FIELD_OF_VIEW / 2))
        needed = np.maximum(x, y, out=x)
        needed -= z
        return center, max(float(needed.max()), 0.2)

    def depth_range(self, radius: float) -> tuple[float, float]:
        """Nearest and farthest depth of a cloud of this radius about the map's middle."""
        middle = float(self.axes()[2] @ -self.center) + self.distance
        return max(middle - radius, 0.05), middle + radius


def floor_lines(low: NDArray, high: NDArray, *, steps: int = 8) -> NDArray[np.float64]:
    """(2 (steps + 1), 2, 3) lines of a square grid under a cloud with these bounds."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    x, _, z = (low + high) / 2
    half = 0.55 * max(high[0] - low[0], high[2] - low[2], 0.1)
    y = low[1] - 0.1 * max((high - low).max(), 0.1)
    at = np.linspace(-half, half, steps + 1)
    lines = [((x + a, y, z - half), (x + a, y, z + half)) for a in at]
    lines += [((x - half, y, z + a), (x + half, y, z + a)) for a in at]
    return np.array(lines)
