"""Clusters of instances, labels unseen, and the concepts among them."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.evaluate.scores import auc
from emberscope.mil.concepts.plain.clusters import FuzzyCMeans, PossibilisticCMeans

KINDS = (FuzzyCMeans, PossibilisticCMeans)
TARGETS, GROUND = np.array([[4.0, 0.0], [0.0, 4.0]]), np.array([[0.0, 0.0], [-4.0, 0.0]])


def planted(seed, n_noise=0):
    """20 + 20 bags of five: two kinds of ground in all, a target of either kind in positive ones;
    features that say nothing beside the two that do."""
    rng = np.random.default_rng(seed)
    place = GROUND[rng.integers(2, size=200)]
    truth = (np.arange(200) % 5 < 2) & (np.arange(200) < 100)
    place[truth] = TARGETS[np.arange(truth.sum()) // 20]
    X = np.hstack([place + 0.4 * rng.normal(size=(200, 2)), rng.normal(size=(200, n_noise))])
    return X, Bags.from_column(np.arange(200) // 5, np.repeat([1, -1], 20)), truth


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_concepts_are_the_clusters_that_positive_bags_hold(kind, seed):
    X, bags, _ = planted(seed)
    est = kind(n_clusters=4).fit(X, bags=bags)
    near = np.linalg.norm(est.centers_[:, None, :2] - TARGETS, axis=2).min(axis=0)
    assert len(est.centers_) == 2
    assert (near < 0.5).all()


@pytest.mark.parametrize("seed", range(3))
def test_more_clusters_than_there_are_kinds_find_both_beside_features_that_say_nothing(seed):
    X, bags, _ = planted(seed, n_noise=2)
    est = FuzzyCMeans().fit(X, bags=bags)
    near = np.linalg.norm(est.centers_[:, None, :2] - TARGETS, axis=2).min(axis=0)
    assert (near < 0.5).all()


@pytest.mark.parametrize("kind", KINDS)
def test_new_targets_are_told_from_ground(kind):
    X, bags, _ = planted(0)
    new, _, truth = planted(7)
    est = kind(n_clusters=4).fit(X, bags=bags)
    assert auc(2 * truth - 1, est.score_instances(new)) > 0.95


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_cluster_of_their_own_the_best_one_is_the_concept(kind):
    X, bags, _ = planted(0)
    rng = np.random.default_rng(0)
    est = kind(n_clusters=4).fit(rng.normal(size=X.shape), bags=bags)
    assert len(est.centers_) >= 1


def test_the_mean_member_of_a_cluster_is_of_it_as_likely_as_not():
    X, bags, truth = planted(0, n_noise=30)
    est = FuzzyCMeans(n_clusters=4).fit(X, bags=bags)
    nearest = est.concepts.distance2(X[truth]).min(axis=1)
    assert 0.4 < np.median(np.exp(-nearest)) < 0.6
