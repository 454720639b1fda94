"""Compare: two to four runs side by side, one turning into another, or one map in parts."""

from collections.abc import Sequence
from math import ceil, sqrt

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QGridLayout,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from emberscope.findings.point_looks import color_choices, shown_color
from emberscope.findings.shown_axes import is_of_axes
from emberscope.project import Changes, Run
from emberscope.project.model.run_notes import SETTING
from emberscope.project.nouns import nouns_of
from emberscope_app.latent_view.compare import shown
from emberscope_app.latent_view.compare.morph import Morph
from emberscope_app.latent_view.compare.pane import Pane
from emberscope_app.latent_view.compare.shown import LOST, OnPane
from emberscope_app.latent_view.panel import TOOL_ROWS
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import run_concepts
from emberscope_app.state.knowledge.shown_axes import title_on_show
from emberscope_app.state.points.filter import color_columns, filter_of
from emberscope_app.state.points.seen_maps import ask_for_maps
from emberscope_app.state.runs.checked_runs import checked_runs
from emberscope_app.state.runs.comparison import comparison
from emberscope_app.theme.controls import Empty, IconButton, Segmented, Strip, line, text, trigger
from emberscope_app.theme.fit_strip import More, fit_strip
from emberscope_app.theme.panel import Panel
from emberscope_app.when.timers import Later
from emberscope_app.words import counted

SIDE, MORPH, PARTS = "side", "morph", "parts"
_MODES = ((SIDE, "Side by side"), (MORPH, "Morph"), (PARTS, "Parts"))
_TOOLS = ("lasso", "point", "rect")
_LEAST = 230  # px of a map beside others
_PART = 150  # px of one of many parts, whose places alone are compared
_BOX = 128
_TWO = "Check two to four runs in the history: their maps stand side by side here."
_NO_RUN = "No run yet. A run places every instance on a map."
_APART = "These runs have no instances in common: none can turn into another."


class ComparePanel(Panel):
    """Dock "compare". Selection and pointing are those of every view; all maps move together."""

    letters = frozenset({Qt.Key.Key_F, Qt.Key.Key_Q, Qt.Key.Key_V})

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.panes: list[Pane] = []
        self.comparison, self._checked = comparison(session), checked_runs(session)
        self._shown: list[OnPane] = []
        self._lost = False  # what was lost is the color
        self._following = False
        self._tool = "lasso"
        self._ends = np.zeros((2, 0, 3), np.float32)  # of the morph
        self._fit_soon = Later(self, self.fit_all)
        self._make()
        self._lay_out()
        self._connect()
        self._read()

    # --- making

    def _make(self) -> None:
        self.mode = Segmented(_MODES)
        self.mode.set_value(SIDE)
        self.color = self._make_box("Color")
        self.by = self._make_box("Parts by")
        self.to = self._make_box("Into")
        self.morph = Morph()
        self.trace = IconButton("track", "Lines of what moved most", checkable=True)
        self.trace.setChecked(True)
        self.fit_button = IconButton("fit", "Fit all", key="F")
        self.empty = Empty(_TWO, action="Compare with the run before",
                           on_action=lambda: trigger(self, "run.compare"))  # fmt: skip
        self.tools = self._make_tools()

    def _make_box(self, name: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setToolTip(name)
        box.setFixedWidth(_BOX)
        box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        box.view().setMinimumWidth(150)
        return box

    def _make_tools(self) -> dict[str, IconButton]:
        group, found = QButtonGroup(self), {}
        group.setExclusive(True)
        for name in _TOOLS:
            icon, title, key = TOOL_ROWS[name]
            button = IconButton(icon, title, checkable=True, tool=True, key=key)
            button.clicked.connect(lambda _=False, name=name: self.set_tool(name))
            group.addButton(button)
            found[name] = button
        found[self._tool].setChecked(True)
        return found

    def _lay_out(self) -> None:
        self.strip = Strip()
        self.more = More(self)
        row = self.strip.row
        row.addWidget(self.mode, 0, Qt.AlignmentFlag.AlignVCenter)
        self._colored = text("Color", "secondary")
        between = line(vertical=True)  # the choices from the tools
        rest = (self._colored, self.color, between)
        for widget in (self.by, self.to, self.morph, *rest):
            row.addWidget(widget)
        for button in (*self.tools.values(), self.trace):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.more)
        row.addWidget(self.fit_button)
        self._maps = QWidget()
        self._grid = QGridLayout(self._maps)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(1)
        self._stack = QStackedLayout()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip)
        column.addLayout(self._stack, 1)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._maps)
        tools = [[self.tools[tool]] for tool in reversed(_TOOLS)]
        self._room: Sequence[Sequence[QWidget]] = (
            [self._colored], [self.fit_button], *tools, [self.trace, between], [self.color],
        )  # fmt: skip
        self.strip.setMinimumWidth(_LEAST)

    def _connect(self) -> None:
        session = self.session
        self.mode.chosen.connect(lambda _mode: self._show())
        self.color.activated.connect(lambda at: self._choose_color(self.color.itemData(at)))
        self.by.activated.connect(lambda _at: self._show())
        self.to.activated.connect(lambda _at: self._show())
        self.morph.moved.connect(self._move)
        self.trace.toggled.connect(self._trace)
        self.fit_button.clicked.connect(self.fit_all)
        self._checked.changed.connect(lambda: self.in_sight(self._read))
        filter_of(session).read.connect(lambda: self.in_sight(self._show))
        self.comparison.changed.connect(lambda: self.in_sight(self._show))
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)

    # --- following

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("runs") or SETTING in changes.settings:
            self.in_sight(self._read)

    def _on_focus(self, names: set[str]) -> None:
        if names & {"color_by", "run", "round"}:
            self.in_sight(self._show)

    def _read(self) -> None:
        """Take the checked runs."""
        self.comparison.read()
        self._show()

    @property
    def _run(self) -> Run | None:
        """The run that is shown in parts."""
        return self.session.run

    def _show(self) -> None:
        """Show what the mode says of the runs there are."""
        mode = self.mode.value
        self._fill_boxes(mode)
        runs = self.comparison.runs
        why = self._why_not(mode)
        self.empty.wait(mode == PARTS or self._run is None, why)
        self._stack.setCurrentWidget(self.empty if why else self._maps)
        self.morph.stop()
        if why:
            self._shown = []
        elif mode == PARTS and self._run is not None:
            by = self.by.currentData() or "class"
            self._shown = shown.parts(self.session, self._run, by, self._color)
        elif mode == MORPH:
            self._shown = [self._morphing()]
        else:
            self._shown = shown.sides(self.session, self.comparison, self._color)
        self._arrange()
        if mode == MORPH and self._shown:
            self._ready_morph()
        self._say_count(mode, runs)
        self._fit_strip()

    def _why_not(self, mode: str) -> str:
        if self._run is None:
            return _NO_RUN
        if mode == PARTS:
            return ""
        if len(self.comparison.runs) < 2:
            return _TWO
        return _APART if mode == MORPH and not self.comparison.laid else ""

    def _say_count(self, mode: str, runs: list[Run]) -> None:
        if mode == PARTS:
            words = f"run {self._run.id}" if self._run is not None else ""
        else:
            words = counted(len(runs), "run") if len(runs) > 1 else ""
        self.set_count(words)

    # --- the strip

    @property
    def _color(self) -> str:
        may = self.mode.value != PARTS and self._lost and bool(self.comparison.found)
        return LOST if may else self.session.focus.color_by

    def _choose_color(self, name: str) -> None:
        lost, self._lost = self._lost, name == LOST
        if self._lost or name == self.session.focus.color_by:
            self._show() if lost != self._lost else None
        else:
            self.session.focus.set(color_by=name)  # which shows it

    def _fill_boxes(self, mode: str) -> None:
        run = self._run if mode == PARTS else self.comparison.first or self._run
        nouns = nouns_of(self.session.project)
        concepts = run_concepts(self.session.project, run) if run is not None else None
        columns = color_columns(filter_of(self.session).columns)
        choices = color_choices(run, concepts, columns) if run is not None else ["class"]
        choices = [name for name in choices if not is_of_axes(name)]  # maps show the first two
        lost = [LOST] if mode != PARTS and self.comparison.found else []
        chosen = shown_color(run, self._color) if run is not None else self._color
        chosen = chosen if chosen in (*lost, *choices) else "class"
        fill(self.color, [(name, title_on_show(name, nouns)) for name in [*lost, *choices]], chosen)
        parts = [(name, f"by {title_on_show(name, nouns)}") for name in choices]
        fill(self.by, parts, self.by.currentData())
        others = list(self.comparison.laid)
        fill(self.to, [(number, f"into run {number}") for number in others], self.to.currentData())

    def _fit_strip(self) -> None:
        mode, others = self.mode.value, len(self.comparison.laid)
        there = {self.by: mode == PARTS, self.to: mode == MORPH and others > 1,
                 self.morph: mode == MORPH and others > 0, self.trace: mode != PARTS}
        for part, on in there.items():
            part.setVisible(on)
        absent = [part for part, on in there.items() if not on]
        fit_strip(self.strip, self.width(), self._room, more=self.more, absent=absent)

    def set_tool(self, tool: str) -> None:
        """point, lasso or rect, on every map."""
        self._tool = tool
        self.tools[tool].setChecked(True)
        for pane in self.panes:
            pane.set_tool(tool)

    def _trace(self, on: bool) -> None:
        for pane in self.panes:
            pane.movers.on = on
            pane.surface.canvas.update()

    # --- the maps

    def _arrange(self) -> None:
        """A pane for every map, in as few rows as there is room for."""
        while len(self.panes) < len(self._shown):
            self.panes.append(self._make_pane())
        legend = self.mode.value != PARTS or (self.by.currentData() or "class") != self._color
        for at, (pane, one) in enumerate(zip(self.panes, self._shown, strict=False)):
            pane.show_view(one.view, one.title, one.says, legend=legend and not at)
            ways = one.ways if one.ways is None else np.stack(
                [pane.points.places_of(way) for way in one.ways])
            pane.movers.show(ways)
        self._place_panes()

    def _place_panes(self) -> None:
        count = len(self._shown)
        columns = self._columns(count)
        for at, pane in enumerate(self.panes):
            self._grid.removeWidget(pane)
            if at < count:
                self._grid.addWidget(pane, at // columns, at % columns)
            pane.setVisible(at < count)
        self._fit_soon.start()

    def _columns(self, count: int) -> int:
        beside = max(self.width() // (_PART if self.mode.value == PARTS else _LEAST), 1)
        wanted = count if count <= 3 and count <= beside else ceil(sqrt(count))
        return max(min(wanted, beside), 1)

    def _make_pane(self) -> Pane:
        pane = Pane(self.session, self._maps)
        pane.set_tool(self._tool)
        pane.movers.on = self.trace.isChecked()
        pane.surface.viewed.connect(lambda: self._follow(pane))
        pane.points.changed.connect(lambda _what: self._share_hidden(pane))
        pane.key.connect(self._on_key)
        pane.fit_wanted.connect(self.fit_all)
        pane.figure_wanted.connect(self.save)
        return pane

    def _follow(self, leader: Pane) -> None:
        """All maps show what one of them does."""
        if self._following or not leader.isVisible():
            return
        self._following = True
        view = QRectF(leader.surface.view)
        for pane in self.panes[: len(self._shown)]:
            if pane is not leader:
                pane.surface.show_view(view)
        self._following = False

    def _share_hidden(self, pane: Pane) -> None:
        for other in self.panes[: len(self._shown)]:
            other.points.hide(pane.points.hidden)

    def fit_all(self) -> None:
        """All of every map: what lies far out on one is in sight on the others' ground too."""
        panes = self.panes[: len(self._shown)]
        if not panes:
            return
        self._following = True
        whole = QRectF()
        for pane in panes:
            pane.surface.fit()
            whole = whole.united(pane.surface.view)
        if self.mode.value == MORPH:
            whole = self._both_ends()
        self._following = False
        if len(panes) > 1 or self.mode.value == MORPH:
            panes[0].surface.show_view(whole)
        self._follow(panes[0])

    def save(self, forms: tuple[str, ...]) -> None:
        """Ask where the maps go, as they are seen."""
        ask_for_maps(self.session, [pane.seen() for pane in self.panes[: len(self._shown)]], forms)

    # --- the morph

    def _into(self) -> Run:
        wanted = self.to.currentData()
        number = wanted if wanted in self.comparison.laid else next(iter(self.comparison.laid))
        return next(run for run in self.comparison.runs if run.id == number)

    def _morphing(self) -> OnPane:
        run, found = self._into(), self.comparison
        title = f"{found.runs[0].id} \N{RIGHTWARDS ARROW} {run.id}"
        view = shown.morph_view(found, run, self._color)
        return OnPane(view, title, shown.side_words(found, run), shown.ways_to(found, run))

    def _ready_morph(self) -> None:
        """What the slider moves between."""
        run, points = self._into(), self.panes[0].points
        self.morph.name(f"{self.comparison.runs[0].id}", f"{run.id}")
        end = points.places_of(shown.morph_end(self.comparison, run))
        self._ends = np.stack([points.places, end])
        self._move(self.morph.share)

    def _both_ends(self) -> QRectF:
        """What holds the first map and the second: whatever goes from one to the other stays in
        sight."""
        whole, share = QRectF(), self.morph.share
        for end in (0.0, 1.0):
            self._move(end)
            self.panes[0].surface.fit()
            whole = whole.united(self.panes[0].surface.view)
        self._move(share)
        return whole

    def _move(self, share: float) -> None:
        if self.mode.value == MORPH and self._shown:
            start, end = self._ends
            self.panes[0].points.move(start + np.float32(share) * (end - start))

    # --- keys and size

    def _on_key(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        event.setAccepted(True)
        if key == Qt.Key.Key_Escape:
            self.session.selection.clear(origin=self)
        elif key == Qt.Key.Key_F:
            self.fit_all()
        elif key in (Qt.Key.Key_Q, Qt.Key.Key_V):
            self.set_tool("lasso" if key == Qt.Key.Key_Q else "point")
        else:
            event.setAccepted(False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit_soon.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_panes()
        self._fit_strip()


def fill(box: QComboBox, choices: Sequence[tuple[object, str]], chosen: object) -> None:
    """Offer choices as (value, title), and show the chosen one, else the first."""
    if [box.itemData(at) for at in range(box.count())] != [value for value, _ in choices]:
        box.clear()
        for value, title in choices:
            box.addItem(title, value)
    box.setCurrentIndex(max(box.findData(chosen), 0))
