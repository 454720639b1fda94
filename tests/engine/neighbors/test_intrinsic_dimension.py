"""Intrinsic dimension of shapes whose dimension is known, beside noise and in one sentence."""

import numpy as np
import pytest

from emberscope.base.errors import Cancelled, DataError
from emberscope.base.monitor import Watch
from emberscope.neighbors.graph import Neighbors, knn
from emberscope.neighbors.intrinsic_dimension import (
    _by_likelihood,
    _by_ratio,
    _two_nearest,
    intrinsic_dimension,
)


def cube(d, n=600, noise=0.0):
    """A d-cube turned in 20 dimensions."""
    rng = np.random.default_rng(d)
    axes = np.linalg.qr(rng.normal(size=(20, 20)))[0][:d]
    return rng.uniform(size=(n, d)) @ axes + noise * rng.normal(size=(n, 20))


def sphere(d, n=600):
    points = np.random.default_rng(d).normal(size=(n, d + 1))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def roll(n=600):
    rng = np.random.default_rng(0)
    t, h = np.sqrt(rng.uniform(22, 200, n)), rng.uniform(0, 30, n)
    return np.column_stack([t * np.cos(t), h, t * np.sin(t)])


def estimate(X):
    return intrinsic_dimension(X, knn(X, 32))


@pytest.mark.parametrize("d", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("shape", [cube, sphere])
def test_cubes_and_spheres_have_their_dimension(shape, d):
    found = estimate(shape(d))
    assert found.value == pytest.approx(d, rel=0.1)
    assert found.low <= d <= found.high


@pytest.mark.parametrize("d", [1, 2, 3, 5, 10])
def test_two_nearest_neighbors_know_the_dimension_of_a_sphere(d):
    assert estimate(sphere(d)).by_method["TwoNN"] == pytest.approx(d, rel=0.12)


def test_a_roll_is_a_sheet():
    assert estimate(roll()).value == pytest.approx(2, abs=0.2)


@pytest.mark.parametrize("d", [2, 3, 5])
def test_noise_in_all_dimensions_is_seen_through_at_larger_scales(d):
    found = estimate(cube(d, noise=0.02))
    assert found.by_method["TwoNN"] > d + 0.8
    assert found.value == pytest.approx(d, abs=0.5)
    assert found.low <= d <= found.high


def test_noise_is_named_in_the_advice():
    assert "beside noise at small distances" in estimate(cube(2, noise=0.02)).advice


def test_many_dimensions_are_a_warning_and_two_are_none():
    assert estimate(cube(10)).advice.endswith(
        "an embedding in 2 or 3 must fold or tear some of them."
    )
    assert estimate(sphere(1)).advice == "Locally the data have about 1 dimension."


def test_exact_ratio_laws_are_recovered():
    rng = np.random.default_rng(0)
    # Volumes of balls in 4-D are uniform
    radius = np.sort(rng.uniform(size=(4000, 32)), axis=1) ** (1 / 4)
    for n in (1, 4, 16):
        assert _by_ratio(radius, n) == pytest.approx(4, rel=0.05)
        assert _by_likelihood(radius, n) == pytest.approx(4, rel=0.05)
    assert _two_nearest(radius) == pytest.approx(4, rel=0.05)


def test_scale_and_unit_of_the_features_do_not_matter():
    X = cube(3)
    assert estimate(1000 * X).value == pytest.approx(estimate(X).value)


def test_the_same_seed_gives_the_same():
    X = cube(5, noise=0.02)
    assert estimate(X).by_method == estimate(X).by_method


def test_few_neighbors_are_enough_for_a_rough_answer():
    X = sphere(2, 100)
    assert intrinsic_dimension(X, knn(X, 4)).value == pytest.approx(2, abs=0.6)


@pytest.mark.parametrize(("rows", "k"), [(3, 2), (10, 1)])
def test_too_little_is_refused(rows, k):
    with pytest.raises(DataError, match="say nothing about dimensions"):
        intrinsic_dimension(np.eye(rows), knn(np.eye(rows), k))


def test_equal_distances_are_refused():
    with pytest.raises(DataError, match="at one distance"):
        intrinsic_dimension(np.eye(10), Neighbors(knn(np.eye(10), 5).idx, np.ones((10, 5))))


def test_it_stops_when_asked():
    X = cube(2)
    neighbors = knn(X, 32)
    with pytest.raises(Cancelled):
        intrinsic_dimension(X, neighbors, monitor=Watch(stop=lambda: True))
