"""Negative concepts: kinds of background, and what is unlike all of them."""

import numpy as np

from emberscope.bags.model import Bags
from emberscope.mil.concepts.background import NegativeConcepts
from emberscope.mil.concepts.clustering import FCMI

WOOD, ROAD, TARGET = (-4.0, 0.0), (4.0, 0.0), (0.0, 6.0)


def scene(n_bags=12):
    """Each bag has wood and road, each positive one an instance of a target last."""
    rows, members, signs = [], [], []
    for k in range(n_bags):
        places = [WOOD, WOOD, ROAD, ROAD] + [TARGET] * (k % 2)
        members.append(np.arange(len(rows), len(rows) + len(places)))
        rows += places
        signs.append(1 if k % 2 else -1)
    X = np.array(rows) + np.random.default_rng(0).normal(0, 0.3, (len(rows), 2))
    return X, Bags.from_lists(members, np.array(signs, np.int8))


def test_each_kind_of_background_is_a_cluster():
    X, bags = scene()
    found = NegativeConcepts(n_clusters=2).fit(X, bags=bags).clusters
    order = np.argsort(found.centers[:, 0])
    np.testing.assert_allclose(found.centers[order], [WOOD, ROAD], atol=0.5)


def test_what_is_like_no_background_ranks_first_in_each_positive_bag():
    X, bags = scene()
    score = NegativeConcepts(n_clusters=2).fit(X, bags=bags).score_
    assert all(score[bags.of(k)].argmax() == 4 for k in range(1, 12, 2))


def test_bags_with_a_target_are_positive():
    X, bags = scene()
    found = NegativeConcepts(n_clusters=2).fit(X, bags=bags)
    assert found.predict(X, bags).tolist() == bags.labels.tolist()


def test_fewer_clusters_are_made_where_background_is_all_alike():
    X, bags = scene()
    negative = np.isin(np.arange(len(X)), np.concatenate([bags.of(k) for k in range(0, 12, 2)]))
    X[negative] = WOOD
    assert len(NegativeConcepts(n_clusters=5).fit(X, bags=bags).clusters) == 1


def test_target_concepts_have_the_same_background():
    X, bags = scene()
    other = FCMI(n_concepts=1).fit(X, bags=bags).negative_concepts
    own = NegativeConcepts(n_clusters=5).fit(X, bags=bags).clusters
    assert other.centers.shape == own.centers.shape
