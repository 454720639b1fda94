"""The class of a bag, by models that have not seen it."""

from dataclasses import replace

import numpy as np
import pytest

from emberscope.bags.folds import LEARNED
from emberscope.bags.model import Bags
from emberscope.base.errors import MissingLabels
from emberscope.catalogue import load
from emberscope.datasets.planted import planted_classes
from emberscope.evaluate.bag_validation import Model
from emberscope.evaluate.class_validation import GROUND, UNKNOWN, kinds_of, validate_classes


def three_kinds(n=30, ground=10, seed=0, noise=4):
    """Bags of three: two of background about 0, one of the class of the bag at a corner of its own;
    then bags of background alone."""
    rng = np.random.default_rng(seed)
    corners = np.array([[6.0, 0], [0, 6], [-6, -6]])
    kind = np.arange(n) % 3
    X = rng.normal(size=(3 * (n + ground), 2))
    X[: 3 * n : 3] += corners[kind]
    X = np.hstack([X, 2 * rng.normal(size=(len(X), noise))])
    members = list(np.arange(len(X)).reshape(-1, 3))
    labels = np.repeat([1, -1], [n, ground])
    classes = np.concatenate([kind + 1, np.full(ground, 9)])
    return X, Bags.from_lists(members, labels, classes=classes)


@pytest.mark.parametrize("id", ["citation-knn", "mi-svm-bag", "prototype-knn", "prototype-svm"])
def test_the_class_of_a_bag_is_found_one_against_each_other(id):
    X, bags = three_kinds(noise=0)
    found = validate_classes(Model(load(id), {}, {}), X, bags, folds=5)
    assert found.measured["class_accuracy"] > 0.85
    assert found.measured["class_majority"] == 0.25


@pytest.mark.parametrize("id", ["citation-knn", "prototype-knn", "prototype-svm"])
def test_behind_m_mida_classes_are_found_among_features_that_say_nothing(id):
    right = []
    for seed in (1, 2):
        X, bags, _ = planted_classes(60, bag_size=6, seed=seed)
        model = Model(load(id), {}, {}, load("m-mida"), {"n_components": 2})
        right.append(validate_classes(model, X, bags, folds=4).measured["class_accuracy"])
    assert np.mean(right) > 0.6  # one third by chance


def test_background_is_a_class_of_its_own():
    X, bags = three_kinds(noise=0)
    found = validate_classes(Model(load("mi-svm-bag"), {}, {}), X, bags, folds=5)
    assert (found.said[bags.labels < 0] == GROUND).mean() > 0.8


def test_bags_without_a_label_are_of_no_class():
    X, bags = three_kinds()
    labels = bags.labels.copy()
    labels[0] = 0
    unlabeled = Bags(bags.indptr, bags.members, labels, bags.ids, bags.classes)
    assert kinds_of(unlabeled)[0] == UNKNOWN
    found = validate_classes(Model(load("knn"), {}, {}), X, unlabeled, folds=3)
    assert found.said[0] == UNKNOWN


def test_what_is_open_is_chosen_in_inner_folds_by_classes():
    X, bags = three_kinds(noise=0)
    model = Model(load("prototype-knn"), {}, {"k": (1, 501)})  # 501: everybody votes alike
    assert {each["k"] for each in validate_classes(model, X, bags, folds=3).chosen} == {1}


def test_shuffled_classes_are_found_no_better_than_by_chance():
    X, bags = three_kinds(n=60, ground=0)
    shuffled = np.random.default_rng(0).permutation(bags.classes)
    mixed = Bags(bags.indptr, bags.members, bags.labels, bags.ids, shuffled)
    found = validate_classes(Model(load("prototype-knn"), {}, {}), X, mixed, folds=5)
    low, high = found.measured["class_accuracy_interval"]
    assert low < 0.4
    assert high > 1 / 3


def test_one_class_is_refused():
    X, bags = three_kinds(ground=0)
    alone = Bags(bags.indptr, bags.members, bags.labels, bags.ids, np.ones(30, np.int64))
    with pytest.raises(MissingLabels, match="one class"):
        validate_classes(Model(load("knn"), {}, {}), X, alone)


def test_a_confusion_counts_every_bag_once():
    X, bags = three_kinds(noise=0)
    found = validate_classes(Model(load("prototype-knn"), {}, {}), X, bags, folds=5)
    assert sum(sum(row.values()) for row in found.confusion.values()) == len(bags)


def test_a_class_that_is_only_learned_from_leaves_the_others_to_be_named():
    X, bags = three_kinds(noise=0)
    fold = np.where(np.arange(len(bags)) % 2, 0, LEARNED)
    fold[bags.classes == 3] = LEARNED
    found = validate_classes(Model(load("prototype-knn"), {}, {}), X, bags, folds=fold)
    assert set(np.flatnonzero(found.said != UNKNOWN)) == set(np.flatnonzero(fold == 0))
    assert found.measured["class_accuracy"] > 0.85


def test_a_class_that_is_held_out_as_a_whole_is_refused():
    X, bags = three_kinds(noise=0)
    fold = np.where(np.arange(len(bags)) % 2, 0, LEARNED)
    fold[bags.classes == 3] = 0
    with pytest.raises(MissingLabels, match="class 3 are in one fold"):
        validate_classes(Model(load("prototype-knn"), {}, {}), X, bags, folds=fold)


def test_numbers_of_bags_do_not_stand_in_for_their_classes():
    X, bags = three_kinds(noise=0)
    model = Model(load("mi-regression"), {}, {})
    numbered = replace(bags, values=bags.labels * (1.0 + np.arange(len(bags))))
    said = [validate_classes(model, X, each, folds=3).said for each in (bags, numbered)]
    assert np.array_equal(*said)
