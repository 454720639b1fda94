"""The graph of neighbors of a run."""

import numpy as np

from emberscope.findings.maps.graph import edges_of, edges_within, parts_of, way_between

CHAIN = np.array([[0, 1], [1, 2], [2, 3], [5, 6]])


def test_a_pair_is_joined_once_where_one_is_near_the_other():
    assert edges_of(np.array([[1, 2], [0, 2], [1, 0]]), 1).tolist() == [[0, 1], [1, 2]]


def test_a_radius_joins_those_no_farther_apart():
    neighbors, far = np.array([[1, 2], [0, 2], [1, 0]]), np.array([[1, 3], [1, 2], [2, 3.0]])
    assert edges_within(neighbors, far, 2.0).tolist() == [[0, 1], [1, 2]]
    assert edges_within(neighbors, far, 0.5).tolist() == []


def test_the_parts_of_a_graph_are_counted():
    assert parts_of(CHAIN, 7) == (3, 4)


def test_the_way_of_fewest_steps_has_both_ends():
    assert way_between(CHAIN, 7, 3, 0).tolist() == [3, 2, 1, 0]


def test_there_is_no_way_between_two_parts():
    assert way_between(CHAIN, 7, 0, 6).tolist() == []
