"""The 3-D map: the same points in space. OpenGL where a graphics card answers, the software
rasterizer elsewhere."""

import numpy as np
from PySide6.QtWidgets import QWidget

from emberscope_app.latent_view.panel import MapPanel
from emberscope_app.latent_view.plates import MARGIN, MapPlate
from emberscope_app.latent_view.surfaces.gizmo import SIZE, Gizmo
from emberscope_app.latent_view.surfaces.space import Space
from emberscope_app.latent_view.switch import Switch
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import IconButton, line
from emberscope_app.theme.tokens import PX_SMALL

_LEGEND_FROM = 460   # px of width; below it the 2-D map's legend must do


class Map3DPanel(MapPanel):
    """Dock "map3d"."""

    title = "Map 3-D"
    surface: Space
    quality: MapPlate
    tools = ("point", "lasso")

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.strip.row.addWidget(line(vertical=True))
        self.link = Switch("Link camera")
        self.link.setToolTip("Turn around what is selected")
        self.link.toggled.connect(lambda _: self._follow())
        self.strip.row.addWidget(self.link)
        self.strip.row.addStretch(1)
        self.fit_button = IconButton("fit", "Fit all", key="F")
        self.fit_button.clicked.connect(self.fit_all)
        self.strip.row.addWidget(self.fit_button)
        self.surface.viewed.connect(self._on_view)
        self.set_tool("point")
        self.read()

    def make_surface(self) -> None:
        self.surface = Space(self.cloud)

    def make_plates(self, canvas: QWidget) -> None:
        self.quality = MapPlate(canvas)
        self.gizmo = Gizmo(self.surface.camera, canvas)
        self.gizmo.chosen.connect(self.surface.look_along)
        self.how = MapPlate(canvas, px=PX_SMALL, weight=400)

    def say_quality(self) -> None:
        """A flat run says so; numbers stand on the 2-D map."""
        d = self.cloud.dimensions
        flat = bool(len(self.cloud)) and d <= 2
        self.quality.say(
            f"This run has {d} dimension{'' if d == 1 else 's'}. Run with 3 for depth."
            if flat
            else ""
        )

    def place_plates(self) -> None:
        super().place_plates()
        width, height = self.surface.canvas.width(), self.surface.canvas.height()
        self.legend.setVisible(self._legend_fits(width))
        lift = self.legend.height() if not self.legend.isHidden() else 0
        self.gizmo.move(MARGIN, max(height - SIZE - MARGIN - lift, 0))
        self.how.say(self.surface.renderer.words)
        beside = self.legend.width() + self.how.width() + 3 * MARGIN <= width
        bottom = height - MARGIN - (0 if beside else lift)
        self.how.move(max(width - self.how.width() - MARGIN, 0), max(bottom - self.how.height(), 0))

    def _legend_fits(self, width: int) -> bool:
        """Entries need the width; a color scale shrinks to its figures, and is seen wherever it
        fits."""
        if self.cloud.style.scale is not None:
            return self.legend.width() <= width - 2 * MARGIN
        return width >= _LEGEND_FROM and (bool(self.cloud.legend) or bool(self.cloud.style.note))

    def _on_view(self) -> None:
        self.gizmo.update()
        self.place_plates()

    def _on_cloud(self, what: str) -> None:
        super()._on_cloud(what)
        if what == "selection":
            self._follow()

    def _follow(self) -> None:
        if self.link.isChecked():
            self.surface.center_on(np.flatnonzero(self.cloud.selected & self.cloud.visible))

    def _on_double_click(self, row: int) -> None:
        if row >= 0:
            self.surface.center_on(np.array([row]))
