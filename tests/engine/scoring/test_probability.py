"""Which detections on labeled frames are hits, and what follows of them."""

import msgspec
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


def test_what_lies_on_a_target_that_does_not_teach_is_neither_a_hit_nor_none(run):
    (source,) = set(run.source.tolist())
    first = run.indptr[1]  # the bag of the target of frame 0 leaves
    side = msgspec.structs.replace(
        run, indptr=run.indptr[1:] - first, members=run.members[first:],
        bag_labels=run.bag_labels[1:], bag_ids=run.bag_ids[1:], bag_classes=run.bag_classes[1:],
    )  # fmt: skip
    found = detections((0, 6, 4, 0.9), (0, 40, 30, 0.4))
    assert judged(side, source, found)[1].tolist() == [True, True]
    hit, counts = judged(side, source, found, run)
    assert (hit.tolist(), counts.tolist()) == ([False, False], [False, True])


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


def drawn(n, share, rng):
    """Scores of detections, that share of them targets, and which are."""
    hit = rng.random(n) < share
    return np.clip(rng.normal(np.where(hit, 0.7, 0.3), 0.1), 0, 1), hit


def test_on_a_clip_with_few_targets_probabilities_are_as_low_as_their_share_of_hits():
    rng = np.random.default_rng(0)
    score, hit = drawn(2000, 0.3, rng)
    rule, _ = _fitted(hit, score, np.arange(2000) % 40)
    seen, found = drawn(2000, 0.02, rng)
    assert rule.on(seen).of(seen)[:, 0].sum() == pytest.approx(found.sum(), rel=0.2)


def test_on_a_clip_like_the_labeled_frames_probabilities_stay():
    rng = np.random.default_rng(0)
    score, hit = drawn(2000, 0.3, rng)
    rule, _ = _fitted(hit, score, np.arange(2000) % 40)
    seen, _ = drawn(2000, 0.3, rng)
    np.testing.assert_allclose(rule.on(seen).of(seen)[:, 0], rule.of(seen)[:, 0], atol=0.03)


def test_a_clip_without_detections_has_the_rule_of_the_labeled_frames():
    score, hit = drawn(400, 0.3, np.random.default_rng(0))
    rule, _ = _fitted(hit, score, np.arange(400) % 40)
    np.testing.assert_allclose(rule.on(np.empty(0)).offset, rule.offset)


def test_a_clip_on_which_nothing_scores_like_a_target_has_the_rule_of_the_labeled_frames():
    rng = np.random.default_rng(0)
    score, hit = drawn(2000, 0.3, rng)
    rule, _ = _fitted(hit, score, np.arange(2000) % 40)
    np.testing.assert_array_equal(rule.on(rng.normal(0.2, 0.05, 1000)).offset, rule.offset)
