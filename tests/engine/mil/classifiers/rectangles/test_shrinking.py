"""A box made smaller, on numbers that can be checked by eye, and a naive twin."""

import numpy as np
import pytest

from emberscope.base.monitor import Silent
from emberscope.mil.classifiers.rectangles.shrinking import shrunk


def naive(P, owner, N):
    left = np.ones(len(P), bool)
    while True:
        low, high = P[left].min(axis=0), P[left].max(axis=0)
        N = N[((low <= N) & (high >= N)).all(axis=1)]
        if not len(N):
            return left
        best = None
        for side in (1, -1):
            for f in range(P.shape[1]):
                p, n = side * P[:, f], side * N[:, f]
                gone = left & (p <= n.min())
                stays = left & ~gone
                if set(owner[stays]) != set(owner):
                    continue
                rid = (n < p[stays].min()).sum()
                if best is None or (gone.sum(), -rid) < best[0]:
                    best = (gone.sum(), -rid), gone
        if best is None:
            return left
        left &= ~best[1]


@pytest.mark.parametrize("seed", range(8))
def test_shrinking_equals_its_naive_twin(seed):
    rng = np.random.default_rng(seed)
    owner = np.concatenate([np.arange(8), rng.integers(8, size=40)])
    P, N = np.round(rng.normal(size=(48, 3)), 1), np.round(rng.normal(size=(60, 3)), 1)
    np.testing.assert_array_equal(shrunk(P, owner, N, Silent()), naive(P, owner, N))


def test_the_wall_moves_that_loses_the_fewest_instances_of_positive_bags():
    P, owner = np.array([[0.0], [1.0], [2.0], [8.0], [9.0]]), np.array([0, 0, 0, 1, 0])
    left = shrunk(P, owner, np.array([[8.5]]), Silent())  # 4 lost from below, 1 from above
    np.testing.assert_array_equal(left, [True, True, True, True, False])


def test_the_last_instance_of_a_bag_stays_and_so_does_the_background_behind_it():
    P, owner = np.array([[0.0], [9.0]]), np.array([0, 1])
    assert shrunk(P, owner, np.array([[5.0]]), Silent()).all()


def test_without_background_nothing_is_lost():
    assert shrunk(np.zeros((2, 1)), np.array([0, 1]), np.empty((0, 1)), Silent()).all()
