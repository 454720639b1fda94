"""Components of a symmetric graph."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from emberscope.neighbors.components import components_of


def graph(n, *edges):
    i, j = np.array(edges, int).reshape(-1, 2).T
    ones = np.ones(2 * len(i), np.float32)
    return csr_array((ones, (np.concatenate([i, j]), np.concatenate([j, i]))), shape=(n, n))


def test_rows_that_edges_join_are_one_component_counted_by_their_first_rows():
    assert components_of(graph(6, (0, 4), (4, 2), (3, 5))).tolist() == [0, 1, 0, 2, 0, 2]


def test_an_edge_that_does_not_join_parts_them():
    W = graph(3, (0, 1), (1, 2))
    assert components_of(W, np.array([True, True, False, False])).tolist() == [0, 0, 1]


@pytest.mark.parametrize("edges", [0, 100, 200, 400])
def test_components_are_those_of_scipy(edges):
    rng = np.random.default_rng(edges)
    W = graph(300, *rng.integers(0, 300, (edges, 2)))
    np.testing.assert_array_equal(components_of(W), connected_components(W, directed=False)[1])
