"""Bagging of classifiers."""

import numpy as np
import pytest

from emberscope import catalogue
from emberscope.bags.model import Bags
from emberscope.base.errors import ParamError
from emberscope.course.bagging import Bagging
from emberscope.evaluate.scores import auc

EVERY = [row.id for row in catalogue.CLASSIFIERS
         if row.id not in ("bagging", "two-confidences")]


def planted(seed, *, n_bags=40, size=5, irrelevant=6):
    """One of five instances of a positive bag lies 3 further along three features."""
    rng = np.random.default_rng(seed)
    truth = np.zeros(n_bags * size, bool)
    truth[size * np.arange(0, n_bags, 2) + rng.integers(size, size=(n_bags + 1) // 2)] = True
    X = rng.normal(size=(len(truth), 3 + irrelevant))
    X[truth, :3] += 3
    labels = np.where(np.arange(n_bags) % 2, -1, 1)
    return X, Bags.from_column(np.repeat(np.arange(n_bags), size), labels), truth


@pytest.mark.parametrize("base", ["dd", "apr", "mi-svm-bag", "mi-ace", "mil-boost"])
def test_bags_are_told_apart_among_irrelevant_features(base):
    X, bags, truth = planted(0)
    new, of, _ = planted(100)
    est = Bagging(base=base).fit(X, bags=bags)
    assert auc(of.labels, est.score_bags(new, of)) > 0.85
    assert auc(np.where(truth, 1, -1), est.score_) > 0.8


@pytest.mark.parametrize("base", EVERY)
def test_every_classifier_can_be_bagged_and_kept(base, tmp_path):
    X, bags, _ = planted(1, n_bags=24)
    quick = {"attention-mil": "n_networks=2 n_epochs=10", "mi-forest": "n_trees=10"}
    est = Bagging(base=base, settings=quick.get(base, ""), n_members=2).fit(X, bags=bags)
    np.savez(tmp_path / "state.npz", **est.to_state())
    with np.load(tmp_path / "state.npz", allow_pickle=False) as state:
        again = Bagging.from_state(state)
    np.testing.assert_allclose(again.score_bags(X, bags), est.score_bags(X, bags))


def test_a_mean_of_many_changes_less_from_draw_to_draw_than_one():
    X, bags, _ = planted(2)
    new, of, _ = planted(102)

    def change(members):
        scores = [Bagging(base="dd", n_members=members, random_state=seed).fit(X, bags=bags)
                  .score_bags(new, of) for seed in range(4)]
        return np.mean(1 - np.corrcoef(scores)[np.triu_indices(4, 1)])

    assert change(16) < change(2)


def test_scores_of_training_instances_come_from_members_that_have_not_seen_them():
    X, bags, _ = planted(3)
    noise = np.random.default_rng(3).normal(size=X.shape)  # labels say nothing of it
    score = Bagging(base="mi-svm-bag", n_members=30).fit(noise, bags=bags).score_
    best = np.array([score[bags.of(k)].max() for k in range(len(bags))])
    assert auc(bags.labels, best) < 0.7


def test_values_of_the_classifier_are_given_as_in_the_command_line():
    X, bags, _ = planted(4)
    est = Bagging(base="mi-svm-bag", settings="kernel=linear C=10", n_members=2).fit(X, bags=bags)
    assert all((m.kernel, m.C) == ("linear", 10.0) for m in est.members_)


def test_a_value_that_holds_a_blank_stands_in_quotes():
    X, bags, _ = planted(4)
    est = Bagging(base="multi-mi-ace", settings="detector='matched filter' n_targets=1",
                  n_members=2).fit(X, bags=bags)
    assert [m.detector for m in est.members_] == ["matched filter"] * 2


@pytest.mark.parametrize(("settings", "message"), [
    ("kernel", "settings holds 'kernel'. Give name=value"),
    ("kernel='linear", "Close the quotes"),
    ("depth=3", "mi-svm-bag has no parameter depth"),
    ("C=-1", "C is -1"),
])
def test_values_that_the_classifier_does_not_take_are_refused(settings, message):
    X, bags, _ = planted(5)
    with pytest.raises(ParamError, match=message):
        Bagging(base="mi-svm-bag", settings=settings).fit(X, bags=bags)


def test_positive_and_negative_bags_are_in_every_draw():
    X = np.array([[0.0], [5.0], [0.1], [0.2], [0.3]])
    est = Bagging(base="knn", n_members=20).fit(X, [-1, 1, -1, -1, -1])
    assert est.score_.shape == (5,)
