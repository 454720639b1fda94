"""Kinds of targets are parted by what differs between bags, not by what differs within one."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from emberscope.bags.model import Bags
from emberscope.mil.concepts.clustering import FCMI
from emberscope.mil.concepts.kinds import kinds_start
from emberscope.mil.concepts.model import StandardBags

KIND, PLACE, TARGET = slice(0, 3), slice(3, 12), slice(12, 16)


def seen_at_places(seed, n_bags=120, n_features=24):
    """Every other bag holds six of ground and three views of one target, in two kinds of targets.

    Views of a target differ, in nine features, more than kinds do, in three. Returns X, bags and
    (N,) the kind, -1 of ground."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(9 * n_bags, n_features))
    bag, view = np.divmod(np.arange(len(X)), 9)
    target = (bag % 2 == 0) & (view < 3)
    kind = np.where(target, bag // 2 % 2, -1)
    place = rng.choice([-1.0, 1.0], len(X)) * (3 + 0.3 * rng.normal(size=len(X)))
    X[target] *= 0.5
    X[target, TARGET] += 4
    X[target, PLACE] += place[target, None]
    X[target, KIND] += 4.0 * kind[target, None] - 2
    return X, Bags.from_column(bag, np.where(np.arange(n_bags) % 2 == 0, 1, -1)), kind


def targets_alone(seed, **options):
    """(X, bags, kind) with nothing but targets in positive bags."""
    X, bags, kind = seen_at_places(seed, **options)
    members = [rows[kind[rows] >= 0] if label > 0 else rows
               for rows, label in zip(map(bags.of, range(len(bags))), bags.labels, strict=True)]
    return X, Bags.from_lists(members, bags.labels), kind


def agreement(concepts, X, kind):
    target = kind >= 0
    return adjusted_rand_score(kind[target], concepts.distance2(X)[target].argmin(axis=1))


@pytest.mark.parametrize("seed", range(3))
def test_by_default_concepts_are_kinds_of_targets_and_not_where_these_lie(seed):
    X, bags, kind = seen_at_places(seed)
    found = FCMI(n_concepts=2, random_state=seed).fit(X, bags=bags)
    assert agreement(found.concepts, X, kind) > 0.9


def test_clusters_of_the_same_targets_are_where_they_lie():
    X, _, kind = seen_at_places(0)
    places = KMeans(2, n_init=10, random_state=0).fit_predict(X[kind >= 0])
    assert adjusted_rand_score(kind[kind >= 0], places) < 0.1


def start_of(X, bags, k):
    data = StandardBags.of(X, bags)
    return kinds_start(data, k, np.random.default_rng(0)).in_units(data.mean, data.scale)


def test_bags_of_one_instance_start_at_clusters_of_these():
    X, bags, kind = targets_alone(0)
    X[kind >= 0, PLACE] = 0
    first = [rows[:1] for rows in map(bags.of, range(len(bags)))]
    assert agreement(start_of(X, Bags.from_lists(first, bags.labels), 2), X, kind) == 1


def test_kinds_are_told_in_more_features_than_are_looked_at_one_by_one():
    X, bags, kind = targets_alone(0, n_bags=60, n_features=400)
    assert agreement(start_of(X, bags, 2), X, kind) > 0.9


def test_there_are_no_more_kinds_than_positive_bags_that_differ():
    X, bags, _ = targets_alone(0, n_bags=6)
    assert len(start_of(X, bags, 5)) == 3
