"""The usual classifiers on labels of bags: known answers among features that say nothing."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.catalogue import load
from emberscope.datasets.model import Points
from emberscope.evaluate.bag_validation import Model, validate_bags
from emberscope.evaluate.scores import auc
from emberscope.mil import support_vectors
from emberscope.mil.heads.forest import RandomForest
from emberscope.mil.heads.svm import LinearSVM, RbfSVM
from emberscope.point_tasks import classify_points

HEADS = {"knn": {"k": "auto"}, "svm-linear": {"C": "auto"}, "svm-rbf": {"C": "auto"},
         "network": {"hidden": "8"}, "random-forest": {"n_trees": "20"}}
SIZE = 6


def bags_of(n):
    return Bags.from_column(np.repeat(np.arange(n), SIZE), np.where(np.arange(n) % 2, 1, -1))


def planted(seed, targets=3, irrelevant=8, n=60):
    """Bags of six; of positive ones `targets` instances lie 2 away in three features, among others
    that are larger and say nothing."""
    rng, bags = np.random.default_rng(seed), bags_of(n)
    X, y = rng.normal(size=(n * SIZE, 3 + irrelevant)), np.full(n * SIZE, -1)
    X[:, 3:] *= rng.uniform(0.5, 3, irrelevant)
    for k in np.flatnonzero(bags.labels > 0):
        y[bags.of(k)[rng.permutation(SIZE)[:targets]]] = 1
    X[y > 0, :3] += 2.0
    return Points(X, y=y, bags=bags)


@pytest.mark.parametrize("head", HEADS)
def test_targets_are_found_on_a_map_made_among_features_that_say_nothing(head):
    found = [
        classify_points(planted(seed), method=head, reduce="mida", folds=3, seed=seed,
                        settings={"reduce.n_components": "2"} | HEADS[head])[1]
        for seed in range(3)
    ]
    assert np.mean([each["auc"] for each in found]) > 0.9
    assert np.mean([each["instance_auc"] for each in found]) > 0.8


@pytest.mark.parametrize(("kind", "params"), [(LinearSVM, {}), (RandomForest, {"n_trees": 20})])
def test_features_that_say_nothing_do_little_harm(kind, params):
    areas = [auc(points.bags.labels, validate_bags(Model(kind, params, {}), points.X, points.bags,
                                                   folds=3).bag_score)
             for points in (planted(seed, irrelevant=24) for seed in range(3))]
    assert np.mean(areas) > 0.85


@pytest.mark.parametrize("head", ["knn", "svm-linear"])
def test_whole_bags_are_learned_from_where_all_of_a_bag_is_shifted_a_little(head):
    chosen = []
    for seed in range(3):
        rng, bags = np.random.default_rng(seed), bags_of(80)
        X = rng.normal(size=(80 * SIZE, 6))
        X[:, 0] += 0.35 * bags.instance_labels(len(X))
        model = Model(load(head), {}, {"level": ("instance", "bag")})
        chosen += [each["level"] for each in validate_bags(model, X, bags, folds=3).chosen]
    assert chosen.count("bag") >= 7


def test_instances_are_learned_from_where_few_of_a_bag_are_targets():
    chosen = []
    for seed in range(3):
        rng, bags = np.random.default_rng(seed), bags_of(40)
        X = 3 * rng.normal(size=(40 * SIZE, 2)) * [1, 0.05]
        target = np.flatnonzero(bags.labels > 0) * SIZE
        X[target] = rng.normal([0, 5], 0.1, (len(target), 2))
        X[target + 1] = rng.normal([0, -5], 0.1, (len(target), 2))  # the mean hides both
        model = Model(load("knn"), {}, {"level": ("instance", "bag")})
        chosen += [each["level"] for each in validate_bags(model, X, bags, folds=3).chosen]
    assert chosen.count("instance") >= 7


def test_an_island_of_targets_needs_a_border_that_curves():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (200, 2))
    y = np.where(np.hypot(*X.T) < 0.5, 1, -1)
    straight, curved = (kind().fit(X, y).score_ for kind in (LinearSVM, RbfSVM))
    assert auc(y, curved) > 0.97
    assert auc(y, straight) < 0.7


def test_an_instance_of_a_bag_that_is_learned_from_whole_scores_as_a_bag_of_it_alone():
    points = planted(0)
    fitted = LinearSVM(level="bag").fit(points.X, bags=points.bags)
    alone = Bags.of_one(np.arange(5), np.zeros(5))
    np.testing.assert_allclose(fitted.score_bags(points.X[:5], alone),
                               fitted.score_instances(points.X[:5]))


def test_a_machine_that_does_not_settle_squares_errors_instead_and_says_so(monkeypatch):
    monkeypatch.setattr(support_vectors, "_MOST_STEPS", 20)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=200) > 0, 1, -1)
    est = LinearSVM(C=1e6).fit(X, y)
    assert "does not settle" in " ".join(est.notes_)
    assert auc(y, est.score_) > 0.9  # halfway it was at chance
