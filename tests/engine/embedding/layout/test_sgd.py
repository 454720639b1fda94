"""The loop of all layouts, against a naive twin, the losses it descends, and any number of
threads."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from emberscope.embedding.layout.sgd import (
    N_DRAWN,
    Edges,
    Force,
    _exp2,
    _log2,
    _place,
    adapt,
    edges_of,
    optimize,
    shuffled,
)
from emberscope.neighbors import threads

POWER, SQUARED = Force(1.577, 0.895, 1.79), Force(squared=True)


def some_edges(n, *, m=None, squared=False):
    rng = np.random.default_rng(1)
    m = n if m is None else m
    there = (rng.uniform(size=(m, n)) < 0.4) & ~np.eye(m, n, dtype=bool)
    W = csr_array(np.where(there, rng.uniform(size=(m, n)), 0).astype(np.float32))
    reach = rng.uniform(1, 20, W.nnz) if squared else None
    return edges_of(W, pull=2.0, push=5.0, seed=3, reach=reach)


def naive_step(Z, others, edges, force, rate, place):
    """One step as the docstring says it, in float64."""
    out = np.empty(Z.shape)
    for i, z in enumerate(Z.astype(np.float64)):
        mine = slice(edges.indptr[i], edges.indptr[i + 1])
        offset = others[edges.indices[mine]] - z
        s = np.square(offset).sum(axis=1)
        if force.squared:
            pull = edges.weight[mine] / (edges.reach[mine] + s) ** 2
        else:
            pull = edges.weight[mine] * s ** (force.b - 1) / (1 + force.a * s**force.b)
        away = z - others[edges.pool[place(i) : place(i) + N_DRAWN]]
        s = np.square(away).sum(axis=1)[:, None]
        push = 1 / (2 + s) ** 2 * away
        if not force.squared:
            push = np.clip(force.push / ((0.001 + s) * (1 + force.a * s**force.b)) * away, -4, 4)
        total = pull @ offset + edges.repel[i] * push.mean(axis=0)
        out[i] = z + rate / (1 + rate * pull.sum()) * total
    return out


@pytest.mark.parametrize("force", [POWER, SQUARED], ids=["power", "squared"])
@pytest.mark.parametrize("d", [1, 2, 3, 4, 20])
def test_a_step_is_that_of_the_naive_twin(force, d):
    rng = np.random.default_rng(1)
    Z = (3 * rng.normal(size=(50, d))).astype(np.float32)
    edges = some_edges(50, squared=force.squared)
    seed = np.random.default_rng(7).integers(0, 2**32, 1, dtype=np.uint32)[0]
    wanted = naive_step(
        Z, Z, edges, force, 0.5, lambda i: _place(seed, np.uint32(i), len(edges.pool) - N_DRAWN + 1)
    )
    np.testing.assert_allclose(
        optimize(Z, edges, force, np.array([0.5]), seed=7), wanted, atol=2e-5
    )


def test_the_powers_are_accurate_to_a_hundred_thousandth():
    x = np.logspace(-8, 8, 500).astype(np.float32)
    logs = np.array([_log2(value) for value in x])
    np.testing.assert_allclose(logs, np.log2(x), atol=5e-6)
    np.testing.assert_allclose([_exp2(value) for value in logs], 2.0**logs, rtol=1e-5)


def test_attraction_goes_down_the_cross_entropy():
    a, b = POWER.a, POWER.b
    Z = np.array([[0.0, 0.0], [1.3, -0.4]], np.float32)
    one_way = Edges(np.array([0, 1, 1]), np.array([1], np.int32), np.array([2 * a * b], np.float32),
                    np.zeros(2, np.float32), shuffled(2, 0))
    rate = 1e-4
    step = (
        optimize(Z, one_way, POWER, np.array([rate]), seed=0)[0].astype(np.float64) - Z[0]
    ) / rate

    def loss(z):
        return np.log(1 + a * np.square(z - Z[1].astype(np.float64)).sum() ** b)

    np.testing.assert_allclose(step, -gradient(loss, Z[0]), rtol=2e-3)


@pytest.mark.parametrize(
    ("force", "gamma"), [(POWER, 1.0), (Force(1.0, 1.0, 14.0), 7.0)], ids=["UMAP", "LargeVis"]
)
def test_repulsion_goes_down_the_cross_entropy(force, gamma):
    Z = np.array([[0.0, 0.0], [1.3, -1.4]], np.float32)
    alone = Edges(
        np.zeros(3, np.int64),
        np.empty(0, np.int32),
        np.empty(0, np.float32),
        np.array([1, 0], np.float32),
        np.ones(4 * N_DRAWN, np.int32),
    )
    rate = 1e-3
    step = (optimize(Z, alone, force, np.array([rate]), seed=0)[0].astype(np.float64) - Z[0]) / rate

    def loss(z):
        s = np.square(z - Z[1].astype(np.float64)).sum()
        return -gamma * np.log(1 - 1 / (1 + force.a * s**force.b))

    np.testing.assert_allclose(step, -gradient(loss, Z[0]), rtol=2e-3)


def gradient(loss, z, h=1e-5):
    z = z.astype(np.float64)
    return np.array([(loss(z + h * e) - loss(z - h * e)) / (2 * h) for e in np.eye(len(z))])


@pytest.mark.parametrize("d", [2, 5])
def test_the_number_of_threads_does_not_matter(monkeypatch, d):
    rng = np.random.default_rng(1)
    n = 1600
    W = csr_array(
        (np.ones(5 * n, np.float32), rng.integers(0, n, 5 * n), np.arange(0, 5 * n + 1, 5)),
        shape=(n, n),
    )
    edges, Z = edges_of(W, pull=4.0, push=5.0, seed=0), rng.normal(size=(n, d))
    found = []
    for count in (1, 2, 3):
        monkeypatch.setattr(threads, "thread_count", lambda count=count: count)
        found.append(optimize(Z, edges, POWER, np.linspace(1, 0, 5), seed=1, inertia=0.9))
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize("d", [2, 5])
def test_fixed_instances_stay(d):
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(50, d)).astype(np.float32)
    fixed = np.arange(50) % 3 == 0
    moved = optimize(Z, some_edges(50), POWER, np.ones(10), seed=0, fixed=fixed, inertia=0.9)
    assert np.array_equal(moved[fixed], Z[fixed])
    assert (moved[~fixed] != Z[~fixed]).all()


@pytest.mark.parametrize("d", [1, 2, 3])
def test_more_dimensions_that_hold_nothing_change_no_step(d):
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(50, d)).astype(np.float32)
    wide = np.column_stack([Z, np.zeros((50, 4), np.float32)])
    rates = np.linspace(1, 0, 5)
    narrow, found = (
        optimize(start, some_edges(50), POWER, rates, seed=0, inertia=0.9) for start in (Z, wide)
    )
    np.testing.assert_allclose(found[:, :d], narrow, rtol=1e-4, atol=1e-4)
    assert not found[:, d:].any()


def test_the_forces_of_more_dimensions_that_hold_nothing_are_the_same():
    Z = np.random.default_rng(1).normal(size=(50, 2)).astype(np.float32)
    wide = np.column_stack([Z, np.zeros((50, 4), np.float32)])
    edges = some_edges(50, squared=True)
    narrow, found = (adapt(start, lambda step: edges, SQUARED, 5, seed=0) for start in (Z, wide))
    np.testing.assert_allclose(found[:, :2], narrow, rtol=1e-4, atol=1e-4)
    assert not found[:, 2:].any()


def test_no_rate_carries_an_instance_beyond_its_neighbors():
    Z = np.array([[-50.0, 30.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], np.float32)
    W = csr_array(np.array([[0, 1, 1, 1], [0] * 4, [0] * 4, [0] * 4], np.float32))
    moved = optimize(Z, edges_of(W, pull=2.0, push=0.0, seed=0), POWER, np.array([1e6]), seed=0)[0]
    assert (moved >= -1e-3).all()
    assert moved.sum() <= 1.001


def test_a_new_instance_goes_where_it_goes_alone():
    rng = np.random.default_rng(1)
    trained = rng.normal(size=(80, 2))
    edges = some_edges(80, m=6)
    Z = rng.normal(size=(6, 2))
    together = optimize(Z, edges, POWER, np.linspace(1, 0, 20), seed=0, others=trained)
    last = edges.indptr[5:] - edges.indptr[5]
    tail = slice(edges.indptr[5], None)
    alone = Edges(last, edges.indices[tail], edges.weight[tail], edges.repel[5:], edges.pool)
    assert np.array_equal(
        optimize(Z[5:], alone, POWER, np.linspace(1, 0, 20), seed=0, others=trained), together[5:]
    )


def test_every_row_is_drawn_about_as_often():
    places = np.array([_place(np.uint32(9), np.uint32(i), 100) for i in range(20_000)])
    assert np.bincount(places, minlength=100).min() > 140
    assert np.bincount(places, minlength=100).max() < 260


def test_the_steps_are_told_and_may_be_stopped():
    rng = np.random.default_rng(1)
    shown = []

    def show(step, Z):
        shown.append(step)
        if step == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        optimize(rng.normal(size=(50, 2)), some_edges(50), POWER, np.ones(10), seed=0, show=show)
    assert shown == [1, 2, 3]
