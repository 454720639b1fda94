"""Elastic maps and principal curves: between the plane and the points."""

import numpy as np
import pytest
from scipy.io import loadmat
from scipy.optimize import minimize
from scipy.stats import spearmanr

from emberscope.embedding.linear.pca import PCA
from emberscope.embedding.principal.elastic import project, relax, smooth_places
from emberscope.embedding.principal.elastic_map import ElasticMap
from emberscope.embedding.principal.lattice import lattice, nearest_nodes, on_principal_plane
from emberscope.embedding.principal.principal_curve import PrincipalCurve

T, H = np.random.default_rng(0).uniform(-3, 3, 500), np.random.default_rng(2).uniform(0, 2, 500)
STRIP = np.column_stack([T, H, np.sin(T)])


def test_a_stiff_sheet_is_the_principal_plane():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4)) * [4, 2, 0.5, 0.2]
    W = ElasticMap(bend=1e9, n_nodes=36).fit(X).prototypes_
    plane = np.linalg.svd(W - W.mean(axis=0), full_matrices=False)[2][:2]
    assert np.linalg.svd(plane @ PCA().fit(X).components_)[1].min() > np.cos(np.radians(1))


def test_without_springs_the_nodes_are_the_means_of_their_instances():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2))
    W, _ = relax(
        X,
        on_principal_plane(X, lattice((3, 3))),
        lattice((3, 3)),
        stretch=0.0,
        bend=0.0,
        max_iter=200,
    )
    node = nearest_nodes(X, W)[0][:, 0]
    for k in np.unique(node):
        np.testing.assert_allclose(W[k], X[node == k].mean(axis=0), atol=1e-6)


def test_the_energy_never_rises():
    grid = lattice((6, 4))
    assert (
        np.diff(
            relax(STRIP, on_principal_plane(STRIP, grid), grid, stretch=0.01, bend=0.1)[1]
        ).max()
        <= 1e-12
    )


def test_a_strip_with_waves_is_followed_within_its_noise():
    rng = np.random.default_rng(1)
    noise = 0.05
    est = ElasticMap(n_nodes=150, bend=0.001, stretch=0.001).fit(
        STRIP + noise * rng.normal(size=STRIP.shape)
    )
    assert np.sqrt(np.square(est.distance_).mean()) < 1.2 * noise


def test_the_picture_has_units_of_the_features():
    Z = ElasticMap(n_nodes=150, bend=0.001, stretch=0.001).fit(STRIP).embedding_
    way = 2 * np.trapezoid(np.sqrt(1 + np.cos(np.linspace(0, 3, 400)) ** 2), np.linspace(0, 3, 400))
    assert np.ptp(Z[:, 0]) == pytest.approx(way, rel=0.1)
    assert abs(spearmanr(Z[:, 0], T)[0]) > 0.99  # six other draws: 0.999 to 0.9994


def test_a_place_of_the_map_gives_the_features_there():
    est = ElasticMap(n_nodes=150, bend=0.001, stretch=0.001).fit(STRIP)
    back = est.inverse_transform(est.embedding_)
    far = np.linalg.norm(back - STRIP, axis=1)
    # Beyond the border, where the net goes on straight, it is nearer
    assert (far < est.distance_ + 0.03).all()
    assert np.median(far) < 0.01


def test_faces_do_not_share_spots(shared_data):
    X = np.ascontiguousarray(loadmat(shared_data / "manifold" / "orl_32x32.mat")["X"], np.float64)
    Z = ElasticMap().fit(X).embedding_
    assert len(np.unique(np.round(Z / np.ptp(Z), 9), axis=0)) == 400


def test_instances_beyond_a_bend_or_the_end_keep_their_order():
    grid, W = lattice((3,)), np.array([[-1.0, -1], [0, 0], [1, -1]])
    beyond = np.array([[-0.4, 2], [-0.1, 2], [0, 2], [0.2, 2], [1.5, -1.5], [1.6, -1.6]])
    found = project(beyond, W, grid)
    assert found.places[:, 0].tolist() == [1, 1, 1, 1, 2, 2]
    places = smooth_places(beyond, W, grid, found)[:, 0]
    assert (np.diff(places) > 0).all()
    assert places[2] == 1
    assert np.abs(places - found.places[:, 0]).max() < 0.5


def test_on_flat_ground_places_stay():
    rng = np.random.default_rng(1)
    grid = lattice((3, 4))
    X = rng.uniform(0.1, 1.9, size=(20, 2))
    found = project(X, grid.places, grid)
    np.testing.assert_allclose(smooth_places(X, grid.places, grid, found), X, atol=1e-9)


@pytest.mark.parametrize("shape", [(7,), (4, 3)])
def test_projection_finds_the_nearest_point_of_the_simplices_at_the_nearest_node(shape):
    rng = np.random.default_rng(1)
    grid = lattice(shape)
    W = rng.normal(size=(len(grid.places), 3))
    X = rng.normal(size=(30, 3))
    found = project(X, W, grid)
    node = nearest_nodes(X, W)[0][:, 0]
    for n in range(30):
        own = [s for s in grid.simplices if node[n] in s]
        assert found.distance[n] == pytest.approx(min(_distance(X[n], W[s]) for s in own), abs=1e-5)
        corners = W[grid.simplices[found.simplex[n]]]
        assert np.linalg.norm(X[n] - found.weights[n] @ corners) == pytest.approx(
            found.distance[n], abs=1e-9
        )


def _distance(x, corners):
    """By a solver: barycentric weights from softmax-free bounded least squares."""
    k = len(corners)
    bounds, total = [(0, 1)] * k, {"type": "eq", "fun": lambda w: w.sum() - 1}
    best = minimize(
        lambda w: np.square(x - w @ corners).sum(),
        np.full(k, 1 / k),
        bounds=bounds,
        constraints=total,
        tol=1e-14,
    )
    return np.sqrt(best.fun)


def test_the_principal_curve_orders_an_arc_by_the_way_along_it():
    rng = np.random.default_rng(1)
    angle = rng.uniform(0, 4, 400)
    arc = 5 * np.column_stack([np.cos(angle), np.sin(angle)]) + 0.05 * rng.normal(size=(400, 2))
    est = PrincipalCurve(n_components=2).fit(arc)
    assert abs(spearmanr(est.embedding_[:, 0], angle)[0]) > 0.99  # six other draws: 0.9999
    assert np.ptp(est.embedding_[:, 0]) == pytest.approx(20, rel=0.1)


def test_a_straight_cloud_has_the_first_principal_component_as_its_curve():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3)) * [5, 0.1, 0.1]
    Z = PrincipalCurve(n_components=1, bend=100.0).fit(X).embedding_
    # Six other draws: 0.9999 to 1.0
    assert abs(np.corrcoef(Z[:, 0], PCA().fit(X).embedding_[:, 0])[0, 1]) > 0.999


def test_the_second_axis_is_what_lies_beside_the_curve():
    rng = np.random.default_rng(1)
    angle, beside = rng.uniform(0, 3, 400), rng.uniform(-1, 1, 400)
    X = np.column_stack([5 * np.cos(angle), 5 * np.sin(angle), beside])
    est = PrincipalCurve(n_components=2).fit(X)
    assert abs(spearmanr(est.embedding_[:, 1], beside)[0]) > 0.9  # six other draws: 0.96 to 0.99
