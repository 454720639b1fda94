"""Diverse density and EM-DD: the planted concept is found, by the training bags alone."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.evaluate.bag_validation import Model, validate_bags
from emberscope.mil.classifiers.dd import DiverseDensity
from emberscope.mil.classifiers.em_dd import EMDD, nearest_rows
from emberscope.mil.diverse_density import Sides

BOTH = (DiverseDensity, EMDD)


def planted(seed=0, n_bags=40, concept=(0.5, -1.0)):
    """Bags of 8 on a plane, unit variance; each positive one holds one instance within .1 of the
    concept."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.7, 1.7, size=(8 * n_bags, 2))
    labels = np.where(np.arange(n_bags) % 2, 1, -1)
    near = np.linalg.norm(X - concept, axis=1) < 0.4
    X[near] += np.sign(X[near] - concept) * 0.4  # nothing but targets about the concept
    target = 8 * np.flatnonzero(labels > 0) + 3
    X[target] = concept + 0.05 * rng.normal(size=(len(target), 2))
    return X, Bags.from_column(np.repeat(np.arange(n_bags), 8), labels), target


@pytest.mark.parametrize("cls", BOTH)
@pytest.mark.parametrize("isotropic", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_planted_concept_is_recovered_within_a_tenth_of_sigma(cls, isotropic, seed):
    X, bags, _ = planted(seed)
    est = cls(isotropic=isotropic).fit(X, bags=bags)
    assert (np.abs(est.concept_ - (0.5, -1.0)) < 0.1 * X.std(axis=0)).all()


@pytest.mark.parametrize("cls", BOTH)
def test_the_target_is_the_best_instance_of_nearly_every_positive_bag(cls):
    X, bags, target = planted()
    score = cls().fit(X, bags=bags).score_
    best = [bags.of(k)[np.argmax(score[bags.of(k)])] for k in np.flatnonzero(bags.labels > 0)]
    assert np.mean(np.array(best) == target) >= 0.9  # six other draws: 1.0


@pytest.mark.parametrize("cls", BOTH)
def test_a_feature_that_says_nothing_weighs_little(cls):
    X, bags, _ = planted(n_bags=120)
    noise = np.random.default_rng(1).normal(size=(len(X), 1))
    est = cls().fit(np.hstack([X, noise]), bags=bags)
    assert est.scale_[2] < 0.2 * est.scale_[:2].min()


@pytest.mark.parametrize("cls", BOTH)
def test_concept_and_scale_are_in_units_of_the_features(cls):
    X, bags, _ = planted()
    small, large = cls().fit(X, bags=bags), cls().fit(X * [1024.0, 1.0], bags=bags)
    np.testing.assert_allclose(large.concept_, small.concept_ * [1024.0, 1.0])
    np.testing.assert_allclose(large.scale_, small.scale_ / [1024.0, 1.0])


@pytest.mark.parametrize("cls", BOTH)
def test_one_width_for_all_features_is_one_weight_per_standard_deviation(cls):
    X, bags, _ = planted()
    est = cls(isotropic=True).fit(X, bags=bags)
    weight = est.scale_ * X.std(axis=0)
    np.testing.assert_allclose(weight, weight[0])


def test_em_dd_stands_on_the_nearest_instance_of_every_bag():
    Z = np.array([[0.0], [2.0], [1.0], [5.0], [4.0]])
    sides = Sides.of(Z, Bags.from_lists([[0, 1, 2], [3, 4]], np.array([1, -1])))
    assert nearest_rows(sides, np.array([1.2]), np.ones(1)).tolist() == [2, 4]


def test_what_em_dd_reports_is_of_the_instances_nearest_to_its_concept():
    X, bags, _ = planted()
    est = EMDD().fit(X, bags=bags)
    distance2 = np.square((X - est.concept_) * est.scale_).sum(axis=1).reshape(-1, 8).min(axis=1)
    loss = np.where(bags.labels > 0, distance2, -np.log(-np.expm1(-distance2)))
    assert est.nldd_ == pytest.approx(loss.sum())


def test_the_score_of_a_bag_far_away_is_a_number_that_still_ranks():
    X, bags, _ = planted()
    est = DiverseDensity().fit(X, bags=bags)
    far = est.score_instances(np.array([[1e3, 0.0], [1e4, 0.0]]))
    assert np.isfinite(far).all()
    assert far[0] > far[1]


@pytest.mark.parametrize("cls", BOTH)
@pytest.mark.parametrize("after", [3, 100])
def test_it_stops_in_the_middle_of_a_search(cls, after):
    X, bags, _ = planted()
    steps = []
    with pytest.raises(Cancelled):
        cls().fit(
            X,
            bags=bags,
            monitor=Watch(lambda *step: steps.append(step), stop=lambda: len(steps) >= after),
        )
    assert len(steps) == after


@pytest.mark.parametrize("cls", BOTH)
def test_a_bag_of_100_000_instances_is_read(cls):
    X, bags, target = planted()
    rng = np.random.default_rng(2)
    crowd = rng.normal([1.3, 1.3], 0.1, size=(100_000, 2))
    more = Bags.from_lists(
        [*(bags.of(k) for k in range(40)), np.arange(320, 100_320)], np.append(bags.labels, -1)
    )
    est = cls(start_bags=1).fit(np.vstack([X, crowd]), bags=more)
    assert np.median(est.score_[target]) > est.score_[320:].max()


@pytest.mark.parametrize(("cls", "mark"), [(DiverseDensity, 0.84), (EMDD, 0.808)])
def test_musk_comes_within_four_points_of_published(cls, mark, musk):
    X, bags = musk
    score = validate_bags(Model(cls, {}, {}), X, bags, folds=10, seed=0).bag_score
    assert np.mean((score > 0) == (bags.labels > 0)) >= mark
