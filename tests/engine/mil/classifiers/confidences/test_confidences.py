"""Confidences of instances on planted bags with noise."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.evaluate.scores import auc
from emberscope.mil.classifiers.confidences.one_norm import OneNormSVM
from emberscope.mil.classifiers.confidences.possibilistic_knn import PossibilisticKNN


def planted(seed, n_noise):
    """40 + 40 bags of five in 4-D with noise features beside them: a target of every positive bag
    lies at 2.5 in the first two."""
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(80) % 2, 1, -1)
    X, truth = rng.normal(size=(400, 4 + n_noise)), np.zeros(400, bool)
    truth[5 * np.flatnonzero(labels > 0) + rng.integers(5, size=40)] = True
    X[truth, :2] += 2.5
    return X, Bags.from_column(np.repeat(np.arange(80), 5), labels), truth


@pytest.mark.parametrize(("kind", "least"), [(PossibilisticKNN, 0.85), (OneNormSVM, 0.95)])
@pytest.mark.parametrize("seed", range(3))
def test_new_targets_are_found_in_noise(kind, least, seed):
    X, bags, _ = planted(seed, 4)
    new, _, truth = planted(seed + 9, 4)
    est = kind().fit(X, bags=bags)
    assert auc(2 * truth - 1, est.score_instances(new)) > least


def test_the_sparse_machine_gives_most_features_that_say_nothing_no_weight():
    X, bags, truth = planted(0, 60)
    est = OneNormSVM(C=0.01).fit(X, bags=bags)
    assert set(np.argsort(-np.abs(est.weights_))[:2]) == {0, 1}
    assert np.count_nonzero(est.weights_) < 20
    chosen = est.prototype_[est.prototype_ >= 0]
    assert truth[chosen].mean() > 0.9


def test_an_instance_like_no_prototype_is_no_target():
    X, bags, _ = planted(0, 0)
    est = PossibilisticKNN().fit(X, bags=bags)
    far, near = est.score_instances([[40.0, 40.0, 0.0, 0.0], [2.5, 2.5, 0.0, 0.0]])
    assert far < 0 < near


def test_a_prototype_of_ground_that_both_labels_hold_has_a_share_of_one_half():
    X, bags, _ = planted(0, 0)
    est = PossibilisticKNN(n_prototypes=64).fit(X, bags=bags)
    ground = np.linalg.norm(est.prototypes_, axis=1) < 1.0
    assert est.shares_[ground].mean() == pytest.approx(0.5, abs=0.15)
