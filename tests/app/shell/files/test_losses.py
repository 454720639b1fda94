"""One question before work is lost, with everything that would be, whichever way leads there."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from emberscope.labels.model import Box
from emberscope.project import Project, PutLabels
from emberscope.project.store.file import save
from emberscope.tasks.trial import WaitUntilStopped
from emberscope_app.shell.files.losses import Losses
from emberscope_app.state.runs.jobs import Job

CTRL = Qt.KeyboardModifier.ControlModifier
Button = QMessageBox.StandardButton


@pytest.fixture
def asked(monkeypatch):
    """Every question: (words, lines, buttons). It is answered with Cancel."""
    found = []

    def look(box):
        lines = [line for line in box.informativeText().splitlines() if line]
        found.append((box.text(), lines, sorted(button.text() for button in box.buttons())))
        return Button.Cancel

    monkeypatch.setattr(QMessageBox, "exec", look)
    return found


@pytest.fixture
def busy(full_window, worker, qtbot):
    """Two boxes that are not saved, a run that is half done, an export that waits, a quiet
    estimate."""
    session = full_window.session
    for at in (4, 8):
        box = Box(
            id=session.project.new_label_ids()[0], source=10, frame=1, x0=at, y0=5, x1=44, y1=55
        )
        session.do(PutLabels(title="Draw box", after=[box]))
    run = session.jobs.ask(WaitUntilStopped(), title="Run 12")
    session.jobs.ask(WaitUntilStopped(), title="Export html")
    session.jobs.ask(WaitUntilStopped(), title="Estimate", silent=True)
    worker.start_job(run.id)
    worker.progress(run.id, 0.5)
    qtbot.waitUntil(lambda: run.fraction == 0.5)
    return full_window


LOST = ["2 changes of Untitled not saved", "Run 12: running, 50 %", "Export html: waiting",
        "Saving keeps the changes; the rest is stopped."]


def open_another(window, tmp_path, monkeypatch):
    save(Project(), tmp_path / "other.ember")
    monkeypatch.setattr(
        QFileDialog, "getOpenFileName", lambda *a, **k: (str(tmp_path / "other.ember"), "")
    )
    QTest.keyClick(window, Qt.Key.Key_O, CTRL)


WAYS = {
    "Quitting": lambda window, *_: window.close(),
    "Beginning a new project": lambda window, *_: QTest.keyClick(window, Qt.Key.Key_N, CTRL),
    "Opening another project": open_another,
}


@pytest.mark.parametrize("way", WAYS)
def test_one_question_names_all_that_would_be_lost_by(
    busy, asked, tmp_path, monkeypatch, worker, way
):
    project = busy.session.project
    WAYS[way](busy, tmp_path, monkeypatch)
    (words, lines, _), = asked
    assert words == f"{way} loses what is not done yet:"
    assert lines == LOST
    assert busy.session.project is project
    assert worker.canceled == []


def test_a_job_alone_is_asked_about_too(full_window, asked, worker):
    full_window.session.jobs.ask(WaitUntilStopped(), title="Run 12")
    QTest.keyClick(full_window, Qt.Key.Key_N, CTRL)
    assert asked == [("Beginning a new project loses what is not done yet:", ["Run 12: waiting"],
                      ["Begin anyway", "Cancel"])]
    assert worker.canceled == []


def test_on_a_word_the_job_is_stopped_and_the_project_opened(busy, monkeypatch, worker):
    monkeypatch.setattr(QMessageBox, "exec", lambda box: Button.Discard)
    QTest.keyClick(busy, Qt.Key.Key_N, CTRL)
    assert not busy.session.project.sources
    assert worker.canceled == [1, 2]


def test_what_is_no_loss_is_not_asked_about(full_window, asked, worker):
    full_window.session.jobs.ask(WaitUntilStopped(), title="Estimate", silent=True)
    # Goes on with another project
    full_window.session.jobs.ask(WaitUntilStopped(), title="Table musk1", lasting=True)
    QTest.keyClick(full_window, Qt.Key.Key_N, CTRL)
    assert asked == []


def test_quitting_ends_jobs_of_no_project_and_asks_about_them(full_window, asked):
    full_window.session.jobs.ask(WaitUntilStopped(), title="Table musk1", lasting=True)
    assert not full_window.close()
    assert [lines for _, lines, _ in asked] == [["Table musk1: waiting"]]


def test_the_question_names_eight_jobs_and_counts_the_rest(full_window, asked):
    for number in range(11):
        full_window.session.jobs.ask(WaitUntilStopped(), title=f"Run {number}")
    QTest.keyClick(full_window, Qt.Key.Key_N, CTRL)
    (_, lines, _), = asked
    assert (len(lines), lines[-1]) == (9, "3 more jobs")


def test_after_the_question_only_something_new_is_asked_about_again():
    run, other = Job(1, "Run 12"), Job(2, "Run 13")
    known = Losses("2 changes of Untitled not saved", 7, (run,))
    assert not Losses("", 7, (run,)).beyond(known)
    assert not Losses("2 changes of Untitled not saved", 7, ()).beyond(known)
    assert Losses("3 changes of Untitled not saved", 8, ()).beyond(known)
    assert Losses("", 7, (run, other)).beyond(known)


def test_the_question_reads_well(busy, monkeypatch, screenshot):
    def look(box):
        box.show()
        QApplication.processEvents()
        screenshot(box, "losses")
        return Button.Cancel

    monkeypatch.setattr(QMessageBox, "exec", look)
    busy.close()
