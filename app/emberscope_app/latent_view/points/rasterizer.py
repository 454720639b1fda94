"""The software point rasterizer under both maps: image, id buffer for picking, no OpenGL.

numba is imported and compiled in a thread (`kernels()`); until then numpy draws.
"""

import contextlib
import gc
import os
import threading
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from emberscope_app.latent_view.points import kernels_numpy
from emberscope_app.latent_view.points.sprites import Atlas
from emberscope_app.when.threads import polite, threads

Floats = NDArray[np.float32]
T = TypeVar("T")
_THREADS = min(os.cpu_count() or 1, 4)
_ALONE = 50_000  # points up to which one thread is faster


class Kernels(QObject):
    """Brings the compiled kernels in without making anybody wait. `ready` comes once, in the
    window's thread."""

    ready = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.module: ModuleType = kernels_numpy
        self.error = ""
        self._thread: threading.Thread | None = None

    def want(self) -> None:
        """Start to compile; again does nothing."""
        if self._thread is None:
            self._thread = threads().begin(self._load, name="map kernels")

    def wait(self) -> None:
        """Block until they are there: for benchmarks and tests."""
        self.want()
        if self._thread is not None:
            self._thread.join()

    def _load(self) -> None:
        try:
            with polite():  # the compiler is Python
                module = import_module("emberscope_app.latent_view.points.kernels")
                warm(module)
        except Exception as error:  # a broken numba must not cost the map: numpy keeps drawing
            self.error = f"{type(error).__name__}: {error}"
            return
        self.module = module
        # The compiler stays: a pass over all of its objects would keep the window for 50 ms
        gc.freeze()
        # The program ended meanwhile: nobody draws any more
        with contextlib.suppress(RuntimeError):
            self.ready.emit()


def warm(module: ModuleType) -> None:
    """Call every kernel once with the types that the maps use."""
    raster = Raster(module)
    raster.clear(8, 8)
    points = np.zeros((1, 3), np.float32)
    screen, _ = raster.project(points, np.eye(3, 4, dtype=np.float32), focal=0.0)
    one = Draws(np.zeros(1, np.int32), np.zeros(1, np.int32), np.full(1, 0xFF808080, np.uint32))
    raster.blend(screen, one, Atlas(np.full((16, 3, 3), 255, np.uint8), np.ones(1, np.int32), 1))
    raster.dust(screen, one, side=2)
    raster.splat(screen, one, radius=1, near=0.0, far=1.0, fog=0)


@lru_cache(maxsize=1)
def _pool() -> Executor:
    return threads().helpers(max(_THREADS - 1, 1), name="map")


_kernels: list[Kernels] = []


def kernels() -> Kernels:
    """The one Kernels of the process."""
    if not _kernels:
        _kernels.append(Kernels())
    return _kernels[0]


@dataclass(frozen=True, slots=True)
class Draws:
    """What to draw, in drawing order: rows (M,) int32, sprites (M,) int32, colors (M,) uint32
    (opacity, RGB)."""

    rows: NDArray[np.int32]
    sprites: NDArray[np.int32]
    colors: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, order: NDArray) -> "Draws":
        return Draws(self.rows[order], self.sprites[order], self.colors[order])


class Raster:
    """One view's image: `image` (H, W) uint32 premultiplied ARGB and `ids` (H, W) int32, -1 where
    nothing is."""

    def __init__(self, module: ModuleType | None = None) -> None:
        self._fixed = module
        self.image = np.zeros((1, 1), np.uint32)
        self.ids = np.full((1, 1), -1, np.int32)
        self._depth = np.zeros((1, 1), np.float32)
        self._screen = np.zeros((0, 3), np.float32)

    @property
    def module(self) -> ModuleType:
        return self._fixed or kernels().module

    def clear(self, width: int, height: int) -> None:
        """Transparent image of a size in device px."""
        if self.image.shape != (height, width):
            self.image = np.zeros((height, width), np.uint32)
            self.ids = np.full((height, width), -1, np.int32)
        else:
            self.image.fill(0)
            self.ids.fill(-1)

    def project(self, points: Floats, matrix: Floats, *, focal: float) -> tuple[Floats, int]:
        """Screen positions (N, 3) of points (N, 3), and how many are in the image. The array is
        reused."""
        if len(self._screen) != len(points):
            self._screen = np.empty((len(points), 3), np.float32)
        height, width = self.image.shape
        numbers = [np.float32(value) for value in (focal, width / 2, height / 2, width, height)]
        kernel, found = self.module.project, self._screen
        count = len(points)
        inside = self._shared(
            count, count, lambda some: kernel(points[some], matrix, *numbers, found[some])
        )
        return found, int(sum(inside))

    def blend(self, screen: Floats, draws: Draws, atlas: Atlas) -> None:
        """Glyphs over the image in their order."""
        kernel, what = (
            self.module.blend,
            (screen, draws.rows, draws.sprites, draws.colors, atlas.masks, atlas.extents),
        )
        self._shared(len(draws), len(self.image), lambda strip: kernel(
            self.image[strip], self.ids[strip], np.float32(strip.start), *what))

    def dust(self, screen: Floats, draws: Draws, *, side: int) -> None:
        """Small see-through squares, a third of the cost of glyphs."""
        kernel, what = self.module.dust, (screen, draws.rows, draws.colors, side)
        self._shared(len(draws), len(self.image), lambda strip: kernel(
            self.image[strip], self.ids[strip], np.float32(strip.start), *what))

    def splat(
        self, screen: Floats, draws: Draws, *, radius: int, near: float, far: float, fog: int
    ) -> None:
        """Opaque dots with a depth buffer: for clouds too large to sort."""
        if self._depth.shape != self.image.shape:
            self._depth = np.empty(self.image.shape, np.float32)
        self._depth.fill(np.inf)
        kernel = self.module.splat
        what = (
            screen,
            draws.rows,
            draws.colors,
            radius,
            np.float32(near),
            np.float32(far),
            np.uint32(fog),
        )
        self._shared(len(draws), len(self.image), lambda strip: kernel(
            self.image[strip], self.ids[strip], self._depth[strip], np.float32(strip.start), *what))

    def _shared(self, count: int, length: int, work: Callable[[slice], T]) -> list[T]:
        """Work of many points in several threads, each on its own part (rows of the image, or of
        the points)."""
        parts = _THREADS if count > _ALONE and self.module is not kernels_numpy else 1
        edges = [length * k // parts for k in range(parts + 1)]
        slices = [slice(a, b) for a, b in pairwise(edges)]
        others = [_pool().submit(work, part) for part in slices[1:]]
        return [work(slices[0]), *(other.result() for other in others)]

    def pick(self, x: float, y: float, *, reach: int = 4) -> int:
        """The drawn row nearest to a place in device px, within `reach` px; -1 = none."""
        height, width = self.ids.shape
        x0, y0 = max(int(x) - reach, 0), max(int(y) - reach, 0)
        window = self.ids[y0 : min(int(y) + reach + 1, height), x0 : min(int(x) + reach + 1, width)]
        at = np.argwhere(window >= 0)
        if not len(at):
            return -1
        far = (at[:, 0] + y0 + 0.5 - y) ** 2 + (at[:, 1] + x0 + 0.5 - x) ** 2
        nearest = int(np.argmin(far))
        return int(window[tuple(at[nearest])]) if far[nearest] <= (reach + 0.5) ** 2 else -1

    def to_qimage(self, ratio: float) -> QImage:
        """The image as a QImage that shares its memory; `ratio` device px a logical px."""
        height, width = self.image.shape
        image = QImage(
            self.image.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied
        )
        image.setDevicePixelRatio(ratio)
        return image


def screen_positions(
    points: Floats, matrix: Floats, size: tuple[int, int], *, focal: float = 0.0
) -> Floats:
    """Positions (N, 3) of points (N, 3) in an image of this width and height, which is not drawn:
    see `Raster.project`.
    """
    raster = Raster()
    raster.image = np.broadcast_to(np.uint32(0), size[::-1])  # only its size is read
    return raster.project(points, matrix, focal=focal)[0]
