"""The shared kernels of metric scaling: distances, stress and its steps, placing one by one."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.embedding.distance import stress
from emberscope.embedding.distance.stress import (
    AllPairs,
    all_distances,
    best_scale,
    majorize,
    place,
)

X = np.random.default_rng(0).normal(size=(40, 5))
D = cdist(X, X)
Z = np.random.default_rng(2).normal(size=(40, 2))
POWERS = [0, -1, -2]


def naive_weight(d, power, floor):
    return max(d, floor) ** power


def naive_stress(D, Z, power, floor):
    """The sum over pairs, one by one."""
    total = 0.0
    for i in range(len(D)):
        for j in range(i):
            total += (
                naive_weight(D[i, j], power, floor) * (D[i, j] - np.linalg.norm(Z[i] - Z[j])) ** 2
            )
    return total


def naive_force(D, Z, power, floor):
    """B(Z) Z - V Z, one by one; coincident points pull each other in no direction."""
    out = np.zeros(Z.shape)
    for i in range(len(D)):
        for j in range(len(D)):
            delta = np.linalg.norm(Z[i] - Z[j])
            if delta > 0:
                out[i] += (
                    naive_weight(D[i, j], power, floor) * (D[i, j] / delta - 1) * (Z[i] - Z[j])
                )
    return out


def never(done, Z):
    """Nobody watches."""


@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_distances_are_those_of_scipy_also_of_near_copies_far_from_the_origin(shift):
    Y = np.vstack([X, X[:3] + 1e-7]) + shift
    np.testing.assert_allclose(all_distances(Y), cdist(Y, Y), rtol=1e-9)


def test_distances_are_symmetric_to_the_last_bit():
    rng = np.random.default_rng(1)
    found = all_distances(rng.normal(size=(300, 7)))
    assert np.array_equal(found, found.T)
    assert (np.diag(found) == 0).all()


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("power", POWERS)
def test_stress_and_force_are_the_plain_sums(power, d):
    rng = np.random.default_rng(1)
    at = rng.normal(size=(40, d))
    at[3] = at[7]
    value, force = AllPairs(D, power=power, floor=0.5).force(at)
    assert value == pytest.approx(naive_stress(D, at, power, 0.5), rel=1e-12)
    np.testing.assert_allclose(force, naive_force(D, at, power, 0.5), atol=1e-10)


@pytest.mark.parametrize("power", POWERS)
def test_the_force_is_minus_half_the_gradient(power):
    rng = np.random.default_rng(1)
    problem = AllPairs(D, power=power, floor=0.5)
    along = rng.normal(size=Z.shape)
    h = 1e-5
    slope = (problem.force(Z + h * along)[0] - problem.force(Z - h * along)[0]) / (2 * h)
    assert -2 * (problem.force(Z)[1] * along).sum() == pytest.approx(slope, rel=1e-6)


def test_with_even_weights_the_step_is_guttmans_transform():
    delta = cdist(Z, Z) + np.eye(40)
    B = -D / delta
    B -= np.diag(B.sum(axis=1))
    centered = Z - Z.mean(axis=0)
    np.testing.assert_allclose(
        centered + AllPairs(D).evaluate(centered)[1], B @ centered / 40, atol=1e-12
    )


@pytest.mark.parametrize("power", POWERS)
def test_the_total_is_the_stress_of_a_picture_in_one_point(power):
    problem = AllPairs(D, power=power, floor=0.5)
    assert problem.force(np.zeros((40, 2)))[0] == pytest.approx(problem.total)


@pytest.mark.parametrize("power", POWERS)
def test_no_other_scale_has_less_stress(power):
    problem = AllPairs(D, power=power, floor=0.5)
    best = best_scale(problem, Z)
    values = [problem.force(Z * best * factor)[0] for factor in (0.99, 1, 1.01)]
    assert np.argmin(values) == 1


@pytest.mark.parametrize("power", POWERS)
def test_stress_never_rises_from_any_start(power):
    _, history = majorize(
        AllPairs(D, power=power, floor=0.5), Z, max_iter=200, tolerance=0, show=never
    )
    assert len(history) > 50
    assert (np.diff(history) < 0).all()


def test_majorization_ends_where_no_force_is_left():
    problem = AllPairs(D)
    found, _ = majorize(problem, Z, max_iter=2000, tolerance=1e-9, show=never)
    assert np.abs(problem.evaluate(found)[1]).max() < 1e-8


def test_it_can_be_stopped_between_steps():
    def stop(done, Z):
        Watch(stop=lambda: done == 3).step(0.0)

    with pytest.raises(Cancelled):
        majorize(AllPairs(D), Z, max_iter=100, tolerance=0, show=stop)


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    rng = np.random.default_rng(1)
    Y = rng.normal(size=(900, 3))
    problem, at = AllPairs(all_distances(Y), power=-1, floor=0.1), Y[:, :2].copy()
    several = problem.force(at)
    monkeypatch.setattr(stress, "in_pieces", lambda work, n: work(0, n))
    alone = problem.force(at)
    assert several[0] == alone[0]
    assert np.array_equal(several[1], alone[1])


@pytest.mark.parametrize("power", POWERS)
def test_a_row_is_placed_where_its_own_stress_is_least(power):
    rng = np.random.default_rng(1)
    distance = cdist(rng.normal(size=(4, 5)), X)
    start = rng.normal(size=(4, 2))
    found = place(distance, Z, start, power=power, floor=0.5, n_iter=3000, tolerance=1e-10)

    def own(z, d):
        return sum(
            naive_weight(a, power, 0.5) * (a - np.linalg.norm(z - b)) ** 2 for a, b in zip(d, Z)
        )

    for d, z, value in zip(distance, found.coordinates, found.stress):
        assert own(z, d) == pytest.approx(value, rel=1e-9)
        # From there: stress has several minima
        assert value <= minimize(own, z, args=(d,)).fun * (1 + 1e-6)


def test_placing_in_a_plane_finds_the_place():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(5, 2))
    found = place(cdist(truth, Z), Z, truth + 0.3, n_iter=2000, tolerance=1e-12)
    np.testing.assert_allclose(found.coordinates, truth, atol=1e-6)
    assert (found.stress < 1e-10).all()
    np.testing.assert_allclose(found.total, np.square(cdist(truth, Z)).sum(axis=1))
