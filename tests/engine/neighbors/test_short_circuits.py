"""Edges that jump between folds: fired at k = 12, silent at 11, judged by their harm."""

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.neighbors.geodesics import geodesics
from emberscope.neighbors.graph import Neighbors, knn, listed_edges, neighborhood_graph
from emberscope.neighbors.short_circuits import _flows, _largest_difference, short_circuits


def roll(n, seed, noise):
    """A flat Swiss roll, uniform in arc length: (X, flat coordinates)."""
    rng = np.random.default_rng(seed)
    t = np.linspace(1.5 * np.pi, 4.5 * np.pi, 20_000)
    arc = np.concatenate([[0], np.cumsum(np.hypot(np.diff(t * np.cos(t)), np.diff(t * np.sin(t))))])
    s = rng.uniform(0, arc[-1], n)
    t = np.interp(s, arc, t)
    h = rng.uniform(0, 30, n)
    X = np.column_stack([t * np.cos(t), h, t * np.sin(t)])
    return X + noise * np.random.default_rng(seed + 1000).normal(size=X.shape), np.column_stack(
        [s, h]
    )


def circle(n, seed, noise=0.05):
    rng = np.random.default_rng(seed)
    t = rng.uniform(0, 2 * np.pi, n)
    return np.column_stack([np.cos(t), np.sin(t)]) + noise * rng.normal(size=(n, 2))


def jumps(edges, flat, X):
    """Which edges join places of the flat sheet that are much farther apart than they are long."""
    i, j = edges.T
    return np.linalg.norm(flat[i] - flat[j], axis=1) > 2 * np.linalg.norm(X[i] - X[j], axis=1) + 3


@pytest.mark.parametrize("seed", [3, 29, 35, 36])
def test_it_fires_at_12_neighbors_and_is_silent_at_11(seed):
    X, flat = roll(1000, seed, 0.3)
    neighbors = knn(X, 12)
    assert not len(short_circuits(X, neighbors.first(11)))
    found = short_circuits(X, neighbors)
    truth = listed_edges(neighbors)[0]
    assert sorted(map(tuple, found.edges)) == sorted(map(tuple, truth[jumps(truth, flat, X)]))
    assert found.safe_k == 11
    assert (found.detour > 5).all()


def test_dozens_of_jumps_are_all_found_and_nothing_else():
    X, flat = roll(1000, 3, 0.3)
    neighbors = knn(X, 20)
    found, truth = short_circuits(X, neighbors), listed_edges(neighbors)[0]
    assert jumps(found.edges, flat, X).all()
    assert len(found) == jumps(truth, flat, X).sum() == 54


@pytest.mark.parametrize("seed", [1, 2])
def test_it_is_silent_on_clean_rolls(seed):
    X, _ = roll(1000, seed, 0.0)
    assert not len(short_circuits(X, knn(X, 8)))


@pytest.mark.parametrize("dim", [2, 10])
def test_it_is_silent_on_a_cloud(dim):
    X = np.random.default_rng(0).normal(size=(600, dim))
    assert not len(short_circuits(X, knn(X, 12)))


@pytest.mark.parametrize(("seed", "k"), [(1, 8), (1, 12), (4, 8), (11, 12)])
def test_a_noisy_circle_is_not_cut_open(seed, k):
    """Sampled thinly at one place, it is closed there by a few edges: without them the way is all
    around."""
    X = circle(200, seed)
    assert not len(short_circuits(X, knn(X, k)))


def test_a_jump_across_a_loop_is_found_and_the_loop_left_closed():
    X = circle(200, 1, noise=0.01)
    neighbors = knn(X, 8)
    low, high = X[:, 1].argmin(), X[:, 1].argmax()
    neighbors.idx[low, -1] = high
    neighbors.dist[low, -1] = 0.1  # as if seen from the side
    assert short_circuits(X, neighbors).edges.tolist() == [sorted([low, high])]


def test_the_advice_names_k_and_the_way_out():
    X, _ = roll(1000, 29, 0.3)
    advice = short_circuits(X, knn(X, 12)).advice
    assert advice == (
        "k = 12 makes 3 edges that seem to jump between folds and shorten the paths by 16%; try k "
        "= 11, or remove them."
    )


def test_nothing_found_is_no_advice():
    assert short_circuits(np.eye(3), knn(np.eye(3), 2)).advice == ""


def test_a_radius_is_advised_in_its_own_words():
    X, _ = roll(1000, 3, 0.3)
    found = short_circuits(X, knn(X, 30), radius=5.6)
    assert found.advice.startswith("A radius of 5.6 makes")
    assert "try one below 5." in found.advice


def test_removing_them_restores_the_paths():
    X, flat = roll(1000, 3, 0.3)
    found = short_circuits(X, knn(X, 12))
    i, j = found.edges[0]
    cut = neighborhood_graph(X, knn(X, 12), without=found.edges[:, ::-1])
    assert cut.lengths[i, j] == 0
    along = np.linalg.norm(flat[i] - flat[j])
    assert geodesics(cut.lengths, sources=np.array([i]))[0, j] == pytest.approx(along, rel=0.2)


def test_it_stops_when_asked():
    X, _ = roll(200, 3, 0.3)
    with pytest.raises(Cancelled):
        short_circuits(X, knn(X, 12), monitor=Watch(stop=lambda: True))


def test_flow_counts_the_paths_over_an_edge():
    X = np.random.default_rng(0).normal(size=(50, 3))
    graph = neighborhood_graph(X, knn(X, 4)).lengths
    D, before = dijkstra(graph, return_predecessors=True)
    naive = np.zeros((50, 50))
    for s in range(50):
        for v in range(50):
            while v != s:
                naive[v, before[s, v]] += 1
                v = before[s, v]
    i, j = (ends.astype(np.int64) for ends in graph.tocoo().coords)
    flow = _flows(graph.indptr, graph.indices, graph.data, D, np.argsort(D, axis=1), i, j)
    np.testing.assert_array_equal(flow, (naive + naive.T)[i, j])


def test_the_bound_skips_what_cannot_be_reached():
    D = np.array([[0, np.inf, np.inf], [3, np.inf, 1]], np.float32)
    assert _largest_difference(D, np.array([0]), np.array([1])).tolist() == [3]


def test_a_graph_in_parts_is_no_trouble():
    X = np.vstack([roll(300, 3, 0.3)[0], np.random.default_rng(0).normal(size=(60, 3)) + 1e3])
    assert np.isfinite(short_circuits(X, knn(X, 8)).change)


def test_two_rows_have_no_jump():
    assert not len(
        short_circuits(np.eye(2), Neighbors(np.array([[1], [0]], np.int32), np.ones((2, 1))))
    )
