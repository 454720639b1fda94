"""Everything the program can be told to do, as one table: menus, palette and shortcut sheet are made from it."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from emberscope_app.state.session import Session

WINDOW = "Everywhere"


@dataclass(frozen=True, slots=True)
class Action:
    """One row. `run` names a method of Commands, called with `arguments`; `when` is a key of CONDITIONS.

    scope : where the keys act. Keys of another scope than WINDOW belong to that view and are only shown here.
    group : a line is drawn in the menu where the group changes. also : other words a person may look for it with.
    """

    id: str
    title: str
    menu: str
    run: str
    keys: str = ""
    when: str = "always"
    arguments: tuple[str, ...] = ()
    icon: str = ""
    scope: str = WINDOW
    group: int = 0
    checkable: bool = False
    also: str = ""


CONDITIONS: dict[str, tuple[Callable[[Session], bool], str]] = {
    "always": (lambda s: True, ""),
    "sources": (lambda s: bool(s.project.sources), "Open data first"),
    "content": (lambda s: bool(s.project.labels or s.project.runs), "Nothing to export yet"),
    "run": (lambda s: s.run is not None, "Needs a run"),
    "selection": (lambda s: len(s.selection) > 0, "Nothing is selected"),
    "undo": (lambda s: s.undo_stack.canUndo(), "Nothing to undo"),
    "redo": (lambda s: s.undo_stack.canRedo(), "Nothing to redo"),
    "running": (lambda s: bool(s.jobs.running), "No job is running"),
}

FRAME, BAGS, MAP, CHIPS = "Frame", "Bags", "Map", "Chips"

ACTIONS = (
    Action("file.new", "New project", "File", "new", "Ctrl+N"),
    Action("file.open-data", "Open data...", "File", "open_data", "Ctrl+Shift+O", icon="film", group=1),
    Action("file.open-folder", "Open folder of frames...", "File", "open_folder", icon="folder", group=1),
    Action("file.open", "Open project...", "File", "open_project", "Ctrl+O", group=1),
    Action("file.recent", "Recent projects", "File", "recent", group=1),
    Action("file.sample", "Try the sample", "File", "sample", group=1),
    Action("file.save", "Save", "File", "save", "Ctrl+S", icon="save", group=2),
    Action("file.save-as", "Save as...", "File", "save_as", "Ctrl+Shift+S", group=2),
    Action("file.import-truth", "Import truth as weak labels...", "File", "import_truth", when="sources", group=3),
    Action("file.export", "Export...", "File", "export", "Ctrl+E", when="content", icon="export", group=3),
    Action("file.quit", "Quit", "File", "quit", "Ctrl+Q", group=4),

    Action("edit.undo", "Undo", "Edit", "undo", "Ctrl+Z", "undo", icon="undo"),
    Action("edit.redo", "Redo", "Edit", "redo", "Ctrl+Shift+Z", "redo", icon="redo"),
    Action("edit.select-all", "Select all instances", "Edit", "select_all", "Ctrl+Shift+A", "run", group=1),
    Action("edit.invert", "Invert the selection", "Edit", "select_inverse", "Ctrl+I", "run", group=1),
    Action("edit.clear", "Clear the selection", "Edit", "select_none", "Ctrl+Shift+D", "selection", group=1),
    Action("edit.back", "Previous selection", "Edit", "selection_back", "Alt+Left", "run", group=1),
    Action("edit.forward", "Next selection", "Edit", "selection_forward", "Alt+Right", "run", group=1),

    Action("view.label", "Label workspace", "View", "workspace", "F2", arguments=("label",), checkable=True),
    Action("view.explore", "Explore workspace", "View", "workspace", "F3", arguments=("explore",), checkable=True),
    Action("view.next-dock", "Next dock", "View", "next_dock", "F6", group=1),
    Action("view.previous-dock", "Previous dock", "View", "previous_dock", "Shift+F6", group=1),
    Action("view.reset", "Reset layout", "View", "reset_layout", group=1),
    Action("view.theme", "Dark or light", "View", "toggle_theme", icon="moon", group=2),
    Action("view.palette", "Search actions and data", "View", "palette", "Ctrl+Shift+P", icon="search", group=2),

    Action("tool.select", "Select", "Label", "tool", "V", "sources", ("select",), "select", FRAME, checkable=True),
    Action("tool.box", "Box", "Label", "tool", "B", "sources", ("box",), "box", FRAME, 1, True),
    Action("tool.relaxed", "Relaxed box", "Label", "tool", "R", "sources", ("relaxed",), "relaxed", FRAME, 1, True),
    Action("tool.scribble", "Scribble", "Label", "tool", "S", "sources", ("scribble",), "scribble", FRAME, 1, True),
    Action("tool.spot", "Spot", "Label", "tool", "P", "sources", ("spot",), "spot", FRAME, 1, True),
    Action("tool.frame", "Frame label", "Label", "tool", "I", "sources", ("frame",), "frame", FRAME, 1, True),
    Action("tool.ignore", "Ignore", "Label", "tool", "G", "sources", ("ignore",), "ignore", FRAME, 1, True),
    Action("tool.erase", "Erase", "Label", "tool", "E", "sources", ("erase",), "erase", FRAME, 2, True),
    Action("label.add-class", "Add class...", "Label", "add_class", group=3),
    Action("label.edit-class", "Rename class...", "Label", "edit_class", group=3),
    Action("label.mark", "Mark selection as the current class", "Label", "mark", when="selection", group=4),
    Action("label.mark-background", "Mark selection as background", "Label", "mark_background", when="selection",
           group=4),
    Action("label.ignore", "Ignore selection", "Label", "mark_ignored", when="selection", group=4),
    Action("label.unmark", "Remove the marks of the selection", "Label", "unmark", when="selection", group=4),

    Action("run.run", "Run", "Run", "run", "Ctrl+Return", "sources", icon="run"),
    Action("run.methods", "All methods...", "Run", "methods", "Ctrl+M", icon="list"),
    Action("run.believe", "How far to believe this picture...", "Run", "believe", when="run", icon="faith",
           also="quality, trustworthiness, compare with chance"),
    Action("run.learned", "What this run learned...", "Run", "learned", "Ctrl+L", when="run", icon="star"),
    Action("run.cancel", "Cancel the newest job", "Run", "cancel", "Ctrl+.", "running", icon="stop"),

    Action("help.first", "First steps", "Help", "help", "F1", arguments=("first-steps",), icon="help"),
    Action("help.labels", "Kinds of labels", "Help", "help", arguments=("labels",)),
    Action("help.weak-supervision", "From bags to latent spaces", "Help", "help", arguments=("weak-supervision",)),
    Action("help.features", "Features", "Help", "help", arguments=("features",)),
    Action("help.methods", "Methods", "Help", "help", arguments=("methods",)),
    Action("help.maps", "Reading the maps", "Help", "help", arguments=("maps",)),
    Action("help.formats", "Formats", "Help", "help", arguments=("formats",)),
    Action("help.commands", "Commands", "Help", "help", arguments=("commands",)),
    Action("help.files", "Files and folders", "Help", "help", arguments=("files",)),
    Action("help.troubleshooting", "Troubleshooting", "Help", "help", arguments=("troubleshooting",)),
    Action("help.published", "Published tables...", "Help", "published", group=1, also="compare with papers"),
    Action("help.shortcuts", "Keyboard shortcuts", "Help", "shortcuts", "Ctrl+/", group=1),
    Action("help.about", "About Emberscope", "Help", "about", group=1),
)

# Keys that belong to one view: (scope, keys, what they do). Shown in the shortcut sheet.
VIEW_KEYS = (
    (FRAME, "A / D, Left / Right", "Previous, next frame, on into the next clip (Shift 10, Ctrl next labeled)"),
    (FRAME, "Home / End", "First, last frame"),
    (FRAME, "PgUp / PgDn", "Previous, next clip"),
    (FRAME, "K", "Play or pause"),
    (FRAME, "1-9", "Set the class: of the next label while a drawing tool is in hand, of selected labels with Select"),
    (FRAME, "Arrows, with Select", "Move the selected labels (Shift 10 px, Ctrl resize)"),
    (FRAME, "0", "Empty frame"),
    (FRAME, "C L X", "Auto contrast, lock, polarity"),
    (FRAME, "Alt+Up / Down", "Looseness r of the selected box"),
    (FRAME, "Ctrl+0, Ctrl+1", "Fit, 1:1"),
    (FRAME, "Space, held", "Pan"),
    (FRAME, "H, held", "Hide labels"),
    (FRAME, "Delete", "Remove the selected labels"),
    (BAGS, "N, Shift+N", "Next, previous bag"),
    (BAGS, "Enter", "Go to the frame of the witness"),
    (MAP, "Q, W", "Lasso, brush"),
    (MAP, "F, Shift+F", "Fit all, fit the selection"),
    (MAP, "Esc", "Cancel, then clear the selection"),
    (CHIPS, "Arrows, Shift+arrows", "Move, extend"),
    (CHIPS, "Space, Enter", "Select, inspect"),
    (CHIPS, "1-9, G", "Mark as class, ignore"),
)

MENUS = ("File", "Edit", "View", "Label", "Run", "Help")


def all_keys() -> list[tuple[str, str, str]]:
    """(scope, keys, title) of everything that has a key, scope by scope: the rows of the sheet of shortcuts."""
    rows = [(row.scope, key_text(row), row.title) for row in ACTIONS if row.keys] + list(VIEW_KEYS)
    scopes = list(dict.fromkeys(scope for scope, _, _ in rows))
    return sorted(rows, key=lambda row: scopes.index(row[0]))


def key_text(action: Action) -> str:
    """The keys as this system writes them."""
    return _sequences(action.keys)[0].toString(QKeySequence.SequenceFormat.NativeText) if action.keys else ""


def _sequences(keys: str) -> list[QKeySequence]:
    """The keys; Enter means both of a keyboard, and is what menus say."""
    return [QKeySequence(words) for words in dict.fromkeys((keys.replace("Return", "Enter"), keys))]


def why_not(action: Action, session: Session) -> str:
    """Why an action cannot run now; "" where it can."""
    test, reason = CONDITIONS[action.when]
    return "" if test(session) else reason


class ActionSet:
    """The QActions of the table, bound to commands; `refresh` follows the session."""

    def __init__(self, window: QWidget, session: Session, run: Callable[[Action], object]) -> None:
        self._session = session
        self.run = run
        self.by_id: dict[str, QAction] = {}
        for row in ACTIONS:
            action = QAction(row.title, window)
            action.setObjectName(row.id)
            action.setCheckable(row.checkable)
            if row.keys and row.scope == WINDOW:
                action.setShortcuts(_sequences(row.keys))
            elif row.keys:
                action.setText(f"{row.title}\t{row.keys}")  # shown, not taken: the view owns its letters
            action.triggered.connect(lambda _=False, row=row: self.run(row))
            window.addAction(action)
            self.by_id[row.id] = action
        self.refresh()

    def __getitem__(self, action_id: str) -> QAction:
        return self.by_id[action_id]

    def refresh(self) -> None:
        """Enable what can run now; name what undo and redo would do."""
        for row in ACTIONS:
            self.by_id[row.id].setEnabled(not why_not(row, self._session))
            if row.run == "tool":
                self.by_id[row.id].setChecked(self._session.focus.tool == row.arguments[0])
        stack = self._session.undo_stack
        self.by_id["edit.undo"].setText(f"Undo {stack.undoText()}".strip())
        self.by_id["edit.redo"].setText(f"Redo {stack.redoText()}".strip())

    def fill(self, bar: QMenuBar, submenus: dict[str, QMenu]) -> None:
        """The menus; a row whose id is in `submenus` shows that menu."""
        for title in MENUS:
            menu = bar.addMenu(title)
            menu.aboutToShow.connect(self.refresh)
            group = None
            for row in (row for row in ACTIONS if row.menu == title):
                if group is not None and row.group != group:
                    menu.addSeparator()
                group = row.group
                if row.id in submenus:
                    submenus[row.id].setTitle(row.title)
                    menu.addMenu(submenus[row.id])
                else:
                    menu.addAction(self.by_id[row.id])
