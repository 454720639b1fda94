"""pOLE: LPP at p = 2, monotone in every stage, robust against wrong edges; edges within bags and
between labels."""

import numpy as np
import pytest
from scipy.linalg import eigh, subspace_angles
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist, squareform

from emberscope.bags.model import Bags
from emberscope.base.errors import Cancelled, DataError, TooLarge
from emberscope.base.monitor import Silent, Watch
from emberscope.embedding.linear.lpp import LPP
from emberscope.mil.reduction.pole import POLE, bag_affinity, lost_note, sides, weakened
from emberscope.mil.reduction.reweighted import STAGES, power_axes
from emberscope.neighbors.duplicates import distinct_rows


def full_graph(A):
    squared = cdist(A, A, "sqeuclidean")
    S = np.exp(-squared / np.median(squared[squared > 0]))
    np.fill_diagonal(S, 0)
    return S


def clusters(seed, n=200, d=20, k=5):
    rng = np.random.default_rng(seed)
    label = np.arange(n) % k
    return 3 * rng.normal(size=(k, d))[label] + rng.normal(size=(n, d)), label


def wrong_edges(A, share, seed):
    """The 10-NN graph in which a share of the edges is replaced by random pairs."""
    rng = np.random.default_rng(seed)
    n = len(A)
    squared = cdist(A, A, "sqeuclidean")
    near = np.argsort(squared, axis=1)[:, 1:11]
    pairs = np.stack([np.repeat(np.arange(n), 10), near.ravel()], axis=1)
    wrong = rng.random(len(pairs)) < share
    pairs[wrong, 1] = rng.integers(n, size=wrong.sum())
    S = np.zeros((n, n))
    S[pairs[:, 0], pairs[:, 1]] = 1
    S = np.maximum(S, S.T)
    np.fill_diagonal(S, 0)
    return csr_array(S)


def scatter_ratio(Z, label):
    centers = np.stack([Z[label == c].mean(axis=0) for c in np.unique(label)])
    within = np.square(Z - centers[label]).sum()
    return np.square(centers[label] - Z.mean(axis=0)).sum() / within


def degree_scatter(A, S, mean):
    weights = S.sum(axis=1) / S.sum()
    return ((A - mean) * weights[:, None]).T @ (A - mean)


def naive(A, S, r, p, rounds=3000):
    """The objective of pOLE with a pair loop's worth of dense algebra, annealed the same way, run
    to the end."""
    weights = S.sum(axis=1) / S.sum()
    S = S / S.sum()
    C = A - weights @ A
    B = np.linalg.inv(np.linalg.cholesky((C * weights[:, None]).T @ C)).T
    Y = C @ B

    def axes(w):
        return eigh(Y.T @ (np.diag(w.sum(axis=1)) - w) @ Y)[1][:, :r]

    V = axes(S)
    unit = cdist(Y @ V, Y @ V, "sqeuclidean")[S > 0].mean()
    for share in STAGES:
        for _ in range(rounds // 10):
            V = axes(p / 2 * S * (cdist(Y @ V, Y @ V, "sqeuclidean") + share * unit) ** (p / 2 - 1))
    return B @ V


def test_power_2_is_lpp_by_the_generalized_eigenproblem_in_one_step():
    A, _ = clusters(0, n=60, d=6)
    S = full_graph(A)
    found = power_axes(A, csr_array(S), 3, p=2.0)
    D = np.diag(S.sum(axis=1))
    C = A - found.mean
    axes = eigh(C.T @ (D - S) @ C, C.T @ D @ C)[1][:, :3]
    assert subspace_angles(found.W, axes).max() < 1e-6
    assert found.n_iter <= 2


@pytest.mark.parametrize("p", [0.1, 0.5, 1.0, 1.5, 1.8])
@pytest.mark.parametrize("seed", range(3))
def test_the_smoothed_objective_never_rises_within_a_stage(p, seed):
    A, _ = clusters(seed, n=60)
    found = power_axes(A, wrong_edges(A, 0.3, seed), 3, p=p)
    for stage in range(len(STAGES)):
        values = found.history[found.stage == stage]
        assert len(values) > 1
        assert (np.diff(values) <= 1e-12 * values[:-1]).all()


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0])
def test_coordinates_are_orthonormal_under_the_degrees_of_the_graph(p):
    A, _ = clusters(1, n=60)
    S = full_graph(A)
    found = power_axes(A, csr_array(S), 4, p=p)
    np.testing.assert_allclose(
        found.W.T @ degree_scatter(A, S, found.mean) @ found.W, np.eye(4), atol=1e-8
    )


def test_the_estimator_has_the_same_unit():
    A, _ = clusters(1, n=60)
    Z = POLE(n_components=3).fit(A).embedding_
    assert 0.5 < Z.var() < 2


def test_ten_instances_of_300_features_give_nine_axes_none_constant():
    A = np.random.default_rng(0).normal(size=(10, 300))
    found = power_axes(A, csr_array(full_graph(A)), 20, p=1.0)
    assert found.W.shape == (300, 9)
    assert found.rank == 9
    assert ((A - found.mean) @ found.W).std(axis=0).min() > 0.1  # six other draws: 0.98 to 0.99


def test_the_start_is_all_there_is_where_all_directions_are_wanted():
    A = np.random.default_rng(0).normal(size=(6, 20))
    assert power_axes(A, csr_array(full_graph(A)), 5, p=0.5).n_iter == 0


def test_coincident_rows_are_finite():
    A = np.repeat(np.random.default_rng(0).normal(size=(8, 30)), 4, axis=0)
    found = power_axes(A, csr_array(np.ones((32, 32)) - np.eye(32)), 3, p=0.1)
    assert np.isfinite(found.W).all()
    assert np.isfinite(found.history).all()


def test_sparse_and_dense_algebra_agree():
    A, _ = clusters(2, n=40, d=5)
    S = full_graph(A)
    S[S < 0.3] = 0
    found = power_axes(A, csr_array(S), 2, p=1.0, tol=1e-12, max_iter=2000)
    assert subspace_angles(found.W, naive(A, S, 2, 1.0)).max() < 1e-4


def test_near_power_1_wrong_edges_cost_less_than_with_squares():
    gains = []
    for seed in range(4):
        A, label = clusters(seed)
        S = wrong_edges(A, 0.3, seed)
        one, two = (power_axes(A, S, 4, p=p) for p in (1.0, 2.0))
        gains.append(scatter_ratio(A @ one.W, label) / scatter_ratio(A @ two.W, label))
    assert np.mean(gains) >= 1.04  # six other draws: 1.27 to 1.55


def test_a_row_without_edges_takes_no_part_and_is_mapped_all_the_same():
    A, _ = clusters(3, n=40, d=5)
    S = full_graph(A)
    far = np.vstack([A, np.full((1, 5), 1e3)])
    apart = power_axes(far, csr_array(np.pad(S, (0, 1))), 2, p=1.0)
    np.testing.assert_allclose(apart.W, power_axes(A, csr_array(S), 2, p=1.0).W, atol=1e-8)


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_the_ridge_keeps_axes_away_from_directions_without_spread(p):
    rng = np.random.default_rng(0)
    A = np.hstack([rng.normal(size=(40, 3)), 1e-4 * rng.normal(size=(40, 60))])
    S = csr_array(full_graph(A))
    length = [np.linalg.norm(power_axes(A, S, 2, p=p, ridge=rho).W[3:]) for rho in (0.0, 0.01)]
    assert length[0] > 100
    assert length[1] < 10


def test_random_starts_never_end_higher():
    A, _ = clusters(4, n=60)
    S = wrong_edges(A, 0.5, 0)
    assert (
        power_axes(A, S, 3, p=0.3, n_restarts=3).history[-1]
        <= power_axes(A, S, 3, p=0.3).history[-1]
    )


@pytest.mark.parametrize("settings", [{}, {"sigma": 3.0}, {"supervision": 0.9}])
def test_at_power_2_it_is_lpp(settings):
    A, label = clusters(5, n=80, d=6)
    y = np.where(label < 2, 1, -1)
    lpp = LPP(n_components=3, n_neighbors=10, ridge=0.0, **settings).fit(A, y)
    pole = POLE(n_components=3, p=2.0, standardize=False, **settings).fit(A, y)
    assert subspace_angles(lpp.components_, pole.components_).max() < 1e-6
    np.testing.assert_allclose(np.abs(pole.embedding_), np.abs(lpp.embedding_), atol=1e-6)


def test_an_instance_far_from_all_others_does_not_take_an_axis_for_itself():
    A, _ = clusters(5, n=200, d=6)
    Z = POLE().fit(np.vstack([A, 30 * np.eye(6)])).embedding_
    assert np.abs(Z).max() < 10 * np.median(np.abs(Z), axis=0).min()


def test_instances_that_only_rounding_tells_apart_are_copies():
    A = np.column_stack([np.arange(40.0) % 10, np.arange(40.0) % 5, 1e12 + 1e-3 * np.arange(40)])
    est = POLE().fit(A)
    assert np.isfinite(est.embedding_).all()
    assert any("30 of 40 instances are exact copies" in note for note in est.notes_)


def test_order_of_bags_and_instances_does_not_matter():
    A, _ = clusters(6, n=60, d=6)
    bag, labels = np.arange(60) // 6, np.where(np.arange(10) < 5, 1, -1)
    settings = {"same_bag": 0.5, "supervision": 0.9}
    Z = POLE(**settings).fit(A, bags=Bags.from_column(bag, labels)).embedding_
    rng = np.random.default_rng(0)
    rows, bags = rng.permutation(60), rng.permutation(10)
    other = POLE(**settings).fit(
        A[rows], bags=Bags.from_column(bags[bag[rows]], labels[np.argsort(bags)])
    )
    np.testing.assert_allclose(other.embedding_, Z[rows], atol=1e-6)


def test_without_labels_asked_for_bags_and_y_change_nothing():
    A, label = clusters(7, n=60, d=6)
    plain = POLE().fit(A)
    labeled = POLE().fit(
        A, np.where(label < 2, 1, -1), bags=Bags.from_column(np.arange(60) // 6, np.ones(10))
    )
    assert np.array_equal(plain.embedding_, labeled.embedding_)
    assert not plain.reads_labels
    assert POLE(supervision=0.9).reads_labels


def test_pairs_within_a_bag_are_edges_once_even_where_bags_overlap():
    A = np.array([[0.0], [1.0], [3.0], [9.0]])
    bags = Bags.from_lists([[0, 1, 2], [1, 2]], np.array([1, -1]))
    S = bag_affinity(A, bags, np.arange(4), n_neighbors=10).toarray()  # median of 1, 4, 9
    squared = squareform([1.0, 9.0, np.inf, 4.0, np.inf, np.inf])
    np.testing.assert_allclose(S, np.where(np.eye(4), 0, np.exp(-squared / 4)))


def test_a_large_bag_gets_the_nearest_pairs_only():
    A = np.arange(40.0)[:, None]
    S = bag_affinity(
        A, Bags.from_lists([np.arange(40)], np.array([1])), np.arange(40), n_neighbors=2
    )
    assert S.nnz == 2 * (39 + 2)  # a line, and at its ends the second neighbor


def test_bags_tell_which_axis_keeps_their_instances_together():
    rng = np.random.default_rng(0)
    A = np.column_stack([np.repeat(rng.normal(size=20), 3), rng.normal(size=60)])  # bag, nuisance
    bags = Bags.from_column(np.arange(60) // 3, np.zeros(20))
    loadings = np.abs(POLE(n_components=1, same_bag=0.9).fit(A, bags=bags).components_[:, 0])
    assert loadings[1] < 0.1 * loadings[0]


def side_of(background, target, bag_labels, y=None):
    """Sides of 40 background instances in 4 negative bags, then of a positive bag of background and
    of targets."""
    A = np.vstack([background, target])
    bag = np.concatenate([np.arange(40) // 10, np.full(len(A) - 40, 4)])
    return sides(A, distinct_rows(A), y, Bags.from_column(bag, bag_labels), 5, Silent())


def test_a_positive_bag_counts_as_target_only_where_background_is_rare():
    background = np.random.default_rng(0).uniform(size=(50, 2))
    found = side_of(background, [[3, 3], [3.1, 3]], np.array([-1, -1, -1, -1, 1]))
    assert (found[:40] == -1).all()
    assert (found[50:] == 1).all()
    assert (found[40:50] == 0).mean() >= 0.8  # six other draws: 0.80 to 1.0


def test_a_known_negative_is_background_wherever_it_lies():
    y = np.zeros(52, int)
    y[51] = -1
    background = np.random.default_rng(0).uniform(size=(50, 2))
    found = side_of(background, [[3, 3], [9, 9]], np.array([-1, -1, -1, -1, 1]), y)
    assert found[50:].tolist() == [1, -1]


def test_an_axis_of_single_instances_is_noted():
    A = np.random.default_rng(0).normal(size=(200, 20))
    rare = np.hstack([A, np.eye(200, 20)])  # 20 features that one instance each has
    assert any("fewer than 5 instances" in note for note in POLE(p=1.0).fit(rare).notes_)
    assert not POLE(p=2.0).fit(rare).notes_


def test_edges_between_opposite_sides_are_weakened_only():
    S = csr_array(np.ones((3, 3)) - np.eye(3))
    found = weakened(S, np.array([1, -1, 0]), 0.1).toarray()
    assert found.tolist() == [[0, 0.1, 1], [0.1, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize("settings", [{"same_bag": 0.5}, {"supervision": 0.5}])
def test_missing_bags_and_labels_are_noted(settings):
    A, _ = clusters(9, n=40, d=4)
    assert any("There are no" in note for note in POLE(**settings).fit(A).notes_)


def test_an_empty_bag_and_bags_of_one_have_no_edges():
    A, _ = clusters(9, n=40, d=4)
    bags = Bags.from_lists([[], [3], [5]], np.array([1, -1, 1]))
    est = POLE(same_bag=0.5).fit(A, bags=bags)
    assert np.array_equal(est.embedding_, POLE().fit(A).embedding_)


def test_parts_of_the_graph_are_noted():
    A, _ = clusters(0, n=40, d=4)
    assert any("2 components" in note for note in POLE().fit(np.vstack([A, A + 1e4])).notes_)


def test_too_few_steps_are_noted():
    A, _ = clusters(4, n=60)
    assert any("ran out" in note for note in POLE(p=0.2, max_iter=1).fit(A).notes_)


def test_bags_of_other_instances_are_refused():
    A, _ = clusters(0, n=40, d=4)
    with pytest.raises(DataError, match="names row 40"):
        POLE(same_bag=0.5).fit(A, bags=Bags.from_lists([[40]], np.array([1])))


def test_too_many_directions_are_refused_with_what_to_do(monkeypatch):
    monkeypatch.setattr("emberscope.mil.reduction.pole.LARGEST_RANK", 5)
    with pytest.raises(TooLarge, match="PCA"):
        POLE().fit(np.random.default_rng(0).normal(size=(20, 6)))


def test_the_steps_can_be_stopped():
    A, _ = clusters(0)
    seen = []
    watch = Watch(
        lambda fraction, message: seen.append(message), stop=lambda: "Reweighting, stage 2" in seen
    )
    with pytest.raises(Cancelled):
        POLE().fit(A, monitor=watch)


def lost(A, Z, label):
    bags = Bags.from_column(np.arange(len(A)) // 4, label)
    return lost_note(A, Z, bags)


def test_axes_that_mix_what_bag_labels_tell_apart_are_noted():
    rng = np.random.default_rng(0)
    label = np.where(np.arange(40) % 3, 1, -1)
    A = rng.normal(size=(160, 5)) + 3 * np.repeat(label, 4)[:, None]
    (note,) = lost(A, rng.normal(size=(160, 2)), label)
    assert note.startswith("These axes mix what bag labels tell apart")
    assert "1.00" in note
    assert lost(A, A[:, :2], label) == []


def test_labels_that_the_features_do_not_tell_are_none_that_axes_could_lose():
    rng = np.random.default_rng(0)
    label = np.where(np.arange(40) % 3, 1, -1)
    assert lost(rng.normal(size=(160, 5)), np.zeros((160, 2)), label) == []
    assert lost(rng.normal(size=(160, 5)), np.zeros((160, 2)), np.ones(40)) == []


def test_a_picture_without_the_class_says_so():
    rng = np.random.default_rng(0)
    label = np.where(np.arange(60) % 3, 1, -1)
    # Tells no label, and comes first
    place = 100.0 * rng.integers(0, 2, (240, 1)) + rng.normal(size=(240, 1))
    X = np.hstack([rng.normal(size=(240, 3)) + np.repeat(label, 4)[:, None], place])
    est = POLE(n_components=1, standardize=False).fit(
        X, bags=Bags.from_column(np.arange(240) // 4, label)
    )
    assert any("mix what bag labels tell apart" in note for note in est.notes_)
