"""SOM: a lattice in the order of the data."""

import numpy as np
import pytest

from emberscope.embedding.principal.lattice import lattice, nearest_nodes, sides, sums_per_node
from emberscope.embedding.principal.som import SOM

FRAME = np.linalg.qr(np.random.default_rng(2).normal(size=(4, 2)))[0]
SQUARE = np.random.default_rng(0).uniform(size=(600, 2)) @ FRAME.T


def test_a_chain_on_a_line_is_in_order():
    rng = np.random.default_rng(1)
    x = rng.uniform(size=(200, 1))
    est = SOM(n_components=1, n_nodes=15).fit(np.hstack([x, x]))
    steps = np.diff(est.prototypes_[:, 0])
    assert len(set(np.sign(steps))) == 1  # up or down, but never back


def test_on_a_square_neighbors_touch_and_the_error_falls_at_the_end():
    est = SOM(n_nodes=100).fit(SQUARE)
    assert est.topographic_error_ < 0.1
    assert (np.diff(est.history_[-5:]) < 0).all()


def test_the_order_of_the_instances_does_not_matter():
    rng = np.random.default_rng(1)
    order = rng.permutation(len(SQUARE))
    Z = SOM(n_nodes=36).fit(SQUARE).embedding_
    np.testing.assert_allclose(SOM(n_nodes=36).fit(SQUARE[order]).embedding_, Z[order], atol=1e-9)


def test_instances_lie_between_nodes_not_on_them():
    est = SOM(n_nodes=36).fit(SQUARE)
    assert len(np.unique(est.embedding_.round(6), axis=0)) > 500


def test_a_stranger_is_far_from_its_prototype():
    est = SOM(n_nodes=36).fit(np.vstack([SQUARE, SQUARE[:1] + 5]))
    assert est.distance_.argmax() == 600


def test_two_clusters_are_parted_by_a_ridge():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(100, 3)), rng.normal(size=(100, 3)) + 12])
    est = SOM(n_nodes=60).fit(X)
    assert est.u_matrix_.max() > 3 * np.median(est.u_matrix_)


def test_features_at_a_node_are_its_prototype():
    est = SOM(n_nodes=36).fit(SQUARE)
    np.testing.assert_allclose(est.inverse_transform(est.places_), est.prototypes_, atol=1e-4)


@pytest.mark.parametrize("topology", ["hexagon", "torus"])
def test_other_lattices_order_the_square_too(topology):
    # of this draw; six others: 0.0 to 0.40
    assert SOM(n_nodes=64, topology=topology).fit(SQUARE).topographic_error_ < 0.4


def test_nearest_nodes_are_those_of_all_distances_written_out():
    rng = np.random.default_rng(1)
    W = rng.normal(size=(9, 4))
    far = np.square(SQUARE[:50, None] - W).sum(axis=2)
    node, dist = nearest_nodes(SQUARE[:50], W, 3)
    assert np.array_equal(node, np.argsort(far, axis=1)[:, :3])
    np.testing.assert_allclose(dist, np.sort(far, axis=1)[:, :3], atol=1e-12)


def test_sums_per_node_count_every_instance_once():
    counts, sums = sums_per_node(np.array([[1.0], [2.0], [4.0]]), np.array([2, 0, 2]), 3)
    assert counts.tolist() == [1, 0, 2]
    assert sums.tolist() == [[2.0], [0.0], [5.0]]


def test_a_lattice_has_its_edges_ribs_and_triangles():
    grid = lattice((3, 2))
    assert len(grid.edges) == 7
    assert grid.ribs.tolist() == [[0, 2, 4], [1, 3, 5]]
    assert len(grid.simplices) == 4


def test_sides_follow_the_spread_of_the_data():
    rng = np.random.default_rng(1)
    long, short = sides(rng.normal(size=(200, 3)) * [4, 1, 0.1], 100, 2)
    assert long > 3 * short
