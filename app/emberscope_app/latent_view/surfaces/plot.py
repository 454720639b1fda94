"""The plane of the 2-D map: a pyqtgraph ViewBox keeps the coordinates, one item paints points and
overlays."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from emberscope.findings.maps.strip import bands_of
from emberscope.findings.shown_axes import alone
from emberscope_app.guard import paint_layers, saved
from emberscope_app.latent_view.points.point_painter import PointPainter2D, same_arrays
from emberscope_app.latent_view.points.rasterizer import Raster, kernels
from emberscope_app.latent_view.points.strip import height_of, strip_places
from emberscope_app.latent_view.surfaces.drawing import Drawing
from emberscope_app.latent_view.surfaces.surface import Layer
from emberscope_app.state.points.points_on_show import PointsOnShow
from emberscope_app.theme.look import current, look

_BORDER = 20   # px on each side that a fit leaves at least
_MOST = 0.35   # of the height above, and below, that plates and legend may take from a fit


class _Image(NamedTuple):
    """What was drawn: with map units where, and which places."""

    raster: Raster
    at: QTransform
    places: NDArray[np.float32]


class _Painted(pg.GraphicsObject):
    """Covers the view box and paints in logical px of the viewport."""

    def __init__(self, plot: "Plot") -> None:
        super().__init__()
        self._plot = plot

    def boundingRect(self) -> QRectF:
        return self._plot.box.viewRect()

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        with saved(painter):
            painter.resetTransform()
            self._plot.paint(painter)


class Plot(pg.GraphicsView):
    """Surface of the 2-D map (see `surface.Surface`). `under` and `over` are painted below and
    above the points."""

    viewed = Signal()
    in_space = False

    def __init__(self, cloud: PointsOnShow, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        self._cloud = cloud
        self.drawing = Drawing(
            cloud, PointPainter2D(), self._begin_image, self._take_image, self.viewport().update
        )
        self._drawn_at = QTransform()  # where map units were in the image on show
        self._fitted = True   # everything is in view by `fit`, and stays so while the window grows
        self._everything = False  # outliers too
        self._left_out = 0
        self._whole_unit = 0.0  # map units in a px where all is in view; 0: it never was
        self._free = (_BORDER, _BORDER)  # px above and below that a fit leaves to what stands there
        self._places = cloud.plane.places
        self._shown = cloud.shown_axes
        self._placed: tuple[NDArray, ...] = ()  # what the places are of
        self.under: list[Layer] = []
        self.over: list[Layer] = []
        self.box = pg.ViewBox(
            lockAspect=True, enableMouse=False, enableMenu=False, defaultPadding=0
        )
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

    @property
    def places(self) -> NDArray[np.float32]:
        """(N, 3) where the points are in the plane: those of the cloud, or on bands of one
        dimension."""
        cloud, plane = self._cloud, self._cloud.plane
        of = plane.places, cloud.rgb, cloud.slots
        if not same_arrays(self._placed, of):
            ids = cloud.run.ids if cloud.run is not None else np.empty(0, np.int64)
            self._places = (
                strip_places(plane.places, bands_of(cloud.style), ids)
                if self.is_strip
                else plane.places
            )
            self._placed = of
        return self._places

    @property
    def is_strip(self) -> bool:
        """One axis is on show."""
        return self._cloud.dimensions == 1 or alone(self._cloud.shown_axes)

    def find_positions(self) -> Callable[[], NDArray[np.float32]]:
        places, view = self.places, self._view()
        return lambda: _seen(places, view)

    def positions(self) -> NDArray[np.float32]:
        return self.find_positions()()

    def spots(self, rows: NDArray) -> NDArray:
        return _seen(self.places[rows], self._view()) / self.ratio

    def pick(self, at: QPointF) -> int:
        self._draw()
        inverse, _ = self._since_drawn().inverted()
        at, ratio = inverse.map(at), self.ratio
        return self.drawing.painter.raster.pick(
            at.x() * ratio, at.y() * ratio, reach=round(5 * ratio)
        )

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

    def from_space(self, places: NDArray) -> NDArray:
        """Places of the cloud (P, 3), which are of the first three columns, as logical px (P, 2);
        NaN where a column is on show that they do not have."""
        axes = list(self._cloud.shown_axes)
        if max(axes) >= places.shape[1]:
            return np.full((len(places), 2), np.nan)
        shown = places[:, axes]
        if alone(self._cloud.shown_axes):
            shown = shown * (1.0, 0.0)
        return self.from_map(shown)

    def transform(self) -> QTransform:
        """Map units to logical px of the viewport."""
        return self.box.childTransform() * self.box.sceneTransform() * self.viewportTransform()

    def fit(self, rows: NDArray | None = None, *, everything: bool = False) -> None:
        """Show nearly all visible points, all with their outliers (`everything`), or some rows."""
        shown = self.places.T[:2]
        if rows is not None or self._cloud.shown_count < len(self.places):
            shown = shown[:, self._cloud.visible if rows is None else rows]
        if not shown.shape[1]:
            return
        self._fitted, self._everything = rows is None, everything
        low, high = shown.min(axis=1).astype(float), shown.max(axis=1).astype(float)
        found = self._cloud.plane.limits if rows is None and not everything else None
        if found is not None:
            # A strip's height is ours and keeps all of its bands
            axes = slice(0, 1 if self.is_strip else 2)
            low[axes], high[axes] = found[0][axes], found[1][axes]
        if self.is_strip:  # densities stand above the points
            low[1], high[1] = height_of(float(low[1]), float(high[1]))
        self._left_out = int(
            np.count_nonzero(((shown < low[:, None]) | (shown > high[:, None])).any(axis=0))
        )
        pixels = np.array([self.viewport().width(), self.viewport().height()], float)
        top, bottom = (min(max(free, _BORDER), round(_MOST * pixels[1])) for free in self._free)
        room = np.maximum(pixels - (2 * _BORDER, top + bottom), 20)
        unit = float((np.maximum(high - low, 0.02) / room).max())
        # The middle of the room is not that of the canvas
        down = np.array([0.0, bottom - top]) * unit
        # Python floats: float32 ones warn in there
        x, y = (float(v) for v in (low + high - pixels * unit - down) / 2)
        self._whole_unit = unit if rows is None else self._whole_unit
        self.box.setRange(QRectF(x, y, float(pixels[0] * unit), float(pixels[1] * unit)), padding=0)

    @property
    def view(self) -> QRectF:
        """What is in view, in map units."""
        return self.box.viewRect()

    def show_view(self, view: QRectF) -> None:
        """Show that."""
        self._fitted = False
        self.box.setRange(view, padding=0)

    @property
    def magnification(self) -> float:
        """How many times larger the map is than where all of it is in view."""
        now = float(self.box.viewPixelSize()[0])
        return self._whole_unit / now if self._whole_unit > 0 and now > 0 else 1.0

    def keep_free(self, top: int, bottom: int) -> None:
        if (top, bottom) != self._free:
            self._free = (top, bottom)
            if self._fitted:
                self.fit(everything=self._everything)

    @property
    def free_below(self) -> int:
        return self._free[1]

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
        self.drawing.forget()
        self.viewport().update()

    # --- painting

    def paint(self, painter: QPainter) -> None:
        self._draw()
        paint_layers(painter, self.under)
        with saved(painter):
            painter.setTransform(self._since_drawn(), combine=True)
            painter.drawImage(QPointF(0, 0), self.drawing.painter.raster.to_qimage(self.ratio))
        paint_layers(painter, self.over)

    def _draw(self) -> None:
        self.drawing.refresh(*self._size())

    def _begin_image(self) -> Callable[[], _Image]:
        painter, raster = self.drawing.painter, self.drawing.painter.spare()
        at, still, places, ratio = self.transform(), self._cloud.still(), self.places, self.ratio
        view, size = self._view(), self._size()

        def draw() -> _Image:
            painter.draw(raster, still, places.T, view, size, ratio)
            return _Image(raster, at, places)

        return draw

    def _take_image(self, image: _Image) -> bool:
        if image.places is not self.places:  # other points are on their way
            return False
        self.drawing.painter.show(image.raster)
        self._drawn_at = image.at
        return True

    def _size(self) -> tuple[int, int]:
        """Width and height in device px."""
        view, ratio = self.viewport(), self.ratio
        return max(round(view.width() * ratio), 1), max(round(view.height() * ratio), 1)

    def _view(self) -> NDArray[np.float32]:
        """Map units to device px, (4,): scale and shift of x, then of y."""
        t, ratio = self.transform(), self.ratio
        return np.array([t.m11(), t.dx(), t.m22(), t.dy()], np.float32) * np.float32(ratio)

    def _since_drawn(self) -> QTransform:
        """How the view moved since the image on show was drawn, in logical px."""
        inverse, may = self._drawn_at.inverted()
        return inverse * self.transform() if may else QTransform()

    def _on_view(self, *_: object) -> None:
        self.drawing.stale = True
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
        if what == "points" and self._shown != self._cloud.shown_axes:
            self._shown = self._cloud.shown_axes
            self.fit()
        self.redraw()

    def _tint(self) -> None:
        self.setBackground(QColor(current().plot))


def _mapped(transform: QTransform, outline: NDArray) -> NDArray[np.float64]:
    matrix = np.array([[transform.m11(), transform.m12()], [transform.m21(), transform.m22()]])
    return outline @ matrix + (transform.dx(), transform.dy())


def _seen(places: NDArray[np.float32], view: NDArray[np.float32]) -> NDArray[np.float32]:
    """Places (M, 3) in device px (M, 2)."""
    return places[:, :2] * view[::2] + view[1::2]
