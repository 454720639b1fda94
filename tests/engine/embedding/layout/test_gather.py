"""Groups that a layout drove far apart."""

import numpy as np
import pytest
from scipy.sparse import block_diag, csr_array

from emberscope.embedding.layout.gather import gathered
from emberscope.embedding.layout.umap import UMAP

from ...peaks import peak_bytes

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def clumps(*places):
    """Squares of side 1 at places, each joined to itself only."""
    Z = np.vstack([SQUARE + place for place in places])
    return Z, block_diag([csr_array(np.ones((4, 4)))] * len(places), format="csr")


def test_a_clump_that_is_forty_sides_away_comes_near_and_keeps_its_shape():
    Z, W = clumps((0, 0), (0, 40))
    found = gathered(Z, W)
    assert found[4:, 1].min() - found[:4, 1].max() < 2
    assert found[4:, 1].min() > found[:4, 1].max()
    np.testing.assert_allclose(found[4:] - found[4], SQUARE)
    np.testing.assert_array_equal(found[:4], Z[:4])


def test_one_edge_across_the_gap_does_not_hold_clumps_apart():
    Z, W = clumps((0, 0), (0, 40))
    W = W.tolil()
    W[0, 4] = W[4, 0] = 0.01
    found = gathered(Z, csr_array(W))
    assert found[4:, 1].min() - found[:4, 1].max() < 2


@pytest.mark.parametrize("places", [((0, 0),), ((0, 0), (3, 0)), ((0, 0), (1.5, 0), (3, 0))])
def test_clumps_that_can_be_seen_together_stay_where_they_are(places):
    Z, W = clumps(*places)
    assert gathered(Z, W) is Z


def test_two_neighboring_clumps_stay_beside_each_other_while_a_far_one_comes_near():
    Z, W = clumps((0, 0), (2, 0), (0, 60))
    found = gathered(Z, W)
    np.testing.assert_allclose(found[4:8] - found[:4], Z[4:8] - Z[:4])
    assert found[8:, 1].min() < 6


def test_the_gap_of_a_map_of_two_groups_without_neighbors_in_each_other_does_not_dwarf_them():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (60, 5)), rng.normal(100, 1, (60, 5))])
    Z = UMAP(n_neighbors=5, n_epochs=2000).fit(X).embedding_
    low, high = sorted((Z[:60], Z[60:]), key=lambda group: group[:, 0].mean())
    gap = np.linalg.norm(low.mean(axis=0) - high.mean(axis=0))
    assert gap < 3 * max(np.ptp(low, axis=0).max(), np.ptp(high, axis=0).max())


def test_edges_of_many_instances_are_looked_at_part_by_part():
    """Beside the graph: how long each edge is and whether it joins, twice for a median."""
    n, k = 100_000, 16
    cols = (np.arange(n)[:, None] + np.arange(1, k + 1)) % n
    one = csr_array((np.ones(n * k, np.float32), cols.ravel(), np.arange(0, n * k + 1, k)), (n, n))
    W, Z = csr_array(one + one.T), np.random.default_rng(0).normal(size=(n, 2)).astype(np.float32)
    gathered(Z[:50], W[:50, :50])  # kernels
    assert peak_bytes(lambda: gathered(Z, W)) < 16 * W.nnz
