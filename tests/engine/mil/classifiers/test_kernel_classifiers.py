"""MI-Kernel and miGraph: their kernels by hand, what bags of one make of them, and the bags of
Musk1."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.svm import SVC

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Silent
from emberscope.evaluate.bag_validation import Model, validate_bags
from emberscope.evaluate.scores import auc
from emberscope.mil import bag_kernels
from emberscope.mil.classifiers.mi_graph import MIGraph, clique_sizes
from emberscope.mil.classifiers.mi_kernel import MIKernel
from emberscope.mil.training_bags import thinned

BOTH = pytest.mark.parametrize("cls", [MIKernel, MIGraph])


def random_bags(seed, n_bags=16):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, n_bags)
    labels = np.where(np.arange(n_bags) % 2, 1, -1)
    X = rng.normal(size=(sizes.sum(), 3)) + np.repeat(labels > 0, sizes)[:, None]
    return X, Bags.from_column(np.repeat(np.arange(n_bags), sizes), labels)


def instance_kernel(est, X, Z):
    if getattr(est, "kernel", "gaussian") == "polynomial":
        return (1 + X @ Z.T / X.shape[1]) ** est.degree
    return np.exp(-est.gamma_ * cdist(X, Z, "sqeuclidean"))


def weights(est, X):
    if isinstance(est, MIKernel):
        return np.ones(len(X))
    distance = cdist(X, X)
    n = len(X)
    mean = distance.sum() / max(n * (n - 1), 1)
    return 1 / ((distance < est.reach * mean) | np.eye(n, dtype=bool)).sum(axis=1)


def naive_kernel(est, A, B):
    w, v = weights(est, A), weights(est, B)
    value = w @ instance_kernel(est, A, B) @ v
    if isinstance(est, MIGraph):
        return value / (w.sum() * v.sum())
    return value / np.sqrt(
        w @ instance_kernel(est, A, A) @ w * (v @ instance_kernel(est, B, B) @ v)
    )


@pytest.mark.parametrize(
    "make", [MIKernel, MIGraph, lambda: MIKernel(kernel="polynomial"), lambda: MIGraph(reach=0.5)]
)
def test_scores_are_those_of_a_support_vector_machine_on_the_kernel_by_hand(make):
    (X, bags), (Q, new) = random_bags(0), random_bags(1, 5)
    est = make().fit(X, bags=bags)
    A, B = ((V - est.mean_) / est.scale_ for V in (X, Q))
    inside, outside = [A[bags.of(k)] for k in range(16)], [B[new.of(k)] for k in range(5)]
    gram = [[naive_kernel(est, a, b) for b in inside] for a in inside]
    svm = SVC(C=est.C, kernel="precomputed", class_weight="balanced", tol=1e-9).fit(
        gram, bags.labels
    )
    naive = svm.decision_function([[naive_kernel(est, a, b) for b in inside] for a in outside])
    np.testing.assert_allclose(est.score_bags(Q, new), naive, atol=1e-6)
    alone = svm.decision_function([[naive_kernel(est, a[None], b) for b in inside] for a in A])
    np.testing.assert_allclose(est.score_, alone, atol=1e-6)


@BOTH
def test_the_score_of_an_instance_seen_again_is_its_training_score(cls):
    X, bags = random_bags(2)
    est = cls().fit(X, bags=bags)
    np.testing.assert_allclose(est.score_instances(X), est.score_, atol=1e-9)


@BOTH
def test_with_bags_of_one_it_is_a_plain_support_vector_machine(cls):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 3)), np.where(np.arange(40) % 2, 1, -1)
    est = cls().fit(X, y)
    A = (X - est.mean_) / est.scale_
    plain = SVC(C=10, gamma=est.gamma_, class_weight="balanced", tol=1e-9).fit(A, y)
    np.testing.assert_allclose(est.score_, plain.decision_function(A), atol=1e-6)


@BOTH
def test_repeating_every_instance_of_a_bag_changes_no_score(cls):
    X, bags = random_bags(4)
    est = cls().fit(X, bags=bags)
    twice = Bags.from_lists([np.tile(bags.of(k), 2) for k in range(16)], bags.labels)
    if cls is MIGraph:  # doubles are at distance 0 and change the mean distance of their bag
        est.reach = 0.0
        np.testing.assert_allclose(est.score_bags(X, twice), est.score_bags(X, bags), atol=1e-9)
    else:
        np.testing.assert_allclose(est.score_bags(X, twice), est.score_bags(X, bags), atol=1e-9)


@BOTH
def test_only_support_bags_are_kept(cls):
    rng = np.random.default_rng(5)
    labels = np.where(np.arange(60) % 2, 1, -1)
    X = rng.normal(size=(120, 2)) + 4 * np.repeat(labels > 0, 2)[:, None]
    est = cls(C=1000.0, width=1.0).fit(
        X, bags=Bags.from_column(np.repeat(np.arange(60), 2), labels)
    )
    assert len(est.dual_) < 40
    assert len(est.X_) == 2 * len(est.dual_)


def test_instances_that_are_alike_share_one_vote():
    background, target = np.zeros((50, 2)), np.full((1, 2), 3.0)
    sizes = clique_sizes(
        np.vstack([background + np.arange(50)[:, None] * 1e-3, target]), 1.0, Silent()
    )
    np.testing.assert_array_equal(sizes, [50] * 50 + [1])


def test_without_reach_every_instance_has_its_own_vote():
    X = np.random.default_rng(6).normal(size=(9, 2))
    np.testing.assert_array_equal(clique_sizes(X, 0.0, Silent()), np.ones(9))


def test_a_clique_reaches_as_far_as_the_mean_distance():
    X = np.array([[0.0], [1.0], [5.0]])  # distances 1, 4, 5: mean 10 / 3
    np.testing.assert_array_equal(clique_sizes(X, 1.0, Silent()), [2, 2, 1])


@BOTH
def test_a_bag_of_many_instances_has_a_score(cls):
    X, bags = random_bags(7)
    Q = np.random.default_rng(8).normal(size=(2000, 3))
    assert np.isfinite(
        cls().fit(X, bags=bags).score_bags(Q, Bags.from_lists([np.arange(2000)], [0]))
    ).all()


@BOTH
def test_instances_that_are_all_the_same_are_refused(cls):
    with pytest.raises(DataError, match="are the same"):
        cls().fit(np.ones((4, 2)), bags=Bags.from_column(np.repeat([0, 1], 2), [1, -1]))


@pytest.mark.parametrize(("cls", "least"), [(MIKernel, 0.83), (MIGraph, 0.84)])
def test_most_bags_of_musk1_are_told_right(cls, least, musk):
    X, bags = musk
    score = validate_bags(Model(cls, {}, {}), X, bags, folds=10).bag_score
    assert ((score > 0) == (bags.labels > 0)).mean() >= least


@BOTH
def test_large_bags_are_compared_by_some_of_their_instances(cls, monkeypatch):
    monkeypatch.setattr(bag_kernels, "_LARGEST_BAG", 2)
    X, bags = random_bags(0)
    est = cls().fit(X, bags=bags)
    some = thinned(X, bags, 2)
    assert any("2 each are compared" in note for note in est.notes_)
    np.testing.assert_allclose(est.score_bags(X, bags), est.score_bags(X, some))
    np.testing.assert_allclose(est.score_, est.score_instances(X), atol=1e-9)


def long_among_short(seed, n_bags=60, size=12, n_features=100):
    """Short sparse background; one instance of each positive bag is long, with 10 words of its
    own."""
    rng = np.random.default_rng(seed)
    X, truth = np.zeros((n_bags * size, n_features)), np.zeros(n_bags * size, bool)
    X[np.arange(len(X)), rng.integers(n_features, size=len(X))] = 0.1
    truth[size * np.arange(1, n_bags, 2) + rng.integers(size, size=n_bags // 2)] = True
    for row in np.flatnonzero(truth):
        X[row, rng.choice(n_features, 10, replace=False)] = rng.uniform(0.5, 2, 10)
    bags = Bags.from_column(
        np.repeat(np.arange(n_bags), size), np.where(np.arange(n_bags) % 2, 1, -1)
    )
    return X, bags, np.where(truth, 1, -1)


@pytest.mark.parametrize("seed", range(2))
def test_long_targets_each_unlike_every_other_are_found_by_the_kernel_chosen_inside(seed):
    X, bags, truth = long_among_short(seed)
    choices = next(param.grid for param in MIKernel.params if param.name == "kernel")
    found = validate_bags(Model(MIKernel, {}, {"kernel": choices}), X, bags, folds=5)
    assert auc(truth, found.instance_score) > 0.95  # six other draws: 0.9966 to 1.0
