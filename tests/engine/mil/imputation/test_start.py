"""The labels that imputation starts from."""

import pytest

from emberscope.datasets.planted import planted_bags
from emberscope.mil.imputation import start
from emberscope.mil.imputation.start import initial_labels
from emberscope.mil.rules.table import RULES


@pytest.mark.parametrize("name", RULES)
def test_labels_to_start_from_fit_the_bags(name, clouds):
    X, bags, _ = clouds
    labels, *_ = initial_labels(name, X, bags)
    assert (labels[160:] == -1).all()
    assert (labels[:160].reshape(20, 8) > 0).any(axis=1).all()


@pytest.mark.parametrize("name", ["density", "mil-boost"])
def test_the_start_tells_rare_targets_from_background(name, clouds):
    X, bags, y = clouds
    labels, *_ = initial_labels(name, X, bags)
    here = bags.instance_labels(320) > 0
    assert (labels[here & (y > 0)] > 0).mean() >= 0.8  # six other draws: 1.0
    assert (labels[here & (y < 0)] < 0).mean() >= 0.85  # six other draws: 0.90 to 1.0


def test_scores_of_a_start_are_above_one_half_where_its_labels_are_targets(clouds):
    X, bags, _ = clouds
    labels, score, *_ = initial_labels("density", X, bags)
    free = bags.instance_labels(320) > 0
    assert (labels[free & (score > 0.5)] == 1).all()


def test_labels_of_bags_have_no_scores_to_remember(clouds):
    X, bags, _ = clouds
    assert initial_labels("bag-label", X, bags)[1] is None


def test_a_start_that_is_doubtful_says_so(few_trees, monkeypatch):
    X, bags, _ = planted_bags(20)
    monkeypatch.setattr(start, "doubts", lambda scores, bags: ["The rules agree little."])
    assert initial_labels("ensemble", X, bags)[2] == ["The rules agree little."]
    assert initial_labels("trees", X, bags)[2] == []
