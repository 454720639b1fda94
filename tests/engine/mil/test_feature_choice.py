"""Classifiers of bags go by few features where that is asked for and bags held out agree."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.mil import feature_choice
from emberscope.mil.classifiers.citation_knn import CitationKNN
from emberscope.mil.classifiers.knn import KNN
from emberscope.mil.classifiers.mi_svm_bag import MISVMBag


def planted(seed, *, n_irrelevant=12, n_bags=120):
    """Bags of 2 to 8 in a square, half of them with an instance near its center in the first two
    features; the others are noise."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 9, n_bags)
    X = rng.uniform(0, 2, (sizes.sum(), 2 + n_irrelevant))
    positive = np.arange(n_bags) % 2 == 0
    first = (np.cumsum(sizes) - sizes)[positive]
    X[first, :2] = 1 + 0.1 * rng.normal(size=(len(first), 2))
    return X, Bags.from_column(np.repeat(np.arange(n_bags), sizes), np.where(positive, 1, -1))


def chance_above(est, seed):
    X, bags = planted(seed)
    score = est.score_bags(X, bags)
    return (score[bags.labels > 0][:, None] > score[bags.labels < 0]).mean()


def test_features_that_say_nothing_are_left_out_where_bags_held_out_ask_for_it():
    X, bags = planted(0)
    est = MISVMBag(features="held-out").fit(X, bags=bags)
    assert est.counting_.tolist() == [0, 1]
    assert chance_above(est, 100) > 0.85  # with all features .5


def test_a_note_says_how_many_features_count():
    X, bags = planted(0)
    assert "2 features of 14 count" in " ".join(MISVMBag().fit(X, bags=bags).notes_)


def test_unasked_features_that_say_nothing_are_left_out():
    X, bags = planted(0)
    est = MISVMBag().fit(X, bags=bags)
    assert est.counting_.tolist() == [0, 1]
    assert chance_above(est, 100) > 0.85


@pytest.mark.parametrize("features", ["auto", "held-out"])
def test_all_features_count_where_all_tell_bags_apart(features):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(60) % 2, 1, -1)
    X = rng.normal(size=(60, 6)) + y[:, None]
    est = KNN(features=features).fit(X, bags=Bags.of_one(np.arange(60), y))
    assert len(est.counting_) == 6


@pytest.mark.parametrize("seed", range(3))
def test_all_features_count_where_none_tells_bags_apart(seed):
    X, bags = planted(seed)
    X = np.random.default_rng(seed).normal(size=X.shape)
    assert len(CitationKNN().fit(X, bags=bags).counting_) == 14


def test_all_features_count_where_few_rank_bags_no_better():
    """Each feature alone tells a little, and all of them tell all."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(80) % 2, 1, -1)
    X = rng.normal(size=(80, 30)) + 0.5 * y[:, None]
    est = MISVMBag(features="auto").fit(X, bags=Bags.of_one(np.arange(80), y))
    assert len(est.counting_) == 30


@pytest.mark.parametrize("features", ["auto", "held-out"])
def test_few_bags_choose_no_features(features):
    X, bags = planted(0, n_bags=20)
    assert len(CitationKNN(features=features).fit(X, bags=bags).counting_) == 14


def test_unasked_few_bags_are_named_where_features_are_more():
    few, many = (planted(0, n_irrelevant=n, n_bags=20) for n in (12, 30))
    assert CitationKNN().fit(few[0], bags=few[1]).notes_ == []
    assert "too few bags" in " ".join(CitationKNN().fit(many[0], bags=many[1]).notes_)


@pytest.mark.parametrize(("features", "few_bags", "why"), [
    ("held-out", True, "too few bags"),
    ("few", False, "instances with 14 features are too many"),
    ("auto", False, "instances with 14 features are too many"),
    ("held-out", False, "instances with 14 features are too many"),
])
def test_a_note_says_why_no_features_are_chosen(features, few_bags, why, monkeypatch):
    X, bags = planted(0, n_bags=20 if few_bags else 120)
    monkeypatch.setattr("emberscope.mil.feature_choice._VALUES", 5000)
    monkeypatch.setattr("emberscope.mil.feature_choice._AT_ONCE", 5000)
    est = CitationKNN(features=features).fit(X, bags=bags)
    assert why in " ".join(est.notes_)
    assert len(est.counting_) == 14


@pytest.mark.parametrize("column", [2, 13])
def test_values_of_other_features_do_not_matter(column):
    X, bags = planted(0)
    est = CitationKNN(features="few").fit(X, bags=bags)
    changed = X.copy()
    changed[:, column] = 100.0
    assert np.array_equal(est.score_bags(changed, bags), est.score_bags(X, bags))


def test_a_model_that_knows_of_no_choice_reads_all_features():
    X, bags = planted(0)
    state = CitationKNN(features="all").fit(X, bags=bags).to_state()
    del state["counting_"]
    old = CitationKNN.from_state(state)
    assert np.array_equal(old.score_instances(X), CitationKNN(features="all").fit(
        X, bags=bags).score_instances(X))


def test_bags_are_searched_once_while_values_are_tried(monkeypatch):
    X, bags = planted(7)
    searched = []
    search = feature_choice.best_shared
    monkeypatch.setattr(feature_choice, "best_shared",
                        lambda *args: searched.append(1) or search(*args))
    chosen = [MISVMBag(C=C, features="few").fit(X, bags=bags).counting_.tolist() for C in (1, 10)]
    assert chosen == [[0, 1], [0, 1]]
    assert len(searched) == 1
