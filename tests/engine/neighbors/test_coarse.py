"""Groups of rows that stand for a large graph."""

import numpy as np
from scipy.sparse import csr_array, diags_array

from emberscope.neighbors.coarse import grouped


def ring(n):
    ones = np.ones(n - 1)
    return csr_array(diags_array([ones, ones, [1.0], [1.0]], offsets=[1, -1, n - 1, 1 - n]))


def test_affinities_between_groups_are_the_sums_over_their_members():
    W = ring(60)
    group, coarse = grouped(W)
    P = np.eye(coarse.shape[0])[group]
    np.testing.assert_allclose(coarse.toarray(), P.T @ W.toarray() @ P)


def test_every_row_is_in_a_group_with_a_neighbor():
    W = ring(61)
    group, coarse = grouped(W)
    assert (np.bincount(group) >= 2).all()
    assert 10 < coarse.shape[0] < 31


def test_a_hub_does_not_swallow_the_graph():
    n = 400
    star = np.zeros((n, n))
    star[0, 1:] = star[1:, 0] = 1
    group, _ = grouped(csr_array(ring(n) * 0.5 + star))
    assert np.bincount(group[1:]).max() < 40


def test_a_row_without_neighbors_is_a_group_of_its_own():
    group, coarse = grouped(csr_array(np.diag([0.0, 1.0, 0.0])))
    assert sorted(group) == [0, 1, 2]
    assert coarse.shape == (3, 3)
