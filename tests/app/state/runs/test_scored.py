"""Clips that the run on show has scored."""

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget

from emberscope.labels import Box, Spot
from emberscope.labels.model import kind
from emberscope.labels.origins import MODEL, code_of
from emberscope.project import PutLabels, PutRuns
from emberscope.tasks.scoring import (
    ClipLook,
    ClipLooks,
    ClipScore,
    ClipScores,
    FindScored,
    FoundOnClip,
    FoundOnClips,
    LookAtClips,
    ScoreClips,
)
from emberscope_app.sheets.scored import ScoredSheet
from emberscope_app.state.runs.scored import Scored

CLIP = 10
# (frame, x0, y0, score, probability) of boxes of 20 px on the clip of the small project
ON_CLIP = ((0, 150, 10, 0.9, 0.8), (2, 150, 10, 0.7, 0.6), (2, 10, 10, 0.3, 0.2),
           (5, 150, 10, 0.6, 0.5))  # fmt: skip


def found(source=CLIP, rows=ON_CLIP, *, likely=True):
    frame, x, y, score, p = np.array(rows, float).T
    box = np.stack([x, y, x + 20, y + 20], axis=1).astype(np.float32)
    probability = np.stack([p, p - 0.1, p + 0.1], axis=1) if likely else np.empty((0, 3))
    return FoundOnClip(source, frame.astype(np.int32), box, np.ones(len(rows), np.int64),
                       score.astype(np.float32), probability, [], 6)


@pytest.fixture
def answers(worker):
    """The worker answers what is asked about scored clips; of `looks` and `clips` a test sets
    what."""
    made = {"words": "", "clips": [found()]}
    worker.answers |= {
        LookAtClips: lambda request: ClipLooks([ClipLook(name, 0.1, made["words"])
                                                for name in request.clips], []),
        ScoreClips: lambda request: ClipScores("", [ClipScore(name, "", 6, 4, 6, "")
                                                    for name in request.clips], []),
        FindScored: lambda request: FoundOnClips(made["clips"], ["Rests on little."]),
    }
    return made


@pytest.fixture
def scored(session, answers, qtbot):
    """The clip was scored."""
    scored = session.only(Scored)
    scored.score([CLIP])
    qtbot.waitUntil(lambda: bool(scored.clips))
    return scored


def test_a_clip_is_compared_with_the_run_then_scored_then_shown(scored, worker):
    kinds = [type(each.request) for each in worker.submitted]
    asked = [kind for kind in kinds if kind in (LookAtClips, ScoreClips, FindScored)]
    assert asked == [LookAtClips, ScoreClips, FindScored]
    assert scored.of(CLIP) is not None
    assert scored.notes == ["Rests on little."]


def test_it_is_said_before_scoring_that_a_clip_is_far_from_what_the_run_has_seen(
    session, answers, worker, qtbot
):
    said = []
    session.message.connect(lambda message: said.append(
        (message.words, len(worker.asked(ScoreClips)))))
    answers["words"] = "cold.npy is far from the training clips."
    session.only(Scored).score([CLIP])
    qtbot.waitUntil(lambda: bool(said))
    assert said[0] == ("cold.npy is far from the training clips.", 0)


def test_hits_at_first_are_what_is_as_likely_a_target_as_not(scored):
    assert scored.hits(CLIP).tolist() == [0, 1, 3]
    assert scored.hits(CLIP, 2).tolist() == [1]


def test_without_probabilities_hits_begin_at_one_half(session, answers, qtbot):
    answers["clips"] = [found(likely=False)]
    scored = session.only(Scored)
    scored.score([CLIP])
    qtbot.waitUntil(lambda: bool(scored.clips))
    assert scored.threshold == 0.5


def test_the_threshold_says_what_counts(scored):
    scored.set_threshold(0.25)
    assert len(scored.hits(CLIP)) == 4
    scored.set_threshold(0.95)
    assert len(scored.hits(CLIP)) == 0


def test_the_highest_score_of_each_frame(scored):
    assert scored.highest(CLIP, 6) == pytest.approx([0.9, 0, 0.7, 0, 0, 0.6])


def test_hits_are_gone_through_frame_by_frame(session, scored):
    at = []
    while scored.go_to_hit(1):
        at.append(session.focus.frame)
    assert at == [2, 5]
    assert scored.go_to_hit(-1)
    assert session.focus.frame == 2


def test_detections_become_labels_of_a_detector_in_one_step(session, scored):
    before, steps = len(session.project.labels), session.undo_stack.count()
    assert scored.take() == 3
    assert session.undo_stack.count() == steps + 1
    taken = [label for label in session.project.labels if code_of(label.origin) == MODEL]
    assert [(label.frame, label.class_id, label.x0, label.x1) for label in taken] == [
        (0, 1, 150, 170), (2, 1, 150, 170), (5, 1, 150, 170)]  # fmt: skip
    session.undo_stack.undo()
    assert len(session.project.labels) == before


def test_a_detection_that_is_labeled_is_not_taken_again(session, scored):
    scored.take()
    assert scored.take() == 0


@pytest.mark.parametrize("label", [
    Box(id=900, source=CLIP, frame=2, class_id=1, x0=157, y0=17, x1=163, y1=22),
    Spot(id=900, source=CLIP, frame=2, class_id=1, x=160, y=20),
], ids=["tight box", "spot"])  # fmt: skip
def test_a_detection_is_not_taken_where_a_smaller_label_says_the_same(session, scored, label):
    session.do(PutLabels(after=[label]))
    assert scored.take() == 2


def test_what_is_taken_is_said_to_be_loose(session, scored):
    scored.take()
    taken = [label for label in session.project.labels if code_of(label.origin) == MODEL]
    assert [kind(label) for label in taken] == ["relaxed"] * 3


def test_of_another_run_nothing_is_shown(session, scored, build_run):
    session.do(PutRuns(after=[build_run(run_id=12)]))
    assert scored.clips == {}


def test_a_run_that_says_nothing_of_targets_scores_no_clip(session, build_run, worker):
    import msgspec

    silent = msgspec.structs.replace(build_run(run_id=12), point_scores={})
    session.do(PutRuns(after=[silent]))
    scored = session.only(Scored)
    assert scored.why_not() == "This run does not say which instances are targets"
    assert scored.score([CLIP]) is None
    assert worker.asked(LookAtClips) == []


def test_what_was_kept_is_shown_when_a_project_opens(empty_session, small_project, answers, home,
                                                     qtbot):
    (home / "cache" / "scores").mkdir(parents=True)
    (home / "cache" / "scores" / "a.arrays").write_bytes(b"")
    scored = empty_session.only(Scored)
    empty_session.replace(small_project, None)
    qtbot.waitUntil(lambda: bool(scored.clips))


def test_other_sizes_are_looked_for_where_that_is_asked(scored, worker, qtbot):
    scored.set_other_sizes(True)
    scored.score([CLIP])
    qtbot.waitUntil(lambda: bool(scored.clips))
    asked = [each.request for each in worker.submitted if isinstance(each.request, ScoreClips)]
    assert [request.other_sizes for request in asked] == [False, True]


def test_notes_have_their_counts_grouped_in_the_sheet(scored, qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    scored.notes = ["Probabilities rest on 1828 detections in labels of targets."]
    sheet = ScoredSheet(scored.parent(), parent)
    assert sheet.notes.text() == (
        "Probabilities rest on 1\N{THIN SPACE}828 detections in labels of targets.")
