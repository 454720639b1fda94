"""Everything the program can do, as one table: menus, tool bars, palette and shortcut sheet are
made from it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from emberscope.base.plain_text import showable
from emberscope.labels.model import BACKGROUND
from emberscope.project.nouns import nouns_of
from emberscope_app.plain import menu_text
from emberscope_app.shell import advised, commands, scoring
from emberscope_app.shell.files.file_dialogs import ask_data, ask_folder, ask_project
from emberscope_app.shell.filter_bar import CLEAR_KEY
from emberscope_app.shell.generated import new_points
from emberscope_app.shell.host import Host
from emberscope_app.shell.studies import toggle_study
from emberscope_app.shell.tuning import tune_network
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.done import clip_is_done, frame_is_done, toggle_clip, toggle_frame
from emberscope_app.state.labels.side import say_alike, say_different
from emberscope_app.state.runs.scored import HEAT, Scored

WINDOW = "Everywhere"


@dataclass(frozen=True, slots=True)
class Action:
    """One row.

    run : called with the window; None for a submenu, which the window fills. when : a key of
    CONDITIONS.
    scope : where the keys act. Keys of another scope than WINDOW belong to that view and are only
    shown here.
    group : a line is drawn in the menu where the group changes. also : other words a person may
    look for it with.
    checked : whether the row is on, of those that are on or off.
    """

    id: str
    title: str
    menu: str
    run: Callable[[Host], object] | None
    keys: str = ""
    when: str = "always"
    icon: str = ""
    scope: str = WINDOW
    group: int = 0
    checked: Callable[[Host], bool] | None = None
    also: str = ""

    def do(self, window: Host) -> None:
        """What the row stands for."""
        if self.run is not None:
            self.run(window)


CONDITIONS: dict[str, tuple[Callable[[Session], bool], str]] = {
    "always": (lambda s: True, ""),
    "sources": (lambda s: bool(s.project.sources), "Open data first"),
    "frames": (lambda s: bool(s.project.sources) and not s.project.of_points,
               "Needs frames: open clips or images"),
    "points": (lambda s: s.project.of_points, "Needs a point set: open one in a new project"),
    "labels": (lambda s: bool(len(s.project.labels)), "No labels yet"),
    "labels of frames": (lambda s: bool(len(s.project.labels)) and not s.project.of_points,
                         "Needs labels of frames"),
    "content": (lambda s: bool(s.project.labels or s.project.runs), "Nothing to export yet"),
    "run": (lambda s: s.run is not None, "Needs a run"),
    "run of frames": (lambda s: s.run is not None and not s.project.of_points,
                      "Needs a run of frames"),
    "selection": (lambda s: len(s.selection) > 0, "Nothing is selected"),
    "undo": (lambda s: s.undo_stack.canUndo(), "Nothing to undo"),
    "redo": (lambda s: s.undo_stack.canRedo(), "Nothing to redo"),
    "running": (lambda s: bool(s.jobs.running), "No job is running"),
    "scores": (lambda s: bool(s.project.sources) and not s.project.of_points
               and not s.only(Scored).why_not(),
               "Needs frames, and a run that says which instances are targets"),
    "hits": (lambda s: bool(s.only(Scored).clips), "Score a clip first"),
}

# Of no use where there are only points: not in their menus, and never in their words
_OF_FRAMES = ("frames", "labels of frames", "run of frames", "scores", "hits")
FRAME, BAGS, MAP, CHIPS, QUESTIONS = "Frame", "Bags", "Map", "Chips", "Questions"


def _tool(tool: str, title: str, key: str, group: int = 1) -> Action:
    """A row that takes a label tool into the hand."""
    return Action(f"tool.{tool}", title, "Label", lambda w: w.session.focus.set(tool=tool), key,
                  "frames", tool, FRAME, group, lambda w: w.session.focus.tool == tool)


def _page(
    page: str, title: str, keys: str = "", *, id: str = "", icon: str = "", group: int = 0
) -> Action:
    """A row that opens a page of the help."""
    return Action(f"help.{id or page}", title, "Help", partial(commands.show_help, page=page), keys,
                  icon=icon, group=group)


ACTIONS = (
    Action("file.new", "New project", "File", lambda w: w.files.new(), "Ctrl+N"),
    Action("file.generate", "New from generated points...", "File", new_points,
           also="point set, surfaces, swiss roll, circles, moons, synthetic, planted"),
    Action("file.open-data", "Open data files...", "File", lambda w: w.files.choose(ask_data),
           "Ctrl+Shift+O", icon="film", group=1),
    Action("file.open-folder", "Open folder of frames...", "File",
           lambda w: w.files.choose(ask_folder), icon="folder", group=1),
    Action("file.open", "Open project...", "File", lambda w: w.files.choose(ask_project), "Ctrl+O",
           group=1),
    Action("file.recent", "Recent projects", "File", None, group=1),
    Action("file.sample", "Try the sample", "File", commands.make_sample, group=1),
    Action("file.save", "Save", "File", lambda w: w.files.save(), "Ctrl+S", icon="save", group=2),
    Action("file.save-as", "Save as...", "File", lambda w: w.files.save_as(), "Ctrl+Shift+S",
           group=2),
    Action("file.import-truth", "Import truth as weak labels...", "File", commands.import_truth,
           when="frames", group=3),
    Action("file.reading", "How this clip is read...", "File", commands.show_reading,
           when="frames", group=3,
           also="temperature, units, emissivity, object parameters, data set, camera, calibration"),
    Action("file.known", "Range, aspect, light of this clip...", "File", commands.show_known,
           when="sources", group=3, also="tags, columns, day, night, distance, what is known"),
    Action("file.export", "Export...", "File", commands.export, "Ctrl+E", "content", "export",
           group=3, also="save as, csv, png, npz, html, jsonl, images, screenshot, report, table"),
    Action("file.quit", "Quit", "File", lambda w: w.close(), "Ctrl+Q", group=4),
    Action("edit.undo", "Undo", "Edit", lambda w: w.session.undo_stack.undo(), "Ctrl+Z", "undo",
           "undo"),
    Action("edit.redo", "Redo", "Edit", lambda w: w.session.undo_stack.redo(), "Ctrl+Shift+Z",
           "redo", "redo"),
    Action("edit.select-all", "Select all instances", "Edit", commands.select_all, "Ctrl+Shift+A",
           "run", group=1),
    Action("edit.invert", "Invert the selection", "Edit", commands.invert_selection, "Ctrl+I",
           "run", group=1),
    Action("edit.clear", "Clear the selection", "Edit", lambda w: w.session.selection.clear(),
           "Ctrl+Shift+D", "selection", group=1),
    Action("edit.back", "Previous selection", "Edit", lambda w: w.session.selection.back(),
           "Alt+Left", "run", group=1),
    Action("edit.forward", "Next selection", "Edit", lambda w: w.session.selection.forward(),
           "Alt+Right", "run", group=1),
    Action("edit.preferences", "Preferences...", "Edit", commands.show_preferences, "Ctrl+,",
           group=2, also="settings, options, author, name, sign labels"),
    Action("view.label", "Label workspace", "View", lambda w: w.show_workspace("label"), "F2",
           checked=lambda w: w.workspace == "label"),
    Action("view.explore", "Explore workspace", "View", lambda w: w.show_workspace("explore"), "F3",
           checked=lambda w: w.workspace == "explore"),
    Action("view.evaluate", "Evaluate workspace", "View", lambda w: w.show_workspace("evaluate"),
           "F4", checked=lambda w: w.workspace == "evaluate",
           also="ROC, precision, FROC, confusion, slices, threshold, compare runs"),
    Action("view.next-dock", "Next dock", "View", lambda w: w.cycle_docks(1), "F6", group=1),
    Action("view.previous-dock", "Previous dock", "View", lambda w: w.cycle_docks(-1), "Shift+F6",
           group=1),
    Action("view.reset", "Reset layout", "View", lambda w: w.reset_layout(), group=1),
    Action("view.by-clip", "Color by clip", "View", partial(advised.color_by, name="source"),
           when="run", group=2),
    Action("view.by-frame", "Color by frame", "View", partial(advised.color_by, name="frame"),
           when="run of frames", group=2),
    Action("view.filter", "Filter by a column...", "View", lambda w: w.ask_filter(), "Ctrl+F",
           "sources", "filter", group=2),
    Action("view.filter-clear", "Let everything through the filter", "View",
           lambda w: w.clear_filter(), CLEAR_KEY, "sources", group=2),
    Action("view.theme", "Dark or light", "View", lambda w: w.toggle_theme(), icon="moon", group=3),
    Action("view.palette", "Search actions and data", "View", lambda w: w.show_palette(),
           "Ctrl+Shift+P", icon="search", group=2),
    _tool("select", "Select", "V", 0),
    _tool("box", "Box", "B"),
    _tool("relaxed", "Relaxed box", "R"),
    _tool("polygon", "Polygon", "N"),
    _tool("ellipse", "Ellipse", "O"),
    _tool("line", "Line", "T"),
    _tool("scribble", "Scribble", "S"),
    _tool("spot", "Spot", "P"),
    _tool("frame", "Frame label", "I"),
    _tool("ignore", "Ignore", "G"),
    _tool("erase", "Erase", "E", 2),
    Action("label.add-class", "Add class...", "Label", commands.add_class, group=3),
    Action("label.edit-class", "Rename class...", "Label", commands.edit_class, group=3),
    Action("label.doubtful", "Doubtful labels...", "Label", commands.show_doubtful, when="sources",
           group=3, also="wrong labels, review, check, errors, mistakes, clean, swapped classes"),
    Action("label.mark", "Mark selection as the current class", "Label",
           lambda w: w.session.mark_selection(w.session.focus.class_id), when="selection", group=4),
    Action("label.mark-background", "Mark selection as background", "Label",
           lambda w: w.session.mark_selection(BACKGROUND), when="selection", group=4),
    Action("label.ignore", "Ignore selection", "Label", lambda w: w.session.mark_selection(0),
           when="selection", group=4),
    Action("label.unmark", "Remove the marks of the selection", "Label",
           lambda w: w.session.mark_selection(None), when="selection", group=4),
    Action("label.done-frame", "Frame is done", "Label", lambda w: toggle_frame(w.session),
           "Ctrl+D", "frames", group=5, checked=lambda w: frame_is_done(w.session),
           also="finished, reviewed, to label"),
    Action("label.done-clip", "Clip is done", "Label", lambda w: toggle_clip(w.session),
           when="frames", group=5, checked=lambda w: clip_is_done(w.session),
           also="finished, reviewed, to label"),
    Action("label.compare", "Compare labels...", "Label", commands.compare_labels, when="labels",
           group=5, also="agreement, differences, disagreements, mine and others, imported"),
    Action("label.background", "Label background", "Label", advised.label_background,
           when="frames", group=5, also="negatives, ground"),
    Action("label.boxes", "Draw the largest box closer", "Label", advised.draw_closer,
           when="frames", group=5),
    Action("label.more", "Label another frame", "Label", advised.label_more, when="frames",
           group=5),
    Action("side.alike", "Selected chips are alike", "Label", lambda w: say_alike(w.session), "S",
           "selection", "link", CHIPS, 6, also="same, pair, must-link"),
    Action("side.different", "Selected chips differ", "Label", lambda w: say_different(w.session),
           "D", "selection", scope=CHIPS, group=6, also="different, pair, cannot-link"),
    Action("side.ask", "Same or different?", "Label", commands.ask, when="run", group=6,
           also="questions, card, queue, twenty questions, pairs, active learning"),
    Action("side.neighbors", "Neighbors before and after the metric", "Label", commands.compare,
           when="run", group=6, also="impostors, triplets, anchor, positive, negative"),
    Action("side.show", "Side information", "Label", lambda w: w.panel("side"), group=6,
           also="pairs, distances, invariances, actions, same, different, alike, contradictions, "
                "metric"),
    Action("run.run", "Run", "Run", commands.run, "Ctrl+Return", "sources", "run"),
    Action("run.methods", "All methods...", "Run", commands.show_methods, "Ctrl+M", icon="list"),
    Action("run.patches", "Choose patches", "Run", advised.show_patches, when="frames",
           also="stride, size of patches, features"),
    Action("run.settings", "Change the settings of this run", "Run", advised.show_settings,
           when="run", also="parameters of its method"),
    Action("run.by-clip", "Hold out whole clips in the next run", "Run", advised.hold_out_clips,
           when="run", also="split, folds, cross-validation"),
    Action("run.measure", "Measure what the run lacks", "Run", advised.measure, when="run",
           also="held-out bag AUC, spread between fits"),
    Action("run.ceiling", "Measure the ceiling of these features", "Run", commands.measure_ceiling,
           when="run", also="best possible, oracle, supervised"),
    Action("run.believe", "How far to believe this map...", "Run", commands.toggle_believe,
           when="run", icon="faith",
           also="quality, trustworthiness, held-out bag AUC, compare with chance"),
    Action("run.learned", "What this run learned...", "Run", commands.toggle_learned, "Ctrl+L",
           "run", "star", also="ROC curve, confusion, AUC, axes, loadings, concepts"),
    Action("run.compare", "Compare runs", "Run", commands.compare_runs, when="run", icon="half",
           also="side by side, morph, what moved, facets, procrustes"),
    Action("run.note", "Name and note of this run...", "Run", commands.write_run_note, when="run",
           also="rename, comment, describe"),
    Action("bags.show", "Bags", "Run", lambda w: w.panel("bags"), also="conflicts"),
    Action("run.cancel", "Cancel the newest job", "Run", lambda w: w.session.jobs.cancel_newest(),
           "Ctrl+.", "running", "stop"),
    Action("run.study", "Study...", "Run", toggle_study, when="labels", icon="grid",
           also="grid, sweep, how loose, dimensions, compare methods"),
    Action("run.tune", "Tune a network...", "Run", tune_network, when="labels of frames",
           also="deep learning, torch, fine-tune, ResNet, attention, noisy-or, cnn features"),
    Action("score.clip", "Score this clip", "Run", scoring.score_clip, when="scores", icon="spot",
           group=1, also="detections, heat map, unlabeled, find targets"),
    Action("score.all", "Score all clips", "Run", scoring.score_all, when="scores", group=1,
           also="detections, heat map, unlabeled, find targets"),
    Action("score.show", "Scored clips...", "Run", scoring.toggle_scored, when="run of frames",
           group=1,
           also="threshold, opacity, hits, detections, heat map, novelty"),
    Action("score.next", "Next hit", "Run", partial(scoring.go_to_hit, direction=1), "F8", "hits",
           group=1, also="detection"),
    Action("score.previous", "Previous hit", "Run", partial(scoring.go_to_hit, direction=-1),
           "Shift+F8", "hits", group=1, also="detection"),
    Action("score.take", "Take detections as suggestions", "Run", scoring.take, when="hits",
           group=1, also="labels of a detector, import"),
    Action("score.heat", "Heat map and hits on the frame", "Run", scoring.toggle_heat, when="hits",
           group=1, checked=lambda w: w.session.layers.is_on(HEAT), also="overlay"),
    _page("first-steps", "First steps", "F1", id="first", icon="help"),
    _page("labels", "Kinds of labels"),
    _page("weak-supervision", "From bags to latent spaces"),
    _page("points", "Point sets"),
    _page("columns", "Columns"),
    _page("concepts", "Target concepts"),
    _page("side-information", "Side information"),
    _page("features", "Features"),
    _page("methods", "Methods"),
    _page("maps", "Reading the maps"),
    _page("evaluate", "Evaluate"),
    _page("studies", "Studies"),
    _page("formats", "Formats"),
    _page("readers", "Readers of your own"),
    _page("commands", "Commands"),
    _page("files", "Files and folders"),
    _page("promised", "What is promised"),
    _page("troubleshooting", "Troubleshooting"),
    _page("glossary", "Glossary"),
    Action("help.published", "Published tables...", "Help", commands.toggle_published, group=1,
           also="compare with papers"),
    Action("help.cache", "Cache...", "Help", commands.show_cache, group=1,
           also="disk space, clear"),
    Action("help.shortcuts", "Keyboard shortcuts", "Help",
           lambda w: commands.show_keys(w, keys=all_keys()), "Ctrl+/", group=1),
    Action("help.log", "Log", "Help", lambda w: w.panel("log"), group=1,
           also="errors, what happened, copy the log"),
    Action("help.self-test", "Self-test...", "Help", commands.show_self_test, group=1,
           also="doctor, diagnostics, is it working"),
    _page("about", "About Emberscope", group=1),
)

# Keys that belong to one view: (scope, keys, what they do). Shown in the shortcut sheet.
VIEW_KEYS = (
    (FRAME, "A / D, Left / Right",
     "Previous, next frame, on into the next clip (Shift 10, Ctrl+arrow next labeled)"),
    (FRAME, "Home / End", "First, last frame"),
    (FRAME, "PgUp / PgDn", "Previous, next clip"),
    (FRAME, "K", "Play or pause"),
    (FRAME, "Ctrl+A", "Select the labels of the frame"),
    (FRAME, "1-9",
     "Set the class: of the next label while a drawing tool is in hand, of selected labels with "
     "Select"),
    (FRAME, "Ctrl+drag",
     "Drag a handle of a selected label with a drawing tool in hand; with Select no key is "
     "needed"),
    (FRAME, "Arrows, with Select", "Move the selected labels (Shift 10 px, Ctrl resize)"),
    (FRAME, "0", "Empty frame"),
    (FRAME, "C L X", "Auto contrast, lock, polarity"),
    (FRAME, "Alt+Up / Down", "Looseness r of the selected box"),
    (FRAME, "Ctrl+0, Ctrl+1", "Fit, 1:1"),
    (FRAME, "Space, held", "Pan"),
    (FRAME, "H, held", "Hide labels"),
    (FRAME, "Delete", "Remove the selected labels"),
    (FRAME, "Enter, double click", "Close the polygon, or end the line, that is being drawn"),
    (FRAME, "Backspace", "Take back its last corner; Esc drops it"),
    (FRAME, "[ and ]", "Uncertainty of the next spot, width of the next line, size of the eraser"),
    (BAGS, "N, Shift+N", "Next, previous bag"),
    (BAGS, "Enter", "Go to the frame of the witness"),
    (MAP, "Q, W", "Lasso, brush"),
    (MAP, "F, Shift+F", "Fit all, fit the selection"),
    (MAP, "Ctrl+A", "Select all points that are shown"),
    (MAP, "S, D", "Selected points are alike, differ"),
    (MAP, "Esc", "Cancel, then clear the selection"),
    (CHIPS, "Arrows, Shift+arrows", "Move, extend"),
    (CHIPS, "Ctrl+A", "Select the group, then all chips"),
    (CHIPS, "Space, Enter", "Select, inspect"),
    (CHIPS, "1-9, G", "Mark as class, ignore"),
    (QUESTIONS, "S, D, K", "Same, different, skip"),
)

MENUS = ("File", "Edit", "View", "Label", "Run", "Help")


def all_keys() -> list[tuple[str, str, str]]:
    """(scope, keys, title) of everything that has a key, scope by scope: the rows of the sheet of
    shortcuts."""
    from emberscope_app.latent_view.layers.table import map_layers

    rows = [(row.scope, key_text(row), row.title) for row in ACTIONS if row.keys] + list(VIEW_KEYS)
    rows += [(MAP, layer.key, layer.title) for layer in map_layers() if layer.key]
    scopes = list(dict.fromkeys(scope for scope, _, _ in rows))
    return sorted(rows, key=lambda row: scopes.index(row[0]))


def key_text(action: Action) -> str:
    """The keys as this system writes them."""
    if not action.keys:
        return ""
    return _sequences(action.keys)[0].toString(QKeySequence.SequenceFormat.NativeText)


def _sequences(keys: str) -> list[QKeySequence]:
    """The keys; Enter means both of a keyboard, and is what menus say."""
    return [QKeySequence(words) for words in dict.fromkeys((keys.replace("Return", "Enter"), keys))]


def title_of(action: Action, session: Session) -> str:
    """What a row is called for what the project holds; one that is always there keeps its name."""
    of_project = action.when not in ("always", *_OF_FRAMES)
    return nouns_of(session.project).say(action.title) if of_project else action.title


def why_not(action: Action, session: Session) -> str:
    """Why an action cannot run now; "" where it can."""
    test, reason = CONDITIONS[action.when]
    return "" if test(session) else reason


class ActionSet:
    """The QActions of the table, for a window; `refresh` follows its session."""

    def __init__(self, window: Host) -> None:
        self._window = window
        self.by_id: dict[str, QAction] = {}
        for row in ACTIONS:
            action = QAction(row.title, window)
            action.setObjectName(row.id)
            action.setCheckable(row.checked is not None)
            if row.keys and row.scope == WINDOW:
                action.setShortcuts(_sequences(row.keys))
            action.triggered.connect(lambda _=False, row=row: row.do(window))
            window.addAction(action)
            self.by_id[row.id] = action
        self.refresh()

    def __getitem__(self, action_id: str) -> QAction:
        return self.by_id[action_id]

    def refresh(self) -> None:
        """Enable what can run now, check what is on; name what undo and redo would do."""
        session = self._window.session
        for row in ACTIONS:
            reason = why_not(row, session)
            self.by_id[row.id].setEnabled(not reason)
            self.by_id[row.id].setToolTip(reason)
            self.by_id[row.id].setVisible(not (session.project.of_points
                                               and row.when in _OF_FRAMES))
            # Shown, not taken: the view owns its letters
            keys = f"\t{row.keys}" if row.keys and row.scope != WINDOW else ""
            self.by_id[row.id].setText(f"{title_of(row, session)}{keys}")
            if row.checked is not None:
                self.by_id[row.id].setChecked(row.checked(self._window))
        stack = session.undo_stack
        for action_id, step in (("edit.undo", f"Undo {showable(stack.undoText())}"),
                                ("edit.redo", f"Redo {showable(stack.redoText())}")):
            action = self.by_id[action_id]
            action.setText(menu_text(step.strip()))
            if action.isEnabled():  # else Qt would read names in its words as markup
                action.setToolTip(step)

    def fill(self, bar: QMenuBar, submenus: dict[str, QMenu]) -> None:
        """The menus; a row whose id is in `submenus` shows that menu."""
        for title in MENUS:
            menu = bar.addMenu(title)
            menu.setToolTipsVisible(True)  # why an entry is gray
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
