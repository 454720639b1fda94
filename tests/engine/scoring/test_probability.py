"""Which detections on labeled frames are hits, and what follows of them."""

import numpy as np
import pytest

from emberscope.scoring.probability import _fitted, judged, logistic

from .test_detections import detections


def test_in_a_bag_of_a_target_the_highest_is_a_hit_and_the_others_say_nothing(run):
    (source,) = set(run.source.tolist())
    found = detections((0, 6, 4, 0.9), (0, 10, 8, 0.5), (0, 40, 30, 0.4))
    hit, counts = judged(run, source, found)
    assert hit.tolist() == [True, False, False]
    assert counts.tolist() == [True, False, True]


def test_what_lies_in_the_bag_of_another_frame_is_no_hit(run):
    (source,) = set(run.source.tolist())
    hit, counts = judged(run, source, detections((11, 6, 4, 0.9)))
    assert (hit.tolist(), counts.tolist()) == ([False], [True])


def test_probabilities_are_the_share_of_hits_at_a_score():
    score = np.repeat([0.2, 0.8], 100)
    hit = np.concatenate([np.arange(100) < 10, np.arange(100) < 70])
    rule, words = _fitted(hit, score, np.arange(200) % 20)
    assert rule.of([0.2, 0.8])[:, 0] == pytest.approx([0.1, 0.7], abs=0.01)
    assert words.startswith(
        "Probabilities rest on 80 detections in labels of targets and 120 elsewhere"
    )


def test_there_is_no_rule_where_hits_score_no_higher_than_others():
    rule, words = _fitted(np.repeat([True, False], 20), np.repeat([0.2, 0.8], 20), np.arange(40))
    assert rule is None
    assert "score no higher than others" in words


def test_intervals_are_wider_where_frames_differ():
    score, frame, turn = np.tile([0.2, 0.8], 200), np.arange(400) // 20, np.arange(400) // 2
    alike, apart = (score > 0.5) & (turn % 2 == 0), (score > 0.5) & (frame % 2 == 0)

    def width(hit):
        low, high = _fitted(hit, score, frame)[0].of([0.8])[0, 1:]
        return high - low

    assert width(apart) > 2 * width(alike)


def test_scores_that_part_hits_from_others_wholly_have_a_rule_too():
    offset, slope = logistic(np.repeat([0.1, 0.9], 10), np.repeat([False, True], 10), np.ones(20))
    assert np.isfinite([offset, slope]).all()
    assert slope > 0
