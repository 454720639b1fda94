"""The window with its real worker process: embeddings while it runs, cancel, a killed process, and
the next run."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from window_jobs import TABLE_OF_TESTS, EndlessRun

from emberscope.jobs.client import Worker
from emberscope.project import PutLabels
from emberscope_app.shell.window import MainWindow
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs import runs_controller
from emberscope_app.state.runs.jobs import Jobs

from .watchdog import Watchdog

LOOSE = 0.5  # s of the window's thread in one piece; 50 ms is what the bench asks for
PATIENCE = 120_000  # ms; the process imports and compiles, and the machine may be busy


class Lasting(Worker):
    """A process takes seconds to import what jobs need, so the windows of this module share one,
    one after another."""

    def close(self) -> None:
        """A window that ends leaves it to the next one; none of these ends with a job at work."""


@pytest.fixture(scope="module")
def process(tmp_path_factory):
    folder = tmp_path_factory.mktemp("worker")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("EMBERSCOPE_CACHE", str(folder / "cache"))
        worker = Lasting(table=TABLE_OF_TESTS, warm=False, folder=folder)
        worker.start()
        yield worker
        Worker.close(worker)


@pytest.fixture
def real(qtbot, small_project, process):
    """The window on the small project without runs, a worker process behind it."""
    session = Session(jobs=Jobs(worker=process))
    session.jobs.start()
    window = MainWindow(session, Preferences())
    qtbot.addWidget(window)
    window.resize(1400, 900)
    window.show()
    small_project.runs.clear()
    session.replace(small_project, None)
    window.show_workspace("explore")
    yield window
    session.undo_stack.setClean()
    session.jobs.abandon()
    session.close()


def run(window, qtbot, method: str):
    """Choose a method, run it; returns the job."""
    panel = window.panel("run")
    qtbot.waitUntil(lambda: bool(panel.form.rows), timeout=PATIENCE)
    panel.methods.chosen.emit(method)
    window.actions_by_id["run.run"].trigger()
    return window.session.runs.job


def finished(window, qtbot, job):
    qtbot.waitUntil(lambda: not job.active, timeout=PATIENCE)
    assert (job.state, job.error) == ("finished", "")
    return window.session.run


def test_a_run_comes_on_show_in_every_view(real, qtbot):
    found = finished(real, qtbot, run(real, qtbot, "mida"))
    assert found.recipe.params == {"n_components": 3}
    assert len(real.panel("map2d").cloud) == len(real.panel("map3d").cloud) == len(found.ids)
    assert len(real.panel("chips").grid.model.chips) == len(found.ids)
    assert [known.id for known in real.panel("run").history.model.runs] == [found.id]
    assert np.isfinite(found.Z).all()


def during(window, act) -> list:
    """Do what starts a job and wait for its end; the stalls of the window meanwhile."""
    session, dog = window.session, Watchdog(bound=LOOSE)
    known = set(session.jobs.jobs)

    def over() -> bool:
        new = [job for key, job in session.jobs.jobs.items() if key not in known]
        return bool(new) and not any(job.active for job in new)

    with dog:
        dog.during(act, until=over, patience=PATIENCE / 1000)
    assert [job.error for job in session.jobs.jobs.values() if job.error] == []
    return dog.stalls


def test_the_window_answers_while_a_run_is_made_and_comes(real, qtbot):
    panel = real.panel("run")
    qtbot.waitUntil(lambda: bool(panel.form.rows), timeout=PATIENCE)
    panel.methods.chosen.emit("pca")
    assert during(real, real.actions_by_id["run.run"].trigger) == []
    assert real.session.run is not None


def test_the_window_answers_while_truth_is_imported(real, tmp_path):
    truth = tmp_path / "truth.csv"
    truth.write_text("frame,x,y,w,h\n" + "".join(f"{k % 6},{k % 150},{k % 90},9,9\n"
                                                      for k in range(3000)))
    before = len(real.session.project.labels)
    real.actions_by_id["file.import-truth"].trigger()
    real.sheet.path.setText(str(truth))
    assert during(real, real.sheet.accept) == []
    assert len(real.session.project.labels) > before


def test_the_window_answers_while_labels_are_exported(real, tmp_path):
    real.actions_by_id["file.export"].trigger()
    real.sheet.folder.setText(str(tmp_path / "out"))
    assert during(real, real.sheet.accept) == []
    assert list((tmp_path / "out").iterdir())


def test_live_pictures_show_while_it_runs_and_cancel_brings_the_old_run_back(
    real, qtbot, monkeypatch
):
    old = finished(real, qtbot, run(real, qtbot, "pca"))
    map2d = real.panel("map2d")
    monkeypatch.setattr(runs_controller, "MakeRun", EndlessRun)
    job = run(real, qtbot, "tsne")
    qtbot.waitUntil(lambda: map2d.cloud.partial is not None or not job.active, timeout=PATIENCE)
    assert map2d.cloud.partial is not None
    assert map2d.progress.isVisible()
    assert map2d.cloud.Z.shape[1] == 2
    real.actions_by_id["run.cancel"].trigger()
    qtbot.waitUntil(lambda: not job.active, timeout=PATIENCE)
    assert job.state == "stopped"
    assert real.session.run is old
    assert map2d.cloud.partial is None
    np.testing.assert_array_equal(map2d.cloud.Z, old.Z)
    assert not map2d.progress.isVisible()


def test_a_killed_worker_is_a_message_and_the_next_run_works(real, qtbot, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(runs_controller, "MakeRun", EndlessRun)
        job = run(real, qtbot, "tsne")
    qtbot.waitUntil(lambda: job.state == "running", timeout=PATIENCE)
    os.kill(real.session.jobs._worker.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: not job.active, timeout=PATIENCE)
    assert job.state == "crashed"
    row = next(known for known in real.panel("jobs").model.rows if known.id == job.id)
    assert row.error
    assert real.messages.words
    assert len(real.session.project.labels) == 19
    assert finished(real, qtbot, run(real, qtbot, "pca")).recipe.method == "pca"


def test_labels_change_and_workspaces_switch_while_it_runs(real, qtbot):
    first = run(real, qtbot, "pca")
    real.show_workspace("label")
    label = next(iter(real.session.project.labels))
    real.session.do(PutLabels(title="Delete a label", before=[label]))
    found = finished(real, qtbot, first)
    assert label.id not in real.session.project.labels
    assert found.recipe.method == "pca"
    qtbot.waitUntil(
        lambda: real.panel("run").stale.text() == f"Labels changed since run {found.id}",
        timeout=PATIENCE,
    )
    second = run(real, qtbot, "mida")
    assert finished(real, qtbot, second).id == found.id + 1


def test_a_source_that_is_gone_is_one_line(real, qtbot):
    panel = real.panel("run")
    qtbot.waitUntil(lambda: bool(panel.form.rows), timeout=PATIENCE)
    (source,) = real.session.project.sources.values()
    Path(source.path).unlink()
    job = run(real, qtbot, "pca")
    qtbot.waitUntil(lambda: not job.active, timeout=PATIENCE)
    assert job.state == "failed"
    assert "range_pass_01.npy" in job.error
    assert "\n" not in job.error
    assert any("range_pass_01.npy" in words for words in real.messages.words)
