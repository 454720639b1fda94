"""S-LE: its equations, and the accuracies measured on the quadratic surfaces."""

from itertools import product

import numpy as np
import pytest

from emberscope.base.errors import TooLarge
from emberscope.datasets.surfaces import quadratic_surfaces
from emberscope.embedding.spectral.laplacian_eigenmaps import LaplacianEigenmaps
from emberscope.embedding.supervised import s_le as module
from emberscope.embedding.supervised.label_graphs import adaptive_graphs, knn_graphs
from emberscope.embedding.supervised.s_le import SLE, supervised_modes
from emberscope.evaluate.knn import knn_classify
from emberscope.neighbors import spectral
from emberscope.neighbors.graph import knn


@pytest.fixture(scope="module", params=["separable", "crossing"])
def surfaces(request):
    """Half of 2 x 1000 points to fit, half to test."""
    X, y = quadratic_surfaces(kind=request.param)
    order = np.random.default_rng(1).permutation(2000)
    return request.param, X[order[:1000]], y[order[:1000]], X[order[1000:]], y[order[1000:]]


def held_out_accuracy(est, X, y, X_test, y_test):
    est.fit(X, y)
    return (knn_classify(est.embedding_, y, est.transform(X_test))[0] == y_test).mean()


@pytest.mark.parametrize("weights", ["even", "print"])
def test_one_axis_separates_unseen_points_of_both_surfaces(surfaces, weights):
    kind, *parts = surfaces
    gate = {"separable": 0.99, "crossing": 0.97}[kind]
    assert held_out_accuracy(SLE(n_components=1, weights=weights), *parts) >= gate


def test_one_axis_of_the_unsupervised_method_does_not(surfaces):
    kind, *parts = surfaces
    unsupervised = LaplacianEigenmaps(n_components=1, n_neighbors=30)
    assert held_out_accuracy(unsupervised, *parts) <= {"separable": 0.90, "crossing": 0.65}[kind]


def test_the_training_classes_have_a_gap_on_the_first_axis(surfaces):
    _, X, y, *_ = surfaces
    z = SLE(n_components=1).fit(X, y).embedding_[:, 0]
    a, b = z[y > 0], z[y < 0]
    assert max(a.min() - b.max(), b.min() - a.max()) > 0


def small(seed=0, n=40):
    X, y = quadratic_surfaces(n // 2, kind="crossing", seed=seed)
    return X, y.astype(int)


def pencil(X, y, mode, gamma, *, even):
    beta = X.var(axis=0).sum()
    if mode == "adaptive":
        W, B = adaptive_graphs(X, y, beta, even=even)
    else:
        W, B = (graph.toarray() for graph in knn_graphs(X, y, knn(X, 8), beta, even=even))
    return W, gamma * (np.diag(B.sum(axis=1)) - B) + (1 - gamma) * W, B


def test_adaptive_graphs_follow_the_definition_pair_by_pair():
    X, y = small(n=14)
    W, B = adaptive_graphs(X, y, 3.0)
    n = len(X)
    s = np.array([[np.exp(-np.square(a - b).sum() / 3.0) for b in X] for a in X])
    mean = [sum(s[i, j] for j in range(n) if j != i) / (n - 1) for i in range(n)]
    for i in range(n):
        for j in range(n):
            near = s[i, j] > mean[i] or s[j, i] > mean[j]
            joined = i == j or (near and y[i] == y[j])
            assert W[i, j] == pytest.approx(s[i, j] if joined else 0)
            assert B[i, j] == (1 if near and y[i] != y[j] else 0)


@pytest.mark.parametrize("weights", ["even", "print"])
@pytest.mark.parametrize("mode", ["adaptive", "knn"])
def test_the_equations_hold(mode, weights):
    X, y = small()
    W, B, _ = pencil(X, y, mode, 0.1, even=weights == "even")
    est = SLE(n_components=3, neighborhood=mode, n_neighbors=8, weights=weights).fit(X, y)
    D = np.diag(W.sum(axis=1))
    Z = est.embedding_
    assert est.residual_ < 1e-8
    np.testing.assert_allclose(
        B @ Z, D @ Z * est.eigenvalues_, atol=1e-8 * np.abs(Z).max() * np.abs(D).max()
    )
    np.testing.assert_allclose(Z.T @ D @ Z / np.trace(D), np.eye(3), atol=1e-8)
    np.testing.assert_allclose(D.sum(axis=0) @ Z, 0, atol=1e-8 * np.trace(D))  # no constant part
    # The constant vector has eigenvalue 1 - gamma
    np.testing.assert_allclose(B.sum(axis=1), 0.9 * D.sum(axis=1))


@pytest.mark.parametrize("mode", ["adaptive", "knn"])
def test_lanczos_and_the_dense_solver_agree(mode, monkeypatch):
    X, y = small(n=80)
    dense = SLE(neighborhood=mode, n_neighbors=8).fit(X, y)
    monkeypatch.setattr(spectral, "DENSE_LIMIT", 10)
    lanczos = SLE(neighborhood=mode, n_neighbors=8).fit(X, y)
    np.testing.assert_allclose(lanczos.eigenvalues_, dense.eigenvalues_)
    np.testing.assert_allclose(
        lanczos.embedding_, dense.embedding_, atol=1e-6 * np.abs(dense.embedding_).max()
    )


def far_classes():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(20, 2)), rng.normal(size=(30, 2)) + 100])
    return X, np.repeat([1, -1], [20, 30])


def test_without_any_push_the_first_axis_is_the_class():
    X, y = far_classes()
    est = SLE(n_components=2, gamma=0.0, neighborhood="knn", n_neighbors=10).fit(X, y)
    z = est.embedding_[:, 0]
    assert np.ptp(z[y > 0]) < 1e-8
    assert np.ptp(z[y < 0]) < 1e-8
    assert abs(z[0] - z[-1]) > 1


def test_far_classes_without_any_between_edge_still_give_the_class_first():
    X, y = far_classes()
    X = np.vstack([X, X[y > 0] + [0, 500]])  # targets fall into two components
    y = np.concatenate([y, np.ones(20, int)])
    est = SLE(n_components=3, neighborhood="knn", n_neighbors=5).fit(X, y)
    np.testing.assert_allclose(est.eigenvalues_[:2], 0.9)
    z = est.embedding_[:, 0]
    assert np.ptp(z[y > 0]) < 1e-8
    assert np.ptp(z[y < 0]) < 1e-8
    assert np.array_equal(
        est.embedding_, SLE(n_components=3, neighborhood="knn", n_neighbors=5).fit(X, y).embedding_
    )


def test_swapped_labels_give_the_same_picture():
    X, y = small()
    Z, swapped = SLE().fit(X, y).embedding_, SLE().fit(X, -y).embedding_
    np.testing.assert_allclose(swapped, Z, atol=1e-8 * np.abs(Z).max())


def test_three_classes_are_kept_apart():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 2, 3], 30)
    X = rng.normal(size=(90, 3)) + 3 * np.eye(3)[y - 1]
    Z = SLE(gamma=0.1).fit(X, y).embedding_
    centers = np.stack([Z[y == c].mean(axis=0) for c in (1, 2, 3)])
    nearest = np.linalg.norm(Z[:, None] - centers[None], axis=2).argmin(axis=1) + 1
    assert (nearest == y).mean() > 0.95  # six other draws: 1.0


def test_an_unknown_instance_is_neutral_and_lands_among_its_likes():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 4])
    truth = np.repeat([1, -1], 40)
    y = np.where(np.arange(80) % 4 == 0, 0, truth)
    W, B = adaptive_graphs(X, y, 8.0, unknown=knn(X, 6))
    assert (B[y == 0] == 0).all()
    assert ((W > 0)[y == 0].sum(axis=1) >= 7).all()  # its 6 neighbors and itself
    est = SLE(n_components=1, n_neighbors=6).fit(X, y)
    unknown = y == 0
    predicted = knn_classify(est.embedding_[~unknown], y[~unknown], est.embedding_[unknown])[0]
    assert (predicted == truth[unknown]).mean() > 0.9


def test_axes_on_a_few_instances_are_noted():
    X, y = small(n=400)
    est = SLE(gamma=0.9, weights="print").fit(X, y)
    assert est.participation_.min() < 0.05  # six other draws: 2.5e-3 to 3.5e-3
    assert "smaller push" in est.notes_[-1]


def test_even_weights_are_the_similarity_between_and_the_mean_of_the_row_for_oneself():
    X, y = small(n=14)
    printed_within, printed_between = adaptive_graphs(X, y, 3.0)
    within, between = adaptive_graphs(X, y, 3.0, even=True)
    squared = np.square(X[:, None] - X[None]).sum(axis=2)
    np.testing.assert_allclose(between, printed_between * np.exp(-squared / 3.0))
    for i, row in enumerate(printed_within):
        others = np.delete(row, i)
        np.testing.assert_allclose(np.delete(within[i], i), others)
        assert within[i, i] == pytest.approx(others[others > 0].mean() if others.any() else 1.0)


def test_outliers_among_many_features_do_not_take_the_axes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 50))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:4] *= 3
    # Six other draws: 0.11 to 0.21
    assert SLE(n_components=3).fit(X, y).participation_.min() > 0.05
    # six other draws: 5.0e-3 to 5.1e-3
    assert SLE(n_components=3, weights="print").fit(X, y).participation_.max() < 0.05


def test_all_pairs_of_too_many_instances_are_refused_with_the_alternative(monkeypatch):
    monkeypatch.setattr(module, "ADAPTIVE_LIMIT", 30)
    X, y = small()
    with pytest.raises(TooLarge, match="knn neighborhood"):
        SLE(neighborhood="adaptive").fit(X, y)


def test_the_neighborhood_changes_by_itself_for_many_instances(monkeypatch):
    X, y = small()
    knn_mode = SLE(neighborhood="knn", n_neighbors=8).fit(X, y).embedding_
    monkeypatch.setattr(module, "PAIRS_LIMIT", 30)
    np.testing.assert_allclose(
        SLE(n_neighbors=8).fit(X, y).embedding_, knn_mode, atol=1e-6 * np.abs(knn_mode).max()
    )


def test_all_axes_of_a_tiny_problem_can_be_had():
    X, y = small(n=6)
    W, _, B = pencil(X, y, "adaptive", 0.1, even=False)
    values, Z, residual = supervised_modes(W, B, y, gamma=0.1, m=5)
    assert Z.shape == (6, 5)
    assert residual < 1e-8
    assert (np.diff(values) <= 1e-9).all()


def drawn_labels(y, weight):
    """Every way in which some labels are known and the others not, with its probability."""
    for known in product([True, False], repeat=len(y)):
        known = np.array(known)
        p = np.where(known, weight, 1 - weight).prod()
        if p > 0:
            yield p, np.where(known, y, 0)


@pytest.mark.parametrize("mode", ["adaptive", "knn"])
def test_graphs_of_soft_labels_are_the_expected_ones(mode):
    X, y = small(n=8)
    weight = np.array([0.3, 1.0, 0.8, 0.5, 1.0, 0.9, 0.1, 0.6])
    neighbors = knn(X, 3)

    def graphs(y, weight=None):
        if mode == "adaptive":
            return np.array(adaptive_graphs(X, y, 9.0, unknown=neighbors, weight=weight))
        return np.array(
            [graph.toarray() for graph in knn_graphs(X, y, neighbors, 9.0, weight=weight)]
        )

    expected = sum(p * graphs(drawn) for p, drawn in drawn_labels(y, weight))
    np.testing.assert_allclose(graphs(y, weight), expected, atol=1e-12)


@pytest.mark.parametrize("weights", ["even", "print"])
@pytest.mark.parametrize("mode", ["adaptive", "knn"])
def test_soft_graphs_are_symmetric_to_the_bit(mode, weights):
    X, y = small()
    weight, even = np.random.default_rng(3).uniform(0, 1, 40), weights == "even"
    if mode == "adaptive":
        graphs = adaptive_graphs(X, y, 9.0, even=even, unknown=knn(X, 6), weight=weight)
    else:
        graphs = [
            graph.toarray() for graph in knn_graphs(X, y, knn(X, 6), 9.0, even=even, weight=weight)
        ]
    for graph in graphs:
        np.testing.assert_array_equal(graph, graph.T)


@pytest.mark.parametrize("weights", ["even", "print"])
@pytest.mark.parametrize("mode", ["adaptive", "knn"])
def test_the_constant_vector_is_known_and_the_pencil_definite_with_soft_labels_too(mode, weights):
    X, y = small(n=60)
    soft = y * np.random.default_rng(3).uniform(0.05, 1, 60)
    est = SLE(n_components=3, neighborhood=mode, n_neighbors=8, weights=weights).fit(X, soft)
    assert est.residual_ < 1e-8
    assert np.abs(est.embedding_).max() < 1e3  # six other draws: 1.81 to 5.31


@pytest.mark.parametrize("mode", ["adaptive", "knn"])
def test_whole_soft_labels_are_whole_labels_to_the_bit(mode):
    X, y = small()
    y[::4] = 0
    whole = SLE(neighborhood=mode, n_neighbors=8).fit(X, y).embedding_
    np.testing.assert_array_equal(
        SLE(neighborhood=mode, n_neighbors=8).fit(X, y.astype(float)).embedding_, whole
    )


def test_a_hardly_known_label_is_an_unknown_one():
    X, y = small()
    unknown, hardly = np.where(np.arange(40) % 4, y, 0), np.where(np.arange(40) % 4, y, -1e-9 * y)
    Z = SLE(n_neighbors=8).fit(X, unknown).embedding_
    np.testing.assert_allclose(
        SLE(n_neighbors=8).fit(X, hardly).embedding_, Z, atol=1e-5 * np.abs(Z).max()
    )


def test_a_weak_wrong_label_does_less_harm_than_a_sure_one():
    X, y = quadratic_surfaces(200, seed=2)
    wrong = np.arange(400) % 10 == 0
    right = []
    for strength in (0.01, 0.99):
        Z = (
            SLE(n_components=1, n_neighbors=10)
            .fit(X, np.where(wrong, -strength * y, 0.99 * y))
            .embedding_
        )
        right.append((knn_classify(Z[~wrong], y[~wrong], Z[wrong])[0] == y[wrong]).mean())
    assert right[0] > 0.9  # of this draw; six others: 0.80 to 0.90
    assert right[1] < 0.5


def test_copies_with_labels_of_different_weight_are_different_instances():
    X, y = small()
    est = SLE().fit(np.vstack([X, X[:2]]), np.concatenate([0.5 * y, [0.5 * y[0], 0.9 * y[1]]]))
    assert est.notes_ == ["1 of 42 instances are exact copies of others."]


@pytest.mark.parametrize("mode", ["adaptive", "knn"])
def test_the_order_of_soft_labels_does_not_matter(mode):
    X, y = small(n=60)
    soft = y * np.random.default_rng(3).uniform(0.1, 1, 60)
    order = np.random.default_rng(1).permutation(60)
    Z = SLE(neighborhood=mode, n_neighbors=8).fit(X, soft).embedding_
    moved = SLE(neighborhood=mode, n_neighbors=8).fit(X[order], soft[order]).embedding_
    np.testing.assert_allclose(np.abs(moved), np.abs(Z[order]), atol=1e-6 * np.abs(Z).max())
