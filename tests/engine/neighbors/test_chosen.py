"""Which pairs are edges: naive twins, what is refused, what is said."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from emberscope.base.errors import DataError, TooLarge
from emberscope.neighbors import graph as graph_module
from emberscope.neighbors.chosen import FULL_LIMIT, check_full, chosen_edges, full_note
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.graph import knn
from emberscope.neighbors.search import neighbors_by


def cloud(seed, dtype=np.float64):
    """50 points of a plane among five features that say nothing."""
    rng = np.random.default_rng(seed)
    return np.hstack([rng.normal(size=(50, 2)) * 3, rng.normal(size=(50, 5))]).astype(dtype)


def pairs(graph):
    i, j = graph.lengths.nonzero()
    return {(int(a), int(b)) for a, b in zip(i, j, strict=True)}


def listed(X, k):
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    near = np.argsort(D, axis=1, kind="stable")[:, :k]
    return {(i, int(j)) for i, row in enumerate(near) for j in row}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_mutual_neighbors_are_pairs_that_list_each_other(seed, dtype):
    X = cloud(seed, dtype)
    one_way = listed(X, 4)
    graph = chosen_edges(X, knn(X, 4), "mutual").graph(X)
    assert pairs(graph) == {(i, j) for i, j in one_way if (j, i) in one_way}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_edges_by_radius_are_all_pairs_within_it(seed):
    X = cloud(seed)
    near = cdist(X, X) <= 3.0
    np.fill_diagonal(near, False)
    graph = chosen_edges(X, knn(X, 4), "radius", 3.0).graph(X)
    assert pairs(graph) == set(zip(*(side.tolist() for side in np.nonzero(near)), strict=True))


def test_the_radius_is_by_itself_the_median_distance_to_the_last_neighbor():
    X = cloud(0)
    D = np.sort(cdist(X, X), axis=1)
    assert chosen_edges(X, knn(X, 4), "radius").radius == pytest.approx(np.median(D[:, 4]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_full_graph_has_the_length_of_every_pair(dtype):
    X = cloud(0, dtype)
    graph = chosen_edges(X, knn(X, 4), "full").graph(X)
    np.testing.assert_allclose(graph.lengths.toarray(), cdist(X, X), rtol=1e-12)
    assert graph.lengths.nnz == 50 * 49
    assert graph.n_components == 1


def test_given_distances_are_the_lengths_of_the_full_graph():
    X = cloud(0)
    given = Distances(np.square(cdist(X, X, "cityblock")))
    graph = chosen_edges(X, neighbors_by(given, 4), "full").graph(X)
    np.testing.assert_allclose(graph.lengths.toarray(), cdist(X, X, "cityblock"), rtol=1e-12)


def test_given_distances_decide_who_is_within_the_radius():
    X = cloud(0)
    D = cdist(X, X, "cityblock")
    graph = chosen_edges(X, neighbors_by(Distances(np.square(D)), 4), "radius", 5.0).graph(X)
    assert graph.lengths.nnz == np.count_nonzero((D > 0) & (D <= 5.0))


def test_all_pairs_of_too_many_instances_are_refused_with_what_they_take():
    with pytest.raises(TooLarge, match=r"all pairs of 6001 instances takes 3\.4 GB"):
        check_full(FULL_LIMIT + 1)


def test_what_all_pairs_take_is_said():
    assert full_note(1000) == "All 499500 pairs are edges, which takes about 95 MB."


def test_a_radius_below_every_distance_is_refused():
    X = cloud(0)
    with pytest.raises(DataError, match="no two instances are neighbors"):
        chosen_edges(X, knn(X, 4), "radius", 1e-6).graph(X, components="bridge")


def test_a_graph_of_too_many_parts_is_not_joined(monkeypatch):
    monkeypatch.setattr(graph_module, "MOST_PARTS", 3)
    X = np.array([[0.0], [1], [100], [101], [200], [201], [300], [301]])
    with pytest.raises(TooLarge, match="in 4 parts"):
        chosen_edges(X, knn(X, 1), "mutual").graph(X, components="bridge")
