"""Duplicates and weak concepts."""

import numpy as np

from emberscope.mil.concepts.pruning import Limits, Strength, differing, distinct, strength, strong


def test_the_smaller_of_two_that_share_their_bags_goes():
    u = np.array([[1.0, 1.0, 0.0], [1.0, 0.96, 0.0], [0.0, 0.0, 1.0]])
    assert distinct(u).tolist() == [0, 2]


def test_of_three_duplicates_the_largest_stays():
    assert distinct(np.array([[0.98, 1.0], [1.0, 1.0], [0.99, 1.0]])).tolist() == [1]


def test_two_dead_concepts_are_the_same():
    assert differing(np.zeros((2, 3))).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_contrast_is_over_the_own_bags_of_a_concept():
    probability = np.array([[1.0, 0.0, 0.2]])
    found = strength(probability, np.array([[1.0, 0.0, 1.0]]), np.array([True, True, False]))
    assert found.coverage.tolist() == [0.5]
    assert found.contrast.tolist() == [5.0]
    assert found.purity.tolist() == [1.0]


def test_without_a_negative_bag_nobody_knows_the_contrast():
    found = strength(np.array([[1.0, 0.5]]), np.ones((1, 2)), np.array([True, True]))
    assert found.coverage.tolist() == [0.75]
    assert np.isnan(found.contrast).all()


def test_where_all_are_weak_the_one_that_covers_most_stays():
    weak = Strength(np.array([0.1, 0.2]), np.ones(2), np.ones(2), np.ones(2))
    assert strong(weak, coverage=0.5, contrast=2.0).tolist() == [1]


def test_a_concept_of_few_bags_stays_where_its_contrast_is_clear():
    contrast = np.array([3.0, 6.0, 3.0])
    unequal = Strength(np.array([0.6, 0.1, 0.1]), contrast, np.ones(3), np.ones(3))
    kept = strong(unequal, coverage=Limits().coverage_of(contrast), contrast=2.0)
    assert kept.tolist() == [0, 1]


def test_a_coverage_that_is_set_is_asked_of_every_concept():
    assert Limits(coverage=0.3).coverage_of(np.array([3.0, 6.0])).tolist() == [0.3, 0.3]
