"""Fuzzy and possibilistic c-means on numbers that can be checked by hand, and on noise."""

import numpy as np
import pytest

from emberscope.base.monitor import Silent
from emberscope.mil.concepts.plain.c_means import fuzzy, possibilistic, usual_fuzzifier


def three_crowds(seed, n_strays=0):
    """60 instances about each of three places, and strays far from all of them."""
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    Z = np.repeat(centers, 60, axis=0) + 0.3 * rng.normal(size=(180, 2))
    return np.vstack([Z, [12.0, 12.0] + 0.3 * rng.normal(size=(n_strays, 2))]), centers


def missed(found, centers):
    return np.linalg.norm(found.centers[:, None] - centers, axis=2).min(axis=0)


def test_a_membership_is_the_printed_one():
    found = fuzzy(np.array([[0.0], [1.0], [10.0], [11.0]]), np.array([[0.0], [11.0]]), 2.0,
                  Silent())
    far = np.square(np.array([3.0]) - found.centers[:, 0])
    np.testing.assert_allclose(found.of(np.array([[3.0]]))[:, 0], (1 / far) / (1 / far).sum())


@pytest.mark.parametrize("m", [1.05, 1.5, 2.0])
def test_objectives_never_rise_and_fuzzy_memberships_add_up_to_one(m):
    Z, centers = three_crowds(0)
    one = fuzzy(Z, centers + 0.8, m, Silent())
    two = possibilistic(Z, one, Silent())
    for found in (one, two):
        assert (np.diff(found.objectives) <= 1e-9 * found.objectives[:-1]).all()
    np.testing.assert_allclose(one.memberships.sum(axis=0), 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_planted_crowds_are_found_in_noise(seed):
    Z, centers = three_crowds(seed)
    one = fuzzy(Z, Z[[0, 70, 130]], 2.0, Silent())
    assert (missed(one, centers) < 0.15).all()
    assert (missed(possibilistic(Z, one, Silent()), centers) < 0.15).all()


def test_strays_pull_at_fuzzy_clusters_and_are_of_no_possibilistic_one():
    Z, centers = three_crowds(0, n_strays=3)
    one = fuzzy(Z, centers, 1.1, Silent())
    two = possibilistic(Z, one, Silent())
    assert missed(one, centers).max() > 3 * missed(two, centers).max()
    assert two.memberships[:, -3:].max() < 1e-9


def test_possibilistic_clusters_that_fall_together_are_one():
    Z, centers = three_crowds(0)
    one = fuzzy(Z, np.vstack([centers, centers + 0.1]), 2.0, Silent())
    assert len(possibilistic(Z, one, Silent()).centers) == 3


def test_in_many_features_the_usual_fuzzifier_keeps_clusters_apart():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(200, 100))
    Z[:100, :10] += 2
    start = Z[[0, 150]]
    apart = [np.linalg.norm(np.diff(fuzzy(Z, start, m, Silent()).centers, axis=0))
             for m in (usual_fuzzifier(100), 2.0)]
    assert apart[0] > 5.5  # 6.3 between the planted ones
    assert apart[1] < 1
