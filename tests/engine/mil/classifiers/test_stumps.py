"""Decision stumps against all cuts of all features, tried one by one."""

from itertools import pairwise

import numpy as np
import pytest

from emberscope.mil.classifiers.stumps import SortedFeatures, Stump


def verdicts(stump, X):
    above = X[:, stump.feature] > stump.threshold if stump.feature >= 0 else np.ones(len(X), bool)
    return np.where(above, stump.sign, -stump.sign)


def naive_gain(X, weight):
    """The largest sum of weight * h(x) over both signs of all cuts between distinct values, and of
    constants."""
    gains = [abs(weight.sum())]
    for column in X.T:
        values = np.unique(column)
        for low, high in pairwise(values):
            gains.append(abs((weight * np.where(column > (low + high) / 2, 1, -1)).sum()))
    return max(gains)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_stump_gains_as_much_as_any(seed):
    rng = np.random.default_rng(seed)
    X, weight = rng.integers(0, 6, size=(30, 4)).astype(float), rng.normal(size=30)
    stump = SortedFeatures(X).best(weight)
    assert (weight * verdicts(stump, X)).sum() == pytest.approx(naive_gain(X, weight))


def test_a_cut_lies_in_the_middle_between_two_values():
    X = np.array([[1.0], [2.0], [4.0], [9.0]])
    assert SortedFeatures(X).best(np.array([-1.0, -1.0, 1.0, 1.0])) == Stump(0, 3.0, 1)


def test_equal_values_are_never_parted():
    X = np.array([[0.0], [1.0], [1.0], [1.0], [2.0]])
    weight = np.array([-1.0, -5.0, 5.0, 0.1, 1.0])
    assert SortedFeatures(X).best(weight).threshold in (0.5, 1.5)


def test_the_cut_between_neighboring_floats_parts_them():
    low = 1.0
    X = np.array([[low], [np.nextafter(low, 2)]])
    weight = np.array([-1.0, 1.0])
    assert np.array_equal(verdicts(SortedFeatures(X).best(weight), X), [-1, 1])


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_rows_does_not_choose_among_equally_good_stumps(seed):
    rng = np.random.default_rng(seed)
    X, weight = rng.integers(0, 3, size=(40, 6)).astype(float), rng.choice([-0.1, 0.1], 40)
    rows = rng.permutation(40)
    assert SortedFeatures(X).best(weight) == SortedFeatures(X[rows]).best(weight[rows])


def test_of_equal_features_the_first_is_taken():
    X = np.array([[5.0, 0.0, 0.0], [5.0, 1.0, 1.0]])
    assert SortedFeatures(X).best(np.array([1.0, -1.0])) == Stump(1, 0.5, -1)


def test_constant_features_leave_the_constant_stump():
    assert SortedFeatures(np.ones((4, 2))).best(np.array([-1.0, -1.0, 1.0, -1.0])) == Stump(
        -1, 0.0, -1
    )
