"""Synthetic chips: what every place of the map would look like, as a mosaic under the points."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QImage, QPainter

from emberscope import catalogue
from emberscope.findings.shown_axes import FIRST
from emberscope.project import Run
from emberscope.tasks.synthetic import DrawChips
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.latent_view.surfaces.surface import Flat, Surface
from emberscope_app.pixels.gray_chips import gray_chips
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Job

ACROSS = 16  # chips along the longer side of the map
_OPACITY = 0.8


def why_no_chips(run: Run) -> str:
    """Why places of a run's map cannot be shown as chips, as a sentence without its stop; "" where
    they can."""
    row = next((m for m in catalogue.EMBEDDERS if m.id == run.recipe.method), None)
    if row is None or not row.inverse:
        title = row.short if row is not None else run.recipe.method
        return f"{title} has no way back from the map to features"
    if not run.recipe.features.is_chip:
        of_one = ", of one band" if run.recipe.features.kind == "pixels" else ""
        return f"Synthetic chips need pixels as features{of_one}"
    return "" if run.Z.shape[1] > 1 else "Needs a map of two dimensions"


class Mosaic(MapLayer):
    """Asks the worker once per run for chips on a grid over the visible map, and paints them."""

    id = "synthetic"
    icon = "layers"
    title = "Synthetic chips: what every place of the map would look like"
    height = -2
    surface: Flat

    def __init__(self, session: Session, surface: Surface) -> None:
        super().__init__(session, surface)
        self._made_of: Run | None = None
        self._job: Job | None = None
        self.images: list[tuple[QRectF, QImage]] = []  # places in map units

    def why_not(self) -> str:
        run = self.cloud.run
        if run is None:
            return "Needs a run"
        return why_no_chips(run)

    def ask(self) -> None:
        """The chips of the run on show, unless they are there or on their way."""
        run, limits = self.cloud.run, self.cloud.limits
        if run is None or run is self._made_of or limits is None or self.why_not():
            return
        self._made_of, self.images = run, []
        cells = grid(*limits)
        request = DrawChips(run=run, Z=in_coordinates(run, self.cloud.places, cells))
        job = self.session.jobs.ask(
            request,
            lambda found: self._take(job, run, cells, found.chips),
            title="Synthetic chips",
            silent=True,
        )
        self._job = job

    def paint(self, painter: QPainter) -> None:
        if self.cloud.at is not None or self.cloud.shown_axes != FIRST:
            return
        self.ask()
        if self.cloud.run is not self._made_of:
            return
        transform = self.surface.transform()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setOpacity(_OPACITY)
        for rect, image in self.images:
            place = transform.mapRect(rect)
            left, top = round(place.left()), round(place.top())  # whole px: no seams
            painter.drawImage(
                QRect(left, top, round(place.right()) - left, round(place.bottom()) - top), image
            )

    def _take(self, job: Job, run: Run, cells: NDArray, chips: NDArray) -> None:
        if job is not self._job:
            return
        side = float(cells[0, 2])
        self.images = [(QRectF(x - side / 2, y - side / 2, side, side), image)
                       for (x, y, _), image in zip(cells, gray_chips(chips), strict=True)]
        self.surface.canvas.update()


def grid(low: NDArray, high: NDArray) -> NDArray[np.float64]:
    """(P, 3) centers and side of square cells that cover the box low..high, map units."""
    size = np.asarray(high[:2], float) - np.asarray(low[:2], float)
    side = max(float(size.max()) / ACROSS, 1e-9)
    counts = np.maximum(np.ceil(size / side - 1e-9), 1).astype(int)
    first = (np.asarray(low[:2], float) + np.asarray(high[:2], float)) / 2 - side * (counts - 1) / 2
    x, y = np.meshgrid(
        first[0] + side * np.arange(counts[0]), first[1] + side * np.arange(counts[1])
    )
    return np.column_stack([x.ravel(), y.ravel(), np.full(x.size, side)])


def in_coordinates(run: Run, places: NDArray, cells: NDArray) -> NDArray[np.float64]:
    """(P, d) coordinates of the run at cells of the map; further axes at their mean over the
    instances.

    The map shows coordinates shifted and scaled as a whole, which two of its points tell.
    """
    Z = np.asarray(run.Z, float)
    finite = np.isfinite(places[:, 0])
    a, b = (
        np.argmin(np.where(finite, places[:, 0], np.inf)),
        np.argmax(np.where(finite, places[:, 0], -np.inf)),
    )
    scale = (Z[b, 0] - Z[a, 0]) / (float(places[b, 0]) - float(places[a, 0]) or 1.0)
    out = np.tile(np.nanmean(Z, axis=0), (len(cells), 1))
    out[:, :2] = Z[a, :2] + (cells[:, :2] - places[a, :2]) * scale
    return out
