"""Docks: one table of panels, groups of tabs, and the areas that lay them out in splitters.

A panel is made when it is first seen and then moves between workspaces with its state. Splitters of
our own instead of QDockWidget: a dock of Qt has no room for icons beside its tabs, and clips its
title.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QSizePolicy,
    QSplitter,
    QSplitterHandle,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from emberscope_app.shell.dock_title import DockTitle, Heading
from emberscope_app.shell.workspaces import Split, Tabs, dock_names
from emberscope_app.state.core.session import Session
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current
from emberscope_app.theme.panel import Panel


@dataclass(frozen=True, slots=True)
class Dock:
    """One row of the table: what a dock is called and where its panel lives."""

    name: str
    title: str
    factory: str      # "module:Class" below emberscope_app, called with the session
    icon: str = ""    # shown on its tab, for the large views only
    min_width: int = 200
    min_height: int = 96
    also: str = ""    # other words a person may look for it with

    @property
    def heading(self) -> Heading:
        """What its tab shows."""
        return Heading(self.name, self.title, self.icon)


DOCKS = {
    dock.name: dock
    for dock in (
        Dock("sources", "Sources", "docks.sources.panel:SourcesPanel", min_width=220),
        Dock("frame", "Frame", "frame_view.frame_panel:FramePanel", "film", 360, 208),
        Dock(
            "timeline", "Timeline", "frame_view.timeline.timeline_panel:TimelinePanel", "", 300, 96
        ),
        Dock("points", "Points", "docks.points.panel:PointsPanel", "list", 300, 120,
             "instances, rows, table, features, point set"),
        Dock("labels", "Labels", "docks.labels.panel:LabelsPanel", "", 256, 120, "classes"),
        Dock(
            "bags", "Bags", "docks.bags.panel:BagsPanel", "", 256, 104, "witness conflicts purity"
        ),
        Dock("chips", "Chips", "docks.chips.panel:ChipsPanel", "", 300, 104),
        Dock("map2d", "Map 2-D", "latent_view.surfaces.map2d:Map2DPanel", "map", 300, 200),
        Dock("map3d", "Map 3-D", "latent_view.surfaces.map3d:Map3DPanel", "cube", 200, 200),
        Dock("compare", "Compare", "latent_view.compare.panel:ComparePanel", "half", 300, 200,
             "compare runs, side by side, morph, facets, small multiples, what moved"),
        Dock(
            "run",
            "Run",
            "docks.run.panel:RunPanel",
            "",
            264,
            also="compare runs, finished runs, methods, settings",
        ),
        Dock("inspector", "Inspector", "docks.inspector.panel:InspectorPanel", "", 264),
        Dock(
            "concepts",
            "Concepts",
            "docks.concepts.panel:ConceptsPanel",
            "",
            264,
            120,
            "kinds of targets, fcmi ccmi pcmi, number of concepts",
        ),
        Dock(
            "side",
            "Side info",
            "docks.side.panel:SidePanel",
            "",
            264,
            300,
            "side information, pairs, same different, alike, distances, contradictions, metric, "
            "questions, triplets",
        ),
        Dock("preview", "Frame", "docks.preview.panel:PreviewPanel", "", 260),
        Dock("evaluated", "Runs", "docks.evaluate.runs:RunsPanel", "", 240, 300,
         "evaluate, compare runs, what changed, split"),
        Dock("roc", "ROC", "docks.evaluate.roc:RocPanel", "", 300, 190,
             "precision, recall, froc, false alarms per frame, threshold, evaluate"),
        Dock("confusion", "Confusion", "docks.evaluate.confusion:ConfusionPanel", "", 240, 190,
             "average precision, accuracy, evaluate"),
        Dock("slices", "Slices", "docks.evaluate.slices:SlicesPanel", "", 280, 190,
             "weakest slices, by class, by clip, evaluate"),
        Dock("quality", "Embedding quality", "docks.evaluate.quality:QualityPanel", "", 260, 140,
             "neighbors kept, trustworthiness, evaluate"),
        Dock("study", "Study", "docks.evaluate.study:StudyPanel", "", 260, 140,
             "small multiples, one setting, dimension, looseness, patch size, best method"),
        Dock("jobs", "Jobs", "docks.jobs.panel:JobsPanel", also="progress"),
        Dock("log", "Log", "docks.log.panel:LogPanel", also="errors, warnings, messages"),
        Dock("undo", "Edits", "docks.edits.panel:UndoHistoryPanel", also="undo history"),
    )
}


def dock_of(kind: type[QWidget]) -> str:
    """The name of the dock whose panel is of a class. Raises LookupError where there is none."""
    factory = f"{kind.__module__.removeprefix('emberscope_app.')}:{kind.__name__}"
    found = next((dock.name for dock in DOCKS.values() if dock.factory == factory), None)
    if found is None:
        raise LookupError(f"no dock has a panel {factory}")
    return found


class Panels:
    """Makes panels when they are first asked for and keeps them."""

    def __init__(self, session: Session, owner: QWidget) -> None:
        self.turns = session.turns
        self._session = session
        self._owner = owner
        self._made: dict[str, Panel] = {}
        self._icons: dict[str, list[QWidget]] = {}

    def __getitem__(self, name: str) -> Panel:
        return self.made_in(name, self._owner)

    def made_in(self, name: str, parent: QWidget) -> Panel:
        """The panel; where it has to be made, in `parent`: to move what is made takes much
        longer."""
        if name not in self._made:
            module, _, attribute = DOCKS[name].factory.partition(":")
            make: Callable[[Session, QWidget], Panel] = getattr(
                import_module(f"emberscope_app.{module}"), attribute
            )
            panel = make(self._session, parent)
            panel.hide()
            self._made[name] = panel
        return self._made[name]

    def icons(self, name: str) -> list[QWidget]:
        """Buttons of a panel for its title row: made once, they move with it."""
        if name not in self._icons:
            self._icons[name] = self[name].icons()
        return self._icons[name]

    def forget_project(self) -> None:
        """Another project is open; see `Panel.forget_project`."""
        for panel in self._made.values():
            panel.forget_project()

    def __contains__(self, name: object) -> bool:
        return name in self._made


class _Handle(QSplitterHandle):
    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.contentsRect(), QColor(current().line))


class _Splitter(QSplitter):
    """Drawn as a 1 px line; Qt widens the grab area of such a handle by itself."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget) -> None:
        super().__init__(orientation, parent)
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)

    def createHandle(self) -> QSplitterHandle:
        return _Handle(self.orientation(), self)


class Group(QWidget):
    """Docks that share one place."""

    def __init__(
        self, names: tuple[str, ...], panels: Panels, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.names = names
        self.current = names[0]
        self._panels = panels
        self._followed: set[str] = set()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.title = DockTitle([DOCKS[name].heading for name in names], self)
        self.title.chosen.connect(self.choose)
        self.stack = QStackedWidget(self)
        self.stack.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        column.addWidget(self.title)
        column.addWidget(self.stack, 1)
        docks = [DOCKS[name] for name in names]
        height = max(dock.min_height for dock in docks) + tokens.TITLE_H
        self.setMinimumSize(max(dock.min_width for dock in docks), height)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), QColor(current().bg1))

    def choose(self, name: str) -> None:
        """Bring a dock to the front."""
        self.current = name
        self.settle()

    def settle(self) -> None:
        """Take the panel in front into this group (it may come from another workspace)."""
        panel = self._panels.made_in(self.current, self.stack)
        if self.stack.indexOf(panel) < 0:
            self.stack.addWidget(panel)
        self.stack.setCurrentWidget(panel)
        panel.show()
        self.title.show_current(self.current, self._panels.icons(self.current))
        self._follow_count(self.current, panel)
        self.title.count.setText(panel.count)

    def make_where_shown(self) -> None:
        """Make the panel in front and then `settle`, unless another workspace is in front by
        now."""
        if self._in_front():
            self._panels.made_in(self.current, self.stack)
            self._panels.turns.take(self._settle_where_shown)

    def _settle_where_shown(self) -> None:
        if self._in_front():
            self.settle()

    def _in_front(self) -> bool:
        area: QWidget | None = self.parentWidget()
        while area is not None and not isinstance(area, DockArea):
            area = area.parentWidget()
        return area is None or not area.isHidden()

    def _follow_count(self, name: str, panel: Panel) -> None:
        if name not in self._followed:
            self._followed.add(name)
            panel.count_changed.connect(lambda words: self._show_count(name, words))

    def _show_count(self, name: str, words: str) -> None:
        if name == self.current:
            self.title.count.setText(words)


class DockArea(QWidget):
    """One workspace: groups in splitters."""

    def __init__(self, layout: Split, panels: Panels, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.names = dock_names(layout)
        self.groups: list[Group] = []
        self._splitters: list[tuple[_Splitter, Split]] = []
        self._zoomed: Group | None = None
        self._panels = panels
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._build(layout, self))
        self.reset()

    def _build(self, node: Tabs | Split, parent: QWidget) -> QWidget:
        if isinstance(node, Tabs):
            group = Group(node.names, self._panels, parent)
            group.title.zoom_wanted.connect(lambda: self.zoom(group))
            self.groups.append(group)
            return group
        direction = (
            Qt.Orientation.Horizontal if node.direction == "row" else Qt.Orientation.Vertical
        )
        splitter = _Splitter(direction, parent)
        self._splitters.append((splitter, node))
        for at, part in enumerate(node.parts):
            splitter.addWidget(self._build(part, splitter))
            splitter.setStretchFactor(at, node.stretch[at])
        return splitter

    def reset(self) -> None:
        """Sizes and tabs of the table."""
        self.zoom(None)
        for splitter, node in self._splitters:
            splitter.setSizes(list(node.sizes))
        for group in self.groups:
            group.current = group.names[0]

    def settle(self) -> None:
        """Show this workspace: take the panels in front here. Those that have to be made first, and
        have very many instances to show, come a turn each."""
        for group in self.groups:
            if group.current in self._panels:
                group.settle()
            else:
                self._panels.turns.take(group.make_where_shown)

    def group_of(self, name: str) -> Group | None:
        return next((group for group in self.groups if name in group.names), None)

    def take_tabs(self, other: "DockArea") -> None:
        """Bring to the front what is in front in another layout of these docks."""
        in_front = [group.current for group in other.groups]
        for group in self.groups:
            group.current = next((name for name in in_front if name in group.names), group.current)

    def zoom(self, group: Group | None) -> None:
        """Let one group fill the area; again, or None, brings the others back."""
        wanted = None if group is self._zoomed else group
        self._zoomed = wanted
        for other in self.groups:
            other.setVisible(wanted is None or other is wanted)
            other.title.zoom.setChecked(other is wanted)
        for splitter, _ in self._splitters[1:]:
            inside = [other for other in self.groups if splitter.isAncestorOf(other)]
            splitter.setVisible(wanted is None or wanted in inside)

    def save(self, put: Callable[[str, str | QByteArray], None]) -> None:
        """Hand sizes and tabs to `put(name, value)`."""
        self.zoom(None)
        for at, (splitter, _) in enumerate(self._splitters):
            put(f"split{at}", splitter.saveState())
        put("tabs", ",".join(group.current for group in self.groups))

    def restore(self, get_state: Callable[[str], QByteArray | None], tabs_in_front: str) -> None:
        """Take sizes and tabs back; what does not fit the table any more is left out."""
        for at, (splitter, _) in enumerate(self._splitters):
            state = get_state(f"split{at}")
            if state is not None:
                splitter.restoreState(state)
                splitter.setHandleWidth(1)
        for group, name in zip(self.groups, tabs_in_front.split(","), strict=False):
            if name in group.names:
                group.current = name
