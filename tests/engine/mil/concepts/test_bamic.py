"""BAMIC: medoids of bags."""

import numpy as np

from emberscope.bags.model import Bags
from emberscope.mil.concepts import bamic
from emberscope.mil.concepts.bamic import BAMIC, medoids


def test_medoids_are_in_the_middle_of_their_clusters():
    place = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])
    assert sorted(medoids(np.abs(place[:, None] - place), 2).tolist()) == [1, 4]


def test_bags_of_one_kind_share_a_medoid():
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0], [8.0]], 30, axis=0) + rng.normal(size=(60, 1))
    bags = Bags.from_column(np.arange(60) // 3, np.where(np.arange(20) < 10, -1, 1))
    est = BAMIC(n_clusters=2).fit(X, bags=bags)
    assert len(np.unique(est.cluster_[:10])) == len(np.unique(est.cluster_[10:])) == 1
    assert (est.predict(X, bags) == bags.labels).all()


def test_more_clusters_than_bags_are_as_many_as_bags():
    X, bags = np.arange(4.0)[:, None], Bags.from_column(np.arange(4), np.array([1, -1, 1, -1]))
    assert len(BAMIC(n_clusters=9).fit(X, bags=bags).medoids_) == 4


def test_of_a_crowded_bag_some_instances_are_compared(monkeypatch):
    monkeypatch.setattr(bamic, "LARGEST_BAG", 3)
    X, bags = (
        np.arange(12.0)[:, None],
        Bags.from_lists([np.arange(9), [9, 10], [11]], np.array([1, -1, -1], np.int8)),
    )
    est = BAMIC(n_clusters=3).fit(X, bags=bags)
    assert len(est.X_) == 3 + 2 + 1
    assert est.notes_ == ["Of 1 bag with more than 3 instances 3 are compared."]
