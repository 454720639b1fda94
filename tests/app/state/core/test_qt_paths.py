"""Names that are no UTF-8 on their way to Qt and back."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QFileDialog, QLabel

from emberscope.project import Project, PutClasses
from emberscope.project.store.file import load, save
from emberscope_app.shell.files.file_dialogs import ask_project
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.core.qt_paths import from_qt, from_url, to_qt

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere every name is Unicode"
)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "day\udcff"
    folder.mkdir()
    np.save(tmp_path / "c.npy", np.zeros((3, 24, 32), np.uint16))
    (tmp_path / "c.npy").rename(folder / "clip\udcfe.npy")
    save(Project(), folder / "p\udcfd.ember")
    return folder


def test_qt_shows_such_a_path_and_means_what_lies_there(folder):
    name = to_qt(folder / "clip\udcfe.npy")
    assert QLabel(name).text() == name
    assert from_qt(name) == folder / "clip\udcfe.npy"


def test_a_new_name_in_such_a_folder_is_as_it_was_typed(folder):
    assert from_qt(to_qt(folder) + "/new.ember") == folder / "new.ember"


def test_a_name_that_may_mean_two_files_means_neither(folder):
    (folder / "clip\udcfa.npy").write_bytes(b"")
    assert from_qt(to_qt(folder / "clip\udcfe.npy")) == folder / "clip\ufffd.npy"


@pytest.mark.parametrize("name", ["/a/b.ember", "b.ember", "", "/"])
def test_any_other_path_is_what_it_says(name):
    assert from_qt(name) == Path(name)
    assert to_qt(from_qt(name)) == str(Path(name))


def test_a_dragged_file_is_the_one_that_its_address_names(folder):
    for name in ("clip\udcfe.npy", "clip\udcfa.npy", "50%.npy"):
        address = "file://" + "".join(
            f"%{byte:02x}" for byte in os.fsencode(folder / name)
        ).replace("%2f", "/")
        assert from_url(QUrl.fromEncoded(address.encode())) == folder / name
    assert from_url(QUrl.fromLocalFile("/a/50%25.npy")) == Path("/a/50%25.npy")


def test_a_project_that_was_open_is_remembered_by_its_bytes(folder):
    Preferences().add_recent(folder / "p\udcfd.ember")
    assert Preferences().recent[0] == folder / "p\udcfd.ember"


# --- in the window


def test_a_project_and_a_clip_are_opened_worked_on_and_saved(window, qtbot, folder, drop):
    path = folder / "p\udcfd.ember"
    window.files.open_project(path)
    data = QMimeData()
    data.setUrls(
        [
            QUrl.fromEncoded(
                b"file://"
                + os.fsencode(folder / "clip\udcfe.npy")
                .replace(b"\xff", b"%FF")
                .replace(b"\xfe", b"%FE")
            )
        ]
    )
    window.files.open([from_url(url) for url in data.urls()])
    qtbot.waitUntil(lambda: len(window.session.project.sources) == 1)
    (ref,) = window.session.project.sources.values()
    assert (ref.name, window.session.name) == ("clip\\xfe.npy", "p\\xfd")
    assert window.session.opened.flush()
    assert window.session.opened.trouble == ""
    with qtbot.waitSignal(window.files.saved):
        window.files.save()
    assert Path(next(iter(load(path).sources.values())).path) == folder / "clip\udcfe.npy"


def test_a_project_is_chosen_and_saved_in_the_dialogs_of_qt(window, qtbot, folder, monkeypatch):
    monkeypatch.setattr(
        QFileDialog, "getOpenFileName", lambda *_: (to_qt(folder / "p\udcfd.ember"), "")
    )
    window.files.open(ask_project(window, None))
    assert window.session.path == folder / "p\udcfd.ember"
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (to_qt(folder / "new.ember"), "")
    )
    with qtbot.waitSignal(window.files.saved):
        window.files.save_as()
    assert (folder / "new.ember").exists()


def test_what_is_said_has_the_byte_in_words(window, folder):
    window.files.open([folder / "none\udcff.npy"])
    assert any("none\\xff.npy" in words for words in window.messages.words)


def test_a_class_name_with_half_of_a_character_stops_nothing(window):
    info = window.session.project.classes[1]
    named = type(info)(id=12, name="Truck\ud800", role=1, slot=3)
    window.session.do(PutClasses(title="Add class Truck\ud800", after=[named]))
    assert window.session.opened.flush()
    assert window.session.opened.trouble == ""
