"""The timeline: seek, play, marks per class."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor

from emberscope.labels import Spot
from emberscope.labels.model import BACKGROUND, FrameLabel
from emberscope.project import PutLabels
from emberscope_app.frame_view.canvas.frame_canvas import FrameCanvas
from emberscope_app.frame_view.timeline.playhead import playhead_box
from emberscope_app.frame_view.timeline.timeline_marks import binned, read_marks, runs_of, ticks
from emberscope_app.frame_view.timeline.timeline_panel import TimelinePanel
from emberscope_app.frame_view.timeline.timeline_view import TimelineView
from emberscope_app.theme.look import current

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(session, qtbot) -> TimelinePanel:
    found = TimelinePanel(session)
    qtbot.addWidget(found)
    found.resize(900, 200)
    found.show()
    return found


def test_a_click_seeks_and_a_drag_scrubs(panel, session, qtbot):
    view = panel.view
    qtbot.mousePress(view, LEFT, pos=QPoint(round(view.x_of(2)), 12))
    assert session.focus.frame == 2
    qtbot.mouseMove(view, QPoint(round(view.x_of(5)), 12))
    assert session.focus.frame == 5
    qtbot.mouseRelease(view, LEFT, pos=QPoint(round(view.x_of(5)), 12))


@pytest.mark.parametrize("width", [380, 400, 440, 900])
def test_nothing_of_the_transport_is_cut_where_it_is_narrow(session, qtbot, width):
    panel = TimelinePanel(session)
    qtbot.addWidget(panel)
    panel.show()
    panel.tools.paint.setChecked(True)
    panel.resize(width, 200)
    tools, strip = panel.tools, panel.speed_button.parentWidget()
    qtbot.waitUntil(lambda: (panel.width(), strip.width()) == (width, width))
    strip.layout().activate()
    parts = [tools.paint, tools.action, tools.more, panel.play, panel.loop, panel.speed_button]
    ends = [part.mapTo(strip, QPoint(part.width(), 0)).x() for part in parts]
    assert ends == sorted(ends)
    assert ends[-1] <= strip.width()
    assert all(part.width() >= part.minimumSizeHint().width() for part in parts[:1] + parts[2:])
    assert tools.action.width() >= 84


def test_the_list_of_actions_is_as_wide_as_its_words(session, qtbot):
    panel = TimelinePanel(session)
    qtbot.addWidget(panel)
    found = panel.tools.action.view()
    assert found.minimumWidth() >= found.sizeHintForColumn(0)


def test_playing_stops_at_the_last_frame(panel, session, qtbot):
    session.player.set_speed(4.0)
    session.go(frame=3)
    qtbot.mouseClick(panel.play, LEFT)
    qtbot.waitUntil(lambda: not session.player.playing)
    assert session.focus.frame == 5


def test_a_looped_clip_goes_on_from_the_first_frame(panel, session, qtbot):
    session.player.set_speed(4.0)
    qtbot.mouseClick(panel.loop, LEFT)
    session.go(frame=4)
    session.player.toggle()
    qtbot.waitUntil(lambda: session.focus.frame < 4)
    assert session.player.playing
    session.player.stop()


def test_k_plays_and_pauses(panel, session, qtbot):
    qtbot.keyClick(panel.view, Qt.Key.Key_K)
    assert session.player.playing
    qtbot.keyClick(panel.view, Qt.Key.Key_K)
    assert not session.player.playing


def test_the_title_says_frames_and_the_rate_where_it_is_known(panel, session):
    assert panel.count == "6 frames"


def test_ctrl_and_arrow_go_to_the_next_labeled_frame(panel, session, qtbot):
    gone = [label for frame in (1, 2, 3) for label in session.project.labels.on_frame(10, frame)]
    session.do(PutLabels(title="Delete", before=gone))
    qtbot.keyClick(panel.view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert session.focus.frame == 4


def test_a_double_click_on_a_mark_selects_its_labels(panel, session, qtbot):
    view = panel.view
    y = 24 + 28 + 14  # the first class
    qtbot.mouseDClick(view, LEFT, pos=QPoint(round(view.x_of(3)) + 3, y))
    assert session.focus.frame == 3
    assert {session.project.labels[key].class_id for key in session.focus.labels} == {1}


def test_drawn_labels_are_marks_and_copies_are_spans(session):
    copies = [
        Spot(id=900 + f, source=10, frame=f, class_id=2, x=1, y=1, origin="propagated")
        for f in (1, 2, 4)
    ]
    session.do(PutLabels(title="Copy", after=copies))
    first, second = read_marks(session.project, 10).tracks
    assert first.drawn.tolist() == [0, 1, 2, 3, 4, 5]
    assert first.counts.tolist() == [3, 2, 2, 2, 2, 2]
    assert second.spans == [(1, 2), (4, 4)]


def test_a_new_label_appears_on_the_timeline(panel, session):
    session.do(
        PutLabels(title="Draw spot", after=[Spot(id=900, source=10, frame=5, class_id=2, x=1, y=1)])
    )
    assert panel.view.marks.tracks[1].counts.tolist() == [1, 1, 1, 1, 1, 2]


def test_consecutive_frames_are_one_run():
    assert runs_of([3, 4, 5, 9]) == [(3, 5), (9, 9)]


def test_bins_hold_the_share_of_the_fullest():
    found = binned(np.array([0, 1, 2, 90]), np.array([1, 1, 2, 1]), first=0, last=100, bins=10)
    assert found[0] == 1.0
    assert found[9] == 0.25


def test_the_ruler_counts_from_one_in_round_steps():
    assert ticks(0, 32, most=8) == [0, 4, 9, 14, 19, 24, 29]


def test_without_a_source_the_timeline_is_empty(empty_session, qtbot):
    panel = TimelinePanel(empty_session)
    qtbot.addWidget(panel)
    assert panel.stack.currentIndex() == 0


def test_while_playing_the_contrast_moves_smoothly_and_settles_when_stopped(session, qtbot):
    canvas = FrameCanvas(session)
    qtbot.addWidget(canvas)
    frames = np.load(session.project.sources[10].path)
    own = [session.contrast.lut_for(10, k, frames[k]).high for k in (0, 1)]
    session.player.toggle()
    session.go(frame=1)
    assert min(own) < canvas.frame_image.lut.high < max(own)
    session.player.stop()
    assert canvas.frame_image.lut.high == own[1]


def test_a_frame_label_has_the_color_of_the_class_that_it_names(panel, session):
    new = FrameLabel(id=900, source=10, frame=3, class_id=BACKGROUND)
    session.do(PutLabels(title="Frame label", after=[new]))
    view = panel.view
    color, words = view._look_of(view.marks.bands[0])
    slot = session.project.classes[BACKGROUND].slot
    assert (color, words) == (QColor(current().class_color(slot)), "Background")


def test_frame_labels_of_two_classes_are_two_bands(panel, session):
    new = [FrameLabel(id=900 + key, source=10, frame=3, class_id=key) for key in (1, BACKGROUND)]
    session.do(PutLabels(title="Frame labels", after=new))
    assert [(band.first, band.class_id) for band in panel.view.marks.bands] == [
        (3, 1),
        (3, BACKGROUND),
    ]


def test_no_number_of_the_ruler_looks_out_behind_the_one_of_the_playhead(
    panel, session, monkeypatch
):
    view = panel.view
    monkeypatch.setattr(TimelineView, "n_frames", 40)
    session.focus.set(frame=19)
    head = playhead_box(view.x_of(19), "20", 0, view.width())
    assert 19 in ticks(0, 39, most=10)
    beside = view.grab(QRect(round(head.right()) + 1, 3, 8, 12)).toImage()
    colors = {beside.pixel(a, b) for a in range(beside.width()) for b in range(beside.height())}
    assert len(colors) == 1
