"""MissSVM: unlabeled instances and one witness of every positive bag."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.evaluate.scores import auc
from emberscope.mil.classifiers.mi_svm_instance import MISVMInstance
from emberscope.mil.classifiers.miss_svm import MissSVM


def planted(seed, *, n_bags=40, size=6, irrelevant=8):
    """Two of six instances of a positive bag lie 4 further along two features; 8 say nothing."""
    rng = np.random.default_rng(seed)
    truth = np.zeros(n_bags * size, bool)
    for k in range(0, n_bags, 2):
        truth[k * size + rng.permutation(size)[:2]] = True
    X = rng.normal(size=(len(truth), 2 + irrelevant))
    X[truth, :2] += 4
    labels = np.where(np.arange(n_bags) % 2, -1, 1)
    return X, Bags.from_column(np.repeat(np.arange(n_bags), size), labels), truth


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("seed", range(3))
def test_targets_are_found_among_irrelevant_features(kernel, seed):
    X, bags, truth = planted(seed)
    est = MissSVM(kernel=kernel).fit(X, bags=bags)
    assert auc(np.where(truth, 1, -1), est.score_) > 0.97
    new, of, there = planted(seed + 100)
    assert auc(np.where(there, 1, -1), est.score_instances(new)) > 0.95
    assert np.mean(est.predict(new, of) == of.labels) > 0.9


@pytest.mark.parametrize("unlabeled", [0.0, 0.3, 3.0])
def test_the_objective_never_rises(unlabeled):
    for seed in range(5):
        X, bags, _ = planted(seed, n_bags=16)
        history = MissSVM(unlabeled=unlabeled).fit(X, bags=bags).history_
        assert (np.diff(history) < 1e-4 * history[0]).all()


def test_unlabeled_instances_keep_farther_from_the_border():
    X, bags, _ = planted(0)
    inside = bags.members[bags.labels[bags.bag_of_member] > 0]
    near = [np.mean(np.abs(MissSVM(kernel="linear", unlabeled=u).fit(X, bags=bags).score_[inside])
                    < 1) for u in (0.0, 10.0)]
    assert near[1] < near[0]


def test_with_bags_of_one_it_is_a_support_vector_machine():
    X, _, truth = planted(1)
    y = np.where(truth, 1, -1)
    np.testing.assert_allclose(MissSVM().fit(X, y).score_, MISVMInstance().fit(X, y).score_,
                               atol=1e-6)


def test_every_witness_is_on_the_side_of_targets_where_there_is_room():
    X, bags, _ = planted(2)
    score = MissSVM(C=100.0).fit(X, bags=bags).score_bags(X, bags)
    assert score[bags.labels > 0].min() > 0.9
