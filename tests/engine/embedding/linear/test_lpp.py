"""LPP and the eigenproblem it shares: identities, known subspaces, labels."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from scipy.sparse import csr_array

from emberscope.base.errors import DataError
from emberscope.embedding.linear.generalized import laplacian_form, least_axes, ratio_axes
from emberscope.embedding.linear.lpp import LPP
from emberscope.embedding.linear.pca import PCA
from emberscope.neighbors.graph import affinity, knn, neighborhood_graph

X = np.random.default_rng(0).normal(size=(40, 5)) * [3, 2, 1, 0.6, 0.3] + 10
Y = np.where(X[:, 4] > 10, 1, -1)


def graph_of(X, k=6):
    neighbors = knn(X, k)
    return affinity(neighborhood_graph(X, neighbors, components="keep"), neighbors)


def test_the_quadratic_form_is_half_the_weighted_sum_over_pairs():
    rng = np.random.default_rng(1)
    W, a = graph_of(X), rng.normal(size=5)
    z = X @ a
    pairs = 0.5 * (W.toarray() * (z[:, None] - z) ** 2).sum()
    assert a @ laplacian_form(X, X.mean(axis=0), W) @ a == pytest.approx(pairs, rel=1e-10)


def test_blocks_do_not_change_the_quadratic_form(monkeypatch):
    W, mean = graph_of(X), X.mean(axis=0)
    whole = laplacian_form(X, mean, W)
    monkeypatch.setattr("emberscope.embedding.linear.generalized.BLOCK", 90)
    monkeypatch.setattr("emberscope.embedding.linear.generalized._FEATURES", 90)
    np.testing.assert_allclose(laplacian_form(X, mean, W), whole)


def test_orthonormal_axes_of_the_complete_graph_are_the_minor_components():
    complete = csr_array(np.ones((40, 40)) - np.eye(40))
    mean = X.mean(axis=0)
    A = laplacian_form(X, mean, complete)
    values, axes = least_axes(A, (X - mean).T @ (X - mean), 2)
    pca = PCA(n_components=5).fit(X)
    np.testing.assert_allclose(axes, pca.components_[:, :2:-1], atol=1e-10)
    np.testing.assert_allclose(values, 40 * 39 * pca.explained_variance_[:2:-1])


def test_axes_solve_the_generalized_eigenproblem_without_a_ridge():
    est = LPP(n_neighbors=6, ridge=0.0).fit(X)
    W = graph_of(X)
    degree = np.asarray(W.sum(axis=1)).ravel()
    D, a = X - degree @ X / degree.sum(), est.components_
    left, right = laplacian_form(X, X.mean(axis=0), W) @ a, (D * degree[:, None]).T @ D @ a
    np.testing.assert_allclose(left, right * est.eigenvalues_, atol=1e-8 * np.abs(left).max())
    np.testing.assert_allclose((est.embedding_**2 * degree[:, None]).sum(axis=0) / degree.sum(), 1)


def test_a_linear_sheet_in_noise_is_found_within_a_degree():
    rng = np.random.default_rng(1)
    frame = np.linalg.qr(rng.normal(size=(10, 2)))[0]
    data = rng.uniform(-1, 1, size=(1500, 2)) @ frame.T + 0.01 * rng.normal(size=(1500, 10))
    # An axis may lean towards features that hardly vary; the directions its coordinates stand for
    # do not.
    directions = (data - data.mean(axis=0)).T @ LPP().fit(data).embedding_
    assert np.degrees(subspace_angles(directions, frame)).max() < 1


def test_a_constant_feature_adds_no_axis():
    more = np.hstack([X, np.full((40, 1), 7.0)])
    est, plain = LPP().fit(more), LPP().fit(X)
    np.testing.assert_allclose(est.components_[:5], plain.components_, atol=1e-8)
    np.testing.assert_allclose(est.components_[5], 0, atol=1e-10)


def test_the_origin_does_not_matter():
    np.testing.assert_allclose(LPP().fit(X + 100).embedding_, LPP().fit(X).embedding_, atol=1e-8)


def test_more_features_than_instances_give_the_same_picture_as_their_span():
    rng = np.random.default_rng(1)
    frame = np.linalg.qr(rng.normal(size=(60, 5)))[0]
    wide, plain = LPP().fit(X @ frame.T).embedding_, LPP().fit(X).embedding_
    for axis in range(2):
        assert abs(np.corrcoef(wide[:, axis], plain[:, axis])[0, 1]) > 1 - 1e-8


def test_a_ridge_keeps_directions_of_little_variance_back():
    A, B = np.diag([0.5, 0.4e-6]), np.diag([1.0, 1e-6])
    assert abs(ratio_axes(A, B, 1, smallest=True)[1][1, 0]) > 1
    assert abs(ratio_axes(A, B, 1, smallest=True, ridge=1e-4)[1][0, 0]) > 0.9


def test_orthogonal_axes_are_orthonormal():
    w = LPP(orthogonal=True, n_components=3).fit(X).components_
    np.testing.assert_allclose(w.T @ w, np.eye(3), atol=1e-12)


def test_full_supervision_removes_edges_between_classes_and_keeps_those_within():
    from emberscope.embedding.linear.lpp import without_false_edges

    W = csr_array(np.ones((4, 4)) - np.eye(4))
    cut = without_false_edges(W, np.array([1, 1, -1, 0]), np.array([1, 1, 0.5, 0]), 1.0).toarray()
    assert cut.tolist() == [[0, 1, 0.5, 1], [1, 0, 0.5, 1], [0.5, 0.5, 0, 1], [1, 1, 1, 0]]


def test_labels_turn_the_axes_only_with_supervision():
    assert not LPP().reads_labels
    assert LPP(supervision=0.1).reads_labels
    assert np.array_equal(LPP().fit(X, Y).embedding_, LPP().fit(X).embedding_)
    plain, led = LPP(n_components=1).fit(X, Y), LPP(n_components=1, supervision=1.0).fit(X, Y)

    def gap(est):
        z = est.embedding_[:, 0]
        return abs(z[Y > 0].mean() - z[Y < 0].mean())

    assert gap(led) > 2 * gap(plain)


def test_supervision_without_labels_is_noted():
    est = LPP(supervision=1.0).fit(X)
    assert "no labels" in est.notes_[0]
    assert np.array_equal(est.embedding_, LPP().fit(X).embedding_)


def test_labels_that_leave_no_edge_are_refused():
    pairs = np.repeat([[0.0, 0], [10, 0], [0, 10]], 2, axis=0) + [[0, 0], [1, 0]] * 3
    with pytest.raises(DataError, match="own class"):
        LPP(n_neighbors=1, supervision=1.0).fit(pairs, np.array([1, -1, 1, -1, 1, -1]))
