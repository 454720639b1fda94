"""Ranks, beside plain twins."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from emberscope.base.monitor import Silent
from emberscope.evaluate.ranks import (
    Space,
    blocks,
    counted_penalties,
    counted_ranks,
    estimated_penalties,
)

X = np.random.default_rng(0).normal(size=(60, 4))


def naive_ranks(X):
    """(N, N) rank of j as neighbor of i by (distance, index), 0 for i itself."""
    out = np.zeros((len(X), len(X)), int)
    for i in range(len(X)):
        distance = [sum((float(a) - float(b)) ** 2 for a, b in zip(X[i], x)) for x in X]
        others = sorted((distance[j], j) for j in range(len(X)) if j != i)
        for place, (_, j) in enumerate(others):
            out[i, j] = place + 1
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("data", [X, X[:2], np.round(X), X + 1e4, np.eye(30), np.zeros((5, 2))])
def test_counted_ranks_are_by_distance_then_index(data, dtype):
    data = data.astype(dtype)
    found = counted_ranks(Space(data, exact=True), np.arange(len(data)), settle=True)
    np.testing.assert_array_equal(found, naive_ranks(data))


def test_unsettled_ranks_differ_from_the_true_ones_by_rounding_only(rng):
    data = rng.normal(size=(300, 40)).astype(np.float32)
    found = counted_ranks(Space(data, exact=False), np.arange(20), settle=False)
    assert np.abs(found - naive_ranks(data)[:20]).max() <= 1


def test_single_precision_is_not_used_where_it_would_hide_neighbors(rng):
    near = rng.normal(size=(50, 40)).astype(np.float32)
    far = np.vstack([near, near + np.float32(5e3)])
    assert Space(near, exact=False, near=50.0).relative(np.arange(2)).dtype == np.float32
    assert Space(far, exact=False, near=50.0).relative(np.arange(2)).dtype == np.float64


def test_penalties_count_how_far_beyond_k_the_others_neighbors_rank():
    ranks = np.array([[0, 1, 2, 3, 4]])
    assert counted_penalties(ranks, np.array([[1, 4]]), 2).tolist() == [2.0]


def naive_estimate(X, seen, other, reference):
    """Sum of max(0, rank - k), ranks beyond `seen` from the reference rows that are neither seen
    nor i nor j."""
    out = np.zeros(len(X))
    n, k, m = len(X), other.shape[1], seen.shape[1]
    for i in range(n):
        squared = np.square(X - X[i]).sum(axis=1)
        for j in other[i]:
            if j in seen[i]:
                rank = list(seen[i]).index(j) + 1
            else:
                free = [s for s in reference if s not in seen[i] and s not in (i, j)]
                rank = (
                    m
                    + 1
                    + (n - 2 - m) * sum(squared[s] < squared[j] for s in free) / max(len(free), 1)
                )
            out[i] += max(0, rank - k)
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 7, 25, 60])
def test_the_estimate_counts_unseen_reference_rows_for_those_they_stand_for(size, dtype, rng):
    data = X.astype(dtype)
    ranks = naive_ranks(data)
    seen = np.argsort(ranks, axis=1)[:, 1:9]
    other = np.argsort(naive_ranks(data[:, :1]), axis=1)[:, 1:6]
    reference = rng.permutation(60)[:size]
    with ThreadPoolExecutor(2) as pool:
        known, unknown, groups = estimated_penalties(
            Space(data, exact=False), seen, other, reference, pool, Silent()
        )
    np.testing.assert_allclose(known + unknown, naive_estimate(data, seen, other, reference))
    assert groups.shape == (60, min(8, size))


def test_blocks_cover_all_rows_once():
    assert np.concatenate(
        [np.arange(10**5)[part] for part in blocks(10**5, 1000)]
    ).tolist() == list(range(10**5))
    assert blocks(3, 10**9) == [slice(0, 1), slice(1, 2), slice(2, 3)]
