"""SE-Isomap: its dissimilarities, and the accuracies measured on the quadratic surfaces."""

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist

from emberscope.base.errors import DataError, TooLarge
from emberscope.datasets.surfaces import quadratic_surfaces
from emberscope.embedding.distance.mds import classical_scaling
from emberscope.embedding.kernel.isomap import Isomap
from emberscope.embedding.supervised import se_isomap as module
from emberscope.embedding.supervised.dissimilarity import (
    Dissimilarity,
    Labeled,
    dissimilarity_graph,
    least_dissimilar,
    mean_distance,
    mean_squared_distance,
)
from emberscope.embedding.supervised.se_isomap import SEIsomap
from emberscope.evaluate.knn import knn_classify
from emberscope.neighbors.graph import knn, neighborhood_graph


def some(n=40, *, unknown=True, soft=False):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1, -1)
    if unknown:
        y[::5] = 0
    weight = (y != 0) * (rng.uniform(0.2, 0.9, n) if soft else 1.0)
    return Labeled(X, y, weight)


def all_pairs(data, rule):
    """(n, n) dissimilarities, infinite on the diagonal."""
    i, j = np.indices((len(data.U),) * 2)
    w = rule.between(data, i, j, cdist(data.U, data.U))
    np.fill_diagonal(w, np.inf)
    return w


@pytest.mark.parametrize(
    ("labels", "expected"),
    [((1, 1), np.sqrt(1 - np.exp(-0.5))), ((1, -1), np.exp(0.25) - 0.3),
     ((2, 3), np.exp(0.25) - 0.3),
     ((1, 0), np.sqrt(0.5)), ((0, 0), np.sqrt(0.5))],
)  # fmt: skip
def test_a_dissimilarity_is_the_printed_one(labels, expected):
    data = Labeled(np.array([[0.0], [1.0]]), np.array(labels), (np.array(labels) != 0) * 1.0)
    found = Dissimilarity(2.0, 0.3).between(data, np.array([0]), np.array([1]), np.array([1.0]))
    assert found[0] == pytest.approx(expected)


def test_weights_of_labels_go_from_labeled_to_unknown():
    data = Labeled(np.array([[0.0], [1.0]]), np.array([1, -1]), np.array([0.5, 0.8]))
    found = Dissimilarity(2.0, 0.3).between(data, np.array([0]), np.array([1]), np.array([1.0]))
    assert found[0] == pytest.approx(0.4 * (np.exp(0.25) - 0.3) + 0.6 * np.sqrt(0.5))


def test_huge_distances_and_copies_give_edges_that_are_numbers_and_not_0():
    data = Labeled(np.zeros((2, 1)), np.array([1, -1]), np.ones(2))
    i, j = np.array([0, 0, 0]), np.array([1, 1, 0])
    found = Dissimilarity(1.0, 1.0).between(data, i, j, np.array([1e9, 0.0, 0.0]))
    np.testing.assert_allclose(found, [np.exp(300), 1e-12, 1e-12])


def test_without_tolerance_every_edge_within_a_class_is_shorter_than_1_and_every_other_is_not():
    data = some(unknown=False)
    w = all_pairs(data, Dissimilarity(2.0, 0.0))
    same = data.label[:, None] == data.label
    assert w[same & np.isfinite(w)].max() < 1 <= w[~same].min()


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("unknown", [False, True])
def test_the_least_dissimilar_are_those_of_all_pairs(alpha, unknown):
    data, rule = some(unknown=unknown), Dissimilarity(2.0, alpha)
    found = least_dissimilar(data, rule, 6)
    w = all_pairs(data, rule)
    np.testing.assert_array_equal(
        np.sort(found.idx, axis=1), np.sort(np.argsort(w, axis=1)[:, :6], axis=1)
    )
    np.testing.assert_allclose(
        found.dist, np.take_along_axis(cdist(data.U, data.U), found.idx, axis=1)
    )


def test_all_others_can_be_listed():
    found = least_dissimilar(some(9), Dissimilarity(2.0, 0.3), 8)
    assert all(sorted([i, *row]) == list(range(9)) for i, row in enumerate(found.idx))


@pytest.mark.parametrize("soft", [False, True])
def test_the_graph_is_symmetric_to_the_bit(soft):
    data, rule = some(soft=soft), Dissimilarity(2.0, 0.3)
    W = dissimilarity_graph(data, rule, least_dissimilar(data, rule, 5))[0].toarray()
    np.testing.assert_array_equal(W, W.T)


def far_parts():
    """Two classes of 15 and 12 far apart, the second one in two places."""
    rng = np.random.default_rng(1)
    centers = np.repeat([[0, 0], [30, 30], [30, 60]], [15, 6, 6], axis=0)
    return Labeled(
        (rng.normal(size=(27, 2)) + centers) / 20, np.repeat([1, -1], [15, 12]), np.ones(27)
    )


def test_parts_are_joined_by_their_least_dissimilar_pairs():
    data, rule = far_parts(), Dissimilarity(1.0, 0.0)
    graph, component = dissimilarity_graph(data, rule, least_dissimilar(data, rule, 3))
    assert (np.bincount(component) == [15, 6, 6]).all()
    w, W = all_pairs(data, rule), graph.toarray()
    gaps = [[w[np.ix_(component == a, component == b)].min() for b in range(3)] for a in range(3)]
    bridges = sorted(W[np.triu((component[:, None] != component) & (W > 0))])
    # Two of them
    np.testing.assert_allclose(bridges, sorted([gaps[0][1], gaps[0][2], gaps[1][2]])[:2])


def test_joined_parts_are_noted():
    data = far_parts()
    est = SEIsomap(alpha=0.0, n_neighbors=3, beta=1.0).fit(data.U, data.label)
    assert any("3 components" in note for note in est.notes_)
    assert (np.bincount(est.component_) == [15, 6, 6]).all()


def test_one_class_and_a_wide_scale_is_isomap():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    data, rule = Labeled(X, np.ones(60, int), np.ones(60)), Dissimilarity(1e10, 0.3)
    graph = dissimilarity_graph(data, rule, least_dissimilar(data, rule, 8))[0]
    plain = neighborhood_graph(X, knn(X, 8)).lengths
    np.testing.assert_array_equal(graph.indices, plain.indices)
    np.testing.assert_allclose(graph.data * 1e5, plain.data, rtol=1e-6)


def test_unknown_instances_are_laid_out_as_by_isomap():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    y = np.zeros(80, int)
    y[:2] = 1, -1
    X[:2] += [[9, 0, 0], [-9, 0, 0]]  # no neighbors of each other, nor of a common third one
    found = SEIsomap(n_neighbors=8, neighbors="input").fit(X, y)
    assert procrustes(Isomap(n_neighbors=8).fit(X).embedding_, found.embedding_)[2] < 1e-6


def test_the_picture_is_classical_scaling_of_shortest_paths():
    X, y = quadratic_surfaces(30, kind="crossing")
    est = SEIsomap(n_components=3, n_neighbors=8).fit(X, y)
    data, rule = Labeled(X, y.astype(int), np.ones(60)), Dissimilarity(est.beta_, 0.3)
    w = all_pairs(data, rule)
    listed = w <= np.sort(w, axis=1)[:, 7:8]
    D = dijkstra(np.where(listed | listed.T, w, 0), directed=False)
    values, Z = classical_scaling(D, 3)
    np.testing.assert_allclose(est.eigenvalues_, values)
    np.testing.assert_allclose(est.embedding_, Z, atol=1e-8 * np.abs(Z).max())


def test_the_scale_is_the_mean_distance_or_the_mean_squared_distance():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 3))
    d = cdist(X, X)[np.triu_indices(50, 1)]
    assert mean_distance(X) == pytest.approx(d.mean())
    assert mean_squared_distance(X) == pytest.approx((d**2).mean())


def test_the_mean_square_scale_does_not_depend_on_units():
    X, y = quadratic_surfaces(40)
    Z = SEIsomap(scale="mean square").fit(X, y).embedding_
    np.testing.assert_allclose(
        SEIsomap(scale="mean square").fit(1000 * X, y).embedding_, Z, atol=1e-8 * np.abs(Z).max()
    )


def test_distances_far_beyond_beta_are_noted():
    X, y = quadratic_surfaces(40)
    assert any(
        "scale mean square" in note for note in SEIsomap(scale="mean").fit(1000 * X, y).notes_
    )
    assert not any("scale mean square" in note for note in SEIsomap(scale="mean").fit(X, y).notes_)


def test_where_the_mean_distance_would_be_no_scale_the_mean_squared_one_is_taken():
    X, y = quadratic_surfaces(40)
    est = SEIsomap().fit(1000 * X, y)
    assert est.beta_ == pytest.approx(mean_squared_distance(1000 * X))
    assert any("beta is the mean squared distance" in note for note in est.notes_)
    assert SEIsomap().fit(X, y).beta_ == pytest.approx(mean_distance(X))


def test_astronomical_coordinates_are_scaled_down_and_noted():
    X, y = quadratic_surfaces(20)
    est = SEIsomap(n_neighbors=5, alpha=0.0, scale="mean").fit(1e6 * X, y)
    assert np.abs(est.embedding_).max() == pytest.approx(1)
    assert any("scaled to at most 1" in note for note in est.notes_)


def test_swapped_labels_give_the_same_picture():
    X, y = quadratic_surfaces(40, kind="crossing")
    Z = SEIsomap(n_neighbors=8).fit(X, y).embedding_
    np.testing.assert_allclose(
        SEIsomap(n_neighbors=8).fit(X, -y).embedding_, Z, atol=1e-8 * np.abs(Z).max()
    )


def test_whole_soft_labels_are_whole_labels():
    X, y = quadratic_surfaces(40, kind="crossing")
    Z = SEIsomap(n_neighbors=8).fit(X, y).embedding_
    np.testing.assert_array_equal(SEIsomap(n_neighbors=8).fit(X, y.astype(float)).embedding_, Z)


def test_weaker_labels_bring_the_picture_nearer_to_the_one_without_labels():
    X, y = quadratic_surfaces(60, kind="crossing")
    plain = Isomap(n_neighbors=10).fit(X).embedding_
    differ = [
        procrustes(
            plain, SEIsomap(n_neighbors=10, neighbors="input").fit(X, strength * y).embedding_
        )[2]
        for strength in (0.02, 0.3, 1)
    ]
    assert differ[0] < differ[1] < differ[2]


def test_a_label_that_is_hardly_known_may_be_wrong():
    X, y = quadratic_surfaces(150)
    wrong = np.arange(300) % 10 == 0
    for strength, low, high in ((0.01, 0.85, 1.0), (0.99, 0.0, 0.5)):
        Z = SEIsomap(n_neighbors=15).fit(X, np.where(wrong, -strength * y, 0.99 * y)).embedding_
        right = (knn_classify(Z[~wrong], y[~wrong], Z[wrong])[0] == y[wrong]).mean()
        assert low <= right <= high


@pytest.fixture(scope="module", params=["separable", "crossing"])
def surfaces(request):
    X, y = quadratic_surfaces(kind=request.param)
    order = np.random.default_rng(1).permutation(2000)
    return request.param, X[order[:1000]], y[order[:1000]], X[order[1000:]], y[order[1000:]]


def held_out_accuracy(est, X, y, X_test, y_test):
    est.fit(X, y)
    return (knn_classify(est.embedding_, y, est.transform(X_test))[0] == y_test).mean()


def test_two_axes_separate_unseen_points_of_both_surfaces(surfaces):
    kind, *parts = surfaces
    assert held_out_accuracy(SEIsomap(), *parts) >= {"separable": 0.99, "crossing": 0.97}[kind]


def test_too_much_tolerance_collapses_them():
    X, y = quadratic_surfaces(300, kind="crossing")
    # six other draws: 0.64 to 0.74
    assert held_out_accuracy(SEIsomap(alpha=0.6), X[::2], y[::2], X[1::2], y[1::2]) <= 0.85


def test_landmarks_give_nearly_the_same_picture():
    X, y = quadratic_surfaces(150)
    exact = SEIsomap().fit(X, y)
    few = SEIsomap(n_landmarks=200).fit(X, y)
    assert procrustes(exact.embedding_, few.embedding_)[2] < 0.02
    assert any("200 landmarks" in note for note in few.notes_)


def test_paths_that_do_not_fit_are_refused_with_the_alternative(monkeypatch):
    monkeypatch.setattr(module, "_BYTES", 8 * 40 * 39)
    X, y = quadratic_surfaces(20)
    with pytest.raises(TooLarge, match="fewer landmarks"):
        SEIsomap().fit(X, y)


def test_equal_instances_of_two_classes_are_refused_in_words():
    with pytest.raises(DataError, match="the same"):
        SEIsomap(n_components=1).fit(np.ones((10, 2)), np.array([1, -1] * 5))
