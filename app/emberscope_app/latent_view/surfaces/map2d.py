"""The 2-D map: points of the run on show in the plane, with lasso, filter, layers and live partial
embeddings."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QWidget

from emberscope.findings.maps.bag_points import POINTS
from emberscope.findings.point_looks import color_choices, shown_color, usual_colors
from emberscope.findings.score_words import in_order
from emberscope.findings.shown_axes import Axes, axes_words, dimensions, pairs, singles
from emberscope.project import Changes, Run
from emberscope.project.nouns import Nouns, nouns_of
from emberscope_app.latent_view.panel import MapPanel
from emberscope_app.latent_view.plates import QualityPlate
from emberscope_app.latent_view.quality import quality_parts
from emberscope_app.latent_view.surfaces.plot import Plot
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import concepts_edited, run_concepts
from emberscope_app.state.knowledge.shown_axes import (
    WHOLE,
    axes_on_show,
    color_names,
    title_on_show,
)
from emberscope_app.state.points.filter import color_columns, filter_of
from emberscope_app.theme.controls import IconButton, line, text, trigger
from emberscope_app.theme.fit_strip import More, fit_strip
from emberscope_app.theme.text import Text

BELIEVE = "How far to believe this map"
_NARROWEST = 300      # px; the strip gives up its parts one after the other down to here
_BOX = 134            # px; "preservation, all" is the longest
_AXES = 100           # px; "axes 9, 10" is the longest
_POINTS = 112         # px; "bag outlines" is the longest
_FIRST = 1            # switches that keep their place longer than the list of points
_CLOSE = 4            # px between the parts of the strip: it has many
_PAIRS = 45           # pairs of axes to choose from: of the first ten


class Map2DPanel(MapPanel):
    """Dock "map2d"."""

    title = "Map 2-D"
    surface: Plot
    quality: QualityPlate
    tools = ("point", "lasso", "rect", "brush")

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._labels: list[Text] = []
        self.strip.row.setSpacing(_CLOSE)
        self.strip.row.setContentsMargins(2 * _CLOSE, 0, 2 * _CLOSE, 0)
        self.toggles: dict[str, IconButton] = {}
        self.color_box = self._make_box("Color", self._on_color)
        self.size_box = self._make_box("Size", self._on_size)
        self.axes_box = self._make_box("", self._on_axes)
        self.axes_box.setAccessibleName("Axes")
        self.axes_box.setFixedWidth(_AXES)
        self.axes_box.setToolTip("Which two axes of the run are on show, or which one as a strip")
        self.points_box = self._make_box("", self.cloud.set_points_as)
        self.points_box.setAccessibleName("Points")
        self.points_box.setFixedWidth(_POINTS)
        self.points_box.setToolTip("What a point is: an instance, or a bag")
        for name, (title, _) in POINTS.items():
            self.points_box.addItem(title, name)
        self._between = line(vertical=True)  # the choices from the switches
        self.strip.row.addWidget(self._between)
        self.toggles = self.layers.toggles()
        self.dims = IconButton("half", "Dim the others while points are selected", checkable=True)
        self.dims.setChecked(self.cloud.dim_others)
        self.dims.toggled.connect(self.cloud.set_dim_others)
        for button in (*self.toggles.values(), self.dims):
            self.strip.row.addWidget(button)
        self.strip.row.addStretch(1)
        self.more, self.all_layers = More(self), More(self, icon="layers", title="Layers")
        self.all_layers.hidden = [*self.toggles.values(), self.dims]
        self.strip.row.addWidget(self.all_layers)
        self.strip.row.addWidget(self.more)
        self.fit_button = IconButton("fit", "Fit all", key="F")
        self.fit_button.clicked.connect(self.fit_all)
        self.strip.row.addWidget(self.fit_button)
        self.strip.setMinimumWidth(_NARROWEST)
        filter_of(session).read.connect(self._fill_colors)
        session.focus.changed.connect(self._on_focus)
        session.changed.connect(self._on_project)
        self.read()

    def make_surface(self) -> None:
        self.surface = Plot(self.cloud)

    def make_plates(self, canvas: QWidget) -> None:
        self.quality = QualityPlate(canvas, title=BELIEVE)
        self.quality.clicked.connect(lambda: trigger(self, "run.believe"))

    def say_quality(self) -> None:
        run = self.session.run
        parts = quality_parts(self.session, run) if run is not None else []
        self.quality.say(parts)

    def read(self) -> None:
        super().read()
        run = self.session.run
        self._read_axes()
        _choose(self.points_box, self.cloud.points_as)
        scores = color_names(run, in_order(run.point_scores)) if run is not None else []
        self._fill_colors()
        _fill(
            self.size_box,
            ["fixed", *(name for name in scores if not name.endswith(WHOLE))],
            self.cloud.size_by,
            nouns_of(self.session.project),
        )

    def _fill_colors(self) -> None:
        run = self.session.run
        nouns = nouns_of(self.session.project)
        colors = usual_colors(nouns) if run is None else self._color_names(run)
        _fill(self.color_box, colors, self._color_by, nouns)

    def _color_names(self, run: Run) -> list[str]:
        concepts = run_concepts(self.session.project, run)
        columns = color_columns(filter_of(self.session).columns)
        return color_names(run, color_choices(run, concepts, columns))

    def figure(self) -> tuple[str, dict[str, Any]]:
        look: dict[str, Any] = {"axes": self.cloud.shown_axes}
        if self.surface.is_strip:
            return "strip", look
        return "map-2d", look | {"points": self.cloud.points_as} | self.layers.look()

    def _on_layers(self) -> None:
        super()._on_layers()
        self._fit_strip()

    # --- strip

    def _make_box(self, title: str, on_choice: Callable[[Any], None]) -> QComboBox:
        if title == "Color":
            self.strip.row.addWidget(line(vertical=True))
        label, box = text(title, "secondary"), QComboBox()
        label.setBuddy(box)
        box.setAccessibleName(title)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(5)
        box.setFixedWidth(_BOX)
        box.view().setMinimumWidth(150)
        box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        box.activated.connect(lambda i: on_choice(box.itemData(i)))
        if title:
            self._labels.append(label)
            self.strip.row.addWidget(label)
        self.strip.row.addWidget(box)
        return box

    @property
    def _color_by(self) -> str:
        """By what the points are colored, which the run may not have as it was asked for."""
        run, asked = self.session.run, self.session.focus.color_by
        return shown_color(run, asked) if run is not None else asked

    def _on_color(self, name: str) -> None:
        self.session.focus.set(color_by=name)

    def _on_size(self, name: str) -> None:
        self.cloud.set_size_by(name)

    def _on_axes(self, axes: Axes) -> None:
        self.session.focus.set(axes=axes)

    def _read_axes(self) -> None:
        """The axes on show, and which a person may choose; no list where there are no others."""
        run = self.session.run
        found = (
            [*islice(pairs(run), _PAIRS), *singles(run)]
            if run is not None and dimensions(run) > 1
            else []
        )
        if [self.axes_box.itemData(at) for at in range(self.axes_box.count())] != found:
            self.axes_box.clear()
            for axes in found:
                words = axes_words(axes).replace(" and ", ", ")
                self.axes_box.addItem(words, axes)
        chosen = axes_on_show(run, self.session.focus.axes)
        self.axes_box.setCurrentIndex(found.index(chosen) if chosen in found else -1)
        self._fit_strip()

    def _on_focus(self, names: set[str]) -> None:
        if "axes" in names:
            self._read_axes()
            self._read_plates()
        if "color_by" in names:
            _choose(self.color_box, self._color_by)

    def _on_project(self, changes: Changes) -> None:
        if concepts_edited(changes):
            self.read()

    def _on_cloud(self, what: str) -> None:
        if what == "style":
            _choose(self.size_box, self.cloud.size_by)
        super()._on_cloud(what)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.color_box.setFixedWidth(_BOX if self.width() >= _NARROWEST + 34 else _BOX - 22)
        self._fit_strip()

    def _fit_strip(self) -> None:
        """Where some switches have no room, one menu has all of them."""
        absent = [] if self.axes_box.count() else [self.axes_box]
        switches = set(self.all_layers.hidden)
        self._between.show()
        for also in ([self.all_layers], []):
            fit_strip(self.strip, self.width(), self._room(), more=self.more,
                      absent=[*absent, *also])
            if not switches & {*self.more.hidden}:
                return
        self.all_layers.show()
        self.more.hidden = [part for part in self.more.hidden if part not in switches]
        self.more.setVisible(bool(self.more.hidden))
        self._between.setVisible(any(switch.isVisibleTo(self.strip) for switch in switches))

    def _room(self) -> tuple[Sequence[QWidget], ...]:
        """What goes into a menu, the first first: before what can be switched goes what has
        nothing to show now, and the switches that are used most stay longest."""
        switches = [*reversed(self.toggles.values())]
        idle = [[switch] for switch in switches if not switch.isEnabledTo(self.strip)]
        used = [[switch] for switch in switches if switch.isEnabledTo(self.strip)]
        kept = max(len(used) - _FIRST, 0)
        return (
            self._labels,
            *idle,
            [self.size_box],
            [self.dims],
            *used[:kept],
            [self.fit_button],  # has a key
            [self.points_box],
            *used[kept:],
            [self.axes_box],
            [self.color_box],
        )


def _fill(box: QComboBox, choices: list[str], chosen: str, nouns: Nouns) -> None:
    if [box.itemData(i) for i in range(box.count())] != choices:
        box.clear()
        for name in choices:
            box.addItem(title_on_show(name, nouns), name)
    _choose(box, chosen)


def _choose(box: QComboBox, chosen: str) -> None:
    box.setCurrentIndex(max(box.findData(chosen), 0))
