"""Approximate neighbors of large N: the trees, a round against its plain twin, and what is promised
of the result."""

import numpy as np
import pytest

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Silent, Watch
from emberscope.neighbors import exact, threads
from emberscope.neighbors.descent import descend
from emberscope.neighbors.joins import join_leaves, join_neighbors, nearest_known, plant

X = np.random.default_rng(0).normal(size=(3000, 6)).astype(np.float32)


def lists(n, k):
    return np.full((n, k), np.inf, np.float32), np.full((n, k), -1, np.int32)


def nearest_of(rows, row, k):
    """The k of some rows nearest to a row, itself excluded."""
    rows = np.setdiff1d(rows, row)
    return set(
        rows[np.argsort(np.square(X[rows] - X[row]).sum(axis=1), kind="stable")[:k]].tolist()
    )


def leaves_of(order, ends):
    return np.split(order, ends[:-1])


def test_the_leaves_of_a_tree_hold_every_row_once_and_half_to_all_of_the_size():
    order, ends = plant(X, 50, 1)
    assert sorted(order) == list(range(3000))
    assert {len(leaf) for leaf in leaves_of(order, ends)} <= set(range(25, 51))


def test_rows_of_a_leaf_are_nearer_to_each_other_than_to_others():
    inside = [X[leaf].var(axis=0).sum() for leaf in leaves_of(*plant(X, 50, 1))]
    assert np.mean(inside) < 0.5 * X.var(axis=0).sum()


def test_equal_rows_are_split_too():
    assert len(plant(np.ones((100, 2), np.float32), 10, 1)[1]) == 16


def test_leaves_give_each_row_its_nearest_in_the_leaf():
    order, ends = plant(X, 100, 1)
    keys, ids = lists(len(X), 4)
    join_leaves(X, order, ends, 0, len(ends), 100, keys, ids)
    for leaf in leaves_of(order, ends)[:5]:
        assert all(set(ids[row].tolist()) == nearest_of(leaf, row, 4) for row in leaf)


def test_a_round_gives_each_row_its_nearest_among_the_neighbors_of_neighbors_of_its_leaf():
    order, ends = plant(X, 100, 1)
    known = np.random.default_rng(1).integers(0, len(X), (len(X), 3)).astype(np.int32)
    keys, ids = lists(len(X), 4)
    join_neighbors(
        X, order, ends, 0, len(ends), 100, known, np.ones(known.shape, np.bool_), keys, ids
    )
    for leaf in leaves_of(order, ends)[:5]:
        union = np.unique([known[leaf].ravel(), *known[known[leaf].ravel()].T])
        assert all(set(ids[row].tolist()) == nearest_of(union, row, 4) for row in leaf)


def test_paths_that_are_not_fresh_are_not_offered_again():
    order, ends = plant(X, 100, 1)
    known = np.random.default_rng(1).integers(0, len(X), (len(X), 3)).astype(np.int32)
    keys, ids = lists(len(X), 4)
    join_neighbors(
        X, order, ends, 0, len(ends), 100, known, np.zeros(known.shape, np.bool_), keys, ids
    )
    assert (ids == -1).all()


def test_known_neighbors_come_in_order_and_new_ones_are_fresh():
    keys, ids = np.array([[3.0, 1, 2]], np.float32), np.array([[30, 10, 20]], np.int32)
    known, fresh = np.empty((1, 2), np.int32), np.empty((1, 2), np.bool_)
    nearest_known(keys, ids, np.array([[20]], np.int32), known, fresh)
    assert known.tolist() == [[10, 20]]
    assert fresh.tolist() == [[True, False]]


def test_a_tiny_list_is_found_and_never_holds_the_row_itself():
    found = descend(X, 1, Silent())
    assert found.recall > 0.95  # six other draws: 0.99 to 1.0
    assert not (found.idx == np.arange(len(X))[:, None]).any()


def test_what_is_reported_are_true_distances_in_order_without_repeats():
    found = descend(X, 10, Silent())
    true = np.square(X[found.idx].astype(np.float64) - X[:, None]).sum(axis=2)
    np.testing.assert_allclose(found.dist2, true)
    assert (np.diff(found.dist2, axis=1) >= 0).all()
    assert all(len(set(row)) == 10 for row in found.idx.tolist())


def test_the_recall_said_is_near_the_true_one():
    found = descend(X, 10, Silent())
    true = exact.search(X, X, 10, np.arange(len(X)), Silent())[1]
    assert found.recall == pytest.approx((found.dist2 <= true[:, -1:]).mean(), abs=0.02)


def test_the_number_of_threads_changes_nothing(monkeypatch):
    one, four = [], []
    for n, found in ((1, one), (4, four)):
        monkeypatch.setattr(threads, "thread_count", lambda n=n: n)
        found.append(descend(X, 10, Silent()))
    assert np.array_equal(one[0].idx, four[0].idx)
    assert np.array_equal(one[0].dist2, four[0].dist2)


def test_where_neighbors_of_neighbors_tell_nothing_the_search_is_exact():
    noise = np.random.default_rng(0).normal(size=(2500, 60)).astype(np.float32)
    found = descend(noise, 3, Silent())
    assert found.recall == 1.0
    assert np.array_equal(found.idx, exact.search(noise, noise, 3, np.arange(2500), Silent())[0])


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_clusters_and_copies_are_no_trap(offset):
    rng = np.random.default_rng(0)
    clusters = np.repeat(rng.normal(size=(20, 4)) * 100, 150, axis=0) + offset
    rows = np.vstack([clusters + rng.normal(size=clusters.shape), np.full((200, 4), offset)])
    assert descend(rows, 8, Silent()).recall > 0.95  # six other draws: 0.9988 to 1.0


def test_the_descent_can_be_stopped():
    steps = []

    def stop():
        steps.append(1)
        return len(steps) > 20

    with pytest.raises(Cancelled):
        descend(X, 10, Watch(stop=stop))
