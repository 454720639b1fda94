"""Files through the window: many at once, saves that fail or overlap, missing clips, exports,
another project."""

import threading
import time
from typing import get_args

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QToolButton

from emberscope.labels import Box
from emberscope.mil.conversion import Kind, Variant
from emberscope.project import Project, PutLabels, PutRuns, mark, to_snapshot
from emberscope.project.exchange import desk
from emberscope.project.model.recipe import Recipe
from emberscope.project.store.disk import Disk
from emberscope.project.store.file import load, save
from emberscope.project.store.journal import journal_path, read_journal
from emberscope.project.store.lock import Owner, lock_path
from emberscope.project.store.open_project import OpenProject
from emberscope.tasks.export import ExportProject, VectorChoice
from emberscope.tasks.measures import MeasureRun
from emberscope.tasks.runs import MakeRun
from emberscope_app.sheets.import_truth import ImportTruthSheet
from emberscope_app.shell.commands import import_truth
from emberscope_app.shell.questions import Button
from emberscope_app.state.labels.classes import why_kept, wrong_name
from emberscope_app.state.runs.measuring import start_measuring

LEFT, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


def box_of(session, **values) -> Box:
    corners = {"x0": 4, "y0": 5, "x1": 44, "y1": 55}
    return Box(id=session.project.new_label_ids()[0], source=10, frame=3, **corners, **values)


def write_clips(folder, count: int) -> list:
    paths = [folder / f"clip_{k}.npy" for k in range(count)]
    for k, path in enumerate(paths):
        np.save(path, np.full((1, 8, 10), k, np.uint16))
    return paths


# --- opening


@pytest.fixture
def slow_files(monkeypatch):
    """Files open once `go` is set; then 20 ms each."""
    go, quick = threading.Event(), desk.describe
    monkeypatch.setattr(
        desk, "describe", lambda *a, **o: (go.wait(60), time.sleep(0.02), quick(*a, **o))[2]
    )
    yield go
    go.set()


def test_many_files_open_in_a_thread_and_come_in_as_one_step(window, tmp_path, slow_files):
    hints = []
    window.session.hinted.connect(hints.append)
    QTimer.singleShot(50, window, slow_files.set)  # the event loop turns meanwhile
    window.files.open(write_clips(tmp_path, 5))
    assert "Opening clip_1.npy" in hints
    window.sheet.accept()
    assert len(window.session.project.sources) == 5
    assert window.status.parts["hint"].text() == ""
    assert window.session.undo_stack.undoText() == "Add 5 sources"


def test_files_dropped_while_others_open_come_along(window, tmp_path, slow_files):
    paths = write_clips(tmp_path, 6)
    QTimer.singleShot(50, window, lambda: (window.files.open(paths[3:]), slow_files.set()))
    window.files.open(paths[:3])
    window.sheet.accept()
    assert len(window.session.project.sources) == 6
    assert window.session.undo_stack.count() == 1


def test_files_that_were_opening_are_dropped_with_their_project(window, tmp_path, slow_files):
    QTimer.singleShot(50, window, lambda: (window.files.new(), slow_files.set()))
    window.files.open(write_clips(tmp_path, 3))
    assert window.sheet is None
    assert not window.session.project.sources
    assert window.status.parts["hint"].text() == ""


def test_opening_files_can_be_canceled(window, qtbot, tmp_path, slow_files):
    window.session.message.connect(lambda message: message.on_action())  # "Cancel"
    window.files.open(write_clips(tmp_path, 3))
    assert window.sheet is None
    assert not window.session.project.sources
    assert window.status.parts["hint"].text() == ""


# --- saving


def test_a_save_as_that_fails_keeps_the_old_file(full_window, qtbot, tmp_path):
    session = full_window.session
    with qtbot.waitSignal(full_window.files.saved):
        full_window.files.save_to(tmp_path / "old.ember")
    full_window.files.save_to(tmp_path / "no" / "such" / "new.ember")
    qtbot.waitUntil(lambda: bool(full_window.messages.words))
    assert session.path == tmp_path / "old.ember"


def test_closing_right_after_saving_does_not_ask(full_window, tmp_path):
    session = full_window.session
    session.do(PutLabels(title="Add box", after=[box_of(session)]))
    full_window.files.save_to(tmp_path / "trial.ember")
    full_window.files.ask_losses = lambda lost, doing: pytest.fail("asked")
    assert full_window.close()


def test_another_edit_at_the_same_step_is_not_taken_for_the_saved_one(full_window, qtbot, tmp_path):
    session = full_window.session
    session.do(PutLabels(title="Add box", after=[box_of(session)]))
    with qtbot.waitSignal(full_window.files.saved):
        full_window.files.save_to(tmp_path / "trial.ember")
        session.undo_stack.undo()
        session.do(PutLabels(title="Add another box", after=[box_of(session, class_id=2)]))
    assert session.undo_stack.index() == 1
    assert session.dirty


def test_a_save_of_the_project_before_does_not_name_the_one_that_is_open(
    full_window, qtbot, tmp_path
):
    full_window.files.save_to(tmp_path / "trial.ember")
    full_window.session.replace(type(full_window.session.project)(), None)
    full_window.files.wait()
    assert full_window.session.path is None
    assert full_window.status.parts["saved"].text() == ""
    assert load(tmp_path / "trial.ember").labels


def test_a_name_that_gets_our_suffix_asks_before_it_replaces_a_file(
    full_window, tmp_path, monkeypatch
):
    (tmp_path / "trial.ember").write_bytes(b"something of mine")
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *a, **k: (str(tmp_path / "trial"), "")
    )
    monkeypatch.setattr(QMessageBox, "exec", lambda box: QMessageBox.StandardButton.Cancel)
    assert not full_window.files.save_as()
    assert (tmp_path / "trial.ember").read_bytes() == b"something of mine"


def test_a_full_disk_keeps_window_and_file_and_says_the_way_out(
    full_window, qtbot, tmp_path, monkeypatch
):
    def full(*args, **options):
        raise OSError(28, "No space left on device")

    files, session = full_window.files, full_window.session
    with qtbot.waitSignal(files.saved):
        files.save_to(tmp_path / "trial.ember")
    session.do(PutLabels(title="Add box", after=[box_of(session)]))
    monkeypatch.setattr("emberscope.project.store.generations.write_new", full)
    files.save()
    qtbot.waitUntil(lambda: bool(full_window.messages.words))
    words, = full_window.messages.words
    assert (
        "No space left on device. Free some space and save again, or save to another disk." in words
    )
    assert session.dirty
    assert len(load(tmp_path / "trial.ember").labels) == 19


# --- two windows


@pytest.fixture
def path(tmp_path):
    save(Project(), tmp_path / "day.ember")
    return tmp_path / "day.ember"


@pytest.fixture
def elsewhere(path):
    """Somebody else has the project open."""
    other = OpenProject.at(path)
    yield other
    other.close(discard=True)


def test_a_project_that_is_open_elsewhere_is_read_only_and_says_who_has_it(
    window, path, elsewhere, screenshot
):
    assert window.files.open_project(path)
    words, = window.messages.words
    assert words.startswith("Read-only: day is open elsewhere (this computer, process ")
    assert window.status.parts["saved"].text() == "Read-only"
    screenshot(window, "read-only")


def test_an_edit_of_a_read_only_project_is_refused_in_one_sentence(window, path, elsewhere):
    window.files.open_project(path)
    window.messages.clear()
    window.session.do(PutLabels(title="Add box", after=[box_of(window.session)]))
    assert not window.session.project.labels
    assert not window.session.dirty
    assert len(window.messages.words) == 1


def test_a_class_is_not_named_where_none_could_be_added(window, path, elsewhere):
    window.files.open_project(path)
    window.panel("labels").list.add_class()
    assert list(window.session.project.classes) == [1, 2]


def test_no_run_is_started_whose_result_a_read_only_project_could_not_take(window, path, elsewhere):
    window.files.open_project(path)
    assert (
        window.session.runs.why_not()
        == "The project is open elsewhere: save it under another name to run here."
    )


def test_measuring_a_run_of_a_read_only_project_is_refused_before_it_starts(
    window, path, elsewhere, build_run, worker
):
    window.files.open_project(path)
    window.messages.clear()
    run = msgspec.structs.replace(build_run(), metrics={"spread_seconds": 3.0})
    assert start_measuring(window.session, run) is None
    assert worker.asked(MeasureRun) == []
    assert window.messages.words[0].startswith("Read-only: day is open elsewhere")


def test_no_truth_is_asked_for_that_a_read_only_project_could_not_take(window, path, elsewhere):
    window.files.open_project(path)
    window.messages.clear()
    import_truth(window)
    assert window.findChildren(ImportTruthSheet) == []
    assert len(window.messages.words) == 1


def test_a_read_only_project_is_saved_under_another_name_and_edited_there(
    window, qtbot, path, elsewhere
):
    window.files.open_project(path)
    with qtbot.waitSignal(window.files.saved):
        window.files.save_to(path.with_name("mine.ember"))
    window.session.do(PutLabels(title="Add box", after=[box_of(window.session)]))
    assert len(window.session.project.labels) == 1
    assert window.status.parts["saved"].text() == "Not saved"


def test_a_read_only_project_is_not_written(window, qtbot, path, elsewhere):
    window.files.open_project(path)
    window.messages.clear()
    window.files.save()
    qtbot.waitUntil(lambda: bool(window.messages.words))
    assert "Close it there, or save to another file here." in window.messages.words[0]
    assert window.session.path == path


def test_a_project_can_be_opened_again_where_it_is_open(window, path):
    window.files.open_project(path)
    assert window.files.open_project(path)
    assert not window.session.read_only


def test_a_project_that_cannot_be_opened_again_stays_open(window, path):
    window.files.open_project(path)
    path.write_bytes(b"-")
    assert not window.files.open_project(path)
    window.session.do(PutLabels(title="Add box", after=[box_of(window.session)]))
    assert window.session.opened.flush()


@pytest.fixture
def theirs(window, path):
    """The project is open and has a label of mine; on the disk somebody else put settings there
    meanwhile."""
    window.files.open_project(path)
    window.session.do(PutLabels(title="Add box", after=[box_of(window.session)]))
    other = Project()
    other.settings["theirs"] = 1
    save(other, path)
    return path


def save_and_answer(window, answer):
    window.files.ask_changed = lambda path: answer
    window.files.save()
    window.files.wait()


def test_a_file_that_somebody_else_changed_is_left_where_nobody_answers(window, theirs):
    save_and_answer(window, Button.Cancel)
    assert load(theirs).settings == {"theirs": 1}
    assert window.session.dirty


def test_both_are_kept_beside_each_other(window, theirs):
    save_and_answer(window, Button.Save)
    assert load(theirs).settings == {"theirs": 1}
    assert len(load(theirs.with_name("day 2.ember")).labels) == 1
    assert window.session.path == theirs.with_name("day 2.ember")


def test_both_are_merged_in_one_file(window, path):
    window.files.open_project(path)
    window.session.do(mark(window.session.project, [7], 1))
    other = load(path)
    other.settings["theirs"] = 1
    save(other, path)
    save_and_answer(window, Button.Apply)
    for merged in (load(path), window.session.project):
        assert (merged.marks, merged.settings) == ({7: 1}, {"theirs": 1})
    assert window.session.undo_stack.isClean()
    assert window.messages.words[-1] == "Merged with what somebody else saved in day.ember."


def test_the_window_goes_on_while_theirs_is_read_and_what_came_meanwhile_is_merged_too(
    window, path, slowly
):
    window.files.open_project(path)
    session, answered = window.session, slowly(OpenProject, "read_theirs")
    session.do(mark(session.project, [7], 1))
    other = load(path)
    other.settings["theirs"] = 1
    save(other, path)

    def answer(_path):
        QTimer.singleShot(0, session, lambda: session.do(mark(session.project, [8], 1)))
        return Button.Apply

    window.files.ask_changed = answer
    window.files.save()
    window.files.wait()
    assert answered == [True]
    for merged in (load(path), session.project):
        assert (merged.marks, merged.settings) == ({7: 1, 8: 1}, {"theirs": 1})


def test_what_does_not_merge_is_said_and_both_can_be_kept(window, path):
    window.files.open_project(path)
    window.session.do(mark(window.session.project, [7], 1))
    other = load(path)
    other.apply(mark(other, [7], 2))
    save(other, path)
    save_and_answer(window, Button.Apply)
    assert (
        "the mark of instance 7 was changed here and by somebody else" in window.messages.words[-1]
    )
    assert (window.session.project.marks, load(path).marks) == ({7: 1}, {7: 2})


@pytest.fixture
def lab_pc(path):
    """Another computer has the project open, for all that its lock says."""
    owner = Owner(host="lab-pc", pid=7, started="", since=0.0, user="ann")
    lock_path(path).write_bytes(msgspec.json.encode(owner))


def test_a_project_of_another_computer_is_taken_over_only_on_a_word(window, path, lab_pc):
    window.files.left.ask_take_over = lambda path, owner: Button.Cancel
    assert not window.files.open_project(path)
    window.files.left.ask_take_over = lambda path, owner: Button.Open
    assert window.files.open_project(path)
    assert window.session.read_only
    window.files.left.ask_take_over = lambda path, owner: Button.Yes
    assert window.files.open_project(path)
    assert not window.session.read_only


def test_the_question_says_who_has_it_on_which_computer(
    window, path, lab_pc, monkeypatch, screenshot
):
    asked = []

    def look(box):
        box.show()
        screenshot(box, "take-over")
        asked.append((box.text(), sorted(button.text() for button in box.buttons())))
        return QMessageBox.StandardButton.Cancel

    with monkeypatch.context() as patched:
        patched.setattr(QMessageBox, "exec", look)
        window.files.open_project(path)
    (words, buttons), = asked
    assert words.startswith(
        "day.ember is open on another computer: lab-pc, user ann, process 7, since 1970-01-01"
    )
    assert buttons == ["Cancel", "Look", "Take over"]


def test_theirs_is_replaced_on_a_word_and_kept_as_the_generation_before(window, theirs):
    save_and_answer(window, Button.Yes)
    assert len(load(theirs).labels) == 1
    assert load(theirs.with_name("day.ember~")).settings == {"theirs": 1}


def test_theirs_is_shown_on_a_word(window, theirs):
    save_and_answer(window, Button.Reset)
    assert window.session.project.settings == {"theirs": 1}
    assert not window.session.dirty


def test_what_was_changed_elsewhere_is_asked_in_words(window, theirs, monkeypatch, screenshot):
    asked = []

    def look(box):
        box.show()
        screenshot(box, "changed-on-disk")
        asked.append(box.text())
        return QMessageBox.StandardButton.Cancel

    with monkeypatch.context() as patched:
        patched.setattr(QMessageBox, "exec", look)
        window.files.save()
        window.files.wait()
    assert asked == ["Somebody else changed day.ember since it was opened here."]


def test_what_keeps_the_journal_from_the_disk_is_said_once(window, monkeypatch):
    words = (
        "The journal cannot be written (it is full). What is new is in memory only: save elsewhere."
    )
    monkeypatch.setattr(OpenProject, "trouble", words)
    window.files.say_trouble()
    window.messages.clear()
    window.files.say_trouble()
    assert window.messages.words == []
    monkeypatch.setattr(OpenProject, "trouble", "")
    window.files.say_trouble()
    monkeypatch.setattr(OpenProject, "trouble", words)
    window.files.say_trouble()
    assert window.messages.words == [words]


class BlockedDisk(Disk):
    """A share that does not answer for a while."""

    def __init__(self):
        self.answers = threading.Event()

    def sync(self, handle):
        self.answers.wait(60)
        super().sync(handle)


def test_a_share_that_does_not_answer_keeps_nobody_from_working_and_is_said_once(
    window, qtbot, path, monkeypatch
):
    monkeypatch.setattr("emberscope.project.store.journal_writer._SILENT", 0.0)
    disk = BlockedDisk()
    opened = OpenProject.at(path)  # it answered then
    window.session.replace(opened.project, path, opened=opened)
    opened._journal._book._disk = disk
    for _ in range(20):
        window.session.opened.did(PutLabels(after=[box_of(window.session)]))
    # Whoever waited for the disk would have waited until it answered
    assert opened._journal._book.synced == 0
    qtbot.waitUntil(lambda: bool(opened.trouble))
    for _ in range(3):
        window.files.say_trouble()
    words, = window.messages.words
    assert words.startswith("The disk of the journal has not answered for ")
    disk.answers.set()
    assert opened.flush()
    assert read_journal(journal_path(path)).entries[-1].steps == 1


# --- another project


def test_jobs_end_with_their_project(full_window, qtbot, worker):
    taken, run = [], full_window.session.run
    request = MakeRun(snapshot=to_snapshot(Project()), recipe=Recipe())
    job = full_window.session.jobs.ask(request, taken.append, title="Run 12")
    full_window.files.new()
    worker.finish(job.id, run)
    qtbot.waitUntil(lambda: not job.active)
    assert worker.canceled == [job.id]
    assert taken == []


def test_clips_that_moved_together_are_found_together(window, qtbot, tmp_path):
    paths = write_clips(tmp_path, 3)
    window.files.open(paths)
    window.sheet.accept()
    save(window.session.project, tmp_path / "trial.ember")
    window.session.undo_stack.setClean()
    there = tmp_path / "elsewhere"
    there.mkdir()
    for path in paths[:2]:
        path.rename(there / path.name)
    window.files.open([tmp_path / "trial.ember"])
    assert "2 of 3 sources are not where they were" in window.messages.words[0]
    panel = window.panels["sources"]
    first = min(window.session.project.sources)
    assert panel.model.warning(first) == "The file is not there"
    panel.relocate(first, there / "clip_0.npy")
    assert panel.model.count("warn") == 0
    assert window.session.undo_stack.undoText() == "Locate 2 sources"


def test_a_clip_with_other_content_is_taken_with_a_warning(window, qtbot, tmp_path):
    one, other = write_clips(tmp_path, 2)
    window.files.open([one])
    qtbot.waitUntil(lambda: bool(window.session.project.sources))
    window.panels["sources"].relocate(min(window.session.project.sources), other)
    assert "other content than clip_0.npy had" in window.messages.words[0]


# --- export


def test_an_export_is_written_by_the_worker_and_says_where(used_window, qtbot, worker, tmp_path):
    worker.answer_as_engine(ExportProject)
    QTest.keyClick(used_window, Qt.Key.Key_E, CTRL)
    sheet = used_window.sheet
    QTest.mouseClick(sheet.forms["csv"], LEFT)
    sheet.folder.setText(str(tmp_path / "out"))
    QTest.mouseClick(sheet.button, LEFT)
    qtbot.waitUntil(lambda: bool(used_window.messages.words))
    assert used_window.messages.words == [f"Exported Untitled_run11.csv to {tmp_path / 'out'}."]
    assert (tmp_path / "out" / "Untitled_run11.csv").read_text().count("\n") == 289
    assert used_window.sheet is None


def test_bags_are_exported_with_the_choices_of_the_sheet_and_a_classifier_reads_them(
    used_window, qtbot, worker, tmp_path
):
    from emberscope.datasets.points import read_points

    worker.answer_as_engine(ExportProject)
    QTest.keyClick(used_window, Qt.Key.Key_E, CTRL)
    sheet = used_window.sheet
    QTest.mouseClick(sheet.forms["bags"], LEFT)
    QTest.mouseClick(sheet.vectors.projection.button("pca"), LEFT)
    sheet.vectors.dimensions.setValue(2)
    sheet.folder.setText(str(tmp_path / "out"))
    QTest.mouseClick(sheet.button, LEFT)
    qtbot.waitUntil(lambda: bool(used_window.messages.words))
    found = read_points(tmp_path / "out" / "Untitled_run11_bags.npz")
    assert found.X.shape == (18, 2)
    assert found.y.tolist() == used_window.session.run.bag_labels.tolist()


def test_a_map_for_each_bag_is_warned_of_before_it_is_made(used_window):
    used_window.actions_by_id["file.export"].trigger()
    sheet = used_window.sheet
    QTest.mouseClick(sheet.forms["bags"], LEFT)
    assert not sheet.vectors.glyph.isVisible()
    QTest.mouseClick(sheet.vectors.variant.button("per-bag"), LEFT)
    assert sheet.vectors.glyph.isVisible()
    assert "cannot be compared" in sheet.vectors.about.text()


def test_distances_to_concepts_ask_for_their_number_instead_of_a_map(used_window):
    used_window.actions_by_id["file.export"].trigger()
    sheet = used_window.sheet
    QTest.mouseClick(sheet.forms["bags"], LEFT)
    vectors = sheet.vectors
    QTest.mouseClick(vectors.variant.button("concepts"), LEFT)
    assert vectors.concepts.isVisible()
    assert not vectors.projection.isVisible()
    assert not vectors.dimensions.isVisible()
    assert vectors.values == VectorChoice(variant="concepts")
    vectors.concepts.setValue(3)
    assert vectors.values == VectorChoice(variant="concepts", settings={"n_concepts": "3"})


def test_a_mixed_graph_is_not_offered_to_pca(used_window):
    used_window.actions_by_id["file.export"].trigger()
    sheet = used_window.sheet
    QTest.mouseClick(sheet.forms["bags"], LEFT)
    QTest.mouseClick(sheet.vectors.projection.button("pca"), LEFT)
    QTest.mouseClick(sheet.vectors.variant.button("mixed"), LEFT)
    assert sheet.vectors.projection.value == "pole"
    assert not sheet.vectors.projection.button("pca").isEnabled()


def test_bags_get_no_more_numbers_than_every_run_has_features(used_window):
    session = used_window.session
    small = msgspec.structs.replace(session.run, id=12, metrics={**session.run.metrics, "d": 3.0})
    session.do(PutRuns(after=[small]))
    session.focus.set(run=11)
    session.run.metrics["d"] = 9.0
    used_window.actions_by_id["file.export"].trigger()
    sheet = used_window.sheet
    QTest.mouseClick(sheet.forms["bags"], LEFT)
    assert (sheet.vectors.dimensions.value(), sheet.vectors.range.text()) == (9, "1 \u2013 9")
    QTest.mouseClick(sheet.runs.button("all"), LEFT)
    assert (sheet.vectors.dimensions.value(), sheet.vectors.range.text()) == (3, "1 \u2013 3")


def test_the_window_offers_the_conversions_there_are(used_window):
    used_window.actions_by_id["file.export"].trigger()
    vectors = used_window.sheet.vectors
    for field, known in (
        (vectors.variant, (*get_args(Variant), "concepts")),
        (vectors.projection, get_args(Kind)),
    ):
        assert {field.button(name) for name in known} == set(field.findChildren(QToolButton))


def test_choices_of_bags_are_shown_with_bags_only(used_window):
    used_window.actions_by_id["file.export"].trigger()
    sheet = used_window.sheet
    assert not sheet.vectors.isVisible()
    QTest.mouseClick(sheet.forms["bags"], LEFT)
    assert sheet.vectors.isVisible()


def test_files_of_bags_are_no_earlier_export_of_points(used_window, tmp_path):
    (tmp_path / "Untitled_run11_bags.npz").touch()
    used_window.actions_by_id["file.export"].trigger()
    sheet = used_window.sheet
    sheet.folder.setText(str(tmp_path))
    QTest.mouseClick(sheet.forms["npz"], LEFT)
    assert sheet.problem.text() == ""
    QTest.mouseClick(sheet.forms["bags"], LEFT)
    assert sheet.problem.text() == "1 file of an earlier export may be replaced."


def test_without_a_run_only_labels_can_be_exported(window, tmp_path, build_project):
    window.session.replace(build_project(tmp_path, with_run=False), None)
    window.actions_by_id["file.export"].trigger()
    assert [form for form, button in window.sheet.forms.items() if button.isEnabled()] == [
        "jsonl",
        "labels",
    ]


# --- classes


def test_a_class_that_labels_or_marks_point_at_cannot_go(session):
    project = session.project
    assert why_kept(project, 1) == "13 labels use it"
    assert why_kept(project, 2) == "empty frames need it"
    third = project.new_ids()[0]
    project.marks[5] = third
    assert why_kept(project, third) == "1 mark uses it"


def test_a_class_gets_a_name_of_its_own(session):
    assert wrong_name(session.project, "target") == "There is a class target already."
    assert wrong_name(session.project, "Target", of=session.project.classes[1]) == ""


# --- the keyboard


@pytest.mark.parametrize("action", ["view.palette", "file.export", "help.shortcuts"])
def test_the_keyboard_goes_back_to_the_canvas_when_a_sheet_closes(used_window, action):
    canvas = used_window.panels["frame"].canvas
    canvas.setFocus()
    used_window.actions_by_id[action].trigger()
    assert not canvas.hasFocus()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert canvas.hasFocus()
