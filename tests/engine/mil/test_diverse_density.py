"""Diverse density: values and gradients against the plain formula."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from emberscope.bags.model import Bags
from emberscope.mil.diverse_density import Objective, Sides, ascend, first_weights, nldd, start_rows


def sides(seed=0, n_bags=8, d=3, spread=1.0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, n_bags)
    bags = Bags.from_column(
        np.repeat(np.arange(n_bags), sizes), np.where(np.arange(n_bags) % 2, -1, 1)
    )
    return Sides.of(spread * rng.normal(size=(sizes.sum(), d)), bags)


def plain(S, t, w):
    """Noisy-or as printed, no logarithm before the end."""
    p = np.exp(-np.square((S.Z - t) * w).sum(axis=1))
    missed = np.array(
        [np.prod(1 - p[a:b]) for a, b in zip(S.indptr[:-1], S.indptr[1:], strict=True)]
    )
    return -np.log(np.where(S.positive, 1 - missed, missed)).sum()


@pytest.mark.parametrize("seed", range(5))
def test_the_value_is_the_plain_product(seed):
    S = sides(seed)
    rng = np.random.default_rng(seed)
    t, w = rng.normal(size=3), rng.uniform(0.2, 1.5, 3)
    assert Objective(S, isotropic=False)(np.append(t, w))[0] == pytest.approx(
        plain(S, t, w), rel=1e-9
    )


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("isotropic", [False, True])
@pytest.mark.parametrize("spread", [0.3, 1.0, 8.0])
def test_the_gradient_is_that_of_finite_differences(spread, isotropic, flip):
    S = sides(1, spread=spread)
    objective = Objective(S.flipped() if flip else S, isotropic=isotropic)
    rng = np.random.default_rng(2)
    theta = objective.joined(rng.normal(size=3), rng.uniform(0.5, 1.5, 3))
    slope = objective(theta)[1]
    np.testing.assert_allclose(
        slope, approx_fprime(theta, lambda x: objective(x)[0], 1e-6), rtol=1e-3, atol=1e-3
    )


def test_the_two_ways_to_count_hits_meet():
    indptr, positive = np.array([0, 2]), np.array([True])
    near, far = (nldd(np.array([d2, d2 + 1]), indptr, positive) for d2 in (20 - 1e-9, 20 + 1e-9))
    np.testing.assert_allclose(near[0], far[0], rtol=1e-6)
    np.testing.assert_allclose(near[1], far[1], rtol=1e-6)


def test_a_positive_bag_far_away_still_pulls():
    value, pull = nldd(np.array([5000.0, 6000.0]), np.array([0, 2]), np.array([True]))
    assert value == pytest.approx(5000.0)
    np.testing.assert_allclose(pull, [1.0, 0.0], atol=1e-12)


def test_a_target_on_a_negative_instance_is_finite_and_bad():
    value, pull = nldd(np.array([0.0]), np.array([0, 1]), np.array([False]))
    assert 20 < value < 21
    assert np.isfinite(pull).all()


def test_the_ascent_ends_where_the_slope_is_small():
    S = sides(3, n_bags=20)
    objective = Objective(S, isotropic=False)
    first = objective(np.append(S.Z[0], first_weights(S.Z)))[0]
    found = ascend(objective, S.Z[0], first_weights(S.Z))
    assert found.nldd < first
    assert (found.weights >= 0).all()


def test_first_weights_put_the_median_squared_distance_at_one():
    S = sides(4, spread=7.0)
    scaled = S.Z * first_weights(S.Z)
    distance2 = np.square(scaled[:, None] - scaled).sum(axis=2)
    assert np.median(distance2[np.triu_indices(len(scaled), 1)]) == pytest.approx(1.0)


def test_searches_start_in_positive_bags_only():
    S = sides(5)
    bag = np.repeat(np.arange(8), np.diff(S.indptr))
    rows = start_rows(S, 2, random_state=0)
    assert len(set(bag[rows])) == 2
    assert S.positive[bag[rows]].all()


def test_a_bag_of_100_000_instances_is_60_starts():
    bags = Bags.from_lists([np.arange(100_000), [100_000]], np.array([1, -1]))
    rows = start_rows(Sides.of(np.zeros((100_001, 1)), bags), 5, random_state=0)
    assert len(np.unique(rows)) == 60
