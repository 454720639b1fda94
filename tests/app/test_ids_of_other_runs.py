"""Views keep rows and ids of a run. They are painted and pointed at while the run is another one,
at every moment."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget

from emberscope.findings.imputed_rounds import IMPUTED
from emberscope.findings.point_looks import CONCEPT
from emberscope.project import PutRuns
from emberscope.tasks.motions import DescribeActions
from emberscope.tasks.neighbors import CompareNeighbors
from emberscope.tasks.questions import PrepareQuestions
from emberscope.tasks.trial import WaitUntilStopped
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.shell.dock_areas import DOCKS
from emberscope_app.shell.window import MainWindow
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.labels.side import say_alike
from emberscope_app.state.points.cloud import cloud_of

from .everything import add_records, answers, full_run, part_of

COLORS = ("class", "bag", "source", CONCEPT, IMPUTED, "witness")


class Everything:
    """The window with all docks, all overlays on, a selection, something pointed at; painted
    whenever it is asked."""

    def __init__(self, window: MainWindow) -> None:
        self.window, self.session = window, window.session
        self.panels = [window.panels[name] for name in DOCKS]
        self.flat, self.space = window.panels["map2d"], window.panels["map3d"]

    def turn_all_on(self) -> None:
        flat, session, run = self.flat, self.session, self.session.run
        for toggle in (*flat.toggles.values(), flat.dims, self.space.link):
            toggle.setChecked(True)
        self.window.panels["concepts"].ground.setChecked(True)
        side = self.window.panels["side"]
        side.neighbors_page.made.set_in_sight(True)
        side.neighbors_page.start()
        side.ask_page.questions.set_in_sight(True)
        side.ask_page.start()
        bags = run.bags
        session.selection.select(
            np.concatenate([run.ids[bags.of(0)], run.ids[bags.of(len(bags) - 1)]])
        )
        session.selection.set_hover(int(run.ids[-1]))

    def paint(self, *_: object) -> None:
        for panel in [
            *self.panels,
            *([self.window.sheet] if self.window.sheet is not None else []),
        ]:
            panel.grab()

    def point(self) -> None:
        """Move the mouse over some places of every widget that follows it."""
        for panel in [
            *self.panels,
            *([self.window.sheet] if self.window.sheet is not None else []),
        ]:
            for widget in panel.findChildren(QWidget):
                if widget.hasMouseTracking() and not isinstance(widget, QAbstractScrollArea):
                    for x, y in ((0.5, 0.5), (0.1, 0.3), (0.3, 0.8), (0.9, 0.9)):
                        at = QPointF(widget.width() * x, widget.height() * y)
                        move = QMouseEvent(
                            QEvent.Type.MouseMove,
                            at,
                            widget.mapToGlobal(at),
                            Qt.MouseButton.NoButton,
                            Qt.MouseButton.NoButton,
                            Qt.KeyboardModifier.NoModifier,
                        )
                        QApplication.sendEvent(widget, move)


@pytest.fixture
def everything(empty_session, small_project, worker, qtbot, request):
    """The run on show is 11, with 288 instances; run 12 has the first 66 of them, run 13 as many
    others."""
    session = empty_session
    worker.answers.update(answers())
    found = []

    def paint(*_):
        if found:
            found[0].paint()

    early = (
        session.changed,
        session.focus.changed,
        session.selection.changed,
        session.jobs.partial,
    )
    for signal in early:
        signal.connect(paint)  # before any view hears of it
    cloud_of(session).changed.connect(paint)
    window = MainWindow(session, Preferences())
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    whole = full_run(small_project.runs[11], method=getattr(request, "param", "pca"))
    less = full_run(msgspec.structs.replace(part_of(whole, 66), id=12))
    other = msgspec.structs.replace(
        full_run(whole), id=13, ids=whole.ids[::-1] + 1, Z=whole.Z[::-1].copy()
    )
    small_project.runs.update({12: less, 13: other})
    add_records(small_project, whole)
    session.replace(small_project, None)
    session.focus.set(run=11)
    everything = Everything(window)
    everything.turn_all_on()
    for signal in early:
        signal.connect(paint)  # and after all did
    qtbot.waitUntil(lambda: window.panels["side"].neighbors_page.made.result is not None)
    found.append(everything)
    yield everything
    found.clear()


@pytest.mark.parametrize("color", COLORS)
def test_a_run_of_fewer_instances_and_back(everything, color):
    session = everything.session
    session.focus.set(color_by=color)
    session.focus.set(run=12)
    everything.point()
    session.focus.set(run=11)
    assert len(cloud_of(session)) == 288


@pytest.mark.parametrize("action", ["run.learned", "run.believe", "file.export"])
def test_a_sheet_about_a_run_that_is_no_longer_on_show(everything, action):
    everything.window.actions_by_id[action].trigger()
    session = everything.session
    everything.paint()
    session.focus.set(run=12)
    everything.point()
    old = session.run
    session.do(PutRuns(before=[old], after=[full_run(msgspec.structs.replace(part_of(old, 20)))]))
    everything.point()
    everything.paint()
    assert everything.window.sheet is not None


def test_a_run_of_as_many_other_instances(everything, qtbot):
    session = everything.session
    session.focus.set(run=13)
    everything.point()
    qtbot.wait(50)
    everything.paint()
    assert len(everything.flat.layers["pair_links"].links()[0]) == 0


@pytest.mark.parametrize("method", ["pca", "hybrid"])
def test_the_run_on_show_is_replaced_by_one_of_its_number(everything, qtbot, method):
    session = everything.session
    old = session.run
    new = full_run(msgspec.structs.replace(part_of(old, 66)), method=method)
    session.do(PutRuns(before=[old], after=[new]))
    everything.point()
    qtbot.wait(50)
    everything.paint()
    session.undo_stack.undo()
    session.do(PutRuns(before=[session.run]))
    everything.point()
    everything.paint()
    assert session.run.id in (12, 13)


@pytest.mark.parametrize("shape", [(66, 2), (288, 3), (288, 1), (5000, 2), (1, 3)])
def test_a_live_layout_of_any_length(everything, worker, qtbot, shape):
    session, cloud = everything.session, cloud_of(everything.session)
    job = session.jobs.ask(WaitUntilStopped(), title="Run", makes_run=True)
    worker.start_job(job.id)
    worker.partial(job.id, np.random.default_rng(0).normal(size=shape).astype(np.float32))
    qtbot.waitUntil(lambda: cloud.partial is not None)
    assert len(cloud) == shape[0]
    assert cloud.run is None
    everything.point()
    session.selection.select(session.run.ids[-30:])
    say_alike(session)
    session.focus.set(run=12)
    everything.paint()
    worker.fail(job.id, "out of memory")
    qtbot.waitUntil(lambda: cloud.run is session.run)
    everything.paint()


def test_a_layout_whose_run_does_not_come_goes(everything, worker, qtbot):
    session, cloud = everything.session, cloud_of(everything.session)
    job = session.jobs.ask(WaitUntilStopped(), title="Run", makes_run=True)
    worker.start_job(job.id)
    worker.partial(job.id, np.zeros((66, 2), np.float32))
    qtbot.waitUntil(lambda: cloud.partial is not None)
    worker.finish(job.id, None)
    qtbot.waitUntil(lambda: cloud.run is session.run)


def test_labels_go_pairs_stay_and_a_smaller_layout_comes(
    empty_session, small_project, worker, qtbot
):
    """Pairs of instances at the end of the run on show, while a layout of fewer is on the maps."""
    session = empty_session
    session.replace(small_project, None)
    panel = Map2DPanel(session)
    qtbot.addWidget(panel)
    with qtbot.waitExposed(panel):
        panel.show()
    session.selection.select(session.run.ids[[249, 280]])
    say_alike(session)
    job = session.jobs.ask(WaitUntilStopped(), title="Run", makes_run=True)
    worker.start_job(job.id)
    worker.partial(job.id, np.zeros((66, 2), np.float32))
    qtbot.waitUntil(lambda: panel.cloud.partial is not None)
    panel.grab()
    assert len(panel.layers["pair_links"].links()[0]) == 0


def test_what_the_worker_says_of_a_run_that_is_no_longer_on_show_is_dropped(
    everything, worker, qtbot
):
    session, track = everything.session, everything.flat.layers["tracks"].track
    waiting = worker.answers.copy()
    worker.answers.clear()
    session.focus.set(run=13)
    everything.flat.layers["tracks"].track.read()
    kinds = DescribeActions, CompareNeighbors, PrepareQuestions
    asked = [each for kind in kinds for each in worker.asked(kind)]
    session.focus.set(run=12)
    for job in asked:
        worker.finish(job.job, waiting[type(job.request)](job.request))
    qtbot.wait(60)
    everything.paint()
    everything.point()
    assert track.row < 66


def test_a_selection_and_a_hover_of_instances_nobody_has(everything):
    session = everything.session
    session.selection.select(np.array([1, 2, 2**52], np.int64))
    session.selection.set_hover(2**52)
    everything.paint()
    assert cloud_of(session).chosen_count == 0


def test_nothing_stays_of_another_project(everything, build_project, tmp_path):
    session = everything.session
    (tmp_path / "second").mkdir()
    other = build_project(tmp_path / "second", n_frames=2)
    session.replace(other, None)
    everything.point()
    everything.paint()
    assert session.layers.is_on("tracks")
    assert everything.flat.layers["synthetic"].images == []
