"""Detections on scored clips as entries of a judged run."""

import msgspec
import numpy as np
import pytest

from emberscope.findings.judged.levels import DETECTION, GROUND, INSTANCE
from emberscope.judging import scored
from emberscope.judging.judge import judge_run
from emberscope.labels import Box, FrameLabel
from emberscope.labels.model import About, label_of_run
from emberscope.project import PutLabels, PutSources
from emberscope.project.model.project import SourceRef
from emberscope.scoring.clips import KeptBlock
from emberscope.scoring.detections import Block, Detections
from emberscope.scoring.kept import keep_block, path_of

from .conftest import CAR, DAY, FRAMES

NEW, OTHER = 7, 8
# A target of 10 px at (20, 20) on each frame of a clip; of detections (frame, x, y, score) two hit,
# the third target is missed, and two are false alarms
HITS = ((0, 20, 20, 0.9), (0, 90, 20, 0.6), (1, 20, 20, 0.8), (2, 90, 20, 0.4))


class KeptScores:
    """Scores that a run has kept of clips, in place of those it computes."""

    def __init__(self, cache):
        self.cache, self.keys = cache, {}

    def keep(self, source, hits, frames=range(3)):
        frame, x, y, score = np.array(hits, np.float32).reshape(-1, 4).T
        found = Detections(frame.astype(np.int32), np.stack([x, y, x + 10, y + 10], axis=1),
                           np.full(len(frame), CAR), score)
        block = Block(np.array(frames, np.int32), {8: np.zeros((len(frames), 2, 2), np.float32)},
                      {8: 4.0}, found)
        self.keys[source] = f"{source:064x}"
        keep_block(self.cache, self.keys[source], block)

    def blocks_at(self, ref):
        key = self.keys.get(ref.id)
        return [] if key is None else [KeptBlock(0, path_of(self.cache, key), key)]


@pytest.fixture
def kept(tmp_path, monkeypatch):
    found = KeptScores(tmp_path)
    monkeypatch.setattr(scored, "Scoring", lambda project, run, cache: found)
    return found


@pytest.fixture
def judge(build, tmp_path):
    """Judges the detections of a run on two clips, beside which other clips have labels."""

    def judge(labels, **more):
        project, run = build(**more)
        project.apply(PutSources(after=[
            SourceRef(id=key, path=f"{key}.npy", name=f"{key}.npy", fingerprint="", n_frames=900,
                      rows=200, cols=200) for key in (DAY, NEW, OTHER)]))
        project.apply(PutLabels(after=labels))
        return judge_run(project, run, cache=tmp_path).level(DETECTION)

    return judge


def target(frame, *, source=NEW, **more):
    at = {"x0": 20.0, "y0": 20.0, "x1": 30.0, "y1": 30.0} | more
    return Box(id=5000 + 100 * source + frame, source=source, frame=frame, class_id=CAR, **at)


TRUTH = [target(frame) for frame in range(3)]


def test_targets_and_false_alarms_of_a_scored_clip_are_counted_per_frame(judge, kept):
    kept.keep(NEW, HITS)
    level = judge(TRUTH)
    assert level.scored
    assert level.frames == 3
    assert np.sort(level.score[level.truth == CAR]).tolist() == pytest.approx([-np.inf, 0.8, 0.9])
    assert np.sort(level.score[level.truth == GROUND]).tolist() == pytest.approx([0.4, 0.6])
    assert level.found.y.max() == pytest.approx(2 / 3)


def test_frames_without_truth_do_not_count(judge, kept):
    kept.keep(NEW, HITS)
    level = judge(TRUTH[:2])
    assert level.frames == 2
    assert int((level.truth == GROUND).sum()) == 1


def test_a_frame_that_is_said_to_be_empty_counts(judge, kept):
    kept.keep(NEW, HITS)
    empty = FrameLabel(id=9000, source=NEW, frame=2, class_id=CAR, says="empty")
    level = judge([*TRUTH[:2], empty])
    assert level.frames == 3
    assert int((level.truth == CAR).sum()) == 2


def test_a_frame_with_a_target_of_unknown_place_does_not_count(judge, kept):
    kept.keep(NEW, HITS)
    loose = target(0, x0=60.0, x1=120.0, looseness=1.0)
    assert judge([*TRUTH, msgspec.structs.replace(loose, id=9000)]).frames == 2


def test_a_loose_box_that_knows_its_core_is_truth(judge, kept):
    kept.keep(NEW, HITS)
    loose = [target(frame, x0=0.0, y0=0.0, x1=60.0, y1=60.0, looseness=1.0,
                    core=(20.0, 20.0, 30.0, 30.0)) for frame in range(3)]  # fmt: skip
    assert int((judge(loose).truth == CAR).sum()) == 3


def taken_from(hit, **more):
    return msgspec.structs.replace(
        label_of_run(1, 9000, source=hit.source, frame=hit.frame, class_id=hit.class_id,
                     corners=(hit.x0, hit.y0, hit.x1, hit.y1)), **more)  # fmt: skip


def test_what_a_detector_labeled_is_neither_target_nor_false_alarm(judge, kept):
    kept.keep(NEW, HITS)
    taken = taken_from(target(0, x0=90.0, x1=100.0))
    level = judge([*TRUTH, taken])
    assert (int((level.truth == CAR).sum()), int((level.truth == GROUND).sum())) == (3, 1)


def test_what_a_person_checked_is_a_target(judge, kept):
    kept.keep(NEW, HITS)
    taken = taken_from(target(0, x0=90.0, x1=100.0), about=About(checked=True))
    assert int((judge([*TRUTH, taken]).truth == CAR).sum()) == 4


def test_a_clip_that_taught_the_run_is_left_out_and_named(judge, kept):
    kept.keep(NEW, HITS)
    kept.keep(DAY, HITS, frames=range(0, 20 * FRAMES, 20))
    level = judge(TRUTH)
    assert level.frames == 3
    assert level.note == ("Detections on 3 frames with truth of 1 clip that run 1 has scored and "
                          "not seen; 1 clip that taught it is left out.")


def test_without_such_a_clip_detections_are_patches_and_a_sentence_says_so(judge, kept):
    kept.keep(DAY, HITS)
    level = judge(TRUTH)
    assert not level.scored
    assert level.note.startswith("Detections are patches of labels: no clip with truth that run 1 "
                                 "has not seen was scored by it.")


def test_a_curve_above_which_no_false_alarm_lies_says_what_so_few_frames_are_worth(judge, kept):
    kept.keep(DAY, HITS)
    assert judge(TRUTH).note.endswith(
        "No false alarm scores above a target on 20 frames: that says fewer than 0.15 per frame, "
        "and not that there are none.")


def test_a_run_without_held_out_scores_is_judged_by_scored_clips(judge, kept):
    kept.keep(NEW, HITS)
    assert judge(TRUTH, held=False).scored


def test_frames_on_which_nothing_lies_or_is_found_lower_false_alarms_per_frame(judge, kept):
    kept.keep(NEW, HITS, frames=range(900))
    empty = [FrameLabel(id=9000 + frame, source=NEW, frame=frame, class_id=CAR, says="empty")
             for frame in range(100, 900, 100)]  # fmt: skip
    level = judge([*TRUTH, *empty])
    assert level.frames == 11
    assert level.found.y[level.found.x >= 2 / 11].min() == pytest.approx(2 / 3)


def test_where_nothing_is_a_false_alarm_there_is_no_curve(judge, kept):
    kept.keep(NEW, HITS[:1])
    assert "is a false alarm" in judge(TRUTH).why_not


def test_scored_clips_can_be_sliced_by_clip(judge, kept):
    kept.keep(NEW, HITS)
    kept.keep(OTHER, HITS)
    level = judge([*TRUTH, *(target(frame, source=OTHER) for frame in range(3))])
    clips = next(axis for axis in level.axes if axis.id == "clip")
    assert np.bincount(clips.code[level.truth == CAR]).tolist() == [3, 3]


def test_many_clips_are_drawn_whole_for_the_band(judge, kept, monkeypatch):
    monkeypatch.setattr(scored, "MANY_CLIPS", 2)
    kept.keep(NEW, HITS)
    kept.keep(OTHER, HITS)
    level = judge([*TRUTH, *(target(frame, source=OTHER) for frame in range(3))])
    assert np.unique(level.group).tolist() == [0, 1]
    assert "by 2 clips" in level.rests_on


def test_other_levels_say_nothing_of_scored_clips(build, kept, tmp_path):
    assert judge_run(*build(), cache=tmp_path).level(INSTANCE).note == ""
