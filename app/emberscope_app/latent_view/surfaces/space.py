"""The space of the 3-D map: camera, what draws the points, and a glass over it that takes the
mouse."""

import copy
import os
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from emberscope_app.guard import paint_layers
from emberscope_app.latent_view.points.point_painter import PointPainter3D
from emberscope_app.latent_view.points.rasterizer import Raster, kernels, screen_positions
from emberscope_app.latent_view.surfaces.camera import Camera, floor_lines
from emberscope_app.latent_view.surfaces.drawing import Drawing
from emberscope_app.latent_view.surfaces.opengl import hardware_renderer
from emberscope_app.latent_view.surfaces.surface import Layer
from emberscope_app.state.points.cloud import Cloud
from emberscope_app.theme.look import current, look

_NEAREST = 0.05  # depth from which something is in sight
CHOICE = "EMBERSCOPE_MAP3D"   # "opengl" or "software" overrules what is found


class Renderer(Protocol):
    """Draws the cloud as the camera sees it. Positions (3, N) are device px, and depth."""

    words: str

    @property
    def widget(self) -> QWidget: ...
    def forget(self) -> None: ...
    def look_again(self) -> None: ...
    def positions(self) -> NDArray[np.float32]: ...
    def pick(self, x: float, y: float, reach: int) -> int: ...


class _Image(NamedTuple):
    """What was drawn: of which places, and where those are in device px."""

    raster: Raster
    places: NDArray[np.float32]
    screen: NDArray[np.float32]
    matrix: NDArray[np.float32]


class _Fit(NamedTuple):
    """Which view shows the points of a cloud: center (3,) and distance, None of no points; and how
    many it leaves out.
    """

    places: NDArray[np.float32]
    left_out: int
    view: tuple[NDArray, float] | None


class SoftCanvas(QWidget):
    """Draws with the software rasterizer: no OpenGL, on every machine."""

    words = "Software rendering"

    def __init__(self, cloud: Cloud, camera: Camera, parent: QWidget) -> None:
        super().__init__(parent)
        self._cloud, self._camera = cloud, camera
        self.drawing = Drawing(
            cloud, PointPainter3D(), self._begin_image, self._take_image, self.update
        )
        self._screen: NDArray[np.float32] | None = None  # None: the view moved since
        kernels().ready.connect(self.forget)

    @property
    def widget(self) -> QWidget:
        return self

    def forget(self) -> None:
        self.drawing.forget()
        self.look_again()

    def look_again(self) -> None:
        self.drawing.stale, self._screen = True, None
        self.update()

    def positions(self) -> NDArray[np.float32]:
        self._draw()
        if self._screen is None:
            size, camera = self._size(), self._camera
            self._screen = screen_positions(
                self._cloud.axes, camera.matrix(), size, focal=camera.focal(size[1])
            )
        return self._screen

    def pick(self, x: float, y: float, reach: int) -> int:
        self._draw()
        return self.drawing.painter.raster.pick(x, y, reach=reach)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._draw()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(current().plot))
        paint_floor(painter, self._cloud, self._camera, QRectF(self.rect()))
        painter.drawImage(
            QPointF(0, 0), self.drawing.painter.raster.to_qimage(self.devicePixelRatioF())
        )

    def _draw(self) -> None:
        self.drawing.refresh(*self._size())

    def _begin_image(self) -> Callable[[], _Image]:
        painter, raster, still = (
            self.drawing.painter,
            self.drawing.painter.spare(),
            self._cloud.still(),
        )
        camera, size, ratio = self._camera, self._size(), self.devicePixelRatioF()
        matrix, focal, depth = (
            camera.matrix(),
            camera.focal(size[1]),
            camera.depth_range(self._cloud.radius),
        )
        fog = int(current().plot[1:], 16)
        return lambda: _Image(
            raster,
            still.places,
            painter.draw(raster, still, matrix, focal, depth, size, ratio, fog),
            matrix,
        )

    def _take_image(self, image: _Image) -> bool:
        if image.places is not self._cloud.places:  # other points are on their way
            return False
        self.drawing.painter.show(image.raster)
        if np.array_equal(image.matrix, self._camera.matrix()):
            self._screen = image.screen
        return True

    def _size(self) -> tuple[int, int]:
        """Width and height in device px."""
        ratio = self.devicePixelRatioF()
        return max(round(self.width() * ratio), 1), max(round(self.height() * ratio), 1)


class Glass(QWidget):
    """Lies over the points: mouse, keys, plates, and what is drawn of a gesture."""

    def __init__(self, space: "Space") -> None:
        super().__init__(space)
        self._space = space
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_layers(QPainter(self), [*self._space.under, *self._space.over])


class Space(QWidget):
    """Surface of the 3-D map (see `surface.Surface`)."""

    viewed = Signal()
    in_space = True

    def __init__(self, cloud: Cloud, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cloud = cloud
        self.camera = Camera()
        self.under: list[Layer] = []
        self.over: list[Layer] = []
        self._soft = SoftCanvas(cloud, self.camera, self)
        self.renderer: Renderer = self._soft
        self._asked = False
        self._fitted = True   # everything is in view by `fit`, and stays so while the window grows
        self._everything = False  # outliers too
        self._rows: NDArray | None = None  # what is fitted; None: all
        self._free = 0            # px above and below that a fit leaves to what stands there
        self._wanted = False      # a fit is under way, and nobody moved the view since
        self._left_out = 0
        self._moving = False
        self.glass = Glass(self)
        cloud.changed.connect(self._on_cloud)
        look().changed.connect(self._forget)
        self.fit()

    # --- the surface

    @property
    def widget(self) -> QWidget:
        return self

    @property
    def canvas(self) -> QWidget:
        return self.glass

    @property
    def ratio(self) -> float:
        return float(self.devicePixelRatioF())

    def positions(self) -> NDArray[np.float32]:
        return self.renderer.positions().T

    def find_positions(self) -> Callable[[], NDArray[np.float32]]:
        found = self.positions()
        return lambda: found

    def spots(self, rows: NDArray) -> NDArray:
        return self.from_space(self._cloud.places[rows])

    def from_space(self, places: NDArray) -> NDArray:
        found = self.camera.project(places, self.width(), self.height())
        return np.where(found[:, 2:] > _NEAREST, found[:, :2], np.nan)

    def pick(self, at: QPointF) -> int:
        ratio = self.ratio
        return self.renderer.pick(at.x() * ratio, at.y() * ratio, round(5 * ratio))

    def drag(self, step: QPointF, *, pan: bool) -> None:
        self._fitted, self._wanted = self._fitted and not pan, self._wanted and not pan
        if pan:
            self.camera.pan(step.x(), step.y(), self.height())
        else:
            self.camera.orbit(step.x(), step.y())
        self.look_again()

    def zoom(self, at: QPointF, factor: float) -> None:
        self._fitted = self._wanted = False
        self.camera.zoom(factor)
        self.look_again()

    def to_map(self, outline: NDArray) -> NDArray | None:
        """None: an outline has no place in space, it goes when the camera moves."""
        return outline if not self._moving else None

    def from_map(self, outline: NDArray) -> NDArray:
        return outline

    def fit(self, rows: NDArray | None = None, *, everything: bool = False) -> None:
        """Look at nearly all visible points, at all with their outliers (`everything`), or at some
        rows."""
        self._fitted, self._everything, self._rows, self._wanted = (
            rows is None,
            everything,
            rows,
            True,
        )
        self._cloud.turns.aside(self._begin_fit, self._end_fit)

    def _begin_fit(self) -> Callable[[], _Fit]:
        """What a thread finds where there are very many points."""
        cloud, camera, rows, everything, aspect = (
            self._cloud, copy.copy(self.camera), self._rows, self._everything, self._aspect())
        places, axes, visible, limits = cloud.places, cloud.axes, cloud.visible, cloud.limits
        whole = rows is None and cloud.shown_count == len(cloud)
        fills = max(1 - 2 * self._free / max(self.height(), 1), 0.3)

        def fit() -> _Fit:
            shown, left_out = axes if whole else axes[:, visible if rows is None else rows], 0
            if rows is None and not everything and limits is not None:
                near = ((shown >= limits[0][:, None]) & (shown <= limits[1][:, None])).all(axis=0)
                left_out = shown.shape[1] - int(np.count_nonzero(near))
                shown = np.compress(near, shown, axis=1) if left_out else shown
            return _Fit(places, left_out, camera.fitted(shown, aspect, fills))

        return fit

    def _end_fit(self, found: _Fit) -> None:
        # Other points, or somebody moved the view
        if found.places is not self._cloud.places or not self._wanted:
            return
        self._left_out, self._wanted = found.left_out, False
        if found.view is not None:
            self.camera.center, self.camera.distance = found.view
        self.look_again()

    def keep_free(self, top: int, bottom: int) -> None:
        if max(top, bottom) != self._free:
            self._free = max(top, bottom)
            if self._fitted:
                self._cloud.turns.take(self._fit_again)

    @property
    def fitted(self) -> bool:
        """The view is as `fit` made it, turned at most."""
        return self._fitted

    @property
    def outside(self) -> int:
        """Outliers that the fit left out of the view."""
        return self._left_out if self._fitted else 0

    def center_on(self, rows: NDArray) -> None:
        """Turn around the middle of some rows."""
        if len(rows):
            self._fitted = self._wanted = False
            self.camera.center = self._cloud.places[rows].mean(axis=0).astype(float)
            self.look_again()

    def look_along(self, axis: int) -> None:
        """View along a map axis (0, 1, 2)."""
        self.camera.azimuth, self.camera.elevation = (
            (np.pi / 2, 0.0),
            (0.0, np.radians(89.0)),
            (0.0, 0.0),
        )[axis]
        self.look_again()

    def look_again(self) -> None:
        """The camera moved."""
        self._moving = True
        self.renderer.look_again()
        self.glass.update()
        self.viewed.emit()
        self._moving = False

    # --- which renderer

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._asked:
            self._asked = True
            self._choose()

    def _choose(self) -> None:
        """OpenGL where a graphics card answers; else what is there already."""
        arguments = os.environ.get(CHOICE, "")
        found = "" if arguments == "software" else hardware_renderer(any_kind=arguments == "opengl")
        if not found:
            return
        from emberscope_app.latent_view.surfaces.opengl_canvas import open_canvas

        canvas = open_canvas(self._cloud, self.camera, self, found)
        if canvas is not None:
            self._soft.hide()
            self.renderer = canvas
            self._place()
            canvas.widget.show()
            self.glass.raise_()
            self.viewed.emit()

    def _on_cloud(self, what: str) -> None:
        if what == "hover":
            self.glass.update()
        elif what in ("style", "selection"):
            # Of very many points it is drawn a turn after the flat map
            self._cloud.turns.take(self._forget)
        elif what != "progress":
            self._forget()

    def _forget(self) -> None:
        self.renderer.forget()
        self.glass.update()

    def _aspect(self) -> float:
        return self.width() / max(self.height(), 1)

    def _place(self) -> None:
        self.renderer.widget.setGeometry(self.rect())
        self.glass.setGeometry(self.rect())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()
        if self._fitted:
            # A layout resizes several times; very many points are fitted once
            self._cloud.turns.take(self._fit_again)

    def _fit_again(self) -> None:
        if self._fitted:
            self.fit(everything=self._everything)


def paint_floor(painter: QPainter, cloud: Cloud, camera: Camera, rect: QRectF) -> None:
    """A faint grid under the points; lines behind the camera are left out."""
    if cloud.limits is None:
        return
    lines = floor_lines(*cloud.limits)
    at = camera.project(lines.reshape(-1, 3), rect.width(), rect.height()).reshape(-1, 2, 3)
    at = at[(at[:, :, 2] > _NEAREST).all(axis=1)]
    color = QColor(current().edge)
    color.setAlphaF(0.38)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(color, 1))
    painter.drawLines([QLineF(*line) for line in at[:, :, :2].reshape(-1, 4).tolist()])
