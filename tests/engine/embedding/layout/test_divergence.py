"""The descent of t-SNE against its formulas."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from emberscope.embedding.layout.divergence import Descent, settle
from emberscope.embedding.layout.interpolation import Field
from emberscope.embedding.layout.perplexity import conditional, joint
from emberscope.neighbors.search import nearest, neighbors_within

X = np.random.default_rng(0).normal(size=(300, 5))
P = joint(neighbors_within(X, 30), 10)
WAYS = [(1, None), (2, None), (3, None), (1, Field), (2, Field)]


def start(d, spread=5.0):
    return (spread * np.random.default_rng(1).normal(size=(300, d))).astype(np.float32)


def similarity(Z):
    q = 1 / (1 + ((Z[:, None] - Z) ** 2).sum(axis=2))
    np.fill_diagonal(q, 0)
    return q


def divergence(Z):
    p, q = P.toarray().astype(np.float64), similarity(Z.astype(np.float64))
    return (p * np.log(np.where(p > 0, p, 1) / (q / q.sum() + (p == 0)))).sum()


def gradient(Z, exaggeration=1.0):
    """Of the divergence, a quarter of it."""
    Z = Z.astype(np.float64)
    q = similarity(Z)
    forces = (exaggeration * P.toarray() - q / q.sum()) * q
    return (forces[:, :, None] * (Z[:, None] - Z)).sum(axis=1)


@pytest.mark.parametrize(("d", "field"), WAYS)
def test_the_loss_is_the_divergence(d, field):
    found = Descent(P, start(d), field and field()).loss()
    assert found == pytest.approx(divergence(start(d)), rel=1e-5)


def test_the_gradient_of_these_tests_is_that_of_the_divergence():
    rng = np.random.default_rng(1)
    Z, way = start(2).astype(np.float64), rng.normal(size=(300, 2))
    slope = (divergence(Z + 1e-5 * way) - divergence(Z - 1e-5 * way)) / 2e-5
    assert slope == pytest.approx(4 * (gradient(Z) * way).sum(), rel=1e-6)


@pytest.mark.parametrize("exaggeration", [1.0, 12.0])
@pytest.mark.parametrize(("d", "field"), WAYS)
def test_the_first_step_follows_the_gradient_to_a_thousandth(d, field, exaggeration):
    Z = start(d)
    descent = Descent(P, Z, field and field())
    descent.step(200, 0.5, exaggeration)
    wanted = -1.2 * 200 * gradient(Z, exaggeration)  # the gain begins at 1 and has grown once
    assert np.linalg.norm(wanted, axis=1).max() < 5
    assert np.linalg.norm(descent.Z - Z - wanted) < 1e-3 * np.linalg.norm(wanted)


def test_steps_have_momentum_and_gains_and_keep_the_mean_at_zero():
    Z = start(2).astype(np.float64)
    descent = Descent(P, Z, None)
    update, gains, mean = np.zeros_like(Z), np.ones_like(Z), 0.0
    for _ in range(6):
        descent.step(200, 0.8)
        slope = gradient(Z)
        gains = np.where(np.sign(slope) == np.sign(update), 0.8 * gains + 0.01, gains + 0.2)
        update = 0.8 * update - 200 * gains * slope
        Z, mean = Z + update - mean, (Z + update - mean).mean(axis=0)
        np.testing.assert_allclose(descent.Z, Z, atol=1e-3)


def test_no_step_is_longer_than_five():
    Z = start(2)
    descent = Descent(P, Z, None, free=False)
    descent.step(1e6, 0.5)
    assert np.linalg.norm(descent.Z - Z, axis=1).max() == pytest.approx(5, rel=1e-5)


def test_pinned_instances_stay():
    pinned = np.arange(300) < 100
    descent = Descent(P, start(2), None, pinned=pinned, free=False)
    for _ in range(5):
        descent.step(300, 0.8)
    assert np.array_equal(descent.Z[:100], start(2)[:100])
    assert (descent.Z[100:] != start(2)[100:]).all()


def test_the_loss_falls():
    descent = Descent(P, start(2), None)
    losses = [descent.loss()]
    for _ in range(5):
        for _ in range(20):
            descent.step(300, 0.8)
        losses.append(descent.loss())
    assert (np.diff(losses) < 0).all()


@pytest.mark.parametrize("field", [None, Field])
def test_threads_change_nothing(field):
    rng = np.random.default_rng(1)
    big = joint(neighbors_within(rng.normal(size=(900, 4)), 15), 5)
    Z = 10 * rng.normal(size=(900, 2))
    alone = Descent(big, Z, field and field())
    with ThreadPoolExecutor(3) as pool:
        together = Descent(big, Z, field and field(pool, 3), pool)
        for descent in (alone, together):
            for _ in range(10):
                descent.step(900, 0.8)
        assert np.array_equal(alone.Z, together.Z)
        assert alone.loss() == together.loss()


def new_ones(d):
    rng = np.random.default_rng(1)
    found = nearest(X, rng.normal(size=(7, 5)), 30)
    return start(d)[:7] + np.float32(0.3), found.idx, conditional(found, 10)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_new_instances_go_down_their_own_divergence(d):
    others = start(d).astype(np.float64)
    Z, idx, p = new_ones(d)
    moved = Z.copy()
    settle(moved, start(d), idx, p, steps=1)
    for i in range(7):
        apart = Z[i] - others
        q = 1 / (1 + (apart**2).sum(axis=1))
        slope = (p[i] * q[idx[i]]) @ apart[idx[i]] - (q**2 / q.sum()) @ apart
        np.testing.assert_allclose(
            moved[i] - Z[i], -1.2 * slope * min(1, 0.25 / np.linalg.norm(slope)), atol=1e-5
        )


def test_new_instances_do_not_feel_each_other():
    Z, idx, p = new_ones(2)
    one = Z[3:4].copy()
    settle(one, start(2), idx[3:4], p[3:4], steps=20)
    settle(Z, start(2), idx, p, steps=20)
    assert np.array_equal(Z[3:4], one)
