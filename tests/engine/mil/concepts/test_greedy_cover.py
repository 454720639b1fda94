"""The greedy cover: who is chosen, and how many concepts its gains suggest."""

import numpy as np
import pytest

from emberscope.datasets.planted_concepts import ONE, TWO, disk_concepts, gaussian_concepts
from emberscope.mil.concepts.greedy_cover import (
    Candidates,
    best_cover,
    greedy_cover,
    suggested,
    widths_of,
)
from emberscope.mil.concepts.model import StandardBags


def candidates_of(planted):
    bags = StandardBags.of(planted.X, planted.bags)
    return bags, Candidates.of(bags, np.random.default_rng(0))


def n_suggested(planted):
    return suggested(candidates_of(planted)[1], widths_of(planted.X.shape[1])).n


def test_the_first_candidate_is_the_one_near_most_positive_bags_and_few_negative_ones():
    # Bags: three +, one -
    nearest = np.array([[0.0, 0.1, 9.0, 9.0], [0.1, 0.0, 0.1, 9.0], [9.0, 0.1, 0.0, 0.0]])
    found = Candidates(np.zeros((3, 2)), nearest, np.array([True, True, True, False]), np.arange(3))
    assert greedy_cover(found, 1, 0.5).chosen.tolist() == [1]


def test_a_bag_does_not_speak_for_its_own_instance():
    # Each candidate is near its own bag alone
    nearest = np.array([[0.0, 9.0, 9.0], [9.0, 0.0, 9.0]])
    found = Candidates(np.zeros((2, 2)), nearest, np.array([True, True, False]), np.arange(2))
    assert (greedy_cover(found, 2, 0.1).gains <= 0).all()


@pytest.mark.parametrize("width", [0.05, 0.1, 0.2])
def test_two_starts_lie_in_the_two_concepts(width):
    right = 0
    for seed in range(10):
        planted = disk_concepts(TWO, seed=seed)
        bags, found = candidates_of(planted)
        start = (
            best_cover(bags, found, 2, (width / planted.X.std(),))
            .in_units(bags.mean, bags.scale)
            .centers
        )
        right += (
            np.linalg.norm(start[None] - planted.centers[:, None], axis=2).min(axis=1) < 0.1
        ).all()
    assert right >= 9


def test_one_concept_is_counted_as_one():
    assert [n_suggested(disk_concepts(ONE, seed=seed)) for seed in range(5)] == [1] * 5


def test_two_concepts_are_counted_as_two():
    assert [n_suggested(disk_concepts(TWO, seed=seed)) for seed in range(5)] == [2] * 5


def test_six_concepts_are_counted_as_six():
    grid = [(x, y) for x in (0.3, 0.9, 1.5) for y in (0.4, 1.2)]
    assert n_suggested(gaussian_concepts(np.array(grid), n_positive=60, n_negative=60)) == 6


@pytest.mark.parametrize(("nearest", "width"), [(False, 0.1), (True, 0.7)])
def test_the_width_of_a_start_is_judged_by_the_probability_that_the_descent_uses(nearest, width):
    # A hundred faint ones add up in a noisy-or
    targets, ground = np.linspace(-0.5, 0.5, 11), np.full(5 * 100, 0.8)
    Z = np.concatenate([targets, ground])[:, None]
    indptr = np.concatenate([np.arange(11), 11 + 100 * np.arange(6)])
    bags = StandardBags(Z, indptr, np.arange(16) < 11, np.zeros(1), np.ones(1), np.arange(16))
    found = Candidates.of(bags, np.random.default_rng(0))
    start = best_cover(bags, found, 1, (0.1, 0.7), nearest=nearest)
    assert start.scales[0, 0] == pytest.approx(1 / (2 * width**2))
