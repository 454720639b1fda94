"""Distances between bags: against their definitions, as metrics where they are, and for bags of any
size."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, linprog
from scipy.spatial.distance import cdist, directed_hausdorff

from emberscope.bags.model import Bags
from emberscope.base.errors import Cancelled, ParamError, TooLarge
from emberscope.base.monitor import Watch
from emberscope.mil import distances
from emberscope.mil.distances import (
    KINDS,
    bag_distances,
    own_distances,
    squared_distances,
    transport,
)


def random_bags(seed, n_bags=8, d=3, largest=6):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, largest, n_bags)
    return rng.normal(size=(sizes.sum(), d)), Bags.from_column(
        np.repeat(np.arange(n_bags), sizes), np.ones(n_bags)
    )


def naive_emd(cost):
    n, m = cost.shape
    rows = [np.kron(np.eye(n)[i], np.ones(m)) for i in range(n)]
    columns = [np.kron(np.ones(n), np.eye(m)[j]) for j in range(m)]
    weights = np.concatenate([np.full(n, 1 / n), np.full(m, 1 / m)])
    return linprog(cost.ravel(), A_eq=np.array(rows + columns), b_eq=weights).fun


NAIVE = {
    "min": lambda c: c.min(),
    "max": lambda c: max(c.min(axis=0).max(), c.min(axis=1).max()),
    "average": lambda c: (c.min(axis=0).sum() + c.min(axis=1).sum()) / sum(c.shape),
    "chamfer": lambda c: (c.min(axis=0).mean() + c.min(axis=1).mean()) / 2,
    "emd": naive_emd,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pairs", [1, 40, 1 << 20])  # one row at a time, a few bags, all at once
def test_the_distances_equal_their_definitions(kind, pairs, monkeypatch):
    monkeypatch.setattr(distances, "_PAIRS", pairs)
    (X, A), (Y, B) = random_bags(0), random_bags(1, 5)
    naive = [[NAIVE[kind](cdist(X[A.of(i)], Y[B.of(j)])) for j in range(5)] for i in range(8)]
    np.testing.assert_allclose(bag_distances(X, A, Y, B, kind=kind), naive, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pairs", [1, 40, 1 << 20])
def test_distances_among_themselves_are_the_same_at_half_the_work(kind, pairs, monkeypatch):
    monkeypatch.setattr(distances, "_PAIRS", pairs)
    X, A = random_bags(2)
    distance, nearest = own_distances(X, A, kind=kind)
    np.testing.assert_allclose(distance, bag_distances(X, A, X, A, kind=kind), atol=1e-12)
    np.testing.assert_allclose(
        nearest, [[cdist(x[None], X[A.of(k)]).min() for k in range(8)] for x in X], atol=1e-12
    )


def test_the_maximal_distance_is_that_of_scipy():
    (X, A), (Y, B) = random_bags(3, 1), random_bags(4, 1)
    both = max(directed_hausdorff(X, Y)[0], directed_hausdorff(Y, X)[0])
    assert bag_distances(X, A, Y, B, kind="max")[0, 0] == pytest.approx(both)


@pytest.mark.parametrize("kind", KINDS)
def test_no_distance_is_negative_and_the_way_back_is_as_long(kind):
    (X, A), (Y, B) = random_bags(5), random_bags(6)
    there = bag_distances(X, A, Y, B, kind=kind)
    assert (there > 0).all()
    np.testing.assert_allclose(there, bag_distances(Y, B, X, A, kind=kind).T, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_bag_is_at_distance_zero_of_itself_and_of_itself_twice(kind):
    X, A = random_bags(7, 1)
    twice = Bags.from_lists([np.tile(A.of(0), 2)], [1])
    assert bag_distances(X, A, X, A, kind=kind)[0, 0] == 0
    assert bag_distances(X, A, X, twice, kind=kind)[0, 0] == 0


@pytest.mark.parametrize("kind", ["max", "emd"])
def test_a_detour_is_never_shorter_for_a_metric(kind):
    X, A = random_bags(8, 12, d=2)
    D = own_distances(X, A, kind=kind)[0]
    assert (D[:, None, :] <= D[:, :, None] + D[None] + 1e-12).all()


@pytest.mark.parametrize("kind", ["min", "average", "chamfer"])
def test_a_detour_may_be_shorter_where_the_distance_is_no_metric(kind):
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    A = Bags.from_lists([[0], [1, 2], [3]], [1, 1, 1])
    D = own_distances(X, A, kind=kind)[0]
    assert D[0, 1] + D[1, 2] < D[0, 2]


@pytest.mark.parametrize("kind", KINDS)
def test_bags_of_one_are_as_far_apart_as_their_instances(kind):
    X = np.random.default_rng(9).normal(size=(6, 4))
    alone = Bags.from_lists([[i] for i in range(6)], np.ones(6))
    np.testing.assert_allclose(own_distances(X, alone, kind=kind)[0], cdist(X, X))


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_bag_is_at_no_distance(kind):
    X, A = random_bags(10, 3)
    more = Bags.from_lists([A.of(0), [], A.of(1), A.of(2), []], np.ones(5))
    found = bag_distances(X, more, X, A, kind=kind)
    assert np.isnan(found[[1, 4]]).all()
    np.testing.assert_array_equal(found[[0, 2, 3]], bag_distances(X, A, X, A, kind=kind))
    assert np.isnan(bag_distances(X, A, X, Bags.from_lists([[]], [1]), kind=kind)).all()


@pytest.mark.parametrize("kind", ["min", "max"])
def test_equal_distances_are_equal_to_the_last_bit_in_any_order_of_rows(kind):
    X = np.random.default_rng(11).normal(size=(40, 21))
    X[20:] = X[:20]
    A = Bags.from_column(np.repeat(np.arange(10), 4), np.ones(10))
    rows = np.random.default_rng(12).permutation(40)
    moved = Bags.from_lists([np.argsort(rows)[A.of(k)[::-1]] for k in range(10)], np.ones(10))
    D = own_distances(X, A, kind=kind)[0]
    np.testing.assert_array_equal(D[:5], D[5:])
    np.testing.assert_array_equal(own_distances(X[rows], moved, kind=kind)[0], D)


def test_squares_of_equal_rows_are_zero_far_from_the_origin():
    X = np.random.default_rng(13).normal(size=(5, 7)) + 1e9
    assert np.array_equal(np.diag(squared_distances(X, X)), np.zeros(5))


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (6, 6), (6, 4), (7, 12), (12, 13)])
def test_transport_costs_as_little_as_the_linear_program_finds(shape):
    cost = cdist(*(np.random.default_rng(sum(shape)).normal(size=(k, 2)) for k in shape))
    assert transport(cost) == pytest.approx(naive_emd(cost), abs=1e-12)


def test_transport_between_equally_many_is_the_assignment():
    cost = np.random.default_rng(14).random((60, 60))
    assert transport(cost) == pytest.approx(cost[linear_sum_assignment(cost)].mean(), abs=1e-12)


def test_transport_with_many_ties_is_exact():
    cost = np.random.default_rng(15).integers(0, 3, (8, 12)).astype(float)
    assert transport(cost) == pytest.approx(naive_emd(cost), abs=1e-12)


def test_transport_along_a_line_is_the_area_between_the_distributions():
    a, b = np.sort(np.random.default_rng(16).normal(size=(2, 30)), axis=1)
    assert transport(np.abs(a[:, None] - b)) == pytest.approx(np.abs(a - b).mean())


def test_a_bag_of_a_hundred_thousand_instances_has_distances():
    X = np.random.default_rng(17).normal(size=(100_003, 2))
    big, small = (
        Bags.from_lists([np.arange(100_000)], [1]),
        Bags.from_lists([[100_000, 100_001], [100_002]], [1, 1]),
    )
    near = cdist(X[100_000:], X[:100_000]).min(axis=1)
    found = bag_distances(X, big, X, small, kind="min")[0]
    np.testing.assert_allclose(found, [near[:2].min(), near[2]])


@pytest.mark.parametrize("kind", KINDS)
def test_distances_can_be_stopped(kind):
    X, A = random_bags(18)
    with pytest.raises(Cancelled):
        own_distances(X, A, kind=kind, monitor=Watch(stop=lambda: True))


def test_transport_can_be_stopped_inside_one_pair_of_bags(monkeypatch):
    monkeypatch.setattr(distances, "_OPERATIONS", 1)
    with pytest.raises(Cancelled):
        transport(np.ones((3, 3)), monitor=Watch(stop=lambda: True))


def test_bags_too_large_for_transport_are_refused_with_the_alternative():
    X = np.zeros((3000, 1))
    A = Bags.from_lists([np.arange(3000)], [1])
    with pytest.raises(TooLarge, match="average"):
        bag_distances(X, A, X, A, kind="emd")


def test_more_distances_than_memory_holds_are_refused():
    n = 30_000
    alone = Bags(
        np.arange(n + 1), np.arange(n), np.ones(n, np.int8), np.arange(n), np.ones(n, np.int64)
    )
    with pytest.raises(TooLarge, match="fewer, larger bags"):
        own_distances(np.zeros((n, 1)), alone)


def test_an_unknown_distance_is_refused():
    X, A = random_bags(19, 1)
    with pytest.raises(ParamError, match="min or max or average or chamfer or emd"):
        bag_distances(X, A, X, A, kind="median")
