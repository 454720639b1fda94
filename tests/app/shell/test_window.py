"""The real window: workspaces, docks, drop, bad files, save and reopen, recent, theme, palette,
sheets."""

import subprocess
import sys

import msgspec
import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from emberscope.labels.class_places import own_place
from emberscope.labels.model import Box
from emberscope.project import Project, PutLabels, PutRuns
from emberscope.tasks.trial import WaitUntilStopped
from emberscope.tasks.truth import FindTruth, ImportTruth
from emberscope_app.shell.window import MainWindow
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Jobs
from emberscope_app.theme.look import current, look

SHEETS = ("help.first", "help.shortcuts", "help.about", "label.add-class", "file.import-truth")
CANCEL = QMessageBox.StandardButton.Cancel


def test_the_start_page_stands_alone_until_data_is_open(window):
    assert window.start_page.isVisible()
    assert not window.rail.isVisible()


def test_an_open_project_shows_the_label_workspace(full_window):
    assert full_window.rail.isVisible()
    assert full_window.area is full_window.areas["label"]
    assert full_window.panels["frame"].isVisible()


@pytest.mark.parametrize("name", ["label", "explore"])
def test_every_dock_of_a_workspace_can_be_brought_to_the_front(used_window, name):
    used_window.show_workspace(name)
    for dock in used_window.area.names:
        assert used_window.panel(dock).isVisible(), dock


def test_a_dock_keeps_its_panel_when_the_workspace_changes(used_window, qtbot):
    before = used_window.panel("sources")
    qtbot.keyClick(used_window, Qt.Key.Key_F3)
    assert used_window.workspace == "explore"
    assert used_window.panel("sources") is before
    assert before.isVisible()
    qtbot.keyClick(used_window, Qt.Key.Key_F2)
    assert used_window.workspace == "label"
    assert before.isVisible()


def test_a_narrow_window_has_one_group_at_the_right(used_window):
    used_window.resize(1100, 700)
    assert used_window.area is used_window.areas["label-1280"]
    assert used_window.area.group_of("labels") is used_window.area.group_of("bags")
    assert used_window.panels["labels"].isVisible()
    used_window.resize(1400, 900)
    assert used_window.area is used_window.areas["label"]
    assert used_window.panels["bags"].isVisible()


def test_the_rail_is_for_labeling_only(used_window):
    used_window.show_workspace("explore")
    assert not used_window.rail.isVisible()


def test_a_dock_fills_the_area_and_goes_back(used_window, qtbot):
    group = used_window.area.group_of("bags")
    width = group.width()
    qtbot.mouseClick(group.title.zoom, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: group.size() == used_window.area.size())
    qtbot.mouseClick(group.title.zoom, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: abs(group.width() - width) <= 2)


def test_a_dropped_file_becomes_a_source_with_its_first_frame_on_show(
    window, qtbot, drop, tmp_path, build_frames
):
    drop(window, [build_frames(tmp_path / "clip.npy", n_frames=2)])
    qtbot.waitUntil(lambda: len(window.session.project.sources) == 1)
    assert window.session.focus.frame == 0
    assert window.panels["frame"].isVisible()
    assert window.session.undo_stack.undoText() == "Add clip.npy"


def test_a_good_file_among_bad_ones_opens(window, qtbot, tmp_path, build_frames):
    (tmp_path / "empty.mp4").write_bytes(b"")
    window.files.open([tmp_path / "empty.mp4", build_frames(tmp_path / "clip.npy", n_frames=2)])
    assert window.sheet.left.text().startswith("Cannot be opened: ")
    assert "\n" not in window.sheet.left.text()
    window.sheet.accept()
    assert [ref.name for ref in window.session.project.sources.values()] == ["clip.npy"]
    assert len(window.messages.words) == 1


def test_what_was_said_of_one_project_goes_when_another_is_opened(window):
    window.session.say("The graph has 4 parts.", level="warn")
    window.session.replace(Project(), None)
    assert window.messages.words == []


def test_a_folder_of_clips_opens_each_of_them(window, qtbot, tmp_path):
    folder = tmp_path / "clips"
    folder.mkdir()
    for name in ("a", "b"):
        np.savez(folder / f"{name}.npz", frames=np.ones((2, 40, 50), np.uint16))
    window.files.open([folder])
    window.sheet.accept()
    assert [ref.name for ref in window.session.project.sources.values()] == ["a.npz", "b.npz"]


def test_save_and_reopen_find_the_same_state(full_window, qtbot, tmp_path):
    session = full_window.session
    label = Box(id=session.project.new_label_ids()[0], source=10, frame=3, x0=4, y0=5, x1=44, y1=55)
    session.do(PutLabels(title="Add box", after=[label]))
    with qtbot.waitSignal(full_window.files.saved):
        full_window.files.save_to(tmp_path / "trial.ember")
    assert not session.dirty
    labels, marks, run = (
        list(session.project.labels),
        session.project.marks,
        session.project.runs[11],
    )
    full_window.files.new()
    assert full_window.start_page.isVisible()
    full_window.files.open([tmp_path / "trial.ember"])
    assert session.name == "trial"
    assert list(session.project.labels) == labels
    assert session.project.marks == marks
    np.testing.assert_array_equal(session.project.runs[11].Z, run.Z)
    assert full_window.panels["frame"].isVisible()


def test_an_edit_during_a_save_stays_unsaved(full_window, qtbot, tmp_path):
    session = full_window.session
    box = Box(id=session.project.new_label_ids()[0], source=10, frame=3, x0=4, y0=5, x1=44, y1=55)
    session.do(PutLabels(title="Add box", after=[box]))
    with qtbot.waitSignal(full_window.files.saved):
        full_window.files.save_to(tmp_path / "trial.ember")
        session.do(PutLabels(title="Remove box", before=[box]))
    assert session.dirty


def test_a_folder_that_cannot_be_written_is_a_message_not_a_loss(full_window, qtbot, tmp_path):
    full_window.files.save_to(tmp_path / "no" / "such" / "folder.ember")
    qtbot.waitUntil(lambda: bool(full_window.messages.words))
    assert "cannot save" in full_window.messages.words[0]


def test_recent_projects_stand_on_the_start_page(full_window, qtbot, tmp_path):
    with qtbot.waitSignal(full_window.files.saved):
        full_window.files.save_to(tmp_path / "trial.ember")
    full_window.files.new()
    (row,) = full_window.start_page.rows
    qtbot.mouseClick(row, Qt.MouseButton.LeftButton)
    assert full_window.session.name == "trial"


def test_unsaved_work_is_kept_when_the_person_says_cancel(full_window):
    session = full_window.session
    session.do(
        PutLabels(
            title="Add box", after=[Box(id=999, source=10, frame=1, x0=4, y0=5, x1=44, y1=55)]
        )
    )
    full_window.files.ask_losses = lambda lost, doing: CANCEL
    full_window.files.new()
    assert 999 in session.project.labels
    assert not full_window.close()


def test_layout_tabs_and_workspace_are_remembered(qtbot, full_window, worker):
    full_window.show_workspace("explore")
    full_window.panel("bags")
    full_window.close()
    other = MainWindow(Session(jobs=Jobs(worker=worker)), Preferences())
    qtbot.addWidget(other)
    other.show()
    # The geometry of a window larger than the screen comes back smaller
    other.resize(full_window.size())
    assert other.workspace == "explore"
    assert other.area.group_of("bags").current == "bags"


def test_the_theme_switches_and_is_remembered(full_window, qtbot):
    with qtbot.waitSignal(look().changed):
        qtbot.mouseClick(full_window.header.theme, Qt.MouseButton.LeftButton)
    assert current().name == "light"
    assert QApplication.palette().window().color() == current().color("bg1")
    assert Preferences().text("theme") == "light"


def test_reset_layout_brings_the_first_tabs_back(used_window):
    used_window.panel("jobs")
    used_window.actions_by_id["view.reset"].trigger()
    assert used_window.area.group_of("jobs").current == "timeline"


def test_f6_moves_the_keyboard_from_dock_to_dock(used_window, qtbot):
    used_window.activateWindow()
    seen = set()
    for _ in used_window.area.groups:
        qtbot.keyClick(used_window, Qt.Key.Key_F6)
        focus = used_window.focusWidget()
        seen |= {group.names for group in used_window.area.groups if group.isAncestorOf(focus)}
    assert len(seen) == len(used_window.area.groups)


def test_undo_in_the_menu_says_what_it_undoes(used_window):
    session = used_window.session
    session.selection.select(session.run.ids[:87])
    session.mark_selection(2)
    assert used_window.actions_by_id["edit.undo"].text() == "Undo Mark 87 as background"


def test_the_palette_finds_and_runs_an_action(used_window, qtbot):
    used_window.actions_by_id["view.palette"].trigger()
    field = used_window.palette_sheet.field
    qtbot.keyClicks(field, "explorews")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert used_window.workspace == "explore"
    assert not used_window.palette_sheet.isVisible()


def test_the_palette_selects_a_bag_by_its_number(used_window, qtbot):
    used_window.palette_sheet.open()
    qtbot.keyClicks(used_window.palette_sheet.field, "#105")
    qtbot.keyClick(used_window.palette_sheet.field, Qt.Key.Key_Return)
    assert len(used_window.session.selection) == 16


def test_a_disabled_action_in_the_palette_gives_its_reason(window, qtbot):
    window.palette_sheet.open()
    qtbot.keyClicks(window.palette_sheet.field, "invert")
    assert window.palette_sheet.model.rows[0].reason == "Needs a run"


@pytest.mark.parametrize("action", SHEETS)
def test_a_sheet_opens_at_the_right_and_closes_with_esc(used_window, qtbot, action):
    used_window.actions_by_id[action].trigger()
    sheet = used_window.sheet
    assert sheet.isVisible()
    assert sheet.geometry().right() == used_window.width() - 1
    qtbot.keyClick(sheet, Qt.Key.Key_Escape)
    assert used_window.sheet is None


def test_a_class_is_added_with_one_undo_step(used_window, qtbot):
    used_window.actions_by_id["label.add-class"].trigger()
    qtbot.keyClicks(used_window.sheet.field, "Truck")
    qtbot.keyClick(used_window.sheet.field, Qt.Key.Key_Return)
    made = used_window.session.project.classes[used_window.session.focus.class_id]
    assert (made.name, made.role, made.slot) == ("Truck", 1, own_place("Truck"))
    used_window.session.undo_stack.undo()
    assert made.id not in used_window.session.project.classes


def test_the_sample_is_made_in_the_worker_and_opened(
    window, qtbot, worker, tmp_path, build_project
):
    from emberscope.project.store.file import save
    from emberscope.tasks.synthetic import MakeSample, Sample

    save(build_project(tmp_path), tmp_path / "sample.ember")
    worker.answers[MakeSample] = lambda request: Sample(str(tmp_path / "sample.ember"))
    qtbot.mouseClick(window.start_page.sample, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(window.session.project.sources) == 1)
    assert window.session.name == "sample"
    assert window.area is window.areas["explore"]
    assert window.panels["map2d"].layers["chips_on_map"].shown()


def test_a_project_with_a_picture_opens_on_it_once_then_where_it_was_left(
    window, tmp_path, build_project
):
    from emberscope.project.store.file import save

    save(build_project(tmp_path), tmp_path / "a.ember")
    window.files.open_project(tmp_path / "a.ember")
    assert window.workspace == "explore"
    window.show_workspace("label")
    window.files.open_project(tmp_path / "a.ember")
    assert window.workspace == "label"


def test_the_first_map_of_a_project_has_chips_on_it_and_later_ones_what_a_person_left(
    window, build_project, build_run, tmp_path
):
    session = window.session
    session.replace(build_project(tmp_path, with_run=False), None)
    first = build_run(run_id=1)
    session.do(PutRuns(after=[first]))
    toggle = window.panel("map2d").toggles["chips_on_map"]
    assert toggle.isChecked()
    toggle.setChecked(False)
    session.do(PutRuns(after=[build_run(run_id=2)]))
    assert not toggle.isChecked()


def test_a_project_without_a_picture_opens_where_labels_are_drawn(window, tmp_path, build_project):
    from emberscope.project.store.file import save

    save(build_project(tmp_path, with_run=False), tmp_path / "a.ember")
    window.files.open_project(tmp_path / "a.ember")
    assert window.workspace == "label"


def test_a_clip_is_removed_with_its_labels_and_brought_back(used_window):
    panel = used_window.panels["sources"]
    panel.remove(10)
    assert used_window.start_page.isHidden()  # the run is still there to look at
    assert not used_window.session.project.labels
    used_window.session.undo_stack.undo()
    assert len(used_window.session.project.labels) == 19


def small_frames(view, index):
    return [
        (cell.does, place) for cell, place in view.delegate.cells(index) if cell.does is not None
    ]


def test_a_click_on_a_small_frame_goes_to_it(used_window, qtbot):
    panel = used_window.panels["sources"]
    index = panel.model.index(0, 0)
    frame, place = small_frames(panel.view, index)[4]
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place.center())
    assert used_window.session.focus.frame == frame == 4


def test_a_click_in_the_list_of_edits_goes_there(used_window, qtbot):
    session = used_window.session
    session.selection.select(session.run.ids[:3])
    session.mark_selection(2)
    session.mark_selection(0)
    panel = used_window.panel("undo")
    panel.view.clicked.emit(panel.model.index(1, 0))
    assert session.undo_stack.index() == 1


def test_errors_stand_in_the_log(used_window):
    used_window.session.say("Cannot read pass_03.arf: it ends after frame 211 of 600.", level="err")
    used_window.show_workspace("explore")
    assert "pass_03.arf" in used_window.panel("log").view.toPlainText()


HEAVY = [
    "sklearn",
    "numba",
    "skimage",
    "scipy",
    "torch",
    "cv2",
    "av",
    "faiss",
    "h5py",
    "vispy",
    "pyqtgraph",
    "contourpy",
]


def loaded_by_then(names):
    """Those of the modules that are loaded when a new window is on screen."""
    code = (
        "import sys\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from emberscope_app.main import open_window\n"
        "from emberscope_app.state.core.preferences import Preferences\n"
        "from emberscope_app.theme import look\n"
        "app = QApplication([])\n"
        "look.prepare(app)\n"
        "window = open_window(Preferences())\n"
        "window.show()\n"
        "assert window.isVisible()\n"
        f"print(*[name for name in {names!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout.split()


def test_the_window_is_on_screen_before_anything_heavy_is_loaded():
    assert not loaded_by_then(HEAVY)


def test_the_window_is_on_screen_before_readers_formats_and_the_worker_are_loaded():
    ours = [
        "jobs.client",
        "tasks.table",
        "frames.readers.folder",
        "labels.formats",
        "project.exchange",
    ]
    assert not loaded_by_then([*(f"emberscope.{name}" for name in ours), "importlib.metadata"])


def test_no_docstring_of_qt_is_asked_for_when_the_application_is_imported():
    """Qt writes those of a whole module when it is first asked for one, and that takes long."""
    assert QWidget.setToolTip.__doc__ is None


def test_truth_is_imported_by_the_worker_as_one_undo_step(used_window, qtbot, worker, tmp_path):
    (tmp_path / "truth.csv").write_text("frame,x,y,w,h\n0,30,30,20,10\n3,130,120,20,10\n")
    worker.answer_as_engine(ImportTruth)
    used_window.actions_by_id["file.import-truth"].trigger()
    sheet = used_window.sheet
    sheet.path.setText(str(tmp_path / "truth.csv"))
    sheet.rule.set_value("same-place")
    sheet.background.setValue(1)
    qtbot.mouseClick(sheet.button, Qt.MouseButton.LeftButton)
    labels = used_window.session.project.labels
    qtbot.waitUntil(lambda: len(labels) == 23)
    size, ground = sorted(used_window.messages.words, reverse=True)
    assert size.startswith("u = 1: boxes of 20 x 10 px, as large as the largest of the truth")
    assert ground.startswith("Background: 2 boxes ")
    used_window.session.undo_stack.undo()
    assert len(labels) == 19


def test_the_rule_of_background_goes_to_the_worker(
    used_window, qtbot, worker, tmp_path, screenshot
):
    used_window.actions_by_id["file.import-truth"].trigger()
    sheet = used_window.sheet
    sheet.path.setText(str(tmp_path / "truth.csv"))
    assert sheet.rule.value == "auto"
    qtbot.mouseClick(sheet.rule.button("same-place"), Qt.MouseButton.LeftButton)
    assert sheet.rule_hint.text() == "Where a target is on another frame and none is now."
    qtbot.waitUntil(lambda: sheet.rule.height() > 20 and sheet.rule_hint.y() > sheet.rule.y())
    screenshot(used_window, "import-truth")
    qtbot.mouseClick(sheet.button, Qt.MouseButton.LeftButton)
    assert worker.submitted[-1].request.rule == "same-place"


def test_truth_of_all_clips_is_one_job(used_window, qtbot, worker, tmp_path):
    used_window.actions_by_id["file.import-truth"].trigger()
    sheet = used_window.sheet
    sheet.path.setText(str(tmp_path))
    qtbot.mouseClick(sheet.clips.button("all"), Qt.MouseButton.LeftButton)
    assert sheet.about.text().startswith("A folder of truth files named like their clips")
    qtbot.mouseClick(sheet.button, Qt.MouseButton.LeftButton)
    assert worker.submitted[-1].request.source is None


def test_a_dropped_folder_opens_as_all_that_it_holds(window, qtbot, drop, tmp_path, build_frames):
    folder = tmp_path / "day"
    folder.mkdir()
    build_frames(folder / "clip.npy", n_frames=2)
    for name, size in (("a.bmp", (8, 6)), ("b.bmp", (8, 6)), ("wide.png", (20, 6))):
        Image.new("L", size).save(folder / name)
    (folder / "notes.txt").write_text("-")
    drop(window, [folder])
    qtbot.waitUntil(lambda: window.sheet is not None)
    left = window.sheet.left.text()
    assert left == "day: 1 file is left out, which no reader knows: notes.txt."
    window.sheet.accept()
    assert [ref.n_frames for ref in window.session.project.sources.values()] == [2, 1, 2]
    assert window.messages.words == [left]


@pytest.mark.parametrize("at", ["path", "every"])
def test_enter_imports_the_truth_wherever_in_the_sheet(used_window, qtbot, worker, tmp_path, at):
    (tmp_path / "truth.csv").write_text("frame,x,y,w,h\n0,30,30,20,10\n")
    used_window.actions_by_id["file.import-truth"].trigger()
    sheet = used_window.sheet
    sheet.path.setText(str(tmp_path / "truth.csv"))
    getattr(sheet, at).setFocus()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert [type(each.request) for each in worker.submitted] == [FindTruth, ImportTruth]


def test_a_clip_is_to_label_while_a_frame_of_it_has_no_label(used_window):
    panel, session = used_window.panels["sources"], used_window.session
    assert not panel.model.count("todo")
    assert panel.chips["todo"].isVisible()
    on_last = session.project.labels.on_frame(10, 5)
    session.do(PutLabels(title="Remove", before=on_last))
    assert panel.chips["todo"].text() == "To label 1"


def test_without_background_boxes_there_is_no_rule_to_choose(used_window):
    used_window.actions_by_id["file.import-truth"].trigger()
    used_window.sheet.background.setValue(0)
    assert not used_window.sheet.rule.isEnabled()


def test_a_failed_job_is_a_message_in_the_window(used_window, qtbot, worker):
    job = used_window.session.jobs.ask(WaitUntilStopped(), title="Run 12")
    worker.fail(job.id, "the graph has 4 parts.")
    qtbot.waitUntil(lambda: used_window.messages.words == ["Run 12: the graph has 4 parts."])


def test_tools_of_rail_and_menu_are_the_same():
    from emberscope_app.frame_view.tools.table import TOOL_CLASSES
    from emberscope_app.shell.actions import ACTIONS

    of_menu = [(row.id, row.title, row.keys) for row in ACTIONS if row.id.startswith("tool.")]
    assert of_menu == [(f"tool.{tool.id}", tool.title, tool.key) for tool in TOOL_CLASSES]


def test_a_tool_of_the_menu_is_taken_and_is_the_only_one_checked(used_window):
    used_window.actions_by_id["tool.spot"].trigger()
    assert used_window.session.focus.tool == "spot"
    actions = used_window.actions_by_id.by_id
    assert [
        id for id, action in actions.items() if id.startswith("tool.") and action.isChecked()
    ] == ["tool.spot"]


def test_the_workspace_in_front_stays_checked_when_it_is_asked_for_again(used_window):
    for _ in range(2):
        used_window.actions_by_id["view.explore"].trigger()
        assert used_window.actions_by_id["view.explore"].isChecked()
        assert not used_window.actions_by_id["view.label"].isChecked()


def test_run_of_the_menu_shows_its_dock_and_what_keeps_it_from_running(used_window):
    session = used_window.session
    session.do(PutLabels(title="Delete all", before=list(session.project.labels)))
    used_window.actions_by_id["run.run"].trigger()
    assert used_window.panels["run"].isVisible()
    assert used_window.messages.words == [
        "Nothing is labeled yet. Label a target and some background."
    ]


def test_a_method_chosen_from_the_sheet_is_the_one_that_would_run(used_window, qtbot):
    used_window.actions_by_id["run.methods"].trigger()
    qtbot.keyClicks(used_window.sheet.field, "isomap")
    used_window.sheet.accept()
    assert (
        used_window.session.runs.draft.method
        == used_window.panels["run"].methods.method
        == "isomap"
    )


def test_no_two_actions_share_a_key():
    from emberscope_app.shell.actions import ACTIONS, WINDOW

    keys = [row.keys for row in ACTIONS if row.keys and row.scope == WINDOW]
    assert len(keys) == len(set(keys))


def test_the_row_of_the_open_clip_is_as_high_as_its_pictures(used_window, qtbot):
    panel = used_window.panels["sources"]
    index = panel.model.index(0, 0)
    for width in (1600, 1300):
        used_window.resize(width, 900)
        qtbot.waitUntil(lambda: panel.view.visualRect(index).height() > 72)
        rect = panel.view.visualRect(index)
        last = small_frames(panel.view, index)[-1][1]
        assert 0 < rect.bottom() - last.bottom() <= 12


@pytest.mark.parametrize("size", [(1600, 1000), (1280, 800)])
@pytest.mark.parametrize("workspace", ["label", "explore"])
def test_both_themes_have_the_same_layout_to_the_pixel(
    full_window, qtbot, screenshot, workspace, size
):
    full_window.resize(*size)
    full_window.show_workspace(workspace)
    panel = full_window.panels["sources" if workspace == "label" else "chips"]
    qtbot.waitUntil(lambda: panel.isVisible() and panel.width() > 100)

    def places():
        screenshot(full_window, f"{workspace}-{size[0]}")
        return {group.names: group.geometry().getRect() for group in full_window.area.groups}

    dark = places()
    with qtbot.waitSignal(look().changed):
        full_window.toggle_theme()
    assert places() == dark


def test_a_run_of_two_dimensions_has_one_map_and_the_same_tabs_and_keyboard(used_window):
    used_window.resize(1600, 1000)
    used_window.show_workspace("explore")
    used_window.panel("concepts")
    held = used_window.panel("map2d").surface
    held.setFocus()
    deep = used_window.session.run
    flat = msgspec.structs.replace(deep, id=12, Z=np.ascontiguousarray(deep.Z[:, :2]))
    used_window.session.do(PutRuns(title="Run", after=[flat]))
    used_window.session.focus.set(run=12)
    groups = used_window.area
    assert used_window.focusWidget() is held
    assert groups.group_of("map3d") is groups.group_of("map2d")
    assert groups.group_of("concepts").current == "concepts"
    used_window.session.focus.set(run=deep.id)
    assert used_window.area.group_of("map3d") is not used_window.area.group_of("map2d")
