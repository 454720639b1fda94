"""Nearest neighbors: against a sort of all distances."""

import numpy as np
import pytest

from emberscope.base.errors import Cancelled, DataError
from emberscope.base.monitor import Watch
from emberscope.neighbors import exact, search
from emberscope.neighbors.joins import join
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


BASE = np.random.default_rng(2).normal(size=(700, 5))
SINGLE = BASE.astype(np.float32)
FAR = np.full((1, 5), 1e60)


@pytest.mark.parametrize(
    "X",
    [
        BASE * 1e90, BASE * 1e-90, SINGLE * np.float32(1e30), SINGLE * np.float32(1e-30),
        np.vstack([BASE, FAR]),
        BASE * 10.0 ** np.arange(-6, 9, 3), BASE[:300].repeat(2, axis=0) + 1e-12 * BASE[:600],
        np.repeat(BASE[:7] * 1e3, 100, axis=0) + 1e-6 * BASE, np.eye(80), (BASE > 0).astype(float),
        np.ones((600, 2)),
    ],
    ids=[
        "huge", "tiny", "huge float32", "tiny float32", "an outlier", "mixed units", "near copies",
        "tight clusters",
        "all equally far", "many ties", "all equal",
    ],
)  # fmt: skip
def test_no_rounding_loses_a_neighbor(X):
    assert np.array_equal(neighbors_within(X, 6).idx, naive(X, X, 6, exclude_self=True)[0])


def test_read_only_rows_are_searched_too():
    X = BASE[:50].copy()
    X.flags.writeable = False
    assert np.array_equal(nearest(X, X[:5], 3).idx, naive(X, X[:5], 3)[0])


def test_queries_of_other_precision_are_welcome():
    X = BASE[:50].astype(np.float32)
    assert np.array_equal(nearest(X, BASE[:9], 3).idx, naive(X, BASE[:9], 3)[0])


@pytest.mark.parametrize("columns", [slice(None), slice(0, 1)])
def test_products_offer_each_row_to_each_list(columns):
    A, B = BASE[:70, columns].astype(np.float32), BASE[70:200, columns].astype(np.float32)
    keys, ids = np.full((200, 4), np.inf, np.float32), np.full((200, 4), -1, np.int32)
    number, norms = np.arange(200, dtype=np.int32), [np.square(part).sum(axis=1) for part in (A, B)]
    join(A, B, *norms, number[:70], number[:70], number[70:], keys, ids, True)
    d2 = np.square(A[:, None] - B[None]).sum(axis=2)
    np.testing.assert_allclose(np.sort(keys[:70]), np.sort(d2)[:, :4], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(np.sort(keys[70:]), np.sort(d2.T)[:, :4], rtol=1e-4, atol=1e-5)
    rows = np.arange(70)[:, None]
    np.testing.assert_allclose(d2[rows, ids[:70] - 70], keys[:70], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_every_pair_of_blocks_meets_once_and_none_twice_in_a_round(n):
    rounds = [[(a.start, b.start) for a, b in pairs] for pairs in exact._within(10 * n, 10)]
    pairs = [frozenset(pair) for part in rounds for pair in part]
    assert len(pairs) == len(set(pairs)) == n * (n + 1) // 2
    assert all(len({end for pair in part for end in pair}) == 2 * len(part) for part in rounds[1:])


def test_the_search_stops_at_the_next_block():
    with pytest.raises(Cancelled):
        neighbors_within(np.eye(5), 2, monitor=Watch(stop=lambda: True))


def test_above_the_exact_limit_the_recall_is_measured_and_high(monkeypatch):
    monkeypatch.setattr(search, "EXACT_LIMIT", 1000)
    monkeypatch.setattr(search, "_ROWS_PER_NEIGHBOR", 0)
    X = np.random.default_rng(0).normal(size=(4000, 6)).astype(np.float32)
    found = neighbors_within(X, 10)
    rows = np.arange(0, 4000, 40)
    hits = [len(np.intersect1d(found.idx[r], naive(X, X[r : r + 1], 11)[0][0, 1:])) for r in rows]
    assert 0.95 <= found.recall <= 1.0
    assert np.mean(hits) / 10 > 0.95


def test_many_neighbors_of_not_so_many_rows_are_searched_exactly():
    assert search.exact_up_to(15) == 30_000
    assert search.exact_up_to(90) == 45_000


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
