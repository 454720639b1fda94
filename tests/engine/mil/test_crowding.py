"""Few features in which targets crowd."""

import numpy as np
import pytest

from emberscope.base.monitor import Silent
from emberscope.mil.crowding import Rows, bumps, crowded, crowding


def rows_of(Z, n_bags=60, size=5):
    """Bags of five, every other one positive."""
    return Rows.of(Z, np.arange(0, n_bags * size + 1, size), np.arange(n_bags) % 2 == 0)


def planted(seed, kinds=1):
    """Uniform noise in six features; the first instance of a positive bag lies at one of some
    places in the second and fifth."""
    rng = np.random.default_rng(seed)
    Z = rng.uniform(-1.7, 1.7, (300, 6))
    places = np.array([[1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])[np.arange(30) % kinds]
    Z[::10, [1, 4]] = places + 0.15 * rng.normal(size=(30, 2))
    return Z


def found(Z, likelier=1.0):
    data = rows_of(Z)
    return crowded(data, np.full(data.positives, likelier), np.random.default_rng(0), Silent())


@pytest.mark.parametrize("kinds", [1, 2])
def test_the_features_of_targets_are_found_however_many_kinds_there_are(kinds):
    right = [found(planted(seed, kinds)).features.tolist() == [1, 4] for seed in range(10)]
    assert sum(right) >= 9


def test_the_likeliest_instances_are_targets():
    one = found(planted(0))
    targets = one.rows[np.argsort(-one.ratio)[:20]]
    assert (targets % 5 == 0).mean() >= 0.9  # a positive bag's first instance is its target


def test_features_tell_nothing_more_where_bags_are_told_already():
    Z = planted(0)
    assert found(Z).score > 15
    assert found(Z, likelier=100.0).score < 1


def test_a_bump_is_one_at_its_center_and_nothing_from_its_reach_on():
    Z = np.array([[0.0, 0.5, 1.0, 0.0], [0.0, 0.0, 0.0, 5.0]], np.float32)
    out = np.empty(4, np.float32)
    bumps(Z, np.array([0]), np.zeros(2), 1.0, out)
    assert out.tolist() == pytest.approx([1.0, 0.75**2, 0.0, 1.0])


def test_a_bag_does_not_speak_for_its_own_instances():
    Z = np.concatenate([np.zeros((5, 1)), np.full((5, 1), 9.0), np.ones((5, 1)), np.ones((5, 1))])
    data = Rows.of(Z, np.arange(0, 21, 5), np.array([True, False, True, False]))
    _, ratio = crowding(data, np.ones(2), np.array([0]), 0.5)
    assert (ratio == 0).all()
