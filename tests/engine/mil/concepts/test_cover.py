"""Concepts in few features: they are found among features that say nothing, and counted."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max
from emberscope.base.monitor import Silent
from emberscope.evaluate.scores import auc
from emberscope.mil.concepts.clustering import FCMI
from emberscope.mil.concepts.cover import Coverer, chosen_of, gains_of
from emberscope.mil.concepts.model import StandardBags

CENTERS = np.array([[0.4, 0.5], [1.6, 1.5], [0.5, 1.6], [1.5, 0.4]])
NEAR = 0.15


def with_irrelevant(n_irrelevant, seed, n_bags=60, n_concepts=2):
    """Bags of 2 to 10 in a square, half of them with an instance near one of some centers in the
    first two features; the others are noise. Returns X and bags."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 11, n_bags)
    X = rng.uniform(0, 2, (sizes.sum(), 2 + n_irrelevant))
    first = np.cumsum(sizes) - sizes
    positive = np.arange(n_bags) % 2 == 0
    centers = CENTERS[np.arange(n_bags) // 2 % n_concepts]
    X[first[positive], :2] = (centers + 0.1 * rng.normal(size=centers.shape))[positive]
    return X, Bags.from_column(np.repeat(np.arange(n_bags), sizes), np.where(positive, 1, -1))


def all_near(centers, n_concepts=2):
    missed = np.linalg.norm(centers[:, None, :2] - CENTERS[:n_concepts], axis=2).min(axis=0)
    return bool((missed < NEAR).all())


def cover_of(X, bags, k=None):
    standard = StandardBags.of(X, bags)
    cover = Coverer(standard, None, np.random.default_rng(0), Silent()).cover(k)
    return cover, cover.concepts.in_units(standard.mean, standard.scale)


@pytest.mark.parametrize(("n_irrelevant", "n_bags"), [(1, 120), (4, 120), (8, 120), (8, 200)])
def test_two_concepts_are_found_in_nine_draws_among_irrelevant_features(n_irrelevant, n_bags):
    found = 0
    for seed in range(10):
        _, at = cover_of(*with_irrelevant(n_irrelevant, seed, n_bags=n_bags))
        found += len(at) == 2 and all_near(at.centers)
    assert found >= 9


def test_two_concepts_are_found_in_four_of_five_draws_among_32_irrelevant_features():
    found = [all_near(cover_of(*with_irrelevant(32, seed, n_bags=120))[1].centers)
             for seed in range(5)]
    assert sum(found) >= 4


@pytest.mark.parametrize("n_concepts", [3, 4])
def test_more_concepts_are_found_in_nine_draws_among_eight_irrelevant_features(n_concepts):
    found = 0
    for seed in range(10):
        _, at = cover_of(*with_irrelevant(8, seed, n_bags=200, n_concepts=n_concepts))
        found += all_near(at.centers, n_concepts)
    assert found >= 9


def test_two_concepts_of_fifteen_bags_each_are_seldom_taken_for_one():
    found = [len(cover_of(*with_irrelevant(4, seed))[1]) for seed in range(10)]
    assert found.count(1) <= 3


def test_two_concepts_of_fifteen_bags_each_are_found_among_four_irrelevant_features():
    found = [all_near(cover_of(*with_irrelevant(4, seed))[1].centers) for seed in range(10)]
    assert sum(found) >= 6


def test_two_concepts_of_fifteen_bags_each_are_found_among_eight_irrelevant_features():
    found = [all_near(cover_of(*with_irrelevant(8, seed))[1].centers) for seed in range(10)]
    assert sum(found) >= 8


def test_each_of_two_concepts_is_found_in_features_of_its_own():
    found = 0
    for seed in range(10):
        X, bags = with_irrelevant(8, seed, n_bags=200)
        second = np.flatnonzero(np.abs(X[:, :2] - CENTERS[1]).max(axis=1) < 0.4)
        targets = np.intersect1d(second, [bags.of(k)[0] for k in range(2, 200, 4)])
        X[targets, 4:6] = X[targets, :2]
        X[targets, :2] = np.random.default_rng(seed).uniform(0, 2, (len(targets), 2))
        _, at = cover_of(X, bags)
        one, other = (np.linalg.norm(at.centers[:, f : f + 2] - center, axis=1) < NEAR
                      for f, center in ((0, CENTERS[0]), (4, CENTERS[1])))
        used = at.scales > 1
        found += bool((one & used[:, 0]).any() and (other & used[:, 4]).any())
    assert found >= 9


def test_by_default_bags_not_seen_are_ranked_among_irrelevant_features():
    X, bags = with_irrelevant(4, 3, n_bags=120)
    other, held_out = with_irrelevant(4, 103, n_bags=120)
    assert auc(held_out.labels, FCMI().fit(X, bags=bags).score_bags(other, held_out)) > 0.85


def test_by_default_bags_not_seen_are_ranked_nearly_as_the_planted_centers_rank_them():
    areas = []
    for seed in range(3):
        X, bags = with_irrelevant(8, seed, n_bags=200, n_concepts=4)
        other, held_out = with_irrelevant(8, seed + 100, n_bags=200, n_concepts=4)
        known = -np.linalg.norm(other[:, None, :2] - CENTERS, axis=2).min(axis=1)
        areas.append((auc(held_out.labels, FCMI().fit(X, bags=bags).score_bags(other, held_out)),
                      auc(held_out.labels, bag_max(known, held_out))))
    learned, planted = np.mean(areas, axis=0)
    assert learned > 0.95 * planted


def test_as_many_concepts_as_are_asked_for():
    X, bags = with_irrelevant(1, 0)
    _, at = cover_of(X, bags, k=5)
    assert len(np.unique(at.centers, axis=0)) == 5


def test_no_concept_is_chosen_twice_though_more_are_asked_for_than_there_are():
    ratios = np.array([[9.0, 9.0, 9.0, 0], [0, 0, 0, 9.0]])
    assert chosen_of(ratios, 3, -np.inf).tolist() == [0, 1]


def test_concepts_that_together_tell_most_are_chosen_and_the_one_that_tells_little_is_not():
    # Bags: four; concepts: of the first two, of the last two, of the second alone
    ratios = np.array([[9.0, 9.0, 0, 0], [0, 0, 9.0, 9.0], [0, 3.0, 0, 0]])
    assert chosen_of(ratios, 3, 1.0).tolist() == [0, 1]


def test_a_concept_in_between_is_given_up_for_two_that_tell_more():
    between = np.array([[4.0, 4.0, 4.0, 4.0], [20.0, 20.0, 0, 0], [0, 0, 20.0, 20.0]])
    assert sorted(chosen_of(between, 2, 0.1).tolist()) == [1, 2]


def test_gains_are_shares_of_bags_newly_held():
    holds = np.array([[True, True, False, False], [True, False, True, True]])
    gains = gains_of(holds, np.array([True, True, True, False]))
    assert gains.tolist() == pytest.approx([2 / 3, 1 / 3 - 1])
