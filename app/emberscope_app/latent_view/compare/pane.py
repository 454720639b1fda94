"""One of several maps side by side: points, what the mouse does on them, what stands above."""

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from emberscope_app.latent_view.compare.movers import Movers
from emberscope_app.latent_view.legend import Legend
from emberscope_app.latent_view.plates import MARGIN, MapPlate
from emberscope_app.latent_view.surfaces.plot import Plot
from emberscope_app.latent_view.surfaces.pointer import Pointer
from emberscope_app.state.core.figures import figure_actions
from emberscope_app.state.core.selection import mode_of
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.compared import ComparedPoints, View
from emberscope_app.state.points.seen_maps import MapSeen
from emberscope_app.theme.tokens import PX_SMALL


class Pane(QWidget):
    """key(event) : struck on the map, where it means nothing here. fit_wanted() : all of every map
    is to be seen. figure_wanted(forms) : all maps are to be saved as they are."""

    key = Signal(object)
    fit_wanted = Signal()
    figure_wanted = Signal(object)

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.points = ComparedPoints(session)
        self.surface = Plot(self.points)
        self.pointer = Pointer(self.surface, session, self.points)
        self.movers = Movers(self.surface)
        self.surface.over += [self.movers.paint, self.pointer.paint]
        canvas = self.surface.canvas
        self.title = MapPlate(canvas, weight=600)
        self.says = MapPlate(canvas, px=PX_SMALL, weight=400)
        self.legend = Legend(self.points, canvas)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.surface)
        self.surface.viewed.connect(self.pointer.view_moved)
        self.pointer.clicked.connect(self._on_click)
        self.pointer.double_clicked.connect(self._show_frame)
        self.pointer.menu_wanted.connect(self._open_menu)
        self.points.changed.connect(self._on_points)
        self.surface.widget.installEventFilter(self)
        self.set_tool("lasso")

    def show_view(self, view: View, title: str, says: str, *, legend: bool) -> None:
        """Show a map; legend : with what its colors mean."""
        self._with_legend = legend
        self.points.show(view)
        self.say(title, says)

    def say(self, title: str, says: str) -> None:
        """What stands above the points."""
        self.title.say(title)
        self.says.say(says)
        self.surface.canvas.setAccessibleName(f"Map, {title}, {says}")
        self.place_plates()

    def set_tool(self, tool: str) -> None:
        """point, lasso, rect or brush."""
        self.pointer.set_tool(tool)

    def place_plates(self) -> None:
        """Title and numbers at the top left, the legend below where it has room."""
        width, height = self.surface.canvas.width(), self.surface.canvas.height()
        self.title.move(MARGIN, MARGIN)
        self.says.move(MARGIN, MARGIN + self.title.height() + 2)
        self.legend.arrange(width - 2 * MARGIN)
        there = self._with_legend and self._legend_says
        there = there and self.legend.width() <= width - 2 * MARGIN
        self.legend.setVisible(there)
        self.legend.move(MARGIN, max(height - self.legend.height() - MARGIN, 0))
        top = self.says if self.says.text() else self.title
        below = height - self.legend.y() if there else 0
        self.surface.keep_free(top.geometry().bottom() + MARGIN, below + MARGIN)

    _with_legend = _legend_says = False

    def _on_points(self, what: str) -> None:
        if what == "points":
            self.pointer.refresh()
        if what in ("points", "style"):
            self.legend.read()
            self._legend_says = not self.legend.isHidden()
            self.place_plates()

    def _on_click(self, row: int, modifiers: Qt.KeyboardModifier) -> None:
        mode, selection = mode_of(modifiers), self._session.selection
        if row >= 0:
            selection.select(self.points.ids_of(np.array([row])), mode=mode, origin=self)
        elif mode == "replace":
            selection.clear(origin=self)

    def _show_frame(self, row: int) -> None:
        run = self.points.run
        if row >= 0 and run is not None:
            self._session.focus.set(run=run.id)
            self._session.show_instance(int(run.ids[row]))

    def _open_menu(self, at: QPoint, _row: int) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def menu(self) -> QMenu:
        """What can be done with this map."""
        run, session, menu = self.points.run, self._session, QMenu(self)
        if run is not None:
            show = menu.addAction(f"Show run {run.id} in every view")
            show.triggered.connect(lambda: session.focus.set(run=run.id))
        menu.addAction("Clear selection\tEsc").triggered.connect(lambda: session.selection.clear())
        menu.addAction("Fit all\tF").triggered.connect(self.fit_wanted)
        menu.addSeparator()
        menu.addActions(
            figure_actions(menu, lambda forms: self.figure_wanted.emit(forms)))
        return menu

    def seen(self) -> MapSeen:
        """The map as it is seen now."""
        ways = self.movers.ways if self.movers.on else self.movers.ways[:, :0]
        return MapSeen(self.points, self.title.text(), self.says.text(), self.surface.view,
                       ways, self._with_legend)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if not self.pointer.key(event, down=True):
                self.key.emit(event)
            return event.isAccepted()
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyRelease:
            return self.pointer.key(event, down=False)
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place_plates()
