"""Detections on scored clips beside the curves of runs, and hits that follow their threshold."""

import msgspec
import numpy as np
import pytest
from PySide6.QtGui import QImage

from emberscope.findings.judged.levels import BAG, DETECTION, GROUND, LEVELS
from emberscope.tasks.evaluation import JudgeRun
from emberscope.tasks.scoring import (
    ClipLook,
    ClipLooks,
    ClipScore,
    ClipScores,
    FindScored,
    FoundOnClip,
    FoundOnClips,
    HeatOfFrame,
    LookAtClips,
    ScoreClips,
)
from emberscope_app.docks.evaluate.roc import RocPanel
from emberscope_app.frame_view.canvas.frame_canvas import FrameCanvas
from emberscope_app.frame_view.layers.heat import HeatOnFrame
from emberscope_app.frame_view.timeline.timeline_view import TimelineView
from emberscope_app.state.runs.scored import Scored

from ...layout import faults, paint_faults

CLIP, NOTE = 10, "Detections on 6 frames with truth of 1 clip that run 3 has scored and not seen."
SCORES = (0.9, 0.5, 0.2)


def of_scored_clips(judged):
    """The same answer, its detections on scored clips: a target found, one ground above it."""
    level = msgspec.structs.replace(
        judged.level(DETECTION), scored=True, note=NOTE, why_not="", ids=np.full(3, -1),
        score=np.array(SCORES), truth=np.array([1, GROUND, GROUND]), said=np.ones(3, np.int64),
        group=np.arange(3), frames=6, axes=[], start=0.4,
    )  # fmt: skip
    at = LEVELS.index(DETECTION)
    return msgspec.structs.replace(
        judged, levels=[*judged.levels[:at], level, *judged.levels[at + 1 :]]
    )


@pytest.fixture
def roc(show, worker, qtbot):
    """The card, of a run that has scored a clip."""
    as_engine = worker.answers[JudgeRun]
    worker.answers[JudgeRun] = lambda request: of_scored_clips(as_engine(request))
    box = np.array([[150, 10, 170, 30]] * 3, np.float32)
    clip = FoundOnClip(CLIP, np.zeros(3, np.int32), box, np.ones(3, np.int64),
                       np.array(SCORES, np.float32), np.empty((0, 3)), [], 6)
    worker.answers |= {
        LookAtClips: lambda request: ClipLooks([ClipLook(name, 0.1, "") for name in request.clips],
                                               []),
        ScoreClips: lambda request: ClipScores("", [ClipScore("", "", 6, 3, 6, "")], []),
        FindScored: lambda request: FoundOnClips([clip], []),
    }
    return show(RocPanel)


@pytest.fixture
def scored(roc, judged_session, qtbot, monkeypatch):
    found = judged_session.only(Scored)
    heat = HeatOfFrame(np.array([[0.2, 0.9]], np.float32), 100.0)
    monkeypatch.setattr(found, "heat", lambda source, frame: heat)
    found.score([CLIP])
    qtbot.waitUntil(lambda: bool(found.clips))
    return found


def test_the_card_says_what_detections_are(roc, evaluation):
    assert roc.note.isHidden()
    evaluation.show(level=DETECTION)
    assert not roc.note.isHidden()
    assert roc.note.text() == NOTE


def test_hits_below_the_threshold_that_is_dragged_are_hidden(roc, scored, evaluation):
    evaluation.show(level=DETECTION)
    assert scored.hits(CLIP).tolist() == [0, 1]  # it begins at 0.4
    evaluation.set_threshold(0.6)
    assert scored.hits(CLIP).tolist() == [0]
    evaluation.set_threshold(0.1)
    assert scored.hits(CLIP).tolist() == [0, 1, 2]


def test_hits_are_as_before_once_no_card_is_in_sight(roc, scored, evaluation):
    evaluation.show(level=DETECTION)
    evaluation.set_threshold(0.95)
    assert len(scored.hits(CLIP)) == 0
    roc.hide()
    assert scored.hits(CLIP).tolist() == [0, 1]


def test_the_threshold_of_bags_hides_no_hit(roc, scored, evaluation):
    evaluation.show(level=BAG)
    evaluation.set_threshold(99.0)
    assert scored.hits(CLIP).tolist() == [0, 1]


def test_the_threshold_of_another_run_hides_no_hit(roc, scored, evaluation, judged_session):
    evaluation.show(level=DETECTION)
    judged_session.focus.set(run=1)  # it is not checked
    evaluation.set_threshold(0.95)
    assert scored.threshold == 0.5


def test_the_threshold_of_scored_clips_moves_the_one_of_the_card(scored, evaluation):
    evaluation.show(level=DETECTION)
    scored.set_threshold(0.3)
    assert evaluation.threshold() == 0.3


def test_heat_below_the_threshold_is_not_painted(roc, scored, evaluation, judged_session, qtbot):
    canvas = FrameCanvas(judged_session)
    qtbot.addWidget(canvas)
    judged_session.go(CLIP, 0)
    layer = next(each for each in canvas.layers if isinstance(each, HeatOnFrame))
    evaluation.show(level=DETECTION)
    assert opaque(layer.image) == [False, True]
    evaluation.set_threshold(0.1)
    assert opaque(layer.image) == [True, True]


def opaque(image: QImage):
    return [image.pixelColor(x, 0).alpha() > 0 for x in range(2)]


def test_the_timeline_follows(roc, scored, evaluation, judged_session, qtbot):
    view = TimelineView(judged_session)
    qtbot.addWidget(view)
    view.reload()
    told = []
    view.hit_row.changed.connect(lambda: told.append(scored.threshold))
    evaluation.show(level=DETECTION)
    evaluation.set_threshold(0.7)
    assert told[-1] == 0.7


def test_a_run_is_judged_anew_once_it_has_scored_a_clip(roc, scored, worker, judged_session):
    judged = [each.request.run.id for each in worker.submitted
              if isinstance(each.request, JudgeRun)]  # fmt: skip
    assert judged == [judged_session.run.id] * 2


def test_detections_on_scored_clips_select_no_instance(roc, scored, evaluation, judged_session):
    evaluation.show(level=DETECTION)
    said = []
    judged_session.message.connect(lambda message: said.append(message.words))
    evaluation.select(np.array([0]))
    assert len(judged_session.selection.ids) == 0
    assert "are no instances" in said[0]


def test_maps_go_on_with_the_threshold_of_instances(roc, scored, evaluation):
    evaluation.set_threshold(0.0)
    count = len(evaluation.above()[0])
    evaluation.show(level=DETECTION)
    evaluation.set_threshold(99.0)
    assert len(evaluation.above()[0]) == count > 0


@pytest.mark.parametrize("size", [(320, 280), (520, 480)])
def test_the_sentence_about_detections_is_not_cut(roc, evaluation, size, qtbot):
    roc.resize(*size)
    evaluation.show(level=DETECTION)
    assert faults(roc) == []
    assert paint_faults(roc) == []
