"""Laplacian eigenmaps: closed forms and scikit-learn."""

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array
from sklearn.manifold import spectral_embedding

from emberscope.embedding.spectral.laplacian_eigenmaps import LaplacianEigenmaps, led_by_labels
from emberscope.embedding.spectral.modes import laplacian_modes, repetition
from emberscope.neighbors.graph import affinity, knn, neighborhood_graph


def test_a_ring_has_the_eigenvalues_of_the_cycle_and_is_a_circle():
    n = 50
    angle = 2 * np.pi * np.arange(n) / n
    est = LaplacianEigenmaps(n_neighbors=2, kernel="binary").fit(
        np.column_stack([np.cos(angle), np.sin(angle)])
    )
    # L v = l D v with D = 2 I: half of the unnormalised 2 - 2 cos.
    np.testing.assert_allclose(est.eigenvalues_, 1 - np.cos(2 * np.pi / n) * np.ones(2), atol=1e-10)
    radius = np.linalg.norm(est.embedding_, axis=1)
    assert radius.std() / radius.mean() < 1e-6
    assert "interchangeable" in est.notes_[0]


def test_it_equals_scikit_learn_on_the_same_affinities():
    X = np.random.default_rng(0).normal(size=(80, 3)) * [4, 2, 1]
    est = LaplacianEigenmaps(n_components=3).fit(X)
    neighbors = knn(X, 15)
    W = affinity(neighborhood_graph(X, neighbors), neighbors)
    oracle = spectral_embedding(
        W.toarray(), n_components=3, eigen_solver="lobpcg", eigen_tol=1e-10, random_state=0
    )
    for ours, theirs in zip(est.embedding_.T, oracle.T):
        assert abs(ours @ theirs) / np.linalg.norm(ours) / np.linalg.norm(theirs) == pytest.approx(
            1, abs=1e-6
        )


def test_columns_have_weighted_mean_0_and_variance_1():
    X = np.random.default_rng(0).normal(size=(80, 3))
    neighbors = knn(X, 15)
    degree = affinity(neighborhood_graph(X, neighbors), neighbors).sum(axis=1)
    Z = LaplacianEigenmaps().fit(X).embedding_
    np.testing.assert_allclose(degree @ Z / degree.sum(), 0, atol=1e-10)
    np.testing.assert_allclose(Z.T * degree @ Z / degree.sum(), np.eye(2), atol=1e-10)


def test_two_clusters_become_the_two_sides_of_the_first_axis():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 5)), rng.normal(size=(40, 5)) + 30])
    z = LaplacianEigenmaps(n_components=1).fit(X).embedding_[:, 0]
    assert len({*np.sign(z[:40])}) == len({*np.sign(z[40:])}) == 1
    assert np.sign(z[0]) != np.sign(z[40])


def test_a_given_width_is_used():
    X = np.random.default_rng(0).normal(size=(60, 2))
    values = [LaplacianEigenmaps(sigma=sigma).fit(X).eigenvalues_[0] for sigma in (0.2, 1e3)]
    binary = LaplacianEigenmaps(kernel="binary").fit(X).eigenvalues_[0]
    assert values[0] < values[1]
    assert values[1] == pytest.approx(binary, rel=1e-3)


@pytest.mark.parametrize("n", [50, 1500])
def test_rings_have_the_eigenvalues_of_the_cycle_whatever_the_solver(n):
    angle = 2 * np.pi * np.arange(n) / n
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    est = LaplacianEigenmaps(n_components=4, n_neighbors=2, kernel="binary").fit(X)
    expected = 1 - np.cos(2 * np.pi * np.array([1, 1, 2, 2]) / n)
    np.testing.assert_allclose(est.eigenvalues_, expected, atol=1e-10)


def test_a_path_has_the_modes_of_a_path():
    n = 40
    W = csr_array(diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[1, -1]))
    modes = laplacian_modes(W, 3)
    # The random walk on a path of n, reflected at the ends, is half of a cycle of 2 (n - 1).
    np.testing.assert_allclose(
        modes.values, 1 - np.cos(np.pi * np.arange(1, 4) / (n - 1)), atol=1e-10
    )


def sheet(n=600):
    """A flat strip ten times as long as wide."""
    return np.random.default_rng(0).uniform(size=(n, 2)) * [10, 1.5]


def test_independent_axes_skip_the_harmonics_of_a_long_sheet():
    X = sheet()
    plain = LaplacianEigenmaps(n_neighbors=10).fit(X)
    chosen = LaplacianEigenmaps(n_neighbors=10, independent=True).fit(X)
    # Six other draws: 4.7e-3 to 0.09
    assert abs(np.corrcoef(plain.embedding_[:, 1], X[:, 1])[0, 1]) < 0.2
    # Of this draw; six others: 0.34 to 0.66
    assert abs(np.corrcoef(chosen.embedding_[:, 1], X[:, 1])[0, 1]) > 0.7
    assert chosen.modes_[1] > 2
    assert any("only repeats earlier ones" in note for note in plain.notes_)
    assert any("repeat earlier ones" in note for note in chosen.notes_)


def test_a_circle_needs_both_of_its_modes():
    angle = np.random.default_rng(0).uniform(0, 2 * np.pi, 300)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    assert LaplacianEigenmaps(independent=True).fit(X).modes_.tolist() == [0, 1]


def test_the_parabola_of_an_axis_is_no_new_mode():
    x = np.linspace(-1, 1, 200)
    fresh = repetition(np.column_stack([x, x**2, np.random.default_rng(0).normal(size=200)]))
    assert fresh[0] == 1
    assert fresh[1] < 0.05
    assert fresh[2] > 0.9  # six other draws: 1.0


def touching():
    """Two classes in one cloud, cut by a straight line."""
    X = np.random.default_rng(0).uniform(-1, 1, size=(300, 2))
    return X, np.where(X[:, 0] + 0.5 * X[:, 1] > 0, 1, -1)


def test_supervision_parts_the_classes():
    X, y = touching()
    with_labels = LaplacianEigenmaps(n_components=1, supervision=1.0).fit(X, y).embedding_[:, 0]
    without = LaplacianEigenmaps(n_components=1).fit(X, y).embedding_[:, 0]

    def gap(z):
        return abs(z[y > 0].mean() - z[y < 0].mean()) / (z[y > 0].std() + z[y < 0].std())

    assert gap(with_labels) > 5 * gap(without)


def test_supervision_0_does_not_look_at_labels():
    X, y = touching()
    est = LaplacianEigenmaps()
    assert np.array_equal(est.fit(X, y).embedding_, LaplacianEigenmaps().fit(X).embedding_)
    assert not est.reads_labels
    assert LaplacianEigenmaps(supervision=0.5).reads_labels


def test_labels_of_weight_0_change_nothing_and_weak_ones_little():
    X, y = touching()
    W = affinity(neighborhood_graph(X, knn(X, 10)), knn(X, 10))
    assert (led_by_labels(W, y, np.zeros(300), 1.0) != W).nnz == 0
    strong, weak = (led_by_labels(W, y, np.full(300, w), 1.0) for w in (1.0, 0.1))
    assert abs(weak - W).sum() < 0.05 * abs(strong - W).sum()


def test_edges_within_a_class_grow_and_edges_between_classes_fade():
    W = csr_array(np.array([[0, 0.5, 0.5], [0.5, 0, 0], [0.5, 0, 0]]))
    led = led_by_labels(W, np.array([1, 1, -1]), np.ones(3), 0.5).toarray()
    assert led[0, 1] == pytest.approx(0.5**0.5)
    assert led[0, 2] == pytest.approx(0.25)


def test_supervision_without_labels_is_noted():
    est = LaplacianEigenmaps(supervision=0.5).fit(touching()[0])
    assert "There are no labels to use." in est.notes_


@pytest.mark.parametrize(
    "params", [{}, {"kernel": "binary"}, {"sigma": 0.3}], ids=["tuned", "binary", "width"]
)
def test_new_instances_follow_the_modes(params):
    X = sheet(900)
    est = LaplacianEigenmaps(n_neighbors=10, **params).fit(X[:800])
    whole = LaplacianEigenmaps(n_neighbors=10, **params).fit(X).embedding_
    for found, expected in zip(est.transform(X[800:]).T, whole[800:].T):
        assert abs(np.corrcoef(found, expected)[0, 1]) > 0.99  # six other draws: 0.9961 to 0.9999


def test_an_instance_far_from_all_gets_a_finite_place():
    est = LaplacianEigenmaps(sigma=0.1).fit(sheet(200))
    assert np.isfinite(est.transform(np.array([[1e3, 1e3]]))).all()


def test_components_drawn_apart_place_new_instances_by_reconstruction():
    X = np.vstack([sheet(60), sheet(80) + 100])
    est = LaplacianEigenmaps(components="per-component").fit(X)
    np.testing.assert_allclose(est.transform(X[:5]), est.embedding_[:5], atol=1e-9)
