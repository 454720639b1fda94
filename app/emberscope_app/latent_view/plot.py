"""The plane of the 2-D map: a pyqtgraph ViewBox keeps the coordinates, one item paints points and overlays."""


import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from emberscope.project.axes import FIRST, Axes
from emberscope_app.latent_view.cloud import Cloud, flat_places, limits
from emberscope_app.latent_view.overlays import strip_places
from emberscope_app.latent_view.point_painter import PointPainter2D
from emberscope_app.latent_view.rasterizer import kernels
from emberscope_app.latent_view.surface import Layer
from emberscope_app.theme.look import current, look

_BORDER = (20.0, 56.0)  # px left and right, above and below, that a fit leaves to plates and legend


class _Painted(pg.GraphicsObject):
    """Covers the view box and paints in logical px of the viewport."""

    def __init__(self, plot: "Plot") -> None:
        super().__init__()
        self._plot = plot

    def boundingRect(self) -> QRectF:
        return self._plot.box.viewRect()

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        painter.save()
        painter.resetTransform()
        self._plot.paint(painter)
        painter.restore()


class Plot(pg.GraphicsView):
    """Surface of the 2-D map (see `surface.Surface`). `under` and `over` are painted below and above the points."""

    viewed = Signal()

    def __init__(self, cloud: Cloud, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        self._cloud = cloud
        self._point_painter = PointPainter2D()
        self._screen = np.zeros((0, 3), np.float32)
        self._stale = True
        self._fitted = True   # everything is in view by `fit`, and stays so while the window grows
        self._everything = False  # outliers too
        self._left_out = 0
        self.places = cloud.places
        self.limits = cloud.limits  # of the axes on show, as `Cloud.limits`
        self.axes = FIRST           # two of the columns of the cloud that are on show
        self.under: list[Layer] = []
        self.over: list[Layer] = []
        self.box = pg.ViewBox(lockAspect=True, enableMouse=False, enableMenu=False, defaultPadding=0)
        self.setCentralItem(self.box)
        self._item = _Painted(self)
        self.box.addItem(self._item, ignoreBounds=True)
        self.box.sigRangeChanged.connect(self._on_view)
        self.box.sigResized.connect(self._on_resize)
        cloud.changed.connect(self._on_cloud)
        look().changed.connect(self._tint)
        kernels().ready.connect(self.redraw)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setFocusProxy(self)
        self._tint()
        self._read_places()
        self.fit()

    # --- the surface

    @property
    def widget(self) -> QWidget:
        return self

    @property
    def canvas(self) -> QWidget:
        return self.viewport()

    @property
    def ratio(self) -> float:
        return float(self.viewport().devicePixelRatioF())

    def positions(self) -> NDArray[np.float32]:
        """Positions (N, 3) of all points in device px."""
        self._draw()
        return self._screen

    def pick(self, at: QPointF) -> int:
        self._draw()
        ratio = self.ratio
        return self._point_painter.raster.pick(at.x() * ratio, at.y() * ratio, reach=round(5 * ratio))

    def drag(self, step: QPointF, *, pan: bool) -> None:
        self._fitted = False
        size = self.box.viewPixelSize()
        self.box.translateBy(x=-float(step.x() * size[0]), y=float(step.y() * size[1]))

    def zoom(self, at: QPointF, factor: float) -> None:
        self._fitted = False
        inverse, _ = self.transform().inverted()
        center = inverse.map(at)
        self.box.scaleBy((1 / factor, 1 / factor), center=center)

    def to_map(self, outline: NDArray) -> NDArray:
        inverse, _ = self.transform().inverted()
        return _mapped(inverse, outline)

    def from_map(self, outline: NDArray) -> NDArray:
        return _mapped(self.transform(), outline)

    def transform(self) -> QTransform:
        """Map units to logical px of the viewport."""
        return self.box.childTransform() * self.box.sceneTransform() * self.viewportTransform()

    def show_axes(self, axes: Axes) -> None:
        """Show two others of the columns that the points have."""
        if axes != self.axes:
            self.axes = axes
            self._read_places()
            self.redraw()
            self.fit()

    def from_space(self, places: NDArray) -> NDArray:
        """Places of the cloud (P, 3), which are of the first three columns, as logical px (P, 2); NaN where a column is
        on show that they do not have."""
        if max(self.axes) >= places.shape[1]:
            return np.full((len(places), 2), np.nan)
        return self.from_map(places[:, list(self.axes)])

    def fit(self, rows: NDArray | None = None, *, everything: bool = False) -> None:
        """Show nearly all visible points, all with their outliers (`everything`), or some rows."""
        everywhere = rows is None and self._cloud.shown_count == self._axes.shape[1]
        shown = self._axes if everywhere else self._axes[:, self._cloud.visible if rows is None else rows]
        if not shown.shape[1]:
            return
        self._fitted, self._everything = rows is None, everything
        low, high = shown.min(axis=1).astype(float), shown.max(axis=1).astype(float)
        found = self.limits if rows is None and not everything else None
        if found is not None:
            axes = slice(0, min(self._cloud.dimensions, 2))  # a strip's height is ours and keeps all of its bands
            low[axes], high[axes] = found[0][axes], found[1][axes]
        self._left_out = int(np.count_nonzero(((shown < low[:, None]) | (shown > high[:, None])).any(axis=0)))
        pixels = np.array([self.viewport().width(), self.viewport().height()], float)
        room = np.maximum(pixels - 2 * np.array(_BORDER), 20)
        unit = float((np.maximum(high - low, 0.02) / room).max())
        x, y = (float(v) for v in (low + high - pixels * unit) / 2)  # Python floats: float32 limits warn in there
        self.box.setRange(QRectF(x, y, float(pixels[0] * unit), float(pixels[1] * unit)), padding=0)

    @property
    def fitted(self) -> bool:
        """The view is as `fit` made it, nobody moved it since."""
        return self._fitted

    @property
    def outside(self) -> int:
        """Outliers that the fit left out of the view."""
        return self._left_out if self._fitted else 0

    def redraw(self) -> None:
        """Points or their looks changed."""
        self._point_painter.forget()
        self._stale = True
        self.viewport().update()

    # --- painting

    def paint(self, painter: QPainter) -> None:
        self._draw()
        for layer in self.under:
            layer(painter)
        painter.drawImage(QPointF(0, 0), self._point_painter.raster.to_qimage(self.ratio))
        for layer in self.over:
            layer(painter)

    def _draw(self) -> None:
        width, height = round(self.viewport().width() * self.ratio), round(self.viewport().height() * self.ratio)
        if not self._stale and self._point_painter.raster.image.shape == (height, width):
            return
        if len(self._cloud):
            kernels().want()
        t, ratio = self.transform(), self.ratio
        matrix = np.zeros((3, 4), np.float32)
        matrix[0, 0], matrix[0, 3] = t.m11() * ratio, t.dx() * ratio
        matrix[1, 1], matrix[1, 3] = t.m22() * ratio, t.dy() * ratio
        size = max(width, 1), max(height, 1)
        self._screen = self._point_painter.draw(self._cloud, self.places, matrix, size, ratio)
        self._stale = False

    def _on_view(self, *_: object) -> None:
        self._stale = True
        self.viewport().update()
        self.viewed.emit()

    def _on_resize(self, *_: object) -> None:
        self._on_view()
        if self._fitted:
            self.fit(everything=self._everything)

    def _on_cloud(self, what: str) -> None:
        if what == "hover":
            self.viewport().update()
            return
        if what in ("points", "moved", "style"):
            self._read_places()
        self.redraw()

    def _read_places(self) -> None:
        cloud = self._cloud
        ids = cloud.run.ids if cloud.run is not None else np.empty(0, np.int64)
        is_strip = cloud.dimensions == 1
        self.places = strip_places(cloud.places, cloud.style.group, ids) if is_strip else cloud.places
        self._axes = np.ascontiguousarray(self.places[:, :2].T) if is_strip else cloud.axes[:2]
        self.limits = cloud.limits
        if self.axes != FIRST and not is_strip and cloud.partial is None:
            self.places = flat_places(cloud.Z, self.axes)
            self._axes = np.ascontiguousarray(self.places[:, :2].T)
            self.limits = limits(self.places[cloud.visible]) if len(cloud) else None

    def _tint(self) -> None:
        self.setBackground(QColor(current().plot))


def _mapped(transform: QTransform, outline: NDArray) -> NDArray[np.float64]:
    matrix = np.array([[transform.m11(), transform.m12()], [transform.m21(), transform.m22()]])
    return outline @ matrix + (transform.dx(), transform.dy())
