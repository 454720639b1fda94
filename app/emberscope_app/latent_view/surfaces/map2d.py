"""The 2-D map: points of the run on show in the plane, with lasso, filter, overlays and live partial embeddings."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QComboBox, QWidget

from emberscope.findings.imputed_rounds import IMPUTED
from emberscope.findings.point_looks import COLORS, CONCEPT, color_choices, shown_color
from emberscope.findings.score_words import in_order
from emberscope.findings.shown_axes import FIRST, Axes, dimensions, pairs
from emberscope.project import Changes
from emberscope_app.guard import saved
from emberscope_app.latent_view.layers.action_card import ActionCard
from emberscope_app.latent_view.layers.bag_lines import BagLines
from emberscope_app.latent_view.layers.chips_on_map import ChipLayer
from emberscope_app.latent_view.layers.concept_stars import ConceptStars
from emberscope_app.latent_view.layers.ellipses import ellipses_of, paint_ellipses
from emberscope_app.latent_view.layers.false_neighbors import neighbors_of, paint_faith
from emberscope_app.latent_view.layers.overlays import ENOUGH, density_contours, strip_density
from emberscope_app.latent_view.layers.pair_links import PairLinks
from emberscope_app.latent_view.layers.synthetic import Mosaic
from emberscope_app.latent_view.layers.track_path import track_of
from emberscope_app.latent_view.panel import MapPanel
from emberscope_app.latent_view.plates import MARGIN, QualityPlate
from emberscope_app.latent_view.points.cloud import CONCEPT_STARS, PAIR_LINKS, TRACKS, Cloud
from emberscope_app.latent_view.quality import quality_parts
from emberscope_app.latent_view.surfaces.plot import Plot
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import concepts_edited, run_concepts
from emberscope_app.state.knowledge.mapped_concepts import mapped_concepts
from emberscope_app.state.knowledge.shown_axes import WHOLE, axes_on_show, color_names, title_on_show
from emberscope_app.state.reading.reading_turns import MANY
from emberscope_app.theme.controls import IconButton, line, text, trigger
from emberscope_app.theme.fit_strip import More, fit_strip
from emberscope_app.theme.text import Text

BELIEVE = "How far to believe this map"
SYNTHETIC = "Synthetic chips: what every place of the map would look like"
ELLIPSES = "Distortion: how the map stretches the surroundings of an instance"
STARS = "Concepts: their centers, and the line within which an instance is more likely of one than not"
FAITH = "Neighbors of the instance pointed at: false ones ringed warm, missing ones cool"
TRACK = "Track: the way from frame to frame, in the colors of its actions"
PAIRS = "Pairs of chips: alike green, different red and dashed; thick where the map does not keep them"
_GROUPED = ("class", "source", IMPUTED, CONCEPT)  # few groups, whose densities mean something
_NARROWEST = 300      # px; the strip gives up its parts one after the other down to here
_BOX = 134            # px; "preservation, all" is the longest
_OUTLINED = 7         # groups with density contours; more would be a tangle
_AXES = 100           # px; "axes 9, 10" is the longest
_PAIRS = 45           # pairs of axes to choose from: of the first ten


class Map2DPanel(MapPanel):
    """Dock "map2d"."""

    title = "Map 2-D"
    surface: Plot
    quality: QualityPlate
    tools = ("point", "lasso", "rect", "brush")

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._contours: dict[int, list[QLineF]] | None = None
        self._making: Iterator[dict[int, list[QLineF]]] = iter(())  # the rest of them, a group at each step
        self.chips = ChipLayer(session, self.cloud, self.surface)
        self._labels: list[Text] = []
        self._room: tuple[Sequence[QWidget], ...] = ()
        self.color_box = self._make_box("Color", self._on_color)
        self.size_box = self._make_box("Size", self._on_size)
        self.axes_box = self._make_box("", self._on_axes)
        self.axes_box.setAccessibleName("Axes")
        self.axes_box.setFixedWidth(_AXES)
        self.axes_box.setToolTip("Which two axes of the run are on show")
        self.strip.row.addWidget(line(vertical=True))
        self.contours = self._make_toggle("contour", "Density contours", on=True)
        self.bag_lines = self._make_toggle("bag", "Lines of the bag pointed at, hulls of selected bags", on=True)
        self.bags = BagLines(session, self.cloud, self.surface)
        self.links = PairLinks(session, self.cloud)
        self.pairs = self._make_toggle("link", PAIRS, on=PAIR_LINKS in self.cloud.layers)
        self.pairs.toggled.connect(partial(self.cloud.show_layer, PAIR_LINKS))
        self.concepts = ConceptStars(session, self.cloud, self.surface.from_space)
        self.stars = self._make_toggle("star", STARS, on=CONCEPT_STARS in self.cloud.layers)
        self.stars.toggled.connect(partial(self.cloud.show_layer, CONCEPT_STARS))
        self.tracks = self._make_toggle("track", TRACK, on=TRACKS in self.cloud.layers)
        self.tracks.toggled.connect(partial(self.cloud.show_layer, TRACKS))
        self.track.changed.connect(self._on_track)
        self.faith = self._make_toggle("faith", FAITH)
        self.faith.toggled.connect(self.pointer.card.set_neighbors)
        self.ellipses = self._make_toggle("ellipses", ELLIPSES)
        self.mosaic = Mosaic(session, self.cloud, self)
        self.synthetic = self._make_toggle("layers", SYNTHETIC)
        self.synthetic.toggled.connect(self.mosaic.set_on)
        self.mosaic.ready.connect(self.surface.canvas.update)
        mapped_concepts(session).ready.connect(self.surface.canvas.update)
        self.chips_on = self._make_toggle("grid", "Chips as points")
        self.dims = self._make_toggle("half", "Dim the others while points are selected", on=self.cloud.dim_others)
        self.dims.toggled.connect(self.cloud.set_dim_others)
        self.chips_on.toggled.connect(self.chips.set_on)
        self.strip.row.addStretch(1)
        self.more = More(self)
        self.strip.row.addWidget(self.more)
        self.fit_button = IconButton("fit", "Fit all", key="F")
        self.fit_button.clicked.connect(self.fit_all)
        self.strip.row.addWidget(self.fit_button)
        self.strip.setMinimumWidth(_NARROWEST)
        self._room = (
            self._labels, [self.size_box], [self.dims, self.chips_on, self.synthetic], [self.ellipses],
            [self.faith], [self.stars], [self.tracks], [self.pairs], [self.contours, self.bag_lines], [self.axes_box],
            [self.fit_button], [self.color_box],
        )
        self.surface.under[:0] = [self._paint_synthetic]
        self.surface.under.append(self._paint_under)
        self.surface.over[:0] = [self._paint_ellipses, self._paint_pairs, self._paint_track, self._paint_bags,
                                 self._paint_faith, self.chips.paint, self.concepts.paint]
        session.focus.changed.connect(self._on_focus)
        session.changed.connect(self._on_project)
        self.read()

    def make_surface(self) -> None:
        self.surface = Plot(self.cloud)

    def make_plates(self, canvas: QWidget) -> None:
        self.quality = QualityPlate(canvas, title=BELIEVE)
        self.quality.clicked.connect(lambda: trigger(self, "run.believe"))
        self.track = track_of(self.session)
        self.card = ActionCard(self.session, self.cloud, self.track, canvas)

    def say_quality(self) -> None:
        run = self.session.run
        parts = quality_parts(self.session, run) if run is not None else []
        self.quality.say([part.words for part in parts], {part.words for part in parts if part.warns})

    def read(self) -> None:
        super().read()
        self._contours = None
        run = self.session.run
        _allow(self.synthetic, SYNTHETIC, self.mosaic.why_not())
        self._read_pairs()
        _allow(self.stars, STARS, self.concepts.why_not())
        self._read_track()
        _allow(self.faith, FAITH, "" if neighbors_of(run) is not None else "This run keeps no neighbors. Run it again.")
        _allow(self.ellipses, ELLIPSES, "" if ellipses_of(run) is not None else
               "This run keeps no distortion: it is of an older version, or not of 2 or 3 dimensions")
        self.mosaic.ask()
        self._read_axes()
        scores = color_names(run, in_order(run.point_scores)) if run is not None else []
        concepts = run_concepts(self.session.project, run)
        colors = [*COLORS] if run is None else color_names(run, color_choices(run, concepts))
        _fill(self.color_box, colors, self._color_by)
        _fill(self.size_box, ["fixed", *(name for name in scores if not name.endswith(WHOLE))], self.cloud.size_by)

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

    def _make_toggle(self, icon: str, title: str, *, on: bool = False) -> IconButton:
        button = IconButton(icon, title, checkable=True)
        button.setChecked(on)
        button.toggled.connect(lambda _: self.surface.canvas.update())
        self.strip.row.addWidget(button)
        return button

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
        found = [*islice(pairs(run), _PAIRS)] if run is not None and dimensions(run) > 2 else []
        if [self.axes_box.itemData(at) for at in range(self.axes_box.count())] != found:
            self.axes_box.clear()
            for axes in found:
                self.axes_box.addItem(f"axes {axes[0] + 1}, {axes[1] + 1}", axes)
        chosen = axes_on_show(run, self.session.focus.axes)
        self.axes_box.setCurrentIndex(found.index(chosen) if chosen in found else -1)
        self._fit_strip()

    def _on_focus(self, names: set[str]) -> None:
        if "axes" in names:
            self._read_axes()
            self._read_plates()
        if "color_by" in names:
            self._contours = None
            _choose(self.color_box, self._color_by)

    def _read_pairs(self) -> None:
        self.links.forget()
        _allow(self.pairs, PAIRS, self.links.why_not())

    def _read_track(self) -> None:
        _allow(self.tracks, TRACK, self.track.why_not())

    def _on_track(self) -> None:
        self._read_track()
        self.card.read()
        self.place_plates()
        self.surface.canvas.update()

    def place_plates(self) -> None:
        super().place_plates()
        canvas = self.surface.canvas
        self.card.move(max(canvas.width() - self.card.width() - MARGIN, 0),
                       max(canvas.height() - self.card.height() - MARGIN, 0))

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("side"):
            self._read_pairs()
            self._read_track()
            self.surface.canvas.update()
        if changes.touch("marks", "classes"):
            self._contours = None
        if concepts_edited(changes):
            self.read()

    def _on_cloud(self, what: str) -> None:
        if what == "moved":
            self._contours = None
            self.card.read()
        elif what == "hover":
            self.card.read()
        elif what == "style":
            self._contours = None
            _choose(self.size_box, self.cloud.size_by)
        super()._on_cloud(what)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.color_box.setFixedWidth(_BOX if self.width() >= _NARROWEST + 34 else _BOX - 22)
        self._fit_strip()

    def _fit_strip(self) -> None:
        absent = () if self.axes_box.count() else (self.axes_box,)
        fit_strip(self.strip, self.width(), self._room, more=self.more, absent=absent)

    # --- overlays, in logical px

    def _paint_under(self, painter: QPainter) -> None:
        meant = self._color_by in _GROUPED and 0 < len(self.cloud.legend) <= _OUTLINED
        if not self.contours.isChecked() or not len(self.cloud) or not meant or self.slider.slider.isSliderDown():
            return
        if self.cloud.partial is not None and len(self.cloud) >= MANY:  # the next layout comes before they are made
            return
        if self._contours is None and not self.session.turns.waits(self._outline_next):
            self.session.turns.later(self._outline)
        colors = {entry.key: entry.color for entry in self.cloud.legend}
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setTransform(self.surface.transform())
            for key, pieces in (self._contours or {}).items():
                color = QColor(colors[key])
                color.setAlphaF(0.55)
                pen = QPen(color, 1.0)
                pen.setCosmetic(True)
                painter.setPen(pen)
                painter.drawLines(pieces)

    def _outline(self) -> None:
        """Make the contours, once the points are on the screen; of very many points in some turns."""
        self._contours, self._making = {}, _make_contours(self.cloud, self.surface.places)
        self.session.turns.take(self._outline_next)

    def _outline_next(self) -> None:
        """Those of one more group of points."""
        found = next(self._making, None) if self._contours is not None else None  # None: what they are of changed
        self.surface.canvas.update()
        if found is not None and self._contours is not None:
            self._contours.update(found)
            self.session.turns.take(self._outline_next)

    def _paint_bags(self, painter: QPainter) -> None:
        if self.bag_lines.isChecked():  # lines to missing neighbors would look like those from a witness
            self.bags.paint(painter, lines=not self.faith.isChecked())

    def _paint_synthetic(self, painter: QPainter) -> None:
        if self.cloud.at is None and self.cloud.shown_axes == FIRST:
            self.mosaic.paint(painter, self.surface.transform())

    def _paint_ellipses(self, painter: QPainter) -> None:
        found = ellipses_of(self.cloud.run)
        in_place, axes = self.cloud.pickable and self.cloud.at is None, self.cloud.shown_axes
        if not self.ellipses.isChecked() or found is None or not in_place or max(axes) >= found.shape[1]:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        canvas, rows = self.surface.canvas, np.flatnonzero(self.cloud.visible)
        at = self.surface.positions()[:, :2] / self.surface.ratio
        paint_ellipses(painter, found, rows, at, size=(canvas.width(), canvas.height()), axes=axes)

    def _paint_faith(self, painter: QPainter) -> None:
        if self.faith.isChecked() and self.cloud.pickable:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            row = self.cloud.hover_row
            paint_faith(painter, self.cloud, row, self.surface.positions()[:, :2] / self.surface.ratio)

    def _paint_pairs(self, painter: QPainter) -> None:
        self.links.paint(painter, lambda rows: self.surface.positions()[rows, :2] / self.surface.ratio)

    def _paint_track(self, painter: QPainter) -> None:
        if not self.track.on:
            return
        at = self.surface.positions()[:, :2] / self.surface.ratio
        self.track.paint(painter, at, self.surface.from_space)


def _make_contours(cloud: Cloud, places: NDArray) -> Iterator[dict[int, list[QLineF]]]:
    """Key of a group -> lines, a group at each step. places : (N, 2 or more) of the points on the map."""
    wanted = [entry.key for entry in cloud.legend if entry.key not in cloud.hidden]
    visible, group = cloud.visible, cloud.style.group  # as they are now, not at a later step
    limits = cloud.plane.limits
    if cloud.dimensions == 1:
        curves = strip_density(places[visible], group[visible])
        yield {key: _lines(np.stack([curve[:-1], curve[1:]], axis=1)) for key, curve in curves.items()
               if key in wanted}
    elif limits is not None:
        rows = np.flatnonzero(visible)
        rows = rows[:: 1 + len(rows) // ENOUGH]
        for key in wanted:
            yield {key: _lines(density_contours(places[rows[group[rows] == key]], *limits))}


def _lines(pieces: NDArray) -> list[QLineF]:
    """Pieces (n, 2, 2) for a painter."""
    return [QLineF(*piece) for piece in pieces.reshape(-1, 4).tolist()]


def _allow(button: IconButton, title: str, why_not: str) -> None:
    button.setEnabled(not why_not)
    button.setToolTip(why_not or title)


def _fill(box: QComboBox, choices: list[str], chosen: str) -> None:
    if [box.itemData(i) for i in range(box.count())] != choices:
        box.clear()
        for name in choices:
            box.addItem(title_on_show(name), name)
    _choose(box, chosen)


def _choose(box: QComboBox, chosen: str) -> None:
    box.setCurrentIndex(max(box.findData(chosen), 0))
