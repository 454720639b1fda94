"""Neighbors by distances that are given."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from emberscope.base.errors import Cancelled, DataError
from emberscope.base.monitor import Watch
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.graph import knn, neighborhood_graph, within_radius
from emberscope.neighbors.search import neighbors_by, neighbors_listed

TABLE = np.array([[0, 4, 1, 4], [4, 0, 4, 9], [1, 4, 0, 9], [4, 9, 9, 0]], float)


def plain(X):
    return Distances(cdist(X.astype(float), X.astype(float), "sqeuclidean"))


def test_they_come_by_distance_then_by_row_and_none_is_itself():
    found = neighbors_by(Distances(TABLE), 3)
    assert found.idx.tolist() == [[2, 1, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
    assert found.dist.tolist() == [[1, 2, 2], [2, 2, 3], [1, 2, 3], [2, 3, 3]]
    assert found.dist.dtype == np.float32


def test_new_instances_list_known_ones():
    found = neighbors_listed(np.array([[9.0, 0.0, 4.0]]), 2)
    assert (found.idx.tolist(), found.dist.tolist()) == ([[1, 2]], [[0, 2]])


@pytest.mark.parametrize("k", [0, 4])
def test_no_more_neighbors_than_others(k):
    with pytest.raises(DataError, match=f"{k} neighbors wanted among 4"):
        neighbors_by(Distances(TABLE), k)


@pytest.mark.parametrize("seed", range(3))
def test_by_the_distances_of_rows_lists_and_bridges_are_those_of_rows(seed):
    X = np.random.default_rng(seed).normal(size=(40, 3)).astype(np.float32)
    X[:9] += 20
    X[30:] -= 20
    by_rows, given = knn(X, 4), neighbors_by(plain(X), 4)
    np.testing.assert_array_equal(given.idx, by_rows.idx)
    np.testing.assert_allclose(given.dist, by_rows.dist, rtol=1e-6)
    expected, found = neighborhood_graph(X, by_rows), neighborhood_graph(X, given)
    assert expected.n_components > 2
    np.testing.assert_array_equal(found.bridges, expected.bridges)
    np.testing.assert_allclose(found.lengths.toarray(), expected.lengths.toarray(), rtol=1e-6)


def test_within_a_radius_all_are_listed():
    assert within_radius(np.zeros((4, 1), np.float32), 2.0, distances=Distances(TABLE)).k == 3


def test_some_keep_their_distances():
    assert Distances(TABLE).take(np.array([3, 0])).squared.tolist() == [[0, 4], [4, 0]]
    whole = Distances(TABLE)
    assert whole.take(np.arange(4)) is whole


def test_the_search_can_be_canceled():
    with pytest.raises(Cancelled):
        neighbors_by(Distances(TABLE), 1, monitor=Watch(stop=lambda: True))
