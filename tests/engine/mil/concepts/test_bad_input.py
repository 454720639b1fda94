"""What a clustering of bags makes of data that is hardly any: a result and a note, or one message
with the way out."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import MissingLabels
from emberscope.mil.concepts.clustering import FCMI

FEW, MANY = 3, 150  # features: all instances take part, or those that stand out


def eight_bags(n_features):
    """Bags of five, four of them positive with a target first."""
    X = np.random.default_rng(0).normal(size=(40, n_features))
    X[0:20:5] += 4.0
    return X, np.arange(40).reshape(8, 5), np.repeat([1, -1], 4)


def fitted(X, members, labels, **params):
    return FCMI(**params).fit(X, bags=Bags.from_lists(list(members), np.asarray(labels)))


@pytest.mark.parametrize("n_features", [FEW, MANY])
@pytest.mark.parametrize(
    ("which", "missing"), [([0], "negative"), ([0, 1, 2, 3], "negative"), ([4, 5], "positive")]
)
def test_bags_of_one_kind_or_a_single_bag_name_the_label_that_is_missing(
    n_features, which, missing
):
    X, members, labels = eight_bags(n_features)
    with pytest.raises(
        MissingLabels, match=f"no {missing} bag with an instance. Label at least one {missing} bag"
    ):
        fitted(X, members[which], labels[which])


@pytest.mark.parametrize("n_features", [FEW, MANY])
def test_one_bag_of_each_kind_is_enough_for_one_concept(n_features):
    X, members, labels = eight_bags(n_features)
    est = fitted(X, members[[0, 4]], labels[[0, 4]])
    assert len(est.centers_) == 1
    assert np.isfinite(est.embedding_).all()


@pytest.mark.parametrize("n_features", [FEW, MANY])
def test_more_concepts_than_positive_bags_are_cut_to_these(n_features):
    X, members, labels = eight_bags(n_features)
    est = fitted(X, members, labels, n_concepts=50, prune=False)
    assert len(est.centers_) == 4
    assert "50 concepts were asked for; 4 positive bags can show 4 at most." in est.notes_


@pytest.mark.parametrize("n_features", [FEW, MANY])
def test_instances_that_are_all_the_same_give_finite_numbers_and_a_note(n_features):
    X, members, labels = eight_bags(n_features)
    est = fitted(np.ones_like(X), members, labels)
    assert np.isfinite(est.score_).all()
    assert np.isfinite(est.embedding_).all()
    assert any("equal one of a negative bag in every feature" in note for note in est.notes_)


def test_of_many_features_a_constant_one_has_no_weight():
    X, members, labels = eight_bags(MANY)
    X[:, 1] = 3.0
    assert (fitted(X, members, labels).scales_[:, 1] == 0).all()


def test_of_many_features_a_positive_bag_equal_to_a_negative_one_is_noted():
    X, members, labels = eight_bags(MANY)
    X[20:25] = X[0:5]
    assert any(
        "5 instances of positive bags equal one" in note
        for note in fitted(X, members, labels).notes_
    )


@pytest.mark.parametrize("n_features", [FEW, 30])
def test_a_bag_of_a_hundred_thousand_instances_keeps_its_targets(n_features):
    rng, n = np.random.default_rng(0), 100_000
    X = rng.normal(size=(2 * n + 50, n_features)).astype(np.float32)
    X[n - 20:n] += 6.0
    X[2 * n:2 * n + 25:5] += 6.0
    small = [np.arange(2 * n + 5 * k, 2 * n + 5 * k + 5) for k in range(10)]
    est = fitted(X, [np.arange(n), np.arange(n, 2 * n), *small], [1, -1, *[1] * 5, *[-1] * 5])
    assert set(np.argsort(-est.score_[:n])[:20]) == set(range(n - 20, n))
    assert any(note.startswith("Of 2 bags with more than 256 instances") for note in est.notes_)
