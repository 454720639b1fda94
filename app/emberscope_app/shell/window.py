"""The window: header, rail, docks, status. Layout and wiring only; panels and commands own what
they do."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QMimeData, QSize, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from emberscope.base.plain_text import showable
from emberscope.project import Changes
from emberscope_app.frame_view.canvas.frame_canvas import FrameCanvas
from emberscope_app.frame_view.tool_rail import ToolRail
from emberscope_app.plain import menu_text, window_title
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.shell.actions import ActionSet
from emberscope_app.shell.commands import show_learned, show_raw_layout, show_set_up
from emberscope_app.shell.dock_areas import DockArea, Group, Panels, dock_of
from emberscope_app.shell.files.figure_files import save_wanted
from emberscope_app.shell.files.project_files import ProjectFiles
from emberscope_app.shell.filter_bar import FilterBar
from emberscope_app.shell.frame_letters import FrameLetters
from emberscope_app.shell.header import Header
from emberscope_app.shell.host import Host, P
from emberscope_app.shell.messages import Messages
from emberscope_app.shell.on_screen import Pages, place_on_screen
from emberscope_app.shell.paint_turns import PaintTurns
from emberscope_app.shell.search.palette import Palette
from emberscope_app.shell.start_page import StartPage
from emberscope_app.shell.status_bar import StatusBar
from emberscope_app.shell.workspaces import EXPLORE, LABEL, WORKSPACES, Workspace, dock_names
from emberscope_app.state.core.layers_on import CHIPS_ON_MAP
from emberscope_app.state.core.log_book import log_book
from emberscope_app.state.core.message import Message
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.core.qt_paths import from_url
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Job
from emberscope_app.theme.look import current, look
from emberscope_app.theme.panel import Panel
from emberscope_app.theme.roomy import Roomy
from emberscope_app.when.timers import later

_NEVER_COVERED = ("log", "timeline")  # by messages
MINIMUM, USUAL = QSize(600, 340), QSize(1600, 1000)


class MainWindow(Host):
    """One window per project."""

    def __init__(self, session: Session, preferences: Preferences | None = None) -> None:
        super().__init__()
        self.session = session
        self.preferences = preferences or Preferences()
        self.files = ProjectFiles(session, self.preferences, self)
        self.workspace = self.preferences.text("workspace", LABEL.id)
        if self.workspace not in WORKSPACES:
            self.workspace = LABEL.id
        self.actions_by_id = ActionSet(self)
        self.header = Header(session)
        self.status = StatusBar(session)
        self.rail = ToolRail(session)
        self.start_page = StartPage()
        self.panels = Panels(session, self)
        self.areas: dict[str, DockArea] = {}  # those that were in force by now
        self._sheet: Sheet | None = None
        self._letters = FrameLetters(self, self._canvas)
        PaintTurns(self, session.turns)
        self._lay_out()
        self._connect()
        self._restore()
        self._show_pages()

    # --- making

    def _lay_out(self) -> None:
        """From the window inwards: a widget that is moved into another takes all below it through
        the style sheet."""
        self.setMinimumSize(MINIMUM)
        self.setAcceptDrops(True)
        self.setMenuWidget(self.header)
        middle = QWidget(self)
        self.setCentralWidget(middle)
        self._pages = Pages(middle)
        self._pages.addWidget(self.start_page)
        self._work = QWidget(self._pages)
        self._pages.addWidget(self._work)
        below = QVBoxLayout(self._work)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        self.filter_bar = FilterBar(self.session, self._work)
        below.addWidget(self.filter_bar)
        row = QHBoxLayout()
        below.addLayout(row, 1)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.rail)
        self._areas = Pages(self._work)
        row.addWidget(self._areas, 1)
        self.messages = Messages(self, self._may_be_covered)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Roomy(self._pages, middle), 1)
        column.addWidget(self.status)
        self.palette_sheet = Palette(self)
        self._recent_menu = QMenu(self)
        self.actions_by_id.fill(self.header.menus, {"file.recent": self._recent_menu})

    def _connect(self) -> None:
        session = self.session
        self.header.workspace_chosen.connect(self.show_workspace)
        self.header.search_wanted.connect(self.show_palette)
        self.header.theme_wanted.connect(self.toggle_theme)
        self.header.help_wanted.connect(lambda: self.actions_by_id["help.first"].trigger())
        self.start_page.action.connect(lambda name: self.actions_by_id[name].trigger())
        self.start_page.recent.connect(lambda path: self.files.open([path]))
        self.start_page.recover.connect(self.files.recover)
        self.start_page.leave.connect(self.files.leave)
        self.start_page.keep.connect(partial(self.files.leave, keep=True))
        self.files.left_changed.connect(self.start_page.show_left)
        self.files.saved.connect(self.status.mark_saved)
        self.files.recent_changed.connect(self._show_recent)
        self.files.sources_wanted.connect(self._show_sources_that_differ)
        self.session.log_wanted.connect(lambda: self.panel("log"))
        self.files.map_wanted.connect(self.show_map)
        self.files.layout_wanted.connect(partial(show_raw_layout, self))
        self.files.set_up_wanted.connect(partial(show_set_up, self))
        # New frames wait for labels
        self.files.data_added.connect(lambda: self.show_workspace(LABEL.id))
        self._recent_menu.aboutToShow.connect(self._show_recent)
        session.hinted.connect(self.status.hint)
        session.frame_wanted.connect(self._show_frame)
        session.learned_wanted.connect(partial(show_learned, self))
        session.figure_wanted.connect(partial(save_wanted, self, session))
        session.message.connect(self.messages.show_message)
        session.settled.connect(self.messages.take_back)
        session.message.connect(log_book().add_message)
        session.jobs.changed.connect(log_book().follow_job)
        session.jobs.changed.connect(self._on_job)
        session.changed.connect(self._on_changed)
        session.focus.changed.connect(self._on_focus)
        for signal in (session.selection.changed, session.jobs.changed, session.focus.changed,
                       session.undo_stack.indexChanged):
            signal.connect(self._refresh_actions)
        session.saved.connect(self._show_title)
        look().changed.connect(self.update)

    # --- workspaces

    def show_workspace(self, name: str) -> None:
        """Show one layout; its docks come over with their state."""
        self.workspace = name
        self.preferences.set_text("workspace", name)
        self._show_pages()
        main = self.area.group_of(WORKSPACES[name].main)
        if main is not None and main.isVisible():
            _first_focusable(main).setFocus()

    def show_map(self) -> None:
        """The maps, with chips where the most target-like instances are: what a first look should
        see."""
        self.show_workspace(EXPLORE.id)
        self.session.layers.switch(CHIPS_ON_MAP, True)

    def ask_filter(self) -> None:
        self.filter_bar.ask()

    def clear_filter(self) -> None:
        self.filter_bar.close_bar()

    @property
    def area(self) -> DockArea:
        """The layout in force; as it was left, where it was not yet since the start."""
        name = self._area_name
        if name not in self.areas:
            made = self.areas[name] = DockArea(
                WORKSPACES[self.workspace].layouts()[name], self.panels, self._areas
            )
            state = partial(_from, self.preferences, f"layout/{name}/")
            made.restore(state, self.preferences.text(f"layout/{name}/tabs"))
            self._areas.addWidget(made)
        return self.areas[name]

    @property
    def _area_name(self) -> str:
        return self._fitting(WORKSPACES[self.workspace])

    def _fitting(self, workspace: Workspace) -> str:
        run = self.session.run
        return workspace.fitting(
            self.width(), flat=run is not None and run.Z.shape[1] == 2,
            points=self.session.project.of_points,
        )

    def panel(self, name: str) -> Panel:
        """A dock's panel, brought to the front (in the other workspace where this one has no such
        dock)."""
        if self.area.group_of(name) is None:
            self.show_workspace(
                next(
                    key
                    for key, workspace in WORKSPACES.items()
                    if name in dock_names(workspace.layouts()[self._fitting(workspace)])
                )
            )
        group = self.area.group_of(name)
        assert group is not None
        group.choose(name)
        return self.panels[name]

    def dock(self, kind: type[P]) -> P:
        """The panel of a dock by its class, brought to the front as by `panel`."""
        self.panel(dock_of(kind))
        return self._made(kind)

    def _made(self, kind: type[P]) -> P:
        """The panel of a dock by its class, wherever it is."""
        found = self.panels[dock_of(kind)]
        assert isinstance(found, kind)
        return found

    def _show_sources_that_differ(self) -> None:
        from emberscope_app.docks.sources.panel import SourcesPanel

        self.dock(SourcesPanel).choose("warn")

    def _canvas(self) -> FrameCanvas | None:
        if "frame" not in self.panels:
            return None
        from emberscope_app.frame_view.frame_panel import FramePanel

        return self._made(FramePanel).canvas

    def _may_be_covered(self) -> QWidget:
        """What messages may lie on: the largest frame or map, else a dock that is neither timeline
        nor log."""
        if self._pages.currentWidget() is not self._work:
            return self._pages
        names = [
            group.current
            for group in self.area.groups
            if group.isVisible() and group.current in self.panels
        ]
        panels = [self.panels[name] for name in names if name not in _NEVER_COVERED]
        grounds = [
            found
            for panel in panels
            if (found := panel.takes_messages) is not None and found.isVisible()
        ]
        return max(
            grounds or panels, key=lambda found: found.width() * found.height(), default=self.header
        )

    def cycle_docks(self, step: int) -> None:
        """Give the keyboard to the next or previous dock."""
        groups = [group for group in self.area.groups if group.isVisible()]
        if not groups:
            return
        focus = self.focusWidget()
        here = next(
            (
                at
                for at, group in enumerate(groups)
                if focus is not None and group.isAncestorOf(focus)
            ),
            -step,
        )
        _first_focusable(groups[(here + step) % len(groups)]).setFocus()

    def reset_layout(self) -> None:
        """Sizes and tabs of this workspace as they came."""
        self.area.reset()
        self.preferences.forget(f"layout/{self._area_name}")
        self._show_pages()

    def _show_frame(self) -> None:
        """The frame, or in a project without frames the table of its points."""
        self.panel("points" if self.session.project.of_points else "frame")

    def _show_pages(self) -> None:
        """The start page as long as there is nothing to look at, else the workspace."""
        empty = not self.session.project.sources and not self.session.project.runs
        self._pages.turn_to(self.start_page if empty else self._work)
        if empty:
            self.start_page.setFocus()
        if not empty:
            before = self._areas.currentWidget()
            if (
                isinstance(before, DockArea)
                and before is not self.area
                and set(before.names) == set(self.area.names)
            ):
                self.area.take_tabs(before)
            self._areas.turn_to(self.area)
            self.area.settle()
            self.rail.setVisible(
                WORKSPACES[self.workspace].rail and not self.session.project.of_points
            )
        self.header.switch.set_value(self.workspace)
        self.header.switch.setVisible(not empty)
        self.status.set_labeling(WORKSPACES[self.workspace].rail)
        self.actions_by_id.refresh()

    def _on_changed(self, changes: Changes) -> None:
        if changes.everything:  # the window hears it first: it was made before its panels
            self.messages.clear()
            self.status.forget_project()
            self.panels.forget_project()
            if self._sheet is not None and self._sheet.of_project:
                self._sheet.close_sheet()
        # The first map of this project
        if changes.runs and changes.runs == self.session.project.runs.keys():
            self.session.layers.switch(CHIPS_ON_MAP, True)
        if changes.touch("sources", "runs"):
            self._show_pages()
        self._refresh_actions()

    def _on_job(self, job: Job) -> None:
        """A job that failed says so where it cannot be missed."""
        if job.state in ("failed", "crashed") and not job.silent:
            words = f"{job.title}: {job.error}"
            self.messages.show_message(
                Message(words, "err", stays=True, details=job.details or job.error)
            )

    def _refresh_actions(self, *_: object) -> None:
        self.actions_by_id.refresh()

    # --- look

    def toggle_theme(self) -> None:
        """Dark to light and back, in a few turns of the event loop, remembered."""
        name = "light" if current().name == "dark" else "dark"
        look().switch(name)
        self.preferences.set_text("theme", name)

    def show_palette(self) -> None:
        self.palette_sheet.open()

    def show_sheet(self, sheet: Sheet) -> None:
        """One sheet at a time."""
        if self._sheet is not None:
            self._sheet.close_sheet()
        self._sheet = sheet
        sheet.closed.connect(self._forget_sheet)

    @property
    def sheet(self) -> Sheet | None:
        return self._sheet

    def _forget_sheet(self) -> None:
        self._sheet = None

    def _show_recent(self) -> None:
        paths = self.preferences.recent
        self.start_page.show_recent(paths)
        self._recent_menu.clear()
        for path in paths:
            action = self._recent_menu.addAction(
                menu_text(showable(path.stem)), partial(self.files.open, [path])
            )
            action.setToolTip(str(path))
        self._recent_menu.setEnabled(bool(paths))

    def _show_title(self) -> None:
        self.setWindowTitle(f"{window_title(self.session.name)}[*] - Emberscope")
        self.setWindowModified(self.session.dirty)

    # --- between starts

    def _restore(self) -> None:
        geometry = self.preferences.state("geometry")
        # Which keeps it within its screen
        if geometry is None or not self.restoreGeometry(geometry):
            place_on_screen(self, USUAL)
        self._show_recent()
        self._show_title()

    def _remember(self) -> None:
        self.preferences.set_state("geometry", self.saveGeometry())
        for name, area in self.areas.items():
            area.save(partial(_into, self.preferences, f"layout/{name}/"))
        self.preferences.sync()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.files.may_close():
            event.ignore()
            return
        self.end(keep_work=False)
        event.accept()

    def end(self, *, keep_work: bool) -> None:
        """Let go of everything, once. `keep_work`: nobody could be asked, what was not saved stays
        in the journal."""
        if self.session.closed:
            return
        self.files.wait()
        self.files.remember_place()
        self._remember()
        self.session.close(keep_work=keep_work)

    # --- drop

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _local_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        names = _local_files(event.mimeData())
        if names:
            event.acceptProposedAction()
            # After the drop has ended: the program the files come from must not wait for our
            # reader.
            later(self, lambda: self.files.open(names))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.palette_sheet.hide()
        self._follow_layout()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names:  # another may have another number of dimensions
            self._follow_layout()

    def _follow_layout(self) -> None:
        if self._areas.currentWidget() is self.area:
            return
        held = self.focusWidget()  # a panel that moves into another layout loses the keyboard
        self._show_pages()
        if held is not None and held.isVisible():
            held.setFocus()


def _local_files(data: QMimeData) -> list[Path]:
    return [from_url(url) for url in data.urls() if url.isLocalFile()]


def _from(preferences: Preferences, prefix: str, name: str) -> QByteArray | None:
    return preferences.state(prefix + name)


def _into(preferences: Preferences, prefix: str, name: str, value: str | QByteArray) -> None:
    if isinstance(value, str):
        preferences.set_text(prefix + name, value)
    else:
        preferences.set_state(prefix + name, value)


def _first_focusable(group: Group) -> QWidget:
    """Where the keyboard goes in a dock: what the panel says, else its first control."""
    panel = group.stack.currentWidget() or group
    if panel.focusProxy() is not None:
        return panel
    inside = [
        w
        for w in panel.findChildren(QWidget)
        if w.focusPolicy() & Qt.FocusPolicy.TabFocus and w.isVisible()
    ]
    return inside[0] if inside else panel
