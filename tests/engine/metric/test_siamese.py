"""Siamese networks: known answers, and what noise and dropout do."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.evaluate.scores import auc
from emberscope.metric.contrastive import Siamese
from emberscope.metric.triplet import SiameseTriplet
from emberscope.neighbors.threads import one_blas_thread

BOTH = pytest.mark.parametrize("method", [Siamese, SiameseTriplet])


def ring_in_noise(seed, *, n=400, n_noise=6):
    """A ring (+1) around a disk (-1) in the first two features; the others are noise."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.where(y > 0, 4.0, 0.7)
    X = rng.normal(size=(n, 2 + n_noise))
    X[:, :2] = 0.3 * rng.normal(size=(n, 2)) + (radius * [np.cos(angle), np.sin(angle)]).T
    return X, y


def nearest_kind(Z, y, Q):
    """How near each of Q lies to instances of either kind: a score, larger for +1."""
    apart = np.linalg.norm(Q[:, None] - Z, axis=2)
    return apart[:, y < 0].min(axis=1) - apart[:, y > 0].min(axis=1)


@BOTH
@pytest.mark.parametrize("seed", range(3))
def test_a_ring_around_a_disk_parts_on_new_instances_in_spite_of_noise(method, seed):
    X, y = ring_in_noise(seed)
    Q, truth = ring_in_noise(100 + seed)
    est = method().fit(X, y)
    assert auc(truth, nearest_kind(est.embedding_, y, est.transform(Q))) > 0.95
    assert est.held_out_knn_ > 0.85


@BOTH
def test_targets_of_bags_come_together_away_from_background(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(480, 8))
    labels = np.where(np.arange(80) % 2, 1, -1)
    first = np.arange(0, 480, 6)[labels > 0]
    X[first, :2] += 4
    est = method(n_epochs=20).fit(X, bags=Bags.from_column(np.arange(480) // 6, labels))
    rest = np.setdiff1d(np.arange(480), first)
    middle, spread = est.embedding_[rest].mean(axis=0), est.embedding_[rest].std()
    assert np.median(np.linalg.norm(est.embedding_[first] - middle, axis=1)) > 3 * spread
    assert np.isin(est.witnesses_, first).mean() > 0.9


@BOTH
def test_a_new_instance_lies_where_it_does_whoever_comes_with_it(method):
    X, y = ring_in_noise(0, n=80)
    est = method(n_epochs=3).fit(X, y)
    together = est.transform(X)
    alone = np.concatenate([est.transform(X[[i]]) for i in range(80)])
    np.testing.assert_allclose(alone, together, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(together, est.embedding_, rtol=1e-9, atol=1e-9)


@BOTH
def test_the_state_holds_all_three_layers(method):
    X, y = ring_in_noise(0, n=80)
    est = method(n_epochs=2).fit(X, y)
    assert [getattr(est, f"weights_{i}_").shape[1] for i in range(3)] == [128, 64, 2]
    again = method.from_state(est.to_state())
    assert np.array_equal(again.transform(X), est.transform(X))


@BOTH
def test_the_number_of_threads_does_not_change_a_coordinate(method):
    X, y = ring_in_noise(0)
    free = method(n_epochs=3).fit(X, y).embedding_
    with one_blas_thread():
        assert np.array_equal(method(n_epochs=3).fit(X, y).embedding_, free)


@BOTH
def test_rounding_of_the_features_is_not_made_larger_by_training(method):
    X, y = ring_in_noise(0, n=80)
    rounded = X * (1 + 1e-15 * np.random.default_rng(0).normal(size=X.shape))
    first, second = (method(n_epochs=10).fit(some, y).embedding_ for some in (X, rounded))
    np.testing.assert_allclose(second, first, atol=1e-9)


def test_inputs_are_varied_around_what_they_are():
    T = np.tile(np.array([[1.0, -2.0, 0.5]], np.float32), (20_000, 1))
    seen = Siamese(noise=0.5, dropout=0.25)._varied(T, np.random.default_rng(0))
    assert (seen == 0).mean() == pytest.approx(0.25, abs=0.01)
    np.testing.assert_allclose(seen.mean(axis=0), T[0], atol=0.05)
    kept = seen[:, 0][seen[:, 0] != 0] * 0.75
    assert kept.std() == pytest.approx(0.5 * np.sqrt(np.square(T).mean()), rel=0.05)
    assert np.array_equal(Siamese(noise=0, dropout=0)._varied(T, np.random.default_rng(0)), T)
