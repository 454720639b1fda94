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

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from emberscope_app.latent_view.points import kernels_numpy
from emberscope_app.latent_view.points.sprites import Atlas
from emberscope_app.when.threads import polite, threads

Floats = NDArray[np.float32]
_THREADS = min(os.cpu_count() or 1, 4)
_ALONE = 50_000  # points up to which one thread is faster
_TOLD = 1000     # points that tell where the middle of the others is
# The view of points that are device px already
AS_IS = np.array([1, 0, 1, 0], np.float32)


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
    points, yes = np.zeros((3, 1), np.float32), np.ones(1, bool)
    screen = raster.project(points, np.eye(3, 4, dtype=np.float32), focal=1.0)
    raster.in_view(points, AS_IS, yes)
    one = Draws(np.zeros(1, np.int32), np.zeros(1, np.int32), np.full(1, 0xFF808080, np.uint32))
    atlas = Atlas(np.full((16, 3, 3), 255, np.uint8), np.ones(1, np.int32), 1)
    raster.blend(screen, AS_IS, one, atlas)
    raster.specks(screen, AS_IS, yes, one.colors, alpha=255, side=2)
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


class Raster:
    """One view's image: `image` (H, W) uint32 premultiplied ARGB and `ids` (H, W) int32, -1 where
    nothing is."""

    def __init__(self, module: ModuleType | None = None) -> None:
        self._fixed = module
        self.image = np.zeros((1, 1), np.uint32)
        self.ids = np.full((1, 1), -1, np.int32)
        self._depth = np.zeros((1, 1), np.float32)
        self._screen = np.zeros((3, 0), np.float32)

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

    def project(self, points: Floats, matrix: Floats, *, focal: float) -> Floats:
        """Screen positions (3, N) of points (3, N). The array is reused."""
        if self._screen.shape != points.shape:
            self._screen = np.empty(points.shape, np.float32)
        height, width = self.image.shape
        middle = np.float32(width / 2), np.float32(height / 2)
        kernel, found = self.module.project, self._screen
        self._shared(self._parts(points.shape[1], points.shape[1]), lambda part: kernel(
            points, (part.start, part.stop), matrix, np.float32(focal), middle, found))
        return found

    def in_view(
        self, points: Floats, view: Floats, mask: NDArray[np.bool_], *, margin: int = 0
    ) -> NDArray[np.bool_]:
        """(N,) which points (3, N) of a mask (N,) are in the image, or so near to it."""
        count, size, kernel = points.shape[1], self.image.shape[::-1], self.module.in_view
        found = np.empty(count, bool)
        self._shared(self._parts(count, count), lambda part: kernel(
            points, (part.start, part.stop), view, mask, size, margin, found))
        return found

    def blend(self, points: Floats, view: Floats, draws: Draws, atlas: Atlas) -> None:
        """Glyphs over the image in their order."""
        kernel, what = self.module.blend, (draws.rows, draws.sprites, draws.colors)
        self._shared(self._parts(len(draws), len(self.image)), lambda part: kernel(
            self._strip(part), points, view, *what, (atlas.masks, atlas.extents)))

    def specks(
        self, points: Floats, view: Floats, mask: NDArray[np.bool_], rgb: NDArray[np.uint32], *,
        alpha: int, side: int,
    ) -> None:  # fmt: skip
        """Small see-through squares of the points in a mask, in their order: keeps nothing of a
        point."""
        opacity, kernel = np.uint32(alpha + (alpha >> 7)), self.module.specks
        self._shared(self._shares(points, view), lambda part: kernel(
            self._strip(part), points, view, mask, rgb, opacity, side))

    def splat(
        self, screen: Floats, draws: Draws, *, radius: int, near: float, far: float, fog: int
    ) -> None:
        """Opaque dots with a depth buffer: for clouds too large to sort."""
        if self._depth.shape != self.image.shape:
            self._depth = np.empty(self.image.shape, np.float32)
        self._depth.fill(np.inf)
        kernel, what = self.module.splat, (screen, draws.rows, draws.colors, radius)
        haze = np.float32(near), np.float32(far), np.uint32(fog)
        self._shared(self._parts(len(draws), len(self.image)), lambda part: kernel(
            self._strip(part), self._depth[part], *what, haze))

    def _strip(self, part: slice) -> tuple[NDArray[np.uint32], NDArray[np.int32], np.float32]:
        """Rows of the image, as the kernels take them."""
        return self.image[part], self.ids[part], np.float32(part.start)

    def _parts(self, count: int, length: int) -> list[slice]:
        """Parts of such a length, for as many threads as work of so many points is shared by."""
        parts = _THREADS if count > _ALONE and self.module is not kernels_numpy else 1
        return [slice(*ends) for ends in pairwise(length * k // parts for k in range(parts + 1))]

    def _shares(self, points: Floats, view: Floats) -> list[slice]:
        """Strips of the image with as many points in each."""
        count, height = points.shape[1], len(self.image)
        even = self._parts(count, height)
        y = points[1, :: 1 + count // _TOLD] * view[2] + view[3]
        y = y[(y >= 0) & (y < height)]
        if len(even) == 1 or not len(y):
            return even
        inner = np.quantile(y, np.linspace(0, 1, len(even) + 1)[1:-1]).astype(int).tolist()
        return [slice(*ends) for ends in pairwise([0, *inner, height])]

    def _shared(self, parts: list[slice], work: Callable[[slice], object]) -> None:
        """Work on several parts, rows of the image or of the points, each in its own thread."""
        others = [_pool().submit(work, part) for part in parts[1:]]
        work(parts[0])
        for other in others:
            other.result()

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
    points: Floats, matrix: Floats, size: tuple[int, int], *, focal: float
) -> Floats:
    """Positions (3, N) of points (3, N) in an image of this width and height, which is not drawn:
    see `Raster.project`.
    """
    raster = Raster()
    raster.image = np.broadcast_to(np.uint32(0), size[::-1])  # only its size is read
    return raster.project(points, matrix, focal=focal)
