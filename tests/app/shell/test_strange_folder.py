"""The window in a folder of somebody else: links that lie there under names of this program lead
nowhere."""

import os

import pytest

from emberscope.labels import Spot
from emberscope.project import Project, PutLabels
from emberscope.project.store.file import load, save
from emberscope.project.store.generations import generations
from emberscope.project.store.journal import arrays_folder, journal_path
from emberscope.project.store.lock import lock_path
from emberscope_app.shell.questions import Button

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_bytes(b"dear all")
    return tmp_path / "mine"


@pytest.fixture
def path(tmp_path):
    (tmp_path / "strange").mkdir()
    save(Project(), tmp_path / "strange" / "day.ember")
    return tmp_path / "strange" / "day.ember"


def contents(folder):
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


def label(window, number):
    window.session.do(
        PutLabels(title="Add", after=[Spot(id=number, source=10, frame=3, x=1.0, y=2.0)])
    )
    assert window.session.opened.flush()


@pytest.mark.parametrize("beside", [journal_path, lambda path: arrays_folder(journal_path(path))],
                         ids=["journal", "arrays"])
def test_a_label_and_a_save_or_discard_leave_the_files_behind_a_link_alone(
    window, qtbot, mine, path, beside
):
    beside(path).symlink_to(mine)
    assert window.files.open_project(path)
    label(window, 20)
    with qtbot.waitSignal(window.files.saved):
        window.files.save()
    label(window, 21)
    window.session.opened.close(discard=True)
    assert contents(mine) == {"letter.txt": b"dear all"}
    assert [found.id for found in load(path).labels] == [20]


def test_what_lies_in_the_place_of_the_lock_is_named_and_the_window_stays_as_it_was(
    window, mine, path
):
    lock_path(path).symlink_to(mine / "letter.txt")
    before = window.session.project
    assert not window.files.open_project(path)
    assert "day.ember-lock is a link. Move it away" in " ".join(window.messages.words)
    assert window.session.project is before
    assert contents(mine) == {"letter.txt": b"dear all"}


def test_a_save_that_a_link_is_in_the_way_of_says_so_and_the_work_stays(window, qtbot, mine, path):
    generations(path)[0].symlink_to(mine / "letter.txt")
    window.files.left.ask = lambda work: Button.Yes
    assert window.files.open_project(path)
    label(window, 20)
    window.files.save()
    qtbot.waitUntil(lambda: any("day.ember~ is a link" in words for words in window.messages.words))
    assert window.session.dirty
    assert contents(mine) == {"letter.txt": b"dear all"}
