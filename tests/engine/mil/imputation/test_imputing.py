"""MI-LE and MI-Isomap: the loop around S-LE and SE-Isomap."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import spearmanr

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, MissingLabels
from emberscope.base.monitor import Watch
from emberscope.datasets.bags_of_points import random_bags
from emberscope.datasets.planted import planted_bags
from emberscope.datasets.surfaces import quadratic_surfaces
from emberscope.embedding.supervised.s_le import SLE
from emberscope.embedding.supervised.se_isomap import SEIsomap
from emberscope.mil.imputation import start as beginning
from emberscope.mil.imputation.mi_isomap import MIIsomap
from emberscope.mil.imputation.mi_le import MILE
from emberscope.neighbors.search import nearest

BOTH = pytest.mark.parametrize("cls", [MILE, MIIsomap])
# One rule in place of six, which take ten times as long, where the start does not matter
SIMPLE = {"start": "density"}


def surfaces(n_per_class=100, kind="separable", seed=0):
    """Points, bags of up to 20, three in four instances of positive ones targets."""
    X, y = quadratic_surfaces(n_per_class, kind=kind, seed=seed)
    return X, random_bags(y, max_size=20, seed=seed), y


@pytest.mark.parametrize(
    ("cls", "supervised"), [(MILE, partial(SLE, coupling=0.5)), (MIIsomap, SEIsomap)]
)
def test_bags_of_one_instance_are_the_supervised_method(cls, supervised):
    X, _, y = surfaces(40)
    bags = Bags.from_lists(list(np.arange(80)[:, None]), y)
    found = cls(**SIMPLE, max_rounds=2).fit(X, bags=bags)
    np.testing.assert_array_equal(found.embedding_, supervised().fit(X, y).embedding_)


@BOTH
@pytest.mark.parametrize("kind", ["separable", "crossing"])
def test_imputed_labels_are_right_more_often_than_those_of_bags(cls, kind, few_trees):
    X, bags, y = surfaces(250, kind=kind)
    est = cls(max_rounds=3).fit(X, bags=bags)
    assert (est.labels_ == y).mean() > (bags.instance_labels(500) == y).mean() + 0.03


@pytest.mark.parametrize(
    ("kind", "n", "mark"), [("separable", 500, 0.95), ("crossing", 1000, 0.92)]
)
def test_new_instances_are_told_right_in_a_picture_learned_from_bags(kind, n, mark, few_trees):
    """3 seeds, n instances to learn from: 3-NN against true labels, far above bag labels as they
    are."""
    right, control = [], []
    for seed in range(3):
        X, y = quadratic_surfaces(n, kind=kind, seed=seed)
        here = np.random.default_rng(seed).permutation(2 * n) < n
        bags = random_bags(y[here], seed=seed)
        est = MILE(max_rounds=3).fit(X[here], bags=bags)
        label = bags.instance_labels(n)
        for hits, Z, Q, learned in (
            (right, est.embedding_, est.transform(X[~here]), est.labels_),
            (control, X[here], X[~here], label),
        ):
            hits.append(((learned[nearest(Z, Q, 3).idx].sum(axis=1) > 0) == (y[~here] > 0)).mean())
    assert np.mean(right) >= mark
    assert np.mean(right) >= np.mean(control) + 0.05


@BOTH
def test_what_the_loop_found_is_kept_for_the_window(cls):
    X, bags, _ = surfaces(60)
    est = cls(**SIMPLE, max_rounds=2).fit(X, bags=bags)
    again = cls.from_state(est.to_state())
    assert est.history_.shape == (len(est.changes_) + 1, 120)
    assert est.history_.dtype == np.int8
    assert np.array_equal(again.history_, est.history_)
    assert np.array_equal(est.history_[est.kept_round_], est.labels_)


@BOTH
def test_the_witness_score_is_a_share(cls):
    X, bags, _ = surfaces(60)
    score = cls(**SIMPLE, max_rounds=2).fit(X, bags=bags).score_
    assert score.shape == (120,)
    assert score.min() >= 0
    assert score.max() <= 1


def test_a_watched_fit_shows_every_round():
    X, bags, _ = surfaces(60)
    shown = []
    est = MILE(**SIMPLE, max_rounds=2).fit(
        X, bags=bags, monitor=Watch(on_partial=lambda Z: shown.append(Z.shape))
    )
    assert shown == [(120, 2)] * len(est.changes_)


@BOTH
def test_no_rounds_embed_the_labels_of_the_start(cls):
    X, bags, _ = surfaces(60)
    est = cls(start="bag-label", max_rounds=0).fit(X, bags=bags)
    assert np.array_equal(est.labels_, bags.instance_labels(120))


def test_another_start_picks_the_first_targets():
    X, bags, y = surfaces()
    est = MILE(start="citation", max_rounds=0).fit(X, bags=bags)
    assert (est.labels_ == y).mean() > (bags.instance_labels(200) == y).mean() + 0.04


def test_rare_targets_are_told_right_from_a_start_of_rare_instances():
    """One target in 8: with labels of bags the vote is about backgrounds."""
    X, bags, truth = planted_bags()
    found = {
        start: MILE(start=start, max_rounds=3).fit(X, bags=bags)
        for start in ("bag-label", "density")
    }
    right = {start: ((est.labels_ > 0) == truth).mean() for start, est in found.items()}
    assert right["density"] >= 0.95  # six other draws: 0.95 to 1.0
    assert right["density"] > right["bag-label"] + 0.05


@BOTH
@pytest.mark.parametrize("label", [1, -1])
def test_bags_of_one_label_are_not_enough(cls, label):
    X, bags, _ = surfaces(60)
    with pytest.raises(MissingLabels, match=r"there is no (positive|negative) bag"):
        cls().fit(X, bags=Bags.from_lists([bags.of(0), bags.of(1)], [label, label]))


@BOTH
def test_a_positive_bag_inside_a_negative_one_takes_no_part(cls):
    X, bags, _ = surfaces(60)
    lists = [
        *(bags.of(k) for k in range(len(bags))),
        bags.of(int(np.flatnonzero(bags.labels < 0)[0])),
    ]
    est = cls(**SIMPLE, max_rounds=1).fit(X, bags=Bags.from_lists(lists, [*bags.labels, 1]))
    assert any("without a usable instance" in note for note in est.notes_)
    assert (est.labels_[lists[-1]] == -1).all()


@BOTH
def test_an_empty_bag_is_noted(cls):
    X, bags, _ = surfaces(60)
    lists = [*(bags.of(k) for k in range(len(bags))), []]
    est = cls(**SIMPLE, max_rounds=1).fit(X, bags=Bags.from_lists(lists, [*bags.labels, 1]))
    assert any("without a usable instance" in note for note in est.notes_)


@BOTH
def test_a_constant_feature_does_not_matter(cls):
    X, bags, _ = surfaces(60)
    est = cls(**SIMPLE, max_rounds=1).fit(np.hstack([X, np.full((120, 1), 7.0)]), bags=bags)
    assert np.isfinite(est.embedding_).all()


@BOTH
@pytest.mark.parametrize("names", [[0, 1, 2], ["car", "ground", "car"]], ids=["numbers", "words"])
@pytest.mark.parametrize("with_bags", [True, False])
def test_classes_are_refused_with_bags_and_without(cls, names, with_bags):
    X, bags, _ = surfaces(60)
    with pytest.raises(DataError, match="-1, 0"):
        cls().fit(X, np.array(names)[np.arange(120) % 3], bags=bags if with_bags else None)


@BOTH
def test_labels_alone_may_be_false_and_true(cls):
    X, _, y = surfaces(40)
    assert np.array_equal(cls().fit(X, y > 0).labels_, y)


@BOTH
def test_features_of_any_unit_give_one_picture_when_standardized(cls):
    """Powers of two, so that no last bit differs: folds are dealt by content."""
    X, bags, _ = surfaces(60)
    one, other = (
        cls(**SIMPLE, standardize=True, max_rounds=1).fit(A, bags=bags)
        for A in (X, X * [1, 1024, 1 / 64])
    )
    np.testing.assert_allclose(other.embedding_, one.embedding_, atol=1e-9)


@BOTH
def test_training_instances_lie_where_they_were_when_standardized(cls):
    X, bags, _ = surfaces(60)
    est = cls(**SIMPLE, standardize=True, max_rounds=1).fit(X * [1, 1000, 0.01], bags=bags)
    again = cls.from_state(est.to_state())
    Z = again.transform(X * [1, 1000, 0.01])
    np.testing.assert_allclose(Z, est.embedding_, atol=1e-9 * np.abs(Z).max())


@BOTH
def test_strangers_are_strange_in_standardized_units(cls):
    X, bags, _ = surfaces(60)
    est = cls(**SIMPLE, standardize=True, max_rounds=1).fit(X * [1, 1000, 0.01], bags=bags)
    known, strange = est.novelty(X * [1, 1000, 0.01]), est.novelty((X + 30) * [1, 1000, 0.01])
    assert known.confidence.min() > 0.9  # six other draws: 1.0
    assert strange.confidence.max() < 0.1  # six other draws: 7e-6 and less


@BOTH
@pytest.mark.parametrize("standardize", [False, True])
def test_scores_of_training_instances_rank_nearly_as_they_did(cls, standardize):
    X, bags, _ = surfaces(100)
    est = cls(**SIMPLE, standardize=standardize, max_rounds=1).fit(X, bags=bags)
    # Of this draw; six others: 0.896 to 0.986
    assert spearmanr(est.score_instances(X), est.score_)[0] > 0.9


@BOTH
def test_new_instances_of_other_features_are_refused_when_standardized(cls):
    X, bags, _ = surfaces(60)
    est = cls(**SIMPLE, standardize=True, max_rounds=0).fit(X, bags=bags)
    for asked in (est.transform, est.novelty, est.score_instances):
        with pytest.raises(DataError, match="2 features"):
            asked(X[:, :2])


def test_bags_of_other_data_are_refused():
    X, bags, _ = surfaces(60)
    with pytest.raises(DataError, match="a bag names row"):
        MILE().fit(X[:50], bags=bags)


def test_notes_say_how_far_to_trust_the_rules_of_the_start(few_trees, monkeypatch):
    X, bags, _ = planted_bags(20)
    monkeypatch.setattr(beginning, "doubts", lambda scores, bags: ["The rules agree little."])
    assert "The rules agree little." in MILE(max_rounds=0).fit(X, bags=bags).notes_
    assert (
        "The rules agree little." not in MILE(max_rounds=0, start="trees").fit(X, bags=bags).notes_
    )
