"""What a scorer mistakes for targets on frames that are wholly labeled."""

import numpy as np
import pytest

from emberscope.base.monitor import Silent
from emberscope.labels import BACKGROUND, FrameLabel
from emberscope.project import PutLabels
from emberscope.scoring import false_hits
from emberscope.scoring.clips import Scoring
from emberscope.scoring.false_hits import MOST, known_frames, with_false_hits
from emberscope.scoring.scorer import lesson_of, said_by


@pytest.fixture
def lesson(project, run, cache, monkeypatch):
    """What the run teaches; any hit on ground is high enough to be learned from."""
    monkeypatch.setattr(false_hits, "_LEAST", 0.0)
    return lesson_of(project, run, said_by(project, run), cache, Silent())


@pytest.fixture
def say(project):
    """Say a word about frames of the clip."""

    def say(word, *frames):
        (source,) = project.sources
        ids = project.new_label_ids(len(frames))
        project.apply(PutLabels(after=[
            FrameLabel(id=key, source=source, frame=frame, class_id=BACKGROUND, says=word)
            for key, frame in zip(ids, frames, strict=True)]))

    return say


def test_where_no_frame_is_called_complete_nothing_is_added(project, run, lesson):
    assert with_false_hits(project, run, lesson, Silent()) is lesson


@pytest.mark.parametrize("word", ["complete", "empty"])
def test_frames_called_complete_or_empty_are_known(word, project, run, say):
    say(word, 2, 5)
    assert known_frames(project, run)[:, 1].tolist() == [2, 5]


def test_a_frame_that_contains_a_target_somewhere_is_not_known(project, run, say):
    say("contains", 2)
    assert len(known_frames(project, run)) == 0


def test_what_is_added_has_a_score_of_0_and_lies_on_known_frames(project, run, lesson, say):
    say("complete", 2, 5)
    more, n = with_false_hits(project, run, lesson, Silent()), len(lesson.score)
    assert 0 < len(more.score) - n <= MOST
    assert more.score[n:].max() == 0
    assert set(more.place[n:, 1].tolist()) <= {2, 5}
    np.testing.assert_array_equal(more.X[:n], lesson.X)


def test_no_label_of_a_target_is_taken_for_a_false_hit(project, run, lesson, say):
    say("complete", *range(12))
    more, n = with_false_hits(project, run, lesson, Silent()), len(lesson.score)
    target = lesson.X[lesson.score == lesson.score.max()][0]
    assert np.abs(more.X[n:] - target).max(axis=1).min() > 0


def test_where_no_ground_is_taken_for_a_target_nothing_is_added(
    project, run, lesson, say, monkeypatch
):
    monkeypatch.setattr(false_hits, "_LEAST", 1.01)
    say("complete", 2, 5)
    assert len(with_false_hits(project, run, lesson, Silent()).score) == len(lesson.score)


def test_they_are_kept_for_the_next_call(project, run, cache, say, monkeypatch):
    say("complete", 2, 5)
    first = Scoring(project, run, cache).taught
    monkeypatch.setattr("emberscope.scoring.clips.with_false_hits", None)
    again = Scoring(project, run, cache).taught
    np.testing.assert_array_equal(again.X, first.X)
    np.testing.assert_array_equal(again.place, first.place)
