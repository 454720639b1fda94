"""Bags as distances to concepts, and the classifiers on them."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.datasets.planted_concepts import disk_concepts
from emberscope.mil.concepts.bag_features import bag_features
from emberscope.mil.concepts.embedded import ConceptKNN, ConceptSVM, ConceptWeights, one_norm
from emberscope.mil.concepts.model import Concepts

TARGET = Concepts(np.array([[0.0]]), np.array([[1.0]]))
GROUND = Concepts(np.array([[10.0]]), np.array([[1.0]]))


def test_a_bag_is_its_nearest_its_mean_and_what_is_near_and_far_from_background():
    X, bags = np.array([[0.0], [2.0]]), Bags.from_lists([[0, 1]], np.array([1]))
    found = bag_features(X, bags, TARGET, GROUND)
    np.testing.assert_allclose(found, [[0.0, np.log(5) / 2, np.log(65), np.log(101), 0.0]])


def test_the_nearest_alone_are_one_number_per_concept():
    assert bag_features(np.array([[3.0]]), Bags.from_lists([[0]], np.array([1])), TARGET, GROUND,
                        "nearest").shape == (
        1, 1,
    )  # fmt: skip


@pytest.mark.parametrize("kind", [ConceptSVM, ConceptWeights, ConceptKNN])
def test_new_bags_are_told_apart(kind):
    planted, new = disk_concepts(seed=0, n_negative=40), disk_concepts(seed=1, n_negative=40)
    est = kind(n_concepts=2).fit(planted.X, bags=planted.bags)
    # Of this draw; six others: 0.82 to 1.0
    assert (est.predict(new.X, new.bags) == new.bags.labels).mean() > 0.9


def test_the_sparse_machine_is_the_least_of_its_objective():
    rng = np.random.default_rng(0)
    F = rng.normal(size=(30, 4))
    y = np.where(F[:, 0] + 0.1 * rng.normal(size=30) > 0, 1, -1)
    cost = np.ones(30)

    def objective(w, b):
        return 0.5 * np.abs(w).sum() + (cost * np.maximum(0, 1 - y * (F @ w + b))).sum()

    w, b = one_norm(F, y, cost, 0.5)
    for _ in range(200):
        assert objective(w + 0.05 * rng.normal(size=4), b + 0.05 * rng.normal()) >= objective(w, b)
