"""Dialogs: where they begin, what they take, and where one is after new data."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from emberscope.project import Project, remove_sources
from emberscope.project.store.file import save
from emberscope_app.state.core.last_folders import last_folder, remember_folder


@pytest.fixture
def dialogs(monkeypatch):
    """What each dialog began with; a test says what is chosen."""
    found = {"starts": [], "choice": ""}

    def choose(_parent, _title, start="", *_):
        found["starts"].append(str(start))
        return found["choice"]

    monkeypatch.setattr(
        QFileDialog,
        "getOpenFileNames",
        lambda *a, **k: ([name for name in [choose(*a)] if name], ""),
    )
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a, **k: (choose(*a), ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (choose(*a), ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *a, **k: choose(*a))
    return found


@pytest.mark.parametrize(("action", "kind"), [
    ("file.open-data", "clip.npy"), ("file.open-folder", "frames"), ("file.open", "day.ember"),
    ("file.save-as", "day.ember"),
])
def test_a_dialog_begins_where_the_last_of_its_kind_was(
    window, qtbot, tmp_path, dialogs, build_frames, action, kind
):
    (tmp_path / "campaign" / "frames").mkdir(parents=True)
    np.save(tmp_path / "campaign" / "frames" / "0.npy", np.ones((20, 24), np.uint16))
    build_frames(tmp_path / "campaign" / "clip.npy", n_frames=2)
    save(Project(), tmp_path / "campaign" / "day.ember")
    dialogs["choice"] = str(tmp_path / "campaign" / kind)
    window.actions_by_id[action].trigger()
    window.files.wait()
    qtbot.waitUntil(lambda: not window.files._aside.busy)
    dialogs["choice"] = ""
    window.actions_by_id["file.new"].trigger()  # a project that has no file yet
    before = len(dialogs["starts"])
    window.actions_by_id[action].trigger()
    start = dialogs["starts"][before]
    assert start.startswith(str(tmp_path / "campaign"))


def test_the_first_project_is_saved_beside_the_data_it_is_about(full_window, tmp_path, dialogs):
    (tmp_path / "campaign").mkdir()
    remember_folder("data", tmp_path / "campaign" / "day")
    full_window.actions_by_id["file.save-as"].trigger()
    assert Path(dialogs["starts"][0]).parent == tmp_path / "campaign"


@pytest.mark.parametrize("kind", ["truth", "table", "export", "project"])
def test_a_kind_of_dialog_that_was_never_open_begins_beside_the_data(tmp_path, kind):
    remember_folder("data", tmp_path / "day")
    assert last_folder(kind) == str(tmp_path)


def test_kinds_of_dialogs_do_not_share_their_folder(window, tmp_path, dialogs):
    (tmp_path / "truth").mkdir()
    remember_folder("truth", tmp_path / "truth" / "boxes.xml")
    window.actions_by_id["file.open-data"].trigger()
    assert dialogs["starts"] == [str(Path.home())]


def test_a_folder_that_is_gone_is_not_where_a_dialog_begins(tmp_path):
    remember_folder("data", tmp_path / "gone" / "clip.npy")
    assert last_folder("data", tmp_path) == str(tmp_path)


OPENERS = {
    "the start page": lambda window: window.start_page.open_data,
    "the plus of Sources": lambda window: window.panel("sources")._add,
    "the empty frame": lambda window: window.panels["frame"].empty.button,
}


@pytest.mark.parametrize("where", OPENERS)
def test_open_data_takes_files_or_a_folder_from(window, small_project, dialogs, where):
    if where != "the start page":
        window.session.replace(small_project, None)
    if where == "the empty frame":
        window.session.do(remove_sources(small_project, [10]))
    button = OPENERS[where](window)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    menu = QApplication.activePopupWidget()
    assert [action.text() for action in menu.actions()] == [
        "Open data files...",
        "Open folder of frames...",
    ]
    menu.actions()[1].trigger()
    menu.close()
    assert len(dialogs["starts"]) == 1


def test_after_new_data_one_is_in_the_label_workspace(
    window, qtbot, small_project, drop, tmp_path, build_frames
):
    window.session.replace(small_project, None)
    window.show_workspace("explore")
    drop(window, [build_frames(tmp_path / "new.npy", n_frames=2)])
    qtbot.waitUntil(lambda: len(window.session.project.sources) == 2)
    assert window.workspace == "label"
    assert window.panels["frame"].isVisible()
    assert window.session.project.sources[window.session.focus.source].name == "new.npy"


def test_a_project_opens_on_the_frame_on_which_it_was_left(window, qtbot, small_project, tmp_path):
    save(small_project, tmp_path / "day.ember")
    window.files.open_project(tmp_path / "day.ember")
    window.session.go(frame=4)
    window.files.new()
    window.files.open_project(tmp_path / "day.ember")
    assert (window.session.focus.source, window.session.focus.frame) == (10, 4)
