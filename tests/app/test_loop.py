"""The loop through the real window, with mouse and keys: open, label, run, select on the map,
relabel, save, reopen.

The engine answers in this process; the worker itself has tests of its own.
"""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from emberscope.tasks.methods import DescribeMethods
from emberscope.tasks.runs import EstimateRun, MakeRun
from emberscope.tasks.trial import WaitUntilStopped

LEFT, NONE, SHIFT = (
    Qt.MouseButton.LeftButton,
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


@pytest.fixture
def loop(window, worker, tmp_path, build_frames):
    """The window on one clip, with a worker that answers at once."""
    worker.answer_as_engine(DescribeMethods, EstimateRun, MakeRun)
    window.resize(1600, 1000)
    window.files.open([build_frames(tmp_path / "clip.npy", n_frames=6)])
    return window


def drag(widget, points: list[QPoint], keys: Qt.KeyboardModifier = NONE) -> None:
    QTest.mousePress(widget, LEFT, keys, points[0])
    for point in points[1:]:
        QTest.mouseMove(widget, point)
    QTest.mouseRelease(widget, LEFT, keys, points[-1])


def draw_box(window, x0: float, y0: float, x1: float, y1: float) -> None:
    """With the relaxed-box tool, in frame px."""
    canvas = window.panels["frame"].canvas
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_R)
    corners = [(x0, y0), ((x0 + x1) / 2, (y0 + y1) / 2), (x1, y1)]
    drag(canvas, [canvas.view.to_screen(x, y).toPoint() for x, y in corners])


def label_three_frames(window) -> None:
    """Per frame one loose box on a hot blob (class 1) and one on background (class 2)."""
    canvas = window.panels["frame"].canvas
    for frame in (0, 2, 4):
        window.session.go(frame=frame)
        QTest.keyClick(canvas, Qt.Key.Key_1)
        draw_box(window, 16 + 8 * frame, 20, 72 + 8 * frame, 72)
        QTest.keyClick(canvas, Qt.Key.Key_2)
        draw_box(window, 10, 96, 66, 150)


def test_from_frames_to_a_relabeled_map_and_back_from_disk(loop, qtbot, tmp_path, screenshot):
    session = loop.session
    label_three_frames(loop)
    assert sorted(label.class_id for label in session.project.labels) == [1, 1, 1, 2, 2, 2]
    QTest.keyClick(loop, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len(session.project.labels) == 5
    QTest.keyClick(loop, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | SHIFT)
    assert len(session.project.labels) == 6

    QTest.keyClick(loop, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert loop.workspace == "explore"
    qtbot.waitUntil(lambda: session.run is not None)
    run = session.run
    assert set(run.bags.labels) == {-1, 1}
    assert len(run.Z) == len(run.ids) > 15

    lasso_everything(loop)
    assert len(session.selection) == len(run.ids)
    screenshot(loop, "loop-explore")
    session.selection.select(run.ids[:2])
    loop.actions_by_id["label.mark-background"].trigger()
    marked = {int(i) for i in run.ids[:2]}
    assert session.project.marks == dict.fromkeys(marked, 2)

    with qtbot.waitSignal(loop.files.saved):
        loop.files.save_to(tmp_path / "loop.ember")
    loop.files.new()
    loop.files.open([tmp_path / "loop.ember"])
    assert len(session.project.labels) == 6
    assert session.project.marks == dict.fromkeys(marked, 2)
    np.testing.assert_array_equal(session.run.Z, run.Z)


def lasso_everything(window) -> None:
    """A loop along the border of the 2-D map."""
    canvas = window.panel("map2d").surface.canvas
    w, h = canvas.width() - 3, canvas.height() - 3
    steps = [
        (2, 2),
        (w // 2, 2),
        (w, 2),
        (w, h // 2),
        (w, h),
        (w // 2, h),
        (2, h),
        (2, h // 2),
        (2, 4),
    ]
    drag(canvas, [QPoint(x, y) for x, y in steps])


def test_a_click_on_the_map_lands_on_the_frame_of_the_instance(full_window):
    session = full_window.session
    full_window.show_workspace("explore")
    row = int(np.flatnonzero(session.run.frame == 4)[0])
    session.go_to_instance(int(session.run.ids[row]))
    assert (session.focus.source, session.focus.frame) == (10, 4)
    assert full_window.panels["preview"].isVisible()


def test_a_running_job_is_canceled_with_ctrl_period(full_window, qtbot, worker):
    job = full_window.session.jobs.ask(WaitUntilStopped(), title="Run 12")
    worker.start_job(job.id)
    qtbot.waitUntil(lambda: job.state == "running")
    QTest.keyClick(full_window, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: job.state == "stopped")
    assert worker.canceled == [job.id]
