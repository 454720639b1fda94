"""What both maps share: strip, layers, plates, legend, keys, menu, empty state, and the words for
screen readers."""

from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QMenu, QStackedLayout, QVBoxLayout, QWidget

from emberscope.catalogue import METHODS
from emberscope.project.model.unfit_runs import left_out_note
from emberscope.project.nouns import nouns_of
from emberscope_app.latent_view.in_sight import InSight
from emberscope_app.latent_view.layers.of_map import LayersOfMap
from emberscope_app.latent_view.legend import Legend
from emberscope_app.latent_view.live_slider import LiveSlider
from emberscope_app.latent_view.plates import MARGIN, MapPlate, QualityPlate
from emberscope_app.latent_view.surfaces.pointer import Pointer
from emberscope_app.latent_view.surfaces.surface import Surface
from emberscope_app.plain import menu_text
from emberscope_app.state.core.figures import figure_actions
from emberscope_app.state.core.selection import mode_of
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.class_keys import class_of_key, in_order, key_of_class
from emberscope_app.state.labels.side import PAIR_KEYS, say_alike, say_different
from emberscope_app.state.points.cloud import cloud_of
from emberscope_app.state.runs.map_figures import ask_for_map
from emberscope_app.theme.controls import Empty, IconButton, Strip, trigger
from emberscope_app.theme.panel import Panel
from emberscope_app.theme.tokens import PX_SMALL
from emberscope_app.words import counted, in_sentence, percent, spaced

_NO_RUN = "No run yet. A run places every instance on this map."
METHOD_TITLES = {method.id: method.short for method in METHODS}
TOOL_ROWS = {
    "point": ("select", "Point", ""),
    "lasso": ("lasso", "Lasso", "Q"),
    "rect": ("rect", "Rectangle", ""),
    "brush": ("brush", "Brush", "W"),
}


class MapPanel(Panel):
    """A map of the run on show. Subclasses bring the surface, the plate of quality and what is
    special to their strip.

    title : for screen readers. surface : set by `make_surface`, quality : by `make_plates`.
    """

    title = ""
    surface: Surface
    quality: MapPlate | QualityPlate
    tools: tuple[str, ...] = ("point", "lasso")
    letters = frozenset(PAIR_KEYS) | {
        Qt.Key.Key_Q,
        Qt.Key.Key_W,
        Qt.Key.Key_V,
        Qt.Key.Key_F,
        Qt.Key.Key_G,
    }

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.cloud = cloud_of(session)
        self.make_surface()
        self.takes_messages = self.surface.widget
        self.pointer = Pointer(self.surface, session, self.cloud)
        self.strip = Strip()
        self._tools = self._make_tools()
        self.empty = Empty(_NO_RUN, action="Run", on_action=lambda: trigger(self, "run.run"))
        self._stack = QStackedLayout()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip)
        # First of all: a page without a parent would come up as a window
        column.addLayout(self._stack, 1)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.surface.widget)
        canvas = self.surface.canvas
        self.layers = LayersOfMap(session, self.surface)
        self.letters = type(self).letters | frozenset(self.layers.keys)
        self.make_plates(canvas)
        self.progress = MapPlate(canvas, framed=True)
        self.beyond = MapPlate(canvas, px=PX_SMALL, weight=400)
        # Run, and whether a partial embedding stands for it
        self._shown: tuple[int | None, bool, str] | None = None
        self._project = session.project  # the one `_shown` is of
        self.legend = Legend(self.cloud, canvas)
        self.slider = LiveSlider(session, self.cloud, canvas)
        for plate in self.layers.plates:  # a low map has no room beside what only informs
            plate.raise_()
        self.slider.slider.sliderReleased.connect(self._end_slide)
        canvas.installEventFilter(self)
        self.surface.widget.installEventFilter(self)
        self.cloud.changed.connect(self._on_cloud)
        session.jobs.changed.connect(self._on_job)
        self.pointer.clicked.connect(self._on_click)
        self.pointer.double_clicked.connect(self._on_double_click)
        self.pointer.menu_wanted.connect(self._open_menu)
        self.surface.viewed.connect(self.pointer.view_moved)
        self.surface.viewed.connect(self._read_beyond)
        self.surface.over.append(self.pointer.paint)
        self.pointer.card.also = self.layers.words
        self.layers.changed.connect(self._on_layers)
        self.set_tool("lasso")
        InSight(self, session, 3 if self.surface.in_space else 2)

    def make_surface(self) -> None:
        """Set `surface`."""
        raise NotImplementedError

    def make_plates(self, canvas: QWidget) -> None:
        """Set `quality`, the plate at the top right, and make what else stands on the canvas."""
        raise NotImplementedError

    def say_quality(self) -> None:
        """Say on the plate of quality how good the map is."""
        raise NotImplementedError

    # --- the strip

    def _make_tools(self) -> dict[str, IconButton]:
        group, found = QButtonGroup(self), {}
        group.setExclusive(True)
        for name in self.tools:
            icon, title, key = TOOL_ROWS[name]
            button = IconButton(icon, title, checkable=True, tool=True, key=key)
            button.clicked.connect(lambda _=False, name=name: self.set_tool(name))
            group.addButton(button)
            self.strip.row.addWidget(button)
            found[name] = button
        return found

    def set_tool(self, tool: str) -> None:
        """point, lasso, rect or brush."""
        self._tools[tool].setChecked(True)
        self.pointer.set_tool(tool)

    # --- following the cloud

    def read(self) -> None:
        """Show the cloud as it is: after construction and after other points came."""
        self._stack.setCurrentWidget(self.surface.widget if len(self.cloud) else self.empty)
        self._on_job()
        self.layers.read()
        self.strip.setEnabled(bool(len(self.cloud)))
        self._read_plates()
        self._summarize()
        run = self.session.run
        method = METHOD_TITLES.get(run.recipe.method, run.recipe.method) if run else ""
        self.set_count(f"Run {run.id} \u00b7 {method} \u00b7 seed {run.recipe.seed}" if run else "")
        self._fit_if_other()

    def _fit_if_other(self) -> None:
        """Another run is seen as a whole; the run of the partial embedding on show keeps the view
        somebody chose."""
        run = self.session.run
        if self._project is not self.session.project:
            self._project, self._shown = self.session.project, None
        old, self._shown = (
            self._shown,
            (
                run.id if run is not None else None,
                self.cloud.partial is not None,
                self.cloud.points_as,
            ),
        )
        finished = old is not None and old[1] and not self._shown[1] and old[0] != self._shown[0]
        other = old != self._shown and not (finished and not self.surface.fitted)
        # A layout that moves stays in view
        if other or (self.cloud.partial is not None and self.surface.fitted):
            self.surface.fit()
        self._read_beyond()

    def _end_slide(self) -> None:
        """All points are in view again, where they were before; what was not drawn meanwhile comes
        back."""
        if self.surface.fitted and self.cloud.at is not None:
            self.surface.fit()
        self.surface.canvas.update()

    def fit_all(self) -> None:
        """Nearly all points; once more: the outliers too."""
        self.surface.fit(everything=self.surface.outside > 0)

    def _read_beyond(self) -> None:
        count = self.surface.outside
        self.beyond.say(f"{spaced(count)} outside, F shows all" if count else "")
        self.place_plates()

    def _on_cloud(self, what: str) -> None:
        if what == "points":
            self.pointer.refresh()
            if not self.cloud.coming:
                self.read()
        elif what in ("style", "progress", "moved"):
            self._read_plates()
        elif what == "selection":
            self._summarize()

    def _on_layers(self) -> None:
        self.pointer.card.forget()
        self.place_plates()

    def _on_job(self) -> None:
        """Where there is nothing to show, whether a run is under way."""
        if not len(self.cloud):
            job = self.session.jobs.making_run
            none = left_out_note(self.session.project) or _NO_RUN
            self.empty.wait(
                job is not None, f"{job.title} places every instance on this map." if job else none
            )

    def _read_plates(self) -> None:
        job = self.cloud.partial
        self.progress.say(f"Partial embedding, {percent(job.fraction)}" if job is not None else "")
        self.slider.read()
        # Its numbers are of the map where the run has it
        if job is not None or self.cloud.at is not None:
            self.quality.silence()
        else:
            self.say_quality()
        self.legend.read()
        self.place_plates()

    def place_plates(self) -> None:
        """Progress or the slider top left, quality top right, below the slider where there is no
        room; legend below."""
        width, height = self.surface.canvas.width(), self.surface.canvas.height()
        if isinstance(self.quality, QualityPlate):
            self.quality.arrange(width - 2 * MARGIN, height)
        self.progress.move(MARGIN, MARGIN)
        top = MARGIN
        if not self.slider.isHidden():
            self.slider.arrange(width - 2 * MARGIN)
            self.slider.move(MARGIN, MARGIN)
            room = width - self.slider.width() - 3 * MARGIN
            top += (
                self.slider.height() + 4
                if max(self.quality.width(), self.beyond.width()) > room
                else 0
            )
        self.quality.move(max(width - self.quality.width() - MARGIN, MARGIN), top)
        below = top + (
            self.quality.height() + 4 if self.quality.isVisibleTo(self.surface.canvas) else 0
        )
        self.beyond.move(max(width - self.beyond.width() - MARGIN, MARGIN), below)
        self.legend.arrange(width - 2 * MARGIN)
        self.legend.move(MARGIN, max(height - self.legend.height() - MARGIN, 0))
        for plate in self.layers.plates:
            left = max(width - plate.width() - MARGIN, 0)
            beside = self.legend.isHidden() or self.legend.geometry().right() < left
            bottom = height - MARGIN if beside else self.legend.y() - 4
            plate.move(left, max(bottom - plate.height(), 0))
        self._keep_free()

    def _keep_free(self) -> None:
        """Points are not fitted under what stands above and below."""
        if self.cloud.at is not None:  # while a slider moves the points, nothing else moves
            return
        canvas = self.surface.canvas
        above = [
            plate.geometry().bottom()
            for plate in (self.progress, self.slider, self.quality, self.beyond)
            if plate.isVisibleTo(canvas)
        ]
        below = canvas.height() - self.legend.y() if self.legend.isVisibleTo(canvas) else 0
        self.surface.keep_free(
            max(above, default=0) + MARGIN, below + MARGIN + self.layers.below
        )

    def _summarize(self) -> None:
        cloud = self.cloud
        shown, chosen = cloud.shown_count, int(np.count_nonzero(cloud.selected & cloud.visible))
        self.surface.canvas.setAccessibleName(
            f"{self.title}, {counted(shown, 'point')}, {spaced(chosen)} selected"
        )

    # --- acts

    def select_none(self) -> None:
        self.session.selection.clear(origin=self)

    def select_all(self) -> None:
        """Select the visible points."""
        self.session.selection.select(
            self.cloud.ids_meant(np.flatnonzero(self.cloud.visible)), origin=self
        )

    def invert(self) -> None:
        """Select the visible points that are not selected."""
        rows = np.flatnonzero(self.cloud.visible & ~self.cloud.selected)
        self.session.selection.select(self.cloud.ids_meant(rows), origin=self)

    def fit_selection(self) -> None:
        rows = np.flatnonzero(self.cloud.selected & self.cloud.visible)
        if len(rows):
            self.surface.fit(rows)

    def _on_click(self, row: int, modifiers: Qt.KeyboardModifier) -> None:
        mode = mode_of(modifiers)
        if row >= 0:
            ids = self.cloud.ids_of(np.array([row]))
            meant = self.cloud.ids_meant(np.array([row]))
            self.session.selection.select(meant, mode=mode, origin=self)
            if self.pointer.tool == "point" and mode == "replace":
                self.session.go_to_instance(int(ids[0]))
        elif mode == "replace" and self.cloud.pickable:
            self.select_none()

    def _on_double_click(self, row: int) -> None:
        if row >= 0:
            self.session.show_instance(int(self.cloud.ids_of(np.array([row]))[0]))

    def _mark(self, class_id: int | None) -> None:
        if len(self.session.selection):
            self.session.mark_selection(class_id)
        else:
            self.session.say("Nothing is selected. Draw a lasso around the points to mark.")

    def menu(self, row: int = -1) -> QMenu:
        """The context menu; `row` is the point it was asked for at."""
        menu = QMenu(self)
        chosen = len(self.session.selection)
        for info in in_order(self.session.project):
            action = menu.addAction(f"Mark {spaced(chosen)} as {menu_text(in_sentence(info.name))}")
            action.triggered.connect(lambda _=False, key=info.id: self._mark(key))
            action.setEnabled(bool(chosen))
            key = key_of_class(self.session.project, info.id)
            if key:
                action.setText(f"{action.text()}\t{key}")
        for words, class_id in (
            (f"Ignore {spaced(chosen)}\tG", 0),
            ("Remove marks\tBackspace", None),
        ):
            action = menu.addAction(words)
            action.triggered.connect(lambda _=False, key=class_id: self._mark(key))
            action.setEnabled(bool(chosen))
        menu.addSeparator()
        for words, say in (("Alike\tS", say_alike), ("Different\tD", say_different)):
            action = menu.addAction(words)
            action.triggered.connect(lambda _=False, say=say: say(self.session))
            action.setEnabled(bool(chosen))
        menu.addSeparator()
        if row >= 0:
            instance = int(self.cloud.ids_of(np.array([row]))[0])
            menu.addAction(nouns_of(self.session.project).say("Show frame")).triggered.connect(
                lambda: self.session.show_instance(instance)
            )
            menu.addAction("Select its bag").triggered.connect(lambda: self._select_bag(instance))
        menu.addAction("Select all\tCtrl+A").triggered.connect(self.select_all)
        menu.addAction("Invert selection\tCtrl+I").triggered.connect(self.invert)
        menu.addAction("Clear selection\tEsc").triggered.connect(self.select_none)
        menu.addSeparator()
        menu.addAction("Fit all\tF").triggered.connect(self.fit_all)
        menu.addAction("Fit selection\tShift+F").triggered.connect(self.fit_selection)
        menu.addSeparator()
        menu.addActions(figure_actions(menu, self._save))
        return menu

    def figure(self) -> tuple[str, dict[str, Any]]:
        """What the command line calls the map as it is, and how it looks."""
        return "map-3d", {"points": self.cloud.points_as}

    def _save(self, forms: tuple[str, ...]) -> None:
        name, look = self.figure()
        ask_for_map(self.session, name, forms, look=look)

    def _open_menu(self, at: QPoint, row: int) -> None:
        menu = self.menu(row)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def _select_bag(self, instance: int) -> None:
        run = self.cloud.run
        rows = self.cloud.rows_of(np.array([instance]))
        if run is None or not len(rows):
            return
        bags = run.bags
        mine = np.unique(bags.bag_of_member[bags.members == rows[0]])
        found = [bags.of(int(k)) for k in mine]
        if found:
            self.session.selection.select(run.ids[np.concatenate(found)], origin=self)

    # --- keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.Resize:
            self.place_plates()
        elif kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self.key(event)
        elif kind == QEvent.Type.KeyRelease and isinstance(event, QKeyEvent):
            return self.pointer.key(event, down=False)
        return False

    def key(self, event: QKeyEvent) -> bool:
        """A key pressed on the map; whether it did something."""
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        control = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        alt = bool(modifiers & Qt.KeyboardModifier.AltModifier)
        if alt and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            (
                self.session.selection.back
                if key == Qt.Key.Key_Left
                else self.session.selection.forward
            )()
        elif control and key == Qt.Key.Key_I:
            self.invert()
        elif control and key == Qt.Key.Key_A and not modifiers & Qt.KeyboardModifier.ShiftModifier:
            self.select_all()
        elif control or alt:
            return False
        elif key == Qt.Key.Key_Escape:
            if not self.pointer.cancel():
                self.select_none()
        elif key == Qt.Key.Key_F:
            shift = modifiers & Qt.KeyboardModifier.ShiftModifier
            self.fit_selection() if shift else self.fit_all()
        elif key in (Qt.Key.Key_Q, Qt.Key.Key_W, Qt.Key.Key_V):
            wanted = {Qt.Key.Key_Q: "lasso", Qt.Key.Key_W: "brush", Qt.Key.Key_V: "point"}[key]
            if wanted not in self._tools:
                return False
            self.set_tool(wanted)
        elif Qt.Key.Key_1 <= key <= Qt.Key.Key_9:
            info = class_of_key(self.session.project, int(key) - int(Qt.Key.Key_0))
            if info is None:
                return False
            self._mark(info.id)
        elif key == Qt.Key.Key_G:
            self._mark(0)
        elif key == Qt.Key.Key_Backspace:
            self._mark(None)
        elif key in PAIR_KEYS:
            PAIR_KEYS[key](self.session)
        elif key in self.layers.keys:
            self.layers.switch(self.layers.keys[key])
        else:
            return self.pointer.key(event, down=True)
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place_plates()
