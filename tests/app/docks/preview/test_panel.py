"""The small frame beside the map: the frame of what is pointed at, with bag and instance."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest

from emberscope_app.docks.preview.panel import FramePreviews, PreviewPanel
from emberscope_app.pixels.frame_service import Frames
from emberscope_app.theme.look import look


@pytest.fixture
def panel(session, qtbot):
    found = PreviewPanel(session)
    qtbot.addWidget(found)
    found.resize(368, 256)
    found.show()
    return found


def shown(panel):
    panel.view.grab()
    return panel.view._image_of


def test_without_anything_chosen_it_shows_the_frame_in_focus(panel, session, qtbot):
    session.go(frame=3)
    qtbot.waitUntil(lambda: shown(panel) == (10, 3))
    assert panel.count == "frame 4 · range_pass_01"


def test_it_follows_the_pointer_then_the_selection(panel, session, qtbot):
    run = session.run
    session.selection.select(run.ids[run.frame == 2][:1])
    qtbot.waitUntil(lambda: shown(panel) == (10, 2))
    session.selection.set_hover(int(run.ids[run.frame == 5][0]))
    qtbot.waitUntil(lambda: shown(panel) == (10, 5))
    session.selection.set_hover(None)
    qtbot.waitUntil(lambda: shown(panel) == (10, 2))


def test_the_gray_is_that_of_the_frame_view(panel, session, qtbot):
    qtbot.waitUntil(lambda: shown(panel) == (10, 0))
    before = panel.view._image.pixelColor(0, 0).red()
    session.contrast.flip(10)
    qtbot.waitUntil(
        lambda: shown(panel) == (10, 0) and panel.view._image.pixelColor(0, 0).red() == 255 - before
    )


def test_a_double_click_opens_the_label_workspace_at_the_frame(panel, session, qtbot):
    asked = []
    action = QAction(panel)
    action.setObjectName("view.label")
    action.triggered.connect(lambda: asked.append(session.focus.frame))
    run = session.run
    row = int((run.frame == 4).nonzero()[0][0])
    session.selection.select(run.ids[row : row + 1])
    QTest.mouseDClick(panel.view, Qt.MouseButton.LeftButton)
    assert asked == [4]
    assert len(session.focus.labels) == 1


def test_a_frame_that_cannot_be_read_is_named(session, qtbot):
    Path(session.project.sources[10].path).unlink()
    panel = PreviewPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitUntil(panel.message.isVisible)
    assert "not there" in panel.message.words


def test_after_an_error_nobody_expected_the_next_frame_is_shown(panel, session, qtbot, monkeypatch):
    qtbot.waitUntil(lambda: shown(panel) == (10, 0))

    def read(frames, index):
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(Frames, "read", read)
    session.go(frame=2)
    panel.view.grab()
    qtbot.waitUntil(panel.message.isVisible)
    assert panel.message.words == "Cannot read frame 3 of range_pass_01.npy: a defect."
    monkeypatch.undo()
    session.go(frame=4)
    qtbot.waitUntil(lambda: shown(panel) == (10, 4))


def test_gray_frames_are_bounded_by_bytes(session, qtbot):
    images = FramePreviews(session, session, budget=2 * 160 * 200)
    for frame in range(4):
        qtbot.waitUntil(lambda frame=frame: images.get((10, frame)) is not None)
    assert [images.get((10, frame)) is not None for frame in (3, 2, 1)] == [True, True, False]


def test_nothing_open_offers_to_open(empty_session, qtbot):
    panel = PreviewPanel(empty_session)
    qtbot.addWidget(panel)
    assert panel._pages.currentWidget() is panel.empty


def test_screenshots(panel, session, qtbot, screenshot):
    session.selection.select(session.run.ids[21:22])
    qtbot.waitUntil(lambda: shown(panel) is not None and shown(panel) == panel.view.place)
    for theme in ("dark", "light"):
        look().apply(theme)
        qtbot.waitUntil(lambda: shown(panel) == panel.view.place)
        assert screenshot(panel, "preview").exists()
