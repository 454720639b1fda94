"""A window that was killed: what it did is offered when its project is opened, or on the start
page."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMessageBox

from emberscope.labels import Spot
from emberscope.project import Project, PutLabels
from emberscope.project.store.file import load, save
from emberscope.project.store.journal import journal_path
from emberscope.project.store.lock import Owner
from emberscope.project.store.open_project import OpenProject
from emberscope.tasks.trial import WaitUntilStopped
from emberscope_app.shell.questions import Button

WINDOW = Path(__file__).parents[1] / "window_to_kill.py"
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(autouse=True)
def own_state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))


@pytest.fixture
def dead(monkeypatch):
    """Every other process is taken for gone: this one plays two, one after the other."""
    monkeypatch.setattr(Owner, "is_gone", lambda self: True)


@pytest.fixture
def path(tmp_path):
    save(Project(), tmp_path / "day.ember")
    return tmp_path / "day.ember"


@pytest.fixture
def left(path, dead):
    """A project file, and three labels that only its journal has."""
    crash(OpenProject.at(path), 20, 21, 22)
    return path


def crash(opened, *numbers):
    for number in numbers:
        opened.did(
            PutLabels(title="Add", after=[Spot(id=number, source=10, frame=3, x=1.0, y=2.0)])
        )
    assert opened.flush()
    opened._journal.close(keep=True)


def kill_after(count, *paths):
    """Let a window of another process draw boxes and take the last one back, then kill it; how many
    labels it had."""
    words = [sys.executable, str(WINDOW), str(count), *map(str, paths)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as other:
        had = int(other.stdout.readline())
        other.kill()
    return had


def labels(project):
    return [label.id for label in project.labels]


# --- of a project with a file


@pytest.mark.parametrize(("answer", "slow"), [(Button.Yes, "recover"), (Button.Save, "keep_both")])
def test_the_window_goes_on_while_work_is_recovered_from_a_slow_disk(
    window, left, slowly, answer, slow
):
    answered = slowly(OpenProject, slow)
    window.files.left.ask = lambda work: answer
    assert window.files.open_project(left)
    assert answered == [True]



def test_what_a_killed_window_did_comes_back_with_its_project(window, path):
    assert kill_after(4, path) == 3
    window.files.left.ask = lambda work: Button.Yes
    assert window.files.open_project(path)
    assert len(window.session.project.labels) == 3
    assert not load(path).labels


def test_two_windows_killed_one_after_the_other_lose_nothing(window, path):
    kill_after(4, path)
    assert kill_after(3, path) == 5
    window.files.left.ask = lambda work: Button.Yes
    window.files.open_project(path)
    assert len(window.session.project.labels) == 5


def test_the_question_says_how_much_of_what_kind_and_when(window, left, monkeypatch, screenshot):
    asked = []

    def look(box):
        box.show()
        asked.append(
            (box.text(), box.informativeText(), [button.text() for button in box.buttons()])
        )
        screenshot(box, "recover")
        return QMessageBox.StandardButton.Cancel

    monkeypatch.setattr(QMessageBox, "exec", look)
    assert not window.files.open_project(left)
    (words, more, buttons), = asked
    assert words == "day.ember has work that was not saved when the program stopped."
    assert more.startswith("3 actions, first at ")
    assert ": 3 labels." in more
    assert sorted(buttons) == ["Cancel", "Keep both", "Open without", "Recover"]


def test_recovered_work_is_not_saved_until_it_is(window, qtbot, left):
    window.files.left.ask = lambda work: Button.Yes
    window.files.open_project(left)
    assert window.session.dirty
    assert window.messages.words == ["3 actions recovered. A file holds them once you save."]
    with qtbot.waitSignal(window.files.saved):
        window.files.save()
    assert labels(load(left)) == [20, 21, 22]
    assert not window.session.dirty
    assert window.messages.words == []


def test_work_that_is_left_aside_is_not_asked_about_again(window, left):
    window.files.left.ask = lambda work: Button.No
    window.files.open_project(left)
    assert labels(window.session.project) == []
    window.files.left.ask = lambda work: pytest.fail("asked again")
    assert window.files.open_project(left)


def test_both_are_kept_in_two_files(window, left):
    window.files.left.ask = lambda work: Button.Save
    window.files.open_project(left)
    assert window.messages.words == ["What was not saved is in day recovered.ember."]
    assert labels(load(left.with_name("day recovered.ember"))) == [20, 21, 22]
    assert labels(window.session.project) == []


def test_without_an_answer_nothing_is_opened_and_the_work_stays(window, left):
    window.files.left.ask = lambda work: Button.Cancel
    assert not window.files.open_project(left)
    assert window.session.path is None
    assert OpenProject.at(left).recoverable.count == 3


def test_unsaved_work_that_a_person_discards_is_not_offered(window, path):
    window.files.open_project(path)
    window.session.do(PutLabels(title="Add", after=[Spot(id=20, source=10, frame=3, x=1.0, y=2.0)]))
    assert window.session.opened.flush()
    window.files.ask_losses = lambda lost, doing: Button.Discard
    assert window.close()
    assert [entry.name for entry in path.parent.glob("day.*")] == ["day.ember"]


def test_the_start_page_says_which_project_has_work_to_recover(window, left, tmp_path):
    save(Project(), tmp_path / "other.ember")
    window.start_page.show_recent([left, tmp_path / "other.ember"])
    assert [row.news == "Work to recover" for row in window.start_page.rows] == [True, False]


# --- of a damaged journal


@pytest.fixture
def damaged(left):
    """Of three labels the second one is damaged."""
    journal = journal_path(left)
    data = journal.read_bytes()
    at = data.index(b"put-labels", data.index(b"put-labels") + 1)
    journal.write_bytes(data[:at] + b"?" + data[at + 1:])
    return left


def test_the_question_says_what_of_a_damaged_journal_is_lost(
    window, damaged, monkeypatch, screenshot
):
    asked = []

    def look(box):
        box.show()
        asked.append(box.informativeText())
        screenshot(box, "recover-damaged")
        return QMessageBox.StandardButton.Cancel

    monkeypatch.setattr(QMessageBox, "exec", look)
    window.files.open_project(damaged)
    assert asked[0].startswith("2 of 3 actions, first at ")
    assert " bytes: 1 action is lost.\n" in asked[0]
    assert asked[0].endswith("The damaged journal is kept in any case.")


@pytest.mark.parametrize(
    ("answer", "first", "ids"),
    [
        (Button.Yes, "2 actions recovered. A file holds them once you save.", [20, 22]),
        (Button.No, "The journal is damaged", []),
        (Button.Save, "What was not saved is in day recovered.ember.", []),
    ],
)
def test_whatever_the_answer_the_window_says_what_is_lost_and_where_the_damaged_journal_is(
    window, damaged, screenshot, answer, first, ids
):
    window.files.left.ask = lambda work: answer
    assert window.files.open_project(damaged)
    [words] = window.messages.words
    assert words.startswith(first)
    assert words.endswith(
        ": 1 action is lost. The damaged journal is kept as day.ember-journal-damaged."
    )
    assert labels(window.session.project) == ids
    if answer == Button.Yes:
        screenshot(window, "recovered-damaged")


def test_a_journal_of_which_nothing_comes_back_is_said_without_a_question(window, left):
    journal_path(left).write_bytes(b"rubbish")
    window.files.left.ask = lambda work: pytest.fail("asked")
    assert window.files.open_project(left)
    assert window.messages.words == [
        "The journal is damaged in 7 bytes: actions may be lost. The damaged journal is kept as "
        "day.ember-journal-damaged."]


def test_the_start_page_says_which_project_has_a_damaged_journal(window, damaged):
    window.start_page.show_recent([damaged])
    assert [row.news for row in window.start_page.rows] == ["Work to recover, damaged"]


def test_the_start_page_says_what_is_damaged_of_work_that_was_never_saved(
    window, dead, qtbot, screenshot
):
    crash(OpenProject(), 20, 21)
    crash(OpenProject(), 30)
    window.files.look_for_left()
    first, second = (row.work.journal for row in window.start_page.left_rows)
    first.write_bytes(first.read_bytes() + b"rubbish")
    second.rename(
        second.with_name(second.name.replace(f"-{os.getpid()}-", "-4194305-"))
    ).write_bytes(b"rubbish")
    window.files.look_for_left()
    there, nothing = window.start_page.left_rows
    qtbot.waitUntil(lambda: there.isVisible() and nothing.isVisible())
    screenshot(window, "recover-unsaved-damaged")
    assert there.damage.text() == "The journal is damaged in 7 bytes: actions may be lost."
    assert (nothing.head.text(), nothing.recover.isHidden()) == (
        "A journal of which nothing comes back",
        True,
    )


# --- of a project without a file


def test_what_a_killed_window_never_saved_is_offered_on_the_start_page(window, screenshot):
    kill_after(4)
    window.files.look_for_left()
    row, = window.start_page.left_rows
    assert row.head.text().startswith("5 actions, first at ")
    assert row.kinds.text() == "4 labels, 1 undone"
    screenshot(window, "recover-unsaved")
    QTest.mouseClick(row.recover, LEFT)
    assert len(window.session.project.labels) == 3
    assert window.session.dirty
    assert window.start_page.left_rows == []


def test_recovering_while_a_job_runs_asks_about_the_job(window, dead, monkeypatch):
    crash(OpenProject(), 20)
    window.files.look_for_left()
    job = window.session.jobs.ask(WaitUntilStopped(), title="Sample")
    asked = []
    monkeypatch.setattr(
        QMessageBox, "exec", lambda box: (asked.append(box.informativeText()), Button.Cancel)[1]
    )
    row, = window.start_page.left_rows
    QTest.mouseClick(row.recover, LEFT)
    assert asked == ["Sample: waiting"]
    assert job.active
    assert labels(window.session.project) == []


def test_what_was_never_saved_can_be_left(window, dead):
    crash(OpenProject(), 20)
    window.files.look_for_left()
    row, = window.start_page.left_rows
    QTest.mouseClick(row.leave, LEFT)
    window.files.look_for_left()
    assert window.start_page.left_rows == []
    assert labels(window.session.project) == []


def test_what_was_never_saved_is_kept_in_a_file_while_another_project_stays_open(
    window, dead, path, monkeypatch
):
    window.files.open_project(path)
    crash(OpenProject(), 20)
    window.files.look_for_left()
    row, = window.start_page.left_rows
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(path.with_name("kept")), "")
    )
    row.keep.click()
    assert labels(load(path.with_name("kept.ember"))) == [20]
    assert window.session.path == path
    assert window.start_page.left_rows == []


def test_what_a_killed_window_did_after_its_folder_was_removed_is_offered_on_the_start_page(
    window, path, screenshot
):
    folder = path.parent / "work"
    folder.mkdir()
    path = path.rename(folder / path.name)
    assert kill_after(3, path, "--removed") == 2
    assert not folder.exists()
    window.files.look_for_left()
    row, = window.start_page.left_rows
    assert row.head.text().startswith("4 actions, first at ")
    assert row.kinds.text() == "3 labels, 1 undone. day.ember is gone"
    screenshot(window, "recover-removed")
    QTest.mouseClick(row.recover, LEFT)
    assert len(window.session.project.labels) == 2
    assert window.session.dirty
    assert window.start_page.left_rows == []
