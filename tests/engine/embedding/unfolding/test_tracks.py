"""Tracks: balls along them, pairs that move alike, breaks, contradictions, smoothness."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from emberscope.base.errors import DataError, MissingLabels
from emberscope.embedding.unfolding.tracks import (
    Steps,
    ball_edges,
    growing_steps,
    moves_of,
    roughness_note,
    smoothness,
    tracks_of,
    with_common_neighbors,
)
from emberscope.labels.side_info import Sequence, SideInfo

GO, BACK = 0, 1


def track(*actions, rows=None):
    return Sequence(
        rows=np.arange(len(actions) + 1) if rows is None else np.array(rows),
        actions=np.array(actions),
    )


def on_a_line(*places):
    return np.array(places, float)[:, None]


def edges(X, *tracks, window=1):
    return {tuple(edge) for edge in ball_edges(X, tracks, window).tolist()}


def moves(*tracks, most=100):
    found, clashes = moves_of(Steps.of(tracks), 2, most=most)
    return {(*b, *a) for b, a in zip(found.before.tolist(), found.after.tolist())}, clashes


def test_a_window_of_one_step_joins_every_instance_to_the_next():
    assert edges(on_a_line(0, 1, 2, 3), track(GO, GO, GO)) == {(0, 1), (1, 2), (2, 3)}


def test_a_ball_reaches_the_farther_of_the_two_next_instances():
    # From 1 to 4 is a step of 3, so both see 3 away; 0 sees 1 away only.
    assert edges(on_a_line(0, 1, 4, 6.5), track(GO, GO, GO)) == {(0, 1), (1, 2), (2, 3)}
    assert edges(on_a_line(0, 3, 4, 1), track(GO, GO, BACK)) == {
        (0, 1),
        (1, 2),
        (0, 3),
        (1, 3),
        (2, 3),
    }


def test_a_wider_window_joins_more():
    assert (0, 2) in edges(on_a_line(0, 1, 2, 3), track(GO, GO, GO), window=2)


def test_no_pair_is_formed_across_a_break():
    first, second = track(GO, rows=(0, 1)), track(GO, rows=(2, 3))
    assert edges(on_a_line(0, 1, 9, 10), first, second) == {(0, 1), (2, 3)}
    assert moves(first, second)[0] == {(0, 2, 1, 3)}  # both go: but 1 to 2 is no step


def test_an_instance_that_comes_twice_is_one_with_both_its_balls():
    assert edges(on_a_line(0, 1, 2), track(GO, GO, BACK, rows=(0, 1, 2, 1))) == {(0, 1), (1, 2)}


def test_pairs_with_a_common_neighbor_are_added_once():
    chain = csr_array(np.eye(4, k=1) + np.eye(4, k=-1))
    assert with_common_neighbors(chain).tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]


def test_each_two_steps_by_one_action_are_a_pair():
    assert moves(track(GO, GO, BACK, GO))[0] == {(0, 1, 1, 2), (0, 3, 1, 4), (1, 3, 2, 4)}


def test_unknown_actions_make_no_pair():
    assert moves(track(-1, -1, -1))[0] == set()
    assert moves(track(GO, -1, GO))[0] == {(0, 2, 1, 3)}


def test_a_step_taken_twice_counts_once():
    assert moves(track(GO, BACK, GO, BACK, rows=(0, 1, 0, 1, 0))) == (set(), 0)


def test_an_action_that_leads_two_ways_from_one_instance_is_a_contradiction():
    found, clashes = moves(track(GO, BACK, GO, rows=(0, 1, 0, 2)))
    assert (found, clashes) == (set(), 1)


def test_an_action_that_leads_from_two_instances_to_one_is_a_contradiction():
    assert moves(track(GO, BACK, GO, rows=(0, 1, 2, 1)))[1] == 1


def test_of_many_pairs_each_step_keeps_its_next_one_and_the_same_draw_is_made_again():
    found, _ = moves(track(*[GO] * 50), most=200)
    assert found >= {(i, i + 1, i + 1, i + 2) for i in range(49)}
    assert 150 < len(found) <= 200
    assert found == moves(track(*[GO] * 50), most=200)[0]


def test_distances_grow_along_a_straight_track_turned_round():
    curve = smoothness(on_a_line(0, 1, 2, 3, 4, 3, 2, 1, 0), [track(*[GO] * 4, *[BACK] * 4)])
    np.testing.assert_allclose(curve, [1, 2, 3, 4])
    assert growing_steps(curve) == 4
    assert roughness_note(curve) == ""


def test_frames_that_share_nothing_are_all_equally_far():
    curve = smoothness(np.random.default_rng(0).normal(size=(30, 400)), [track(*[GO] * 29)])
    assert growing_steps(curve) == 1
    assert "stop growing after 1 step, 3 are needed" in roughness_note(curve)


def test_equal_frames_have_no_curve():
    assert len(smoothness(np.ones((5, 2)), [track(GO, GO, GO, GO)])) == 0


def test_where_no_action_comes_twice_in_a_row_the_whole_track_is_looked_at():
    np.testing.assert_allclose(smoothness(on_a_line(0, 1, 2, 3), [track(GO, BACK, GO)]), [1, 2, 3])


@pytest.mark.parametrize(
    ("side", "error", "words"),
    [
        (None, MissingLabels, "actions along a track are needed"),
        (SideInfo(), MissingLabels, "actions along a track are needed"),
        (SideInfo(sequences=(track(-1, -1),)), MissingLabels, "no action of the tracks is known"),
        (
            SideInfo(sequences=(track(GO),), actions=("go",)),
            DataError,
            "the longest track has 2 instances",
        ),
        (
            SideInfo(sequences=(track(GO, GO, rows=(0, 1, 9)),), actions=("go",)),
            DataError,
            "row 9, but there are 5",
        ),
        ([1, 2], DataError, "side is a list"),
    ],
    ids=["nothing", "empty", "unknown", "short", "outside", "list"],
)
def test_what_is_no_track_is_refused_in_words(side, error, words):
    with pytest.raises(error, match=words):
        tracks_of(side, 5)
