"""DD-SVM: distinct concepts, bag features as printed, targets of two kinds."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.mil.classifiers.dd_svm import DDSVM, distinct
from emberscope.mil.diverse_density import Concept


def two_kinds(seed=0, n_bags=60):
    """Positive bags hold an instance about (4, 0) or one about (0, 4); all else lies about 0."""
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(n_bags) % 2, 1, -1)
    X = 0.7 * rng.normal(size=(4 * n_bags, 2))
    for place, k in enumerate(np.flatnonzero(labels > 0)):
        X[4 * k + 2, place % 2] += 4
    return X, Bags.from_column(np.repeat(np.arange(n_bags), 4), labels)


def concept(place, nldd):
    return Concept(np.array([place]), np.ones(1), nldd)


def test_concepts_near_a_better_one_are_dropped():
    kept = distinct(
        [concept(0.0, 1.0), concept(0.5, 2.0), concept(3.0, 3.0), concept(9.0, 9.0)], 1.0
    )
    assert [one.target[0] for one in kept] == [0.0, 3.0]


def test_concepts_in_the_worse_half_are_dropped():
    kept = distinct([concept(0.0, 1.0), concept(5.0, 6.0), concept(9.0, 9.0)], 1.0)
    assert [one.target[0] for one in kept] == [0.0]


def test_bag_features_are_smallest_weighted_distances():
    X, bags = two_kinds()
    est = DDSVM().fit(X, bags=bags)
    plain = [
        [np.linalg.norm((X[bags.of(k)] - t) * s, axis=1).min()
         for t, s in zip(est.concepts_, est.scales_, strict=True)] for k in range(5)
    ]  # fmt: skip
    np.testing.assert_allclose(est.bag_features(X, bags)[:5], plain)


def test_the_features_of_an_empty_bag_are_unknown():
    X, bags = two_kinds()
    est = DDSVM().fit(X, bags=bags)
    assert np.isnan(est.bag_features(X, Bags.from_lists([[]], np.array([1])))).all()


@pytest.mark.parametrize("seed", range(3))
def test_each_kind_of_target_is_a_concept_that_reads_its_own_feature(seed):
    X, bags = two_kinds(seed)
    est = DDSVM().fit(X, bags=bags)
    for kind in (0, 1):
        own = est.scales_[:, kind] > 5 * est.scales_[:, 1 - kind]
        assert (np.abs(est.concepts_[own, kind] - 4) < 1).any()


def test_targets_of_two_kinds_are_told_from_background():
    right = []
    for seed in range(3):
        X, bags = two_kinds(seed)
        new, unseen = two_kinds(seed + 10)
        right.append(np.mean(DDSVM().fit(X, bags=bags).predict(new, unseen) == unseen.labels))
    assert np.mean(right) >= 0.9  # six other draws: 0.96 to 0.98


def test_more_diversity_means_fewer_concepts():
    X, bags = two_kinds()
    many, few = (
        len(DDSVM(diversity=diversity).fit(X, bags=bags).concepts_) for diversity in (0.0, 5.0)
    )
    assert many > few >= 1


@pytest.mark.parametrize("seed", range(3))
def test_a_target_scores_above_the_background_of_its_bag(seed):
    X, bags = two_kinds(seed)
    score = DDSVM().fit(X, bags=bags).score_.reshape(-1, 4)[1::2]
    assert (score.argmax(axis=1) == 2).mean() >= 0.8  # six other draws: 1.0


def test_an_instance_farther_than_background_from_every_concept_adds_nothing_to_a_bag():
    X, bags = two_kinds()
    far = DDSVM().fit(X, bags=bags).score_instances(np.array([[50.0, 50.0], [-40.0, 60.0]]))
    assert far[0] == far[1] < 0
