"""Nearest neighbors: against a sort of all distances."""

import numpy as np
import pytest

from emberscope.base.errors import Cancelled, DataError
from emberscope.base.monitor import Watch
from emberscope.neighbors import search
from emberscope.neighbors.search import nearest, neighbors_within


def naive(X, Q, k, *, exclude_self=False):
    X, Q = X.astype(np.float64), Q.astype(np.float64)
    d2 = np.square(Q[:, None] - X[None]).sum(axis=2)
    if exclude_self:
        np.fill_diagonal(d2, np.inf)
    idx = np.argsort(d2, axis=1, kind="stable")[:, :k]
    return idx, np.sqrt(np.take_along_axis(d2, idx, axis=1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [2, 9, 300])
def test_neighbors_equal_a_sort_of_all_distances(n, dtype):
    X = np.random.default_rng(0).normal(size=(n, 4)).astype(dtype)
    k = min(7, n - 1)
    found = neighbors_within(X, k)
    idx, dist = naive(X, X, k, exclude_self=True)
    assert np.array_equal(found.idx, idx)
    np.testing.assert_allclose(found.dist, dist, rtol=1e-6)
    assert found.dist.dtype == dtype
    assert found.idx.dtype == np.int32


def test_ties_go_to_the_lower_index_even_when_many_lie_at_the_same_distance():
    grid = np.stack(np.meshgrid(np.arange(12.0), np.arange(12.0)), axis=-1).reshape(-1, 2)
    X = np.vstack([grid, np.full((30, 2), 5.5)])  # 30 equal rows: more ties than spare candidates
    assert np.array_equal(neighbors_within(X, 5).idx, naive(X, X, 5, exclude_self=True)[0])


def test_a_row_is_excluded_by_its_index_not_by_its_zero_distance():
    X = np.array([[0.0], [0.0], [1.0]])
    assert neighbors_within(X, 1).idx.ravel().tolist() == [1, 0, 0]


def test_far_offsets_do_not_cost_digits():
    X = np.random.default_rng(0).normal(size=(200, 3)) + 1e7
    assert np.array_equal(neighbors_within(X, 6).idx, naive(X, X, 6, exclude_self=True)[0])


def test_near_duplicates_far_from_the_center_are_told_apart_in_float32():
    rng = np.random.default_rng(1)
    clusters = rng.normal(size=(8, 5)).repeat(40, axis=0) * 1e3
    X = (clusters + 1e-2 * rng.normal(size=clusters.shape)).astype(np.float32)
    assert np.array_equal(neighbors_within(X, 10).idx, naive(X, X, 10, exclude_self=True)[0])


def test_queries_may_coincide_with_rows():
    X = np.random.default_rng(0).normal(size=(50, 3))
    found = nearest(X, X[:5], 3)
    assert np.array_equal(found.idx, naive(X, X[:5], 3)[0])
    assert found.idx[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert (found.dist[:, 0] == 0).all()


def test_no_queries_give_no_rows():
    assert nearest(np.eye(3), np.empty((0, 3)), 2).idx.shape == (0, 2)


@pytest.mark.parametrize("k", [0, 3])
def test_k_outside_the_rows_says_what_to_choose(k):
    with pytest.raises(DataError, match="Choose k from 1 to 2"):
        neighbors_within(np.eye(3), k)


def test_the_search_stops_at_the_next_block():
    with pytest.raises(Cancelled):
        neighbors_within(np.eye(5), 2, monitor=Watch(stop=lambda: True))


def test_above_the_exact_limit_the_recall_is_measured_and_high(monkeypatch):
    monkeypatch.setattr(search, "EXACT_LIMIT", 1000)
    X = np.random.default_rng(0).normal(size=(4000, 6)).astype(np.float32)
    found = neighbors_within(X, 10)
    rows = np.arange(0, 4000, 40)
    hits = [len(np.intersect1d(found.idx[r], naive(X, X[r : r + 1], 11)[0][0, 1:])) for r in rows]
    assert 0.95 <= found.recall <= 1.0
    assert found.idx.shape == (4000, 10)
    assert not (found.idx == np.arange(4000)[:, None]).any()
    assert (np.diff(found.dist, axis=1) >= 0).all()
    assert np.mean(hits) / 10 > 0.95


def test_a_large_embedding_is_searched_exactly_by_a_tree(monkeypatch):
    Z = np.random.default_rng(0).normal(size=(500, 2))
    expected = neighbors_within(Z, 8)
    monkeypatch.setattr(search, "TREE_FROM", 100)
    found = neighbors_within(Z, 8)
    assert np.array_equal(found.idx, expected.idx)
    assert found.recall == 1.0


def test_the_tree_gives_ties_to_the_lower_index_too(monkeypatch):
    Z = np.repeat(np.random.default_rng(0).integers(0, 3, (60, 2)), 5, axis=0).astype(np.float64)
    expected = neighbors_within(Z, 8)
    monkeypatch.setattr(search, "TREE_FROM", 100)
    assert np.array_equal(neighbors_within(Z, 8).idx, expected.idx)
