"""Numbers of bags, predicted by their instances."""

from dataclasses import replace

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.evaluate.scores import r_squared, root_mean_square
from emberscope.mil.classifiers.mi_regression import MIRegression, ridge


def numbered(seed, *, n_bags=120, size=5, irrelevant=6, noise=0.2, of=np.max):
    """The number of a bag is the largest (or another function) of 2 a - b over its five instances,
    with noise; six features say nothing. X, bags with values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_bags, size, 2 + irrelevant))
    value = of(2 * X[..., 0] - X[..., 1], axis=1) + noise * rng.normal(size=n_bags)
    value -= np.median(value)
    bags = Bags.from_column(np.repeat(np.arange(n_bags), size), np.where(value > 0, 1, -1))
    return X.reshape(-1, 2 + irrelevant), replace(bags, values=value)


@pytest.mark.parametrize("seed", range(4))
def test_the_number_that_one_instance_decides_is_predicted_among_irrelevant_features(seed):
    X, bags = numbered(seed)
    new, of = numbered(seed + 100)
    est = MIRegression().fit(X, bags=bags)
    assert r_squared(of.values, est.score_bags(new, of)) > 0.9
    assert root_mean_square(of.values, est.score_bags(new, of)) < 0.5
    w = est.weights_ / np.linalg.norm(est.weights_)
    assert w @ np.array([2, -1, *np.zeros(6)]) / np.sqrt(5) > 0.98


def test_the_mean_of_a_bag_does_not_foretell_what_one_instance_decides():
    X, bags = numbered(0)
    new, of = numbered(100)
    best, mean = (r_squared(of.values, MIRegression(aggregate=a).fit(X, bags=bags)
                            .score_bags(new, of)) for a in ("max", "mean"))
    assert best > mean + 0.2


def test_the_mean_is_ridge_regression_of_bag_means():
    X, bags = numbered(1, of=np.mean)
    est = MIRegression(aggregate="mean", penalty=3.0, standardize=False).fit(X, bags=bags)
    items = X.reshape(120, 5, 8).mean(axis=1)
    A = items - items.mean(axis=0)
    w = np.linalg.solve(A.T @ A + 3 * np.eye(8), A.T @ bags.values)
    np.testing.assert_allclose(est.weights_, w)


def test_the_penalty_that_is_auto_has_the_least_leave_one_out_error():
    rng = np.random.default_rng(2)
    A = rng.normal(size=(20, 15))
    target = A[:, 0] + 2 * rng.normal(size=20)

    def left_out(penalty):
        errors = []
        for k in range(20):
            rest = np.delete(np.arange(20), k)
            w, b, _ = ridge(A[rest], target[rest], penalty)
            errors.append(target[k] - A[k] @ w - b)
        return np.square(errors).mean()

    best = ridge(A, target, None)[2]
    assert left_out(best) < min(left_out(best / 10), left_out(best * 10))


def test_bags_without_numbers_are_told_apart_by_their_labels():
    X, bags = numbered(3)
    est = MIRegression().fit(X, bags=replace(bags, values=None))
    new, of = numbered(103)
    assert np.mean(est.predict(new, of) == of.labels) > 0.8


def test_numbers_that_nothing_predicts_have_no_share_explained():
    X, bags = numbered(4)
    new, of = numbered(104)
    drawn = np.random.default_rng(4).permutation(bags.values)
    est = MIRegression().fit(X, bags=replace(bags, values=drawn))
    assert r_squared(of.values, est.score_bags(new, of)) < 0.1


def test_what_is_predicted_exactly_has_all_of_it_explained():
    assert r_squared(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 4.0])) == 1
    assert r_squared(np.array([1.0, 2.0, 3.0]), np.full(3, 2.0)) == 0
    assert np.isnan(r_squared(np.ones(3), np.ones(3)))


def test_a_labeled_bag_whose_number_is_unknown_is_refused():
    X, bags = numbered(0, n_bags=20)
    unknown = replace(bags, values=np.where(np.arange(20) == 3, np.nan, bags.values))
    with pytest.raises(DataError, match="1 labeled bag without a number"):
        MIRegression().fit(X, bags=unknown)
