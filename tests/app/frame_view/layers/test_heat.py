"""Heat and hits over a frame, along the timeline, and in the sheet."""

import msgspec
import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from emberscope.tasks.scoring import FindScored, LookAtClips, ScoreClips
from emberscope_app.frame_view.canvas.frame_canvas import FrameCanvas
from emberscope_app.frame_view.layers import heat
from emberscope_app.frame_view.layers.heat import HeatOnFrame, hit_words
from emberscope_app.frame_view.timeline.timeline_view import TimelineView
from emberscope_app.state.runs.scored import HEAT, Scored

CLIP = 10


@pytest.fixture
def scored(session, worker, qtbot):
    """The clip of the small project, scored by its run in this process."""
    worker.answer_as_engine(LookAtClips, ScoreClips, FindScored)
    found = session.only(Scored)
    found.score([CLIP])
    qtbot.waitUntil(lambda: bool(found.clips))
    return found


@pytest.fixture
def canvas(session, scored, qtbot):
    found = FrameCanvas(session)
    qtbot.addWidget(found)
    found.resize(800, 640)
    found.show()
    return found


def heat_of(canvas):
    return next(layer for layer in canvas.layers if isinstance(layer, HeatOnFrame))


def test_the_heat_of_a_frame_covers_it(session, scored):
    heat = scored.heat(CLIP, 0)
    rows, cols = heat.values.shape
    assert rows * heat.step >= 160
    assert cols * heat.step >= 200
    assert 0 <= heat.values.min() < heat.values.max() <= 1


def test_every_frame_has_its_own(session, canvas):
    first = heat_of(canvas).image
    session.go(frame=3)
    assert heat_of(canvas).image != first


def test_it_goes_with_its_switch(session, canvas):
    painted = canvas.grab().toImage()
    session.layers.switch(HEAT, False)
    without = canvas.grab().toImage()
    assert painted != without
    assert heat_of(canvas).legend(canvas.rect().toRectF()).isEmpty()


def test_opacity_makes_it_stronger(canvas, scored):
    faint = canvas.grab().toImage()
    scored.set_opacity(1.0)
    assert canvas.grab().toImage() != faint


@pytest.mark.parametrize(("likely", "words"), [
    (np.array([[0.64, 0.5, 0.7]]), "0.81, p 0.64"), (np.empty((0, 3)), "0.81"),
])
def test_a_hit_says_its_score_and_how_likely_it_is(likely, words):
    assert hit_words(0.81, likely, 0) == words


def test_the_words_of_hits_that_crowd_each_other_never_overlap(canvas, scored, monkeypatch):
    plates = []
    monkeypatch.setattr(heat, "_paint_words", lambda _painter, plate, _words: plates.append(plate))
    scored.set_threshold(0.0)
    canvas.grab()
    assert len(plates) > 1
    pairs = [(a, b) for at, a in enumerate(plates) for b in plates[:at]]
    assert not any(a.intersects(b) for a, b in pairs)


def test_of_hits_that_overlap_on_one_target_the_best_one_speaks(canvas, scored, monkeypatch):
    said, found = [], scored.of(CLIP)
    boxes = [[20, top, 60, top + 40] for top in (20, 46, 72)]  # each overlaps the one before
    scored.clips[CLIP] = msgspec.structs.replace(
        found, frame=np.zeros(3, np.int32), box=np.array(boxes, np.float32),
        kind=np.ones(3, np.int64), score=np.array([0.9, 0.8, 0.7], np.float32),
        probability=np.empty((0, 3)))
    monkeypatch.setattr(heat, "_paint_words", lambda _painter, _plate, words: said.append(words))
    scored.set_threshold(0.1)
    said.clear()
    canvas.grab()
    assert said == ["0.90", "0.70"]


def test_no_box_of_a_hit_is_drawn_through_the_words_of_another(canvas, scored, monkeypatch):
    drawn = []
    monkeypatch.setattr(heat, "_paint_words", lambda *_: drawn.append("words"))
    monkeypatch.setattr(heat, "cased", lambda *_: drawn.append("box"))
    scored.set_threshold(0.0)
    drawn.clear()
    image = QImage(800, 640, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    heat_of(canvas)._paint_hits(painter, canvas.view)
    painter.end()
    hits = drawn[drawn.index("box") :]
    assert "box" not in hits[hits.index("words") :]


def test_the_timeline_has_a_row_of_hits_once_a_clip_is_scored(session, scored, qtbot):
    view = TimelineView(session)
    qtbot.addWidget(view)
    view.reload()
    assert view.hit_row.highest.max() == scored.clips[CLIP].score.max()
    high = view.sizeHint().height()
    scored.clips.clear()
    scored.changed.emit()
    assert view.sizeHint().height() < high
