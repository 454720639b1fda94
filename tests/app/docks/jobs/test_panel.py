"""The Jobs dock: what runs, what came of it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from emberscope.project import Project, Recipe, to_snapshot
from emberscope.tasks.runs import MakeRun
from emberscope.tasks.trial import WaitUntilStopped
from emberscope_app.docks.jobs.panel import JobsPanel
from emberscope_app.theme.look import look
from emberscope_app.words import duration


@pytest.fixture
def panel(session, qtbot):
    found = JobsPanel(session)
    qtbot.addWidget(found)
    found.resize(900, 260)
    found.show()
    return found


def press_button(panel, row):
    cells = panel.view.delegate.cells(panel.model.index(row, 0))
    at = next(place for cell, place in cells if cell.does).center()
    QTest.mouseClick(
        panel.view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at
    )


@pytest.mark.parametrize(("seconds", "words"), [
    (0.2, "under 1 s"), (6.4, "6 s"), (240, "4 min"), (7200, "2 h"),
])
def test_a_duration_has_the_digits_it_deserves(seconds, words):
    assert duration(seconds) == words


def test_nothing_was_asked(panel):
    assert panel.empty.isVisible()


def test_silent_jobs_are_not_listed(panel, session):
    session.jobs.ask(WaitUntilStopped(), title="Estimate", silent=True)
    assert panel.model.rowCount() == 0


def test_the_newest_job_comes_first(panel, session):
    for name in ("Run 12", "Run 13"):
        session.jobs.ask(WaitUntilStopped(), title=name)
    assert [job.title for job in panel.model.rows] == ["Run 13", "Run 12"]
    assert panel.count == "2 running"


def test_cancel_stops_the_job(panel, session, worker, qtbot):
    job = session.jobs.ask(WaitUntilStopped(), title="Run 12")
    press_button(panel, 0)
    assert worker.canceled == [job.id]
    qtbot.waitUntil(lambda: job.state == "stopped")
    assert panel.count == ""


def test_progress_and_message_are_read_out(panel, session, worker, qtbot):
    job = session.jobs.ask(WaitUntilStopped(), title="Run 12")
    worker.start_job(job.id)
    worker.progress(job.id, 0.6, "Neighbors")
    qtbot.waitUntil(lambda: job.fraction == 0.6)
    assert panel.model.index(0, 0).data() == "Run 12, running, 60 percent, Neighbors"


def test_a_job_that_is_done_names_no_step_that_is_over(panel, session, worker, qtbot):
    job = session.jobs.ask(WaitUntilStopped(), title="Evaluate run 5")
    worker.start_job(job.id)
    worker.progress(job.id, 0.9, "Judging by detection")
    worker.finish(job.id, None)
    qtbot.waitUntil(lambda: job.state == "finished")
    assert panel.model.index(0, 0).data().endswith("percent, done")


def test_of_a_run_that_is_done_its_size_is_said(panel, session, worker, qtbot):
    job = session.jobs.ask(
        MakeRun(snapshot=to_snapshot(Project()), recipe=Recipe()), title="Run 11"
    )
    worker.finish(job.id, session.run)
    qtbot.waitUntil(lambda: job.state == "finished")
    assert panel.model.index(0, 0).data().endswith("288 instances in 18 bags, seed 0")


def test_the_details_of_a_failure_can_be_copied(panel, session, worker, qtbot):
    job = session.jobs.ask(WaitUntilStopped(), title="Run 12")
    height = panel.view.visualRect(panel.model.index(0, 0)).height()
    worker.fail(job.id, "The graph has 4 parts. Raise k to 16.", "Traceback ...")
    qtbot.waitUntil(lambda: panel.view.visualRect(panel.model.index(0, 0)).height() > height)
    press_button(panel, 0)
    assert QApplication.clipboard().text() == "Traceback ..."


def test_the_run_of_a_finished_job_can_be_shown(panel, session, worker, qtbot):
    QAction(panel, objectName="view.explore")
    job = session.jobs.ask(
        MakeRun(snapshot=to_snapshot(Project()), recipe=Recipe()), title="Run 11"
    )
    worker.finish(job.id, session.run)
    qtbot.waitUntil(lambda: job.state == "finished")
    session.focus.set(run=None)
    press_button(panel, 0)
    assert session.focus.run == 11


def test_enter_does_what_the_button_does(panel, session, worker):
    job = session.jobs.ask(WaitUntilStopped(), title="Run 12")
    panel.view.setCurrentIndex(panel.model.index(0, 0))
    QTest.keyClick(panel.view, Qt.Key.Key_Return)
    assert worker.canceled == [job.id]


def test_screenshots(panel, session, worker, qtbot, screenshot):
    titles = ("Sample", "Run 12", "Run 13")
    done, failed, running = [session.jobs.ask(WaitUntilStopped(), title=title) for title in titles]
    for job in (done, failed, running):
        worker.start_job(job.id)
    worker.finish(done.id, None)
    worker.fail(failed.id, "SE-Isomap stopped: the graph has 4 parts. Raise k from 10 to 16.")
    worker.progress(running.id, 0.6, "Neighbors")
    qtbot.waitUntil(lambda: running.fraction == 0.6)
    for theme in ("dark", "light"):
        look().apply(theme)
        assert screenshot(panel, "jobs").exists()
