"""The camera of the generated range: flat ground seen from a low hill, and the noise that its
images are made of."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FOV = np.deg2rad(3.4)         # across, rad: 92.7 urad per pixel of 640
# At the center of the circle: it shows as a flat ellipse, as in real frames
DEPRESSION = np.deg2rad(3.6)


@dataclass(frozen=True, slots=True)
class Camera:
    """Where points fall. X m to the right, Y m away from the camera, Z m up; (0, 0, 0) is the
    circle's center."""

    shape: tuple[int, int]
    range_m: float

    @property
    def ifov(self) -> float:
        """rad per pixel."""
        return float(FOV / self.shape[1])

    @property
    def center(self) -> tuple[float, float]:
        """Column and row (edge coordinates) of the circle's center."""
        return 0.5 * self.shape[1], 0.47 * self.shape[0]

    @property
    def height(self) -> float:
        """m above the ground."""
        return float(self.range_m * np.sin(DEPRESSION))

    @property
    def ground_range(self) -> float:
        return float(self.range_m * np.cos(DEPRESSION))

    def project(
        self, x: NDArray | float, y: NDArray | float, z: NDArray | float = 0.0
    ) -> tuple[NDArray, NDArray]:
        """Column and row (edge coordinates) of points."""
        away = self.ground_range + np.asarray(y)
        below = self.height - np.asarray(z)
        row = self.center[1] + (np.arctan2(below, away) - DEPRESSION) / self.ifov
        return self.center[0] + np.asarray(x) / np.hypot(away, below) / self.ifov, row

    def ground_y(self, row: NDArray | float) -> NDArray:
        """Y of the ground seen at a row; ground never ends, rows above the horizon see very far."""
        angle = DEPRESSION + (np.asarray(row, np.float64) - self.center[1]) * self.ifov
        return self.height / np.tan(np.maximum(angle, 2e-3)) - self.ground_range

    def scale(self, y: NDArray | float) -> NDArray:
        """Pixels per meter across the line of sight, at ground distance Y."""
        return 1.0 / (self.ifov * np.hypot(self.ground_range + np.asarray(y), self.height))


def fractal(
    rng: np.random.Generator, shape: tuple[int, int], *, beta: float, stretch: float = 1.0
) -> NDArray[np.float32]:
    """Noise with power 1 / f**beta, mean 0, sd 1, periodic, drawn out vertically by `stretch`."""
    fy, fx = np.fft.fftfreq(shape[0])[:, None], np.fft.rfftfreq(shape[1])[None, :]
    f = np.hypot(fy * stretch, fx)
    f[0, 0] = np.inf
    waves = rng.standard_normal((2, *f.shape))
    noise = np.fft.irfft2((waves[0] + 1j * waves[1]) * f ** (-beta / 2), s=shape)
    return (noise / noise.std()).astype(np.float32)


def sample(texture: NDArray[np.float32], y: NDArray, x: NDArray) -> NDArray[np.float32]:
    """A periodic texture at fractional positions, bilinear; `y` and `x` broadcast."""
    rows, cols = texture.shape
    y0, x0 = np.floor(y), np.floor(x)
    fy, fx = (y - y0).astype(np.float32), (x - x0).astype(np.float32)
    top, left = y0.astype(np.int64) % rows, x0.astype(np.int64) % cols
    down, right = (top + 1) % rows, (left + 1) % cols
    upper = texture[top, left] + fx * (texture[top, right] - texture[top, left])
    lower = texture[down, left] + fx * (texture[down, right] - texture[down, left])
    return upper + fy * (lower - upper)


def splat(
    shape: tuple[int, int], column: NDArray, row: NDArray, weight: NDArray | float
) -> NDArray[np.float32]:
    """Points with weights spread over the four nearest pixels; those outside are dropped."""
    column, row = np.asarray(column) - 0.5, np.asarray(row) - 0.5
    weight = np.broadcast_to(weight, column.shape)
    c0, r0 = np.floor(column).astype(np.int64), np.floor(row).astype(np.int64)
    fc, fr = column - c0, row - r0
    out = np.zeros(shape[0] * shape[1])
    for dr, wr in ((0, 1 - fr), (1, fr)):
        for dc, wc in ((0, 1 - fc), (1, fc)):
            r, c = r0 + dr, c0 + dc
            inside = (r >= 0) & (r < shape[0]) & (c >= 0) & (c < shape[1])
            flat = r[inside] * shape[1] + c[inside]
            out += np.bincount(flat, weights=(weight * wr * wc)[inside], minlength=out.size)
    return out.reshape(shape).astype(np.float32)


def blur(image: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    """Gaussian blur with replicated borders."""
    reach = max(1, int(np.ceil(3 * sigma)))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2).astype(np.float32)
    kernel /= kernel.sum()
    for axis in (0, 1):
        padded = np.pad(
            image, [(reach, reach) if a == axis else (0, 0) for a in (0, 1)], mode="edge"
        )
        length = image.shape[axis]
        parts = (
            np.take(padded, range(k, k + length), axis) * weight for k, weight in enumerate(kernel)
        )
        image = np.sum(list(parts), axis=0)
    return image


def smoothstep(x: NDArray, low: float, high: float) -> NDArray:
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)
