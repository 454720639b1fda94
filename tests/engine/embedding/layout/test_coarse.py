"""Coarser graphs: groups of neighbors, weights that stay comparable."""

import numpy as np
from scipy.sparse import csr_array, diags_array

from emberscope.embedding.layout.coarse import levels

from ...peaks import peak_bytes


def ring(n):
    ones = np.ones(n, np.float32)
    return csr_array(
        diags_array([ones[:-1], ones[:-1], ones[:1], ones[:1]], offsets=[1, -1, n - 1, 1 - n])
    )


def test_groups_are_neighbors_and_everybody_has_one():
    found = levels(ring(400), seed=0, coarsest=20)
    first = found[1].group
    assert sorted(set(first.tolist())) == list(range(found[1].W.shape[0]))
    for group in range(found[1].W.shape[0]):
        members = np.flatnonzero(first == group)
        span = min(np.ptp(members), np.ptp((members + 200) % 400))
        assert span == len(members) - 1


def test_a_ring_stays_a_ring():
    coarsest = levels(ring(400), seed=0, coarsest=20)[-1].W
    assert coarsest.shape[0] <= 20
    assert (np.diff(coarsest.indptr) == 2).all()


def test_row_sums_stay_comparable_and_weights_at_most_one():
    for level in levels(ring(400), seed=0, coarsest=20)[1:]:
        assert level.W.data.max() <= 1
        np.testing.assert_allclose(level.W.sum() / level.W.shape[0], 2, rtol=0.1)
        assert abs(level.W - level.W.T).max() == 0


def test_isolated_instances_are_no_endless_loop():
    found = levels(csr_array((1000, 1000), dtype=np.float32), seed=0, coarsest=20)
    assert [level.W.shape[0] for level in found] == [1000]


def test_the_same_seed_gives_the_same_groups():
    first, again = (levels(ring(400), seed=5, coarsest=20)[1].group for _ in range(2))
    assert np.array_equal(first, again)


def test_coarser_graphs_are_made_with_little_beside_the_graph():
    """Of each edge the groups of both ends, 8 bytes; then, of those between groups, both ends and a
    weight of 8 bytes as a list and as a matrix, 28 together."""
    rng = np.random.default_rng(0)
    cols = (np.arange(4000)[:, None] + rng.permuted(np.tile(np.arange(1, 41), (4000, 1)), axis=1)
            [:, :15]) % 4000
    one = csr_array((np.ones(60_000, np.float32), (np.repeat(np.arange(4000), 15), cols.ravel())),
                    shape=(4000, 4000))
    W = csr_array((one + one.T) / 2)
    levels(W, seed=0)  # kernels
    assert peak_bytes(lambda: levels(W, seed=0)) < 32 * W.nnz
