"""Affinities of t-SNE: widths that give every instance the same perplexity."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from emberscope.embedding.layout.perplexity import conditional, joint
from emberscope.neighbors.search import Neighbors, neighbors_within

X = np.random.default_rng(0).normal(size=(150, 6))
LISTS = neighbors_within(X, 45)


def entropy(p):
    p = p.astype(np.float64)
    return -(p * np.log(p, where=p > 0, out=np.zeros(p.shape))).sum(axis=1)


@pytest.mark.parametrize("perplexity", [1.5, 5, 15, 40])
def test_every_row_has_the_perplexity_asked_for(perplexity):
    np.testing.assert_allclose(
        entropy(conditional(LISTS, perplexity)), np.log(perplexity), atol=1e-4
    )


def test_affinities_are_gaussian_in_the_distance():
    p = conditional(LISTS, 15).astype(np.float64)
    d2 = LISTS.dist.astype(np.float64) ** 2
    width = np.log(p[:, 0] / p[:, -1]) / (d2[:, -1] - d2[:, 0])
    np.testing.assert_allclose(p, p[:, :1] * np.exp(-width[:, None] * (d2 - d2[:, :1])), rtol=1e-4)


def test_joint_affinities_are_those_of_opentsne():
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    index = PrecomputedNeighbors(LISTS.idx.astype(np.int64), LISTS.dist)
    theirs = PerplexityBasedNN(perplexity=15, knn_index=index).P.toarray()
    np.testing.assert_allclose(joint(LISTS, 15).toarray(), theirs, atol=1e-4 * theirs.max())


def test_joint_affinities_are_symmetric_and_sum_to_one():
    P = joint(LISTS, 15)
    assert abs(P - P.T).max() == 0
    assert P.sum() == pytest.approx(1, abs=1e-5)
    assert P.has_sorted_indices


def test_the_unit_of_distance_does_not_matter():
    larger = Neighbors(LISTS.idx, LISTS.dist * 1e6)
    np.testing.assert_allclose(conditional(larger, 15), conditional(LISTS, 15), rtol=1e-5)


def test_neighbors_at_one_distance_share_equally():
    ring = Neighbors(np.arange(40, dtype=np.int32).reshape(4, 10), np.full((4, 10), 3.0))
    np.testing.assert_allclose(conditional(ring, 5), 0.1, rtol=1e-6)


def test_one_very_far_neighbor_gets_nothing():
    lists = Neighbors(np.arange(5, dtype=np.int32)[None], np.array([[1.0, 1.1, 1.2, 1.3, 1e9]]))
    p = conditional(lists, 3)
    assert p[0, 4] == 0
    assert entropy(p)[0] == pytest.approx(np.log(3), abs=1e-4)


def test_lists_are_left_as_they_were_and_threads_change_nothing():
    idx, dist = LISTS.idx.copy(), LISTS.dist.copy()
    alone = joint(LISTS, 15)
    with ThreadPoolExecutor(3) as pool:
        together = joint(LISTS, 15, pool)
    assert np.array_equal(alone.data, together.data)
    assert np.array_equal(LISTS.idx, idx)
    assert np.array_equal(LISTS.dist, dist)
