"""MI-FEAR: areas and regressions against those of scikit-learn, and planted features."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from emberscope.bags.folds import bag_groups, grouped_folds
from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, MissingLabels, TooLarge
from emberscope.mil.reduction import mi_fear
from emberscope.mil.reduction.mi_fear import (
    MIFEAR,
    areas,
    drop_importance,
    logistic,
    single_importance,
)


def half_planted(seed, n_bags=200, bag_size=8):
    """Bags of synthetic set one (Chai et al. 2014), but half of each positive bag is target."""
    rng = np.random.default_rng(seed)
    n = n_bags * bag_size
    target = (np.arange(n) < n // 2) & (np.arange(n) % 2 == 0)
    centers = np.where(target[:, None], (-4.0, 4.0), (4.0, -4.0))
    X = np.hstack(
        [centers + np.sqrt(2) * rng.standard_normal((n, 2)), 3 * rng.standard_normal((n, 30))]
    )
    labels = np.where(np.arange(n_bags) < n_bags // 2, 1, -1)
    return X, Bags.from_column(np.repeat(np.arange(n_bags), bag_size), labels)


def small(seed=0):
    """24 bags of 3 instances with 5 features, of which the second differs between the labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(72, 5))
    X[:36, 1] += 1.5
    return X, Bags.from_column(np.repeat(np.arange(24), 3), np.repeat([1, -1], 12))


def test_areas_are_those_of_scikit_learn_also_with_ties():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 4, (50, 3)).astype(float)
    positive = rng.random(50) < 0.3
    np.testing.assert_allclose(
        areas(scores, positive), [roc_auc_score(positive, s) for s in scores.T]
    )


def test_a_single_feature_counts_as_a_regression_of_it_does():
    X, bags = small()
    positive = bags.instance_labels(72) > 0
    scores = [
        LogisticRegression().fit(X[:, [j]], positive).decision_function(X[:, [j]]) for j in range(5)
    ]
    areas_of_one = [roc_auc_score(positive, s) for s in scores]
    np.testing.assert_allclose(
        single_importance(X, positive), np.abs(np.array(areas_of_one) - 0.5), atol=1e-12
    )


def test_single_importance_does_not_depend_on_how_it_is_cut(monkeypatch):
    X, bags = small()
    whole = single_importance(X, bags.instance_labels(72) > 0)
    monkeypatch.setattr(mi_fear, "_BLOCK", 100)
    assert np.array_equal(single_importance(X, bags.instance_labels(72) > 0), whole)


def test_both_features_that_matter_rank_first_where_half_of_a_positive_bag_is_target():
    for seed in range(20):
        X, bags = half_planted(seed)
        assert set(MIFEAR().fit(X, bags=bags).ranking_[:2]) == {0, 1}


def test_leaving_out_ranks_the_feature_that_matters_first():
    X, bags = small()
    assert MIFEAR(mode="drop").fit(X, bags=bags).ranking_[0] == 1


def test_the_regression_is_that_of_scikit_learn():
    X, bags = small()
    y = (bags.instance_labels(72) > 0).astype(float)
    w, _ = logistic(np.column_stack([X, np.ones(72)]), y)
    theirs = LogisticRegression(solver="newton-cholesky", tol=1e-10).fit(X, y)
    np.testing.assert_allclose(w, [*theirs.coef_[0], theirs.intercept_[0]], atol=1e-6)


@pytest.mark.parametrize("apart", [0.0, 8.0])
def test_leaving_out_is_a_regression_without_the_feature_on_every_fold(apart):
    X, bags = small()
    X[:36, 2] += apart
    A = (X - X.mean(axis=0)) / X.std(axis=0)
    positive = bags.instance_labels(72) > 0
    fold = grouped_folds(np.repeat(bag_groups(bags, 72), 3), positive, n_folds=3)

    def area(columns):
        found = []
        for f in range(3):
            model, some = LogisticRegression(solver="newton-cholesky", tol=1e-10), A[:, columns]
            scores = model.fit(some[fold != f], positive[fold != f]).decision_function(
                some[fold == f]
            )
            found.append(roc_auc_score(positive[fold == f], scores))
        return np.mean(found)

    naive = [area(range(5)) - area([c for c in range(5) if c != j]) for j in range(5)]
    np.testing.assert_allclose(drop_importance(X, bags), naive, atol=1e-12)


def test_leaving_out_does_not_depend_on_how_many_at_a_time(monkeypatch):
    X, bags = small()
    whole = drop_importance(X, bags)
    monkeypatch.setattr(mi_fear, "_BLOCK", 1)
    np.testing.assert_allclose(drop_importance(X, bags), whole, atol=1e-12)


def test_coordinates_are_the_features_themselves():
    X, bags = small()
    est = MIFEAR(n_components=3, standardize=False).fit(X, bags=bags)
    assert np.array_equal(est.embedding_, X[:, est.ranking_[:3]])
    assert np.array_equal(est.transform(X[:5] * 2), 2 * X[:5, est.ranking_[:3]])


def test_coordinates_on_one_scale_are_z_scores():
    X, bags = small()
    est = MIFEAR().fit(X, bags=bags)
    kept = X[:, est.ranking_[:2]]
    np.testing.assert_allclose(est.embedding_, (kept - kept.mean(axis=0)) / kept.std(axis=0))


@pytest.mark.parametrize("mode", ["single", "drop"])
def test_the_ranking_sorts_by_importance(mode):
    X, bags = small()
    est = MIFEAR(mode=mode).fit(X, bags=bags)
    assert (np.diff(est.importance_[est.ranking_]) <= 0).all()
    assert sorted(est.ranking_) == list(range(5))


@pytest.mark.parametrize("mode", ["single", "drop"])
def test_swapping_the_labels_changes_nothing(mode):
    X, bags = small()
    swapped = Bags(bags.indptr, bags.members, -bags.labels, bags.ids, bags.classes)
    one, other = (MIFEAR(mode=mode).fit(X, bags=some).importance_ for some in (bags, swapped))
    np.testing.assert_allclose(other, one, atol=1e-12)


@pytest.mark.parametrize("mode", ["single", "drop"])
def test_a_constant_feature_matters_nothing(mode):
    X, bags = small()
    X[:, 3] = 0.1
    assert MIFEAR(mode=mode).fit(X, bags=bags).importance_[3] == 0


def test_labels_alone_make_every_instance_a_bag():
    X, bags = small()
    alone = Bags.from_lists([[i] for i in range(72)], bags.instance_labels(72))
    y = bags.instance_labels(72).astype(int)
    assert np.array_equal(MIFEAR().fit(X, y).importance_, MIFEAR().fit(X, bags=alone).importance_)


def test_an_instance_marked_background_does_not_count_for_its_bag():
    X, bags = small()
    y = bags.instance_labels(72).astype(int)
    y[0] = -1
    without = Bags.from_lists(
        [bags.of(k)[1:] if k == 0 else bags.of(k) for k in range(24)], bags.labels
    )
    assert np.array_equal(
        MIFEAR().fit(X, y, bags=bags).importance_, MIFEAR().fit(X, bags=without).importance_
    )


def test_bags_of_one_class_are_refused():
    X, bags = small()
    with pytest.raises(MissingLabels):
        MIFEAR().fit(
            X, bags=Bags(bags.indptr, bags.members, np.abs(bags.labels), bags.ids, bags.classes)
        )


def test_leaving_out_needs_both_labels_in_two_parts():
    X, _ = small()
    with pytest.raises(DataError, match="two parts with both labels"):
        MIFEAR(mode="drop").fit(X, bags=Bags.from_lists([range(36), range(36, 72)], [1, -1]))


def test_leaving_out_very_many_features_is_refused_with_the_way_out(monkeypatch):
    X, bags = small()
    monkeypatch.setattr(mi_fear, "LARGEST_DROP", 4)
    with pytest.raises(TooLarge, match="mode single"):
        MIFEAR(mode="drop").fit(X, bags=bags)
