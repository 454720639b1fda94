"""When the image of the points is made again, in the plane and in space."""

from collections.abc import Callable
from typing import Generic, TypeVar

from numpy.typing import NDArray

from emberscope_app.latent_view.points.point_painter import (
    PointPainter2D,
    PointPainter3D,
    same_arrays,
)
from emberscope_app.latent_view.points.rasterizer import Raster, kernels
from emberscope_app.state.points.points_on_show import PointsOnShow

Painter = TypeVar("Painter", PointPainter2D, PointPainter3D)
Image = TypeVar("Image")


class Drawing(Generic[Painter, Image]):
    """Of very many points a thread makes the image. Until then the last one is shown.

    begin : says what to compute, as in `Turns.aside`. take : puts what came of it on show, False
    where it is of points that are gone. update : has the map painted again. stale : the image is of
    another view, or of points that looked otherwise.
    """

    def __init__(
        self, cloud: PointsOnShow, painter: Painter, begin: Callable[[], Callable[[], Image]],
        take: Callable[[Image], bool], update: Callable[[], object],
    ) -> None:  # fmt: skip
        self.painter: Painter = painter
        self.stale = True
        self._cloud, self._make, self._take, self._update = cloud, begin, take, update
        self._of: tuple[NDArray, ...] = ()  # what the image is of
        self._at_once = False  # it is made in this thread

    def forget(self) -> None:
        """It is of points that looked otherwise; where there are none any more, nothing of them
        stays."""
        self.stale = True
        if not len(self._cloud):
            self.painter.show(Raster())

    def refresh(self, width: int, height: int) -> None:
        """Make the image again where it has to be; its size in device px."""
        turns, shape = self._cloud.turns, self.painter.raster.image.shape
        stale = self.stale or not same_arrays(self._of, self._cloud.drawn)
        if stale or (shape != (height, width) and not turns.waits(self._begin)):
            if len(self._cloud):
                kernels().want()
            self._at_once = True
            turns.aside(self._begin, self._show)
            self._at_once = False

    def _begin(self) -> Callable[[], Image]:
        self.stale, self._of = False, self._cloud.drawn
        return self._make()

    def _show(self, image: Image) -> None:
        if self._take(image) and not self._at_once:
            self._update()
