"""ARE: walks over a texture, what actions become, tracks that break or contradict, what it
tells."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from emberscope.base.errors import DataError, MissingLabels, TooLarge
from emberscope.base.monitor import Watch
from emberscope.datasets.imagebot import texture, walk
from emberscope.embedding.unfolding import are
from emberscope.embedding.unfolding.are import ARE
from emberscope.embedding.unfolding.mvu import MVU
from emberscope.embedding.unfolding.operators import answered, next_rows, operators
from emberscope.embedding.unfolding.tracks import Steps
from emberscope.labels.side_info import Sequence, SideInfo


@pytest.fixture(scope="module")
def world():
    return texture(2.2, shape=(512, 1280))


@pytest.fixture(scope="module")
def line(world):
    return walk("line", world)


def side_of(*tracks, names=("go", "back")):
    """Each track: rows and actions."""
    return SideInfo(
        sequences=tuple(Sequence(rows=np.array(r), actions=np.array(a)) for r, a in tracks),
        actions=names,
    )


def bent(n=20):
    """Points on a half circle, a small step after the other."""
    t = np.linspace(0, np.pi, n)
    return np.stack([np.cos(t), np.sin(t)], axis=1)


AHEAD = side_of((np.arange(20), np.zeros(19, int)))


def asked(est, walked):
    steps = Steps.of(walked.side.sequences)
    return answered(
        steps, walked.places, walked.result, lambda r, a: next_rows(est.embedding_, steps, r, a)
    )


def test_forty_frames_forward_and_twenty_back_are_a_straight_line_with_equal_steps(line):
    est = ARE(n_components=1).fit(line.X, side=line.side)
    steps = np.diff(est.embedding_[:, 0]) * np.sign(est.embedding_[1, 0] - est.embedding_[0, 0])
    np.testing.assert_allclose(steps[:40], steps[0], rtol=0.15)
    np.testing.assert_allclose(steps[40:], -steps[0], rtol=0.15)
    assert est.spectrum_[0] > 0.99 * est.spectrum_.sum()
    assert asked(est, line) == 1.0


def test_a_back_step_twice_as_long_is_seen_as_such(world):
    walked = walk("double", world)
    est = ARE().fit(walked.X, side=walked.side)
    back, forward = est.operators()
    assert (back.action, forward.action) == ("back twice", "forward")
    np.testing.assert_allclose(
        back.shift, -2 * forward.shift, atol=0.1 * np.linalg.norm(forward.shift)
    )
    assert asked(est, walked) >= 0.9  # of this draw; five others: 0.66 to 1.0


def test_turns_of_22_degrees_make_a_circle_of_16_and_undo_each_other(world):
    walked = walk("turn", world)
    est = ARE().fit(walked.X, side=walked.side)
    assert [motion.period for motion in est.operators()] == pytest.approx([16, 16], rel=1e-3)
    (pair,) = est.inverses()
    assert (pair.first, pair.second) == ("turn left", "turn right")
    assert asked(est, walked) == 1.0


def test_plain_unfolding_answers_less_of_the_letter():
    walked = walk("letter", texture(2.2, seed=1))
    est = ARE(n_components=4).fit(walked.X, side=walked.side)
    assert asked(est, walked) >= 0.9  # of this draw; six others: 0.74 to 1.0
    # of this draw; four others: 0.33 to 0.61
    assert asked(MVU(n_components=4, n_neighbors=4).fit(walked.X), walked) < 0.6


def test_equal_actions_leave_pairs_as_far_apart_as_they_were():
    Z = ARE(n_components=4).fit(bent(), side=AHEAD).embedding_
    D = cdist(Z, Z)
    np.testing.assert_allclose(D[1:, 1:], D[:-1, :-1], atol=0.02 * D.max())


def test_neighbors_get_no_farther_apart():
    X = bent()
    Z = ARE(n_components=4).fit(X, side=AHEAD).embedding_
    assert (
        np.linalg.norm(np.diff(Z, axis=0), axis=1)
        <= 1.01 * np.linalg.norm(np.diff(X, axis=0), axis=1)
    ).all()


def test_the_order_of_rows_does_not_matter():
    X = bent()
    order = np.random.default_rng(0).permutation(20)
    back = np.argsort(order)
    one = ARE().fit(X, side=AHEAD).embedding_
    other = ARE().fit(X[order], side=side_of((back, np.zeros(19, int)))).embedding_
    np.testing.assert_allclose(
        cdist(one, one)[np.ix_(order, order)], cdist(other, other), atol=1e-6
    )


def test_two_tracks_are_joined_by_neighbors_and_share_their_actions():
    X = np.vstack([bent(), bent() + np.array([0, 0.05])])
    both = side_of((np.arange(20), np.zeros(19, int)), (np.arange(20, 40), np.zeros(19, int)))
    est = ARE().fit(X, side=both)
    assert est.operators()[0].count == 38
    assert np.isfinite(est.embedding_).all()


def test_instances_on_no_track_take_part_as_neighbors():
    X = np.vstack([bent(), np.random.default_rng(0).uniform(-1, 1, (15, 2))])
    est = ARE().fit(X, side=AHEAD)
    assert "15 instances lie on no track" in " ".join(est.notes_)
    assert np.isfinite(est.embedding_).all()


def test_a_track_of_repeated_frames_is_one_without_them():
    X = np.vstack([bent(), bent()[:5]])
    est = ARE().fit(X, side=AHEAD)
    np.testing.assert_array_equal(est.embedding_[20:], est.embedding_[:5])
    np.testing.assert_allclose(est.embedding_[:20], ARE().fit(bent(), side=AHEAD).embedding_)


def test_the_next_instance_and_the_preview_are_named_by_rows():
    est = ARE().fit(bent(), side=AHEAD)
    assert est.next_rows([3, 7], "go").tolist() == [4, 8]
    assert est.preview(3, "go").row == 4
    with pytest.raises(DataError, match="no action 'jump'"):
        est.next_rows([3], "jump")


def test_a_method_from_its_state_still_knows_its_actions():
    est = ARE().fit(bent(), side=AHEAD)
    again = ARE.from_state(est.to_state())
    assert again.next_rows([3], "go").tolist() == [4]
    assert [motion.action for motion in again.operators()] == ["go", "back"]


def test_a_state_that_keeps_the_map_alone_is_read_as_one_whose_motions_act_on_the_map():
    X = np.vstack([bent(), bent()[:1]])  # the last is the first again
    est = ARE().fit(X, side=AHEAD)
    later = ("model_", "known_", "motion_dimensions_")
    old = ARE.from_state({name: one for name, one in est.to_state().items() if name not in later})
    np.testing.assert_array_equal(old.places, est.embedding_)
    np.testing.assert_array_equal(old.known_, est.known_)
    assert old.next_rows([3], "go").tolist() == [4]


def test_an_action_taken_once_is_named_as_saying_nothing():
    taken = np.zeros(19, int)
    taken[7] = 1
    est = ARE().fit(bent(), side=side_of((np.arange(20), taken)))
    assert "Taken once only, and so without a say: back." in est.notes_


def test_an_action_that_leads_two_ways_is_named_as_a_contradiction():
    rows = np.concatenate([np.arange(20), [0, 5]])
    taken = np.concatenate([np.zeros(19, int), [1, 0]])
    # Go leads from 0 to 1 and to 5, and to 5 from 4 and from 0
    est = ARE().fit(bent(), side=side_of((rows, taken)))
    assert "contradict each other: 2 pairs" in " ".join(est.notes_)


def test_steps_that_cannot_all_be_equal_collapse_and_it_says_so():
    # 'go' swaps near and far places at random: the only isometry that does that has all of them in
    # one place.
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.permutation(12) for _ in range(12)])
    rows = rows[np.append(True, np.diff(rows) != 0)]
    est = ARE().fit(rng.normal(size=(12, 8)), side=side_of((rows, np.zeros(len(rows) - 1, int))))
    assert "contradict each other" in " ".join(est.notes_)


def test_frames_without_overlap_are_told_to_be_too_rough():
    est = ARE().fit(np.random.default_rng(0).normal(size=(20, 200)), side=AHEAD)
    assert "stop growing after 1 step" in " ".join(est.notes_)


def test_equal_frames_are_refused():
    with pytest.raises(DataError, match="1 are different"):
        ARE().fit(np.ones((20, 3)), side=AHEAD)


def test_without_actions_it_asks_for_them():
    with pytest.raises(MissingLabels, match="Mark the actions"):
        ARE().fit(bent())


def test_too_many_instances_are_refused_with_the_alternative(monkeypatch):
    monkeypatch.setattr(are, "_LIMIT", 10)
    with pytest.raises(TooLarge, match="instances of the tracks only"):
        ARE().fit(bent(), side=AHEAD)


def test_live_embeddings_show_every_instance(monkeypatch):
    monkeypatch.setattr(are, "_PREVIEW_EVERY", -1.0)
    seen = []
    ARE().fit(bent(), side=AHEAD, monitor=Watch(on_partial=seen.append))
    assert seen[-1].shape == (20, 2)


def test_slack_lets_neighbors_part_and_proves_nothing():
    est = ARE(slack=0.5).fit(bent(), side=AHEAD)
    assert est.spectrum_.sum() > ARE().fit(bent(), side=AHEAD).spectrum_.sum()
    assert np.isnan(est.certificate_)


def test_a_small_track_reaches_the_optimum_of_a_convex_solver():
    cvxpy = pytest.importorskip("cvxpy")
    X, n = bent(12), 12
    est = ARE(tolerance=1e-6, max_iter=50_000).fit(
        X, side=side_of((np.arange(12), np.zeros(11, int)))
    )
    K = cvxpy.Variable((n, n), PSD=True)
    D2 = np.square(cdist(X, X))
    apart = cvxpy.reshape(cvxpy.diag(K), (n, 1), order="C") @ np.ones((1, n))
    apart = apart + apart.T - 2 * K
    near = [(i, j) for i in range(n) for j in range(i + 1, min(i + 3, n))]
    held = [apart[i, j] <= D2[i, j] for i, j in near]
    held += [apart[i + 1, j + 1] == apart[i, j] for i in range(n - 1) for j in range(i + 1, n - 1)]
    problem = cvxpy.Problem(cvxpy.Maximize(cvxpy.trace(K)), [*held, cvxpy.sum(K) == 0])
    problem.solve(solver="SCS", eps=1e-6)
    assert est.spectrum_.sum() == pytest.approx(problem.value, rel=2e-3)


def test_a_small_track_is_proved_to_be_the_best_there_is():
    est = ARE(tolerance=1e-7, max_iter=100_000, max_pairs=30).fit(
        bent(12), side=side_of((np.arange(12), [0] * 11))
    )
    assert est.certificate_ > -1e-3
    assert "The optimum is proved" in " ".join(est.notes_)


def test_the_way_from_one_frame_to_another_is_planned(line):
    est = ARE().fit(line.X, side=line.side)
    assert est.plan(3, 8) == ("forward",) * 5
    assert est.plan(30, 26) == ("back",) * 4


def share_right(walked, follow):
    steps = Steps.of(walked.side.sequences)
    return answered(steps, walked.places, walked.result, follow)


def test_what_follows_is_told_in_more_dimensions_than_the_map_shows():
    walked = walk("letter", texture(2.2, seed=3))
    est = ARE(n_components=2).fit(walked.X, side=walked.side)
    names = est.actions_.tolist()
    assert share_right(walked, lambda rows, a: est.next_rows(rows, names[a])) > 0.95
    assert asked(est, walked) < 0.85  # on the map, of this draw
    assert est.model_.shape == (45, 15)
    np.testing.assert_array_equal(est.model_[:, :2], est.embedding_)


def test_motions_act_in_as_many_dimensions_as_tell_steps_that_were_left_out():
    walked = walk("letter", texture(2.2, seed=4))
    est = ARE(n_components=2).fit(walked.X, side=walked.side)

    def moved(motions, Z):
        return lambda rows, a: cdist(motions[a](Z[rows]), Z).argmin(axis=1)

    on_map = operators(est.embedding_, Steps.of(walked.side.sequences), est.actions_.tolist())
    assert share_right(walked, moved(est.operators(), est.places)) > 0.85
    assert share_right(walked, moved(on_map, est.embedding_)) < 0.7  # of this draw
    assert est.motion_dimensions_ == est.places.shape[1] > 2


def test_the_dimensions_of_motions_may_be_given():
    assert ARE(motion_dimensions=3).fit(bent(), side=AHEAD).operators()[0].turn.shape == (3, 3)


def test_parts_that_are_embedded_apart_have_no_model_beyond_the_map():
    X = np.vstack([bent(), bent() + 100])
    both = side_of((np.arange(20), np.zeros(19, int)), (np.arange(20, 40), np.zeros(19, int)))
    est = ARE(components="per-component").fit(X, side=both)
    np.testing.assert_array_equal(est.model_, est.embedding_)
