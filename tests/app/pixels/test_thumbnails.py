"""Thumbnails of clips: gray between percentiles, made in a thread."""

import threading
from pathlib import Path

import numpy as np

from emberscope.project import remove_sources
from emberscope_app.docks.sources.panel import SourcesPanel
from emberscope_app.pixels.frame_service import Frames, frame_service
from emberscope_app.pixels.thumbnails import SIZE, Thumbnails, _small


def test_a_thumbnail_is_gray_between_its_percentiles_even_with_nan():
    frame = np.linspace(0, 1000, 600 * 800, dtype=np.float32).reshape(600, 800)
    frame[0, 0] = np.nan
    small = _small(frame)
    assert small.shape == (SIZE[1], SIZE[0])
    assert (small.min(), small.max()) == (0, 255)


def test_thumbnails_come_from_a_thread(session, qtbot):
    thumbnails, ref = Thumbnails(session), session.project.sources[10]
    assert thumbnails.get(ref, [0, 5]) == [None, None]
    qtbot.waitUntil(lambda: None not in thumbnails.get(ref, [0, 5]))


def test_a_source_that_cannot_be_opened_is_named_and_not_tried_again(session, qtbot):
    ref = session.project.sources[10]
    Path(ref.path).unlink()
    thumbnails = Thumbnails(session)
    thumbnails.get(ref, [0])
    qtbot.waitUntil(lambda: "not there" in thumbnails.errors.get(10, ""))
    with qtbot.assertNotEmitted(thumbnails.arrived, wait=50):
        assert thumbnails.get(ref, [0, 1]) == [None, None]


def test_thumbnails_of_a_removed_source_are_forgotten(session, qtbot):
    thumbnails, ref = Thumbnails(session), session.project.sources[10]
    qtbot.waitUntil(lambda: None not in thumbnails.get(ref, [0]))
    session.do(remove_sources(session.project, [10]))
    assert thumbnails.get(ref, [0]) == [None]


def test_thumbnails_are_bounded_by_bytes(session, qtbot):
    thumbnails, ref = Thumbnails(session, budget=2 * SIZE[0] * SIZE[1]), session.project.sources[10]
    for frame in range(3):
        qtbot.waitUntil(lambda frame=frame: thumbnails.get(ref, [frame]) != [None])
    assert thumbnails.get(ref, [1, 2, 0])[2] is None


def test_rows_that_scrolled_away_are_not_read(session, qtbot, monkeypatch):
    begun, go, read = [], threading.Event(), Frames.read

    def wait_and_read(frames, index):
        begun.append(index)
        go.wait(60)
        return read(frames, index)

    monkeypatch.setattr(Frames, "read", wait_and_read)
    thumbnails, ref = Thumbnails(session), session.project.sources[10]
    thumbnails.get(ref, list(range(6)))
    with qtbot.waitSignal(thumbnails.arrived):  # rows in view ask again
        thumbnails.cancel()
    go.set()
    frame_service(session).wait()
    assert begun in ([], [0])  # at most the one that was being read


def test_a_scroll_of_the_clips_cancels_thumbnails_that_were_waiting(clips, qtbot, monkeypatch):
    panel = SourcesPanel(clips)
    qtbot.addWidget(panel)
    panel.resize(300, 200)
    panel.show()
    canceled = []
    monkeypatch.setattr(
        panel.thumbnails, "cancel", lambda: canceled.append(panel.view.verticalScrollBar().value())
    )
    panel.view.verticalScrollBar().setValue(20)
    assert canceled == [20]
