"""The shared kNN list, symmetric graphs, bridges and affinities."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist

from emberscope.base.errors import DataError
from emberscope.neighbors import graph as graph_module
from emberscope.neighbors.graph import (
    Neighbors,
    affinity,
    forget,
    knn,
    listed_edges,
    neighborhood_graph,
    remember,
    within_radius,
)

TWO_FAR = np.random.default_rng(0).normal(size=(50, 2)) + 100 * (np.arange(50)[:, None] >= 30)


@pytest.fixture(autouse=True)
def _no_memory_of_other_tests():
    forget()


def test_a_second_method_on_the_same_data_searches_no_more(monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 3))
    first = knn(X, 10)
    monkeypatch.setattr(graph_module, "neighbors_within", None)  # calling it would fail
    again = knn(X.copy(), 25)
    assert np.array_equal(again.idx[:, :10], first.idx)


def test_neighbors_found_elsewhere_can_be_handed_over():
    X = np.eye(4)
    given = Neighbors(np.array([[3], [3], [3], [0]], np.int32), np.ones((4, 1)))
    remember(X, given)
    assert np.array_equal(knn(X, 1).idx, given.idx)


def test_a_changed_value_is_other_data():
    X = np.random.default_rng(0).normal(size=(20, 2))
    before = knn(X, 1).idx[0, 0]
    X[before] += 100
    assert knn(X, 1).idx[0, 0] != before


@pytest.mark.parametrize(("limit", "searched"), [(100, 32), (10, 16)])
def test_a_few_more_neighbors_are_found_than_asked_for_and_fewer_where_they_are_dear(
    monkeypatch, limit, searched
):
    asked = []
    given = Neighbors(np.zeros((60, 32), np.int32), np.zeros((60, 32)))
    monkeypatch.setattr(graph_module, "exact_up_to", lambda k: limit)
    monkeypatch.setattr(
        graph_module, "neighbors_within", lambda X, k, monitor: asked.append(k) or given
    )
    assert knn(np.random.default_rng(0).normal(size=(60, 2)), 15).k == 15
    assert asked == [searched]


def test_the_memory_forgets_the_oldest_first(monkeypatch):
    monkeypatch.setattr(graph_module, "_BYTES", 1)
    knn(np.eye(5), 2)
    knn(np.eye(6), 2)
    assert len(graph_module._known) == 1


def test_k_beyond_the_rows_is_refused():
    with pytest.raises(DataError, match="from 1 to 4"):
        knn(np.eye(5), 5)


def line_graph(kind):
    X = np.array([[0.0], [1.0], [3.0]])  # 0 <-> 1, 2 -> 1
    return neighborhood_graph(X, knn(X, 1), kind=kind, components="keep")


def test_or_keeps_an_edge_that_one_side_lists():
    assert line_graph("or").lengths.toarray().tolist() == [[0, 1, 0], [1, 0, 2], [0, 2, 0]]


def test_and_keeps_only_mutual_edges():
    found = line_graph("and")
    assert found.lengths.toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert found.component.tolist() == [0, 0, 1]


def test_two_far_components_are_bridged_by_their_shortest_edge_and_reported():
    found = neighborhood_graph(TWO_FAR, knn(TWO_FAR, 5))
    assert connected_components(found.lengths, directed=False)[0] == 1
    assert np.bincount(found.component).tolist() == [30, 20]
    gaps = np.linalg.norm(TWO_FAR[:30, None] - TWO_FAR[None, 30:], axis=2)
    a, b = np.unravel_index(gaps.argmin(), gaps.shape)
    assert [a, b + 30] in found.bridges.tolist()
    assert 1 <= len(found.bridges) <= 3
    assert found.lengths[a, b + 30] == pytest.approx(gaps.min())
    assert "2 components (sizes 30, 20)" in found.notes[0]


def test_many_components_become_one_tree_of_bridges():
    centers = np.random.default_rng(3).uniform(0, 1000, (7, 3))
    X = (centers[:, None] + np.random.default_rng(4).normal(size=(7, 6, 3))).reshape(-1, 3)
    found = neighborhood_graph(X, knn(X, 3))
    assert found.n_components == 7
    assert connected_components(found.lengths, directed=False)[0] == 1
    between = {tuple(sorted(found.component[list(edge)])) for edge in found.bridges.tolist()}
    assert len(between) == 6


def test_a_connected_graph_gets_no_bridge_and_no_note():
    X = np.random.default_rng(0).normal(size=(50, 2))
    found = neighborhood_graph(X, knn(X, 12))
    assert len(found.bridges) == 0
    assert found.notes == []


def test_heat_affinities_follow_the_definition():
    X = np.array([[0.0], [1.0], [3.0]])
    neighbors = knn(X, 2)
    W = affinity(neighborhood_graph(X, neighbors), neighbors, sigma=2.0).toarray()
    np.testing.assert_allclose(W[0], [0, np.exp(-1 / 8), np.exp(-9 / 8)])
    tuned = affinity(neighborhood_graph(X, neighbors), neighbors, scale_neighbor=1).toarray()
    np.testing.assert_allclose(tuned[0], [0, np.exp(-1 / 1), np.exp(-9 / 2)])
    np.testing.assert_array_equal(tuned, tuned.T)


def test_a_bridge_is_as_weak_as_the_weakest_edge_at_its_ends():
    neighbors = knn(TWO_FAR, 5)
    found = neighborhood_graph(TWO_FAR, neighbors)
    W = affinity(found, neighbors)
    a, b = found.bridges[0]
    regular = [
        W[i, j]
        for i in (a, b)
        for j in W[[i]].indices
        if [min(i, j), max(i, j)] not in found.bridges.tolist()
    ]
    assert W[a, b] == pytest.approx(min(regular))


def test_binary_affinities_are_one():
    neighbors = knn(TWO_FAR, 3)
    assert set(
        affinity(neighborhood_graph(TWO_FAR, neighbors), neighbors, kernel="binary").data
    ) == {1.0}


def naive_tree(X, component):
    """Total length of the minimum spanning tree over components by their shortest gaps."""
    n = component.max() + 1
    gaps = np.array(
        [[cdist(X[component == a], X[component == b]).min() for b in range(n)] for a in range(n)]
    )
    return minimum_spanning_tree(gaps).sum()


def links(found, X):
    """The shortest bridge between each two components."""
    length = {}
    for a, b in found.bridges:
        key = tuple(sorted(found.component[[a, b]]))
        length[key] = min(length.get(key, np.inf), np.linalg.norm(X[a] - X[b]))
    return length


@pytest.mark.parametrize("limit", [30_000, 100])
def test_two_hundred_components_are_joined_by_the_shortest_tree(limit, monkeypatch):
    # Above it, the tree is chosen on principal axes
    monkeypatch.setattr(graph_module, "_EXACT_TREE", limit)
    rng = np.random.default_rng(0)
    centers = rng.uniform(0, 400, (200, 3)) @ np.linalg.qr(rng.normal(size=(60, 3)))[0].T
    X = np.repeat(centers, 6, axis=0) + 0.1 * rng.normal(size=(1200, 60))
    found = neighborhood_graph(X, knn(X, 5))
    length = links(found, X)
    assert found.n_components == 200
    assert len(length) == 199
    assert connected_components(found.lengths, directed=False)[0] == 1
    assert sum(length.values()) == pytest.approx(naive_tree(X, found.component), rel=1e-3)


def test_large_components_are_joined_from_representatives_nearly_as_shortly(monkeypatch):
    monkeypatch.setattr(graph_module, "_EXACT_TREE", 300)
    monkeypatch.setattr(graph_module, "_FEW_PAIRS", 0)
    rng = np.random.default_rng(0)
    X = np.vstack([rng.uniform(size=(600, 3)) * [9, 1, 1] + [0, 3 * c, 0] for c in range(6)])
    found = neighborhood_graph(X, knn(X, 8))
    length = links(found, X)
    assert found.n_components == 6
    assert connected_components(found.lengths, directed=False)[0] == 1
    assert sum(length.values()) == pytest.approx(naive_tree(X, found.component), rel=0.02)


def test_representatives_grow_with_the_number_of_components_not_of_rows():
    component = np.repeat([0, 1, 2], [40_000, 20, 5])
    rows = graph_module._representatives(component)
    assert np.bincount(component[rows])[1:].tolist() == [15, 5]
    assert 29_900 < len(rows) < 30_100
    assert (np.diff(component[rows]) >= 0).all()
    assert len(np.unique(rows)) == len(rows)


def test_small_blocks_find_the_same_bridges(monkeypatch):
    rng = np.random.default_rng(1)
    X = np.repeat(rng.uniform(0, 99, (9, 2)), 8, axis=0) + rng.normal(size=(72, 2))
    whole = neighborhood_graph(X, knn(X, 4)).bridges
    monkeypatch.setattr(graph_module, "_BLOCK", 100)
    assert np.array_equal(neighborhood_graph(X, knn(X, 4)).bridges, whole)


def test_components_are_numbered_by_size():
    X = np.concatenate([np.arange(5.0), 100 + np.arange(9.0), 300 + np.arange(7.0)])[:, None]
    assert (
        neighborhood_graph(X, knn(X, 1), components="keep").component.tolist()
        == [2] * 5 + [0] * 9 + [1] * 7
    )


def test_edges_can_be_left_out_in_either_direction():
    X = np.arange(4.0)[:, None]
    found = neighborhood_graph(X, knn(X, 1), without=np.array([[2, 3], [1, 0]]), components="keep")
    assert found.lengths.nnz == 2
    assert found.lengths[1, 2] == 1


def test_a_radius_makes_an_epsilon_graph():
    X = np.array([[0.0], [1.0], [1.5], [4.0]])
    found = neighborhood_graph(X, within_radius(X, 1.2), radius=1.2, components="keep")
    assert found.lengths.toarray().tolist() == [
        [0, 1, 0, 0],
        [1, 0, 0.5, 0],
        [0, 0.5, 0, 0],
        [0, 0, 0, 0],
    ]
    assert found.component.tolist() == [0, 0, 0, 1]


def test_a_radius_that_holds_more_than_the_cap_is_noted(monkeypatch):
    monkeypatch.setattr(graph_module, "RADIUS_CAP", 40)
    X = np.random.default_rng(0).uniform(size=(100, 2))
    found = neighborhood_graph(X, within_radius(X, 2.0), radius=2.0)
    assert found.n_capped == 100
    assert "100 instances have more than 40 others within the radius" in found.notes[0]
    assert np.diff(found.lengths.indptr).min() >= 40


def test_an_edge_appears_with_the_least_k_that_lists_it():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])  # 3 lists 2 first, 2 lists it last
    edges, lengths, rank = listed_edges(knn(X, 3))
    found = {tuple(edge): (length, k) for edge, length, k in zip(edges.tolist(), lengths, rank)}
    assert found[2, 3] == (4, 1)
    mutual = listed_edges(knn(X, 3), "and")
    assert mutual[2][mutual[0].tolist().index([2, 3])] == 3
