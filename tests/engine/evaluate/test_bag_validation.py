"""Bags are scored by models that never saw them, nor were chosen with them."""

from dataclasses import replace

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import Cancelled, DataError, MissingLabels
from emberscope.base.monitor import Watch
from emberscope.datasets.planted import planted_bags
from emberscope.evaluate.bag_validation import Model, validate_bags
from emberscope.features.cache import keeping
from emberscope.mil.classifiers.knn import KNN
from emberscope.mil.heads.svm import RbfSVM
from emberscope.mil.reduction.mida import MIDA

SEEN: list[set] = []


class Witness(KNN):
    """Remembers the instances it was fitted on; X holds their numbers."""

    def fit(self, X, y=None, *, bags=None, side=None, monitor=None):
        SEEN.append(set(X[:, 0].tolist()))
        return super().fit(X, y, bags=bags)

    def score_bags(self, X, bags, *, monitor=None):
        assert not SEEN[-1] & set(X[:, 0].tolist())
        return super().score_bags(X, bags)


def numbered(n_bags=12):
    labels = np.where(np.arange(n_bags) % 2, 1, -1)
    return np.arange(2.0 * n_bags)[:, None], Bags.from_column(
        np.repeat(np.arange(n_bags), 2), labels
    )


def test_no_fit_of_the_inner_loop_sees_the_test_fold():
    X, bags = numbered()
    SEEN.clear()
    found = validate_bags(Model(Witness, {}, {"k": (1, 3)}), X, bags, folds=3)
    for f in range(3):
        held_out = set(X[np.concatenate([bags.of(k) for k in np.flatnonzero(found.fold == f)]), 0])
        mine = SEEN[f * 11 : (f + 1) * 11]  # 5 inner folds of 2 candidates, then the chosen one
        assert len(mine) == 11
        assert all(not seen & held_out for seen in mine)


def test_a_reduction_is_fitted_once_for_the_classifiers_behind_it(monkeypatch):
    X, bags, _ = planted_bags(20)
    fits = []
    monkeypatch.setattr(
        MIDA, "fit", lambda self, *a, _fit=MIDA.fit, **k: fits.append(1) or _fit(self, *a, **k)
    )
    validate_bags(
        Model(KNN, {}, {"k": (1, 3, 5)}, MIDA, {"alpha": 1.0}, {"n_components": (1, 2)}),
        X,
        bags,
        folds=2,
    )
    assert len(fits) == 2 * (5 * 2 + 1)


def behind_mida(classifier, key="mida of this run"):
    reduction = {"alpha": 1.0, "n_components": 2}
    return Model(classifier, {}, {}, MIDA, reduction, reduction_key=key)


def test_another_classifier_on_the_same_map_fits_no_reduction_again(tmp_path, monkeypatch):
    X, bags, _ = planted_bags(20)
    again = validate_bags(behind_mida(RbfSVM), X, bags, folds=2)
    with keeping((tmp_path, "code")):
        validate_bags(behind_mida(KNN), X, bags, folds=2)
        monkeypatch.delattr(MIDA, "fit")
        kept = validate_bags(behind_mida(RbfSVM), X, bags, folds=2)
    np.testing.assert_array_equal(kept.bag_score, again.bag_score)
    np.testing.assert_array_equal(kept.instance_score, again.instance_score)
    assert kept.notes == again.notes


@pytest.mark.parametrize("other", [
    {"key": "another method"}, {"seed": 1}, {"labels": "turned"}, {"X": "moved"}])
def test_a_reduction_of_anything_else_is_fitted_again(tmp_path, monkeypatch, other):
    X, bags, _ = planted_bags(20)
    with keeping((tmp_path, "code")):
        validate_bags(behind_mida(KNN), X, bags, folds=2)
        fits = []
        monkeypatch.setattr(
            MIDA, "fit", lambda self, *a, _fit=MIDA.fit, **k: fits.append(1) or _fit(self, *a, **k)
        )
        model = behind_mida(KNN, other.get("key", "mida of this run"))
        turned = replace(bags, labels=-bags.labels) if "labels" in other else bags
        moved = X + 1 if "X" in other else X
        validate_bags(model, moved, turned, folds=2, seed=other.get("seed", 0))
    assert len(fits) == 2 * (5 + 1)


def test_a_reduction_without_a_key_is_not_kept(tmp_path):
    X, bags, _ = planted_bags(20)
    with keeping((tmp_path, "code")):
        validate_bags(behind_mida(KNN, key=""), X, bags, folds=2)
    assert not list(tmp_path.iterdir())


def test_the_candidate_that_tells_bags_apart_is_chosen():
    labels = np.where(np.arange(12) % 2, 1, -1)
    X = np.repeat(labels, 2)[:, None] + 0.1 * np.random.default_rng(0).normal(size=(24, 1))
    bags = Bags.from_column(np.repeat(np.arange(12), 2), labels)
    # 501 neighbors: everybody votes alike
    found = validate_bags(Model(KNN, {}, {"k": (501, 1)}), X, bags, folds=3)
    assert [picked["k"] for picked in found.chosen] == [1, 1, 1]


def test_bags_that_share_an_instance_are_in_one_fold():
    X, bags = numbered()
    shared = Bags.from_lists([[0, 1], [1, 2], *(bags.of(k) for k in range(2, 12))], bags.labels)
    fold = validate_bags(Model(KNN, {}, {}), X, shared, folds=4).fold
    assert fold[0] == fold[1]


def test_bags_without_label_or_instance_take_no_part():
    X, bags = numbered()
    labels = bags.labels.copy()
    labels[0] = 0
    some = Bags.from_lists([bags.of(0), [], *(bags.of(k) for k in range(2, 12))], labels)
    found = validate_bags(Model(KNN, {}, {}), X, some, folds=3)
    assert np.flatnonzero(found.fold < 0).tolist() == [0, 1]
    assert np.isnan(found.bag_score[:2]).all()
    assert np.isnan(found.instance_score[:4]).all()


def test_the_same_seed_gives_the_same_scores():
    X, bags, _ = planted_bags(20)
    model = Model(KNN, {}, {"k": (1, 3)})
    one, two = (validate_bags(model, X, bags, folds=4, seed=7) for _ in range(2))
    np.testing.assert_array_equal(one.bag_score, two.bag_score)


def test_bags_of_one_class_are_refused():
    X, _ = numbered()
    with pytest.raises(MissingLabels):
        validate_bags(
            Model(KNN, {}, {}), X, Bags.from_column(np.repeat(np.arange(12), 2), np.ones(12))
        )


def test_more_combinations_than_anyone_waits_for_are_refused():
    X, bags = numbered()
    with pytest.raises(DataError, match="300 combinations"):
        validate_bags(Model(KNN, {}, {"k": tuple(range(1, 301))}), X, bags)


def test_it_can_be_stopped_inside_a_fit():
    X, bags = numbered()
    fits = []

    class Slow(KNN):
        def fit(self, X, y=None, *, bags=None, side=None, monitor=None):
            fits.append(1)
            monitor.step(0.5)
            raise AssertionError("not stopped")

    with pytest.raises(Cancelled):
        validate_bags(Model(Slow, {}, {}), X, bags, monitor=Watch(stop=lambda: bool(fits)))


def test_groups_of_frames_stay_together():
    X, bags = numbered()
    groups = np.arange(12) // 3
    fold = validate_bags(Model(KNN, {}, {}), X, bags, folds=2, groups=groups).fold
    assert all(len(set(fold[groups == g])) == 1 for g in range(4))


def test_no_more_dimensions_are_tried_than_there_are_features():
    X, bags, _ = planted_bags(20)
    model = Model(KNN, {}, {}, MIDA, {"alpha": 1.0}, {"n_components": (1, 2, 40)})
    found = validate_bags(model, X, bags, folds=2)
    assert {picked["reduce.n_components"] for picked in found.chosen} <= {1, 2}


@pytest.mark.parametrize("labels", [(-1, 1, -1, -1, -1, -1), (-1, 1, 1, 1, 1, 1)])
def test_a_lone_bag_of_its_label_cannot_be_tested_and_learned_from(labels):
    X, _ = numbered(6)
    with pytest.raises(MissingLabels, match="in one fold"):
        validate_bags(
            Model(KNN, {}, {}), X, Bags.from_column(np.repeat(np.arange(6), 2), labels), folds=3
        )


def test_more_folds_than_groups_of_bags_are_refused():
    X, bags = numbered(4)
    with pytest.raises(DataError, match="5 folds of 4 groups"):
        validate_bags(Model(KNN, {}, {}), X, bags, folds=5)


@pytest.mark.parametrize("grid", [{}, {"k": (3, 1)}])
def test_too_few_bags_to_choose_with_take_the_first_candidate(grid):
    X, bags = numbered(4)
    found = validate_bags(Model(KNN, {}, grid), X, bags, folds=2)
    assert np.isfinite(found.bag_score).all()
    assert all(
        picked == {name: values[0] for name, values in grid.items()} for picked in found.chosen
    )


def test_bags_without_negative_ones_are_told_that_zero_is_unknown():
    bags = Bags.from_column(np.arange(4), np.array([1, 1, 0, 0]))
    with pytest.raises(MissingLabels, match="has the label -1; 0, as in 2, is unknown"):
        validate_bags(Model(KNN, {}, {}), np.arange(4.0)[:, None], bags, folds=2)


def test_what_a_fit_noted_is_kept_by_the_fold_it_was_fitted_without():
    class Noting(KNN):
        def fit(self, X, y=None, *, bags=None, side=None, monitor=None):
            super().fit(X, y, bags=bags)
            self.notes_ += ["Zero is in it."] * int(0 in X)
            return self

    X, bags = numbered()
    found = validate_bags(Model(Noting, {}, {}), X, bags, folds=3)
    assert found.notes == [[] if f == found.fold[0] else ["Zero is in it."] for f in range(3)]
