"""Large margin nearest neighbors: the objective, its gradient, and what it does to neighbors."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from emberscope.base.monitor import Silent
from emberscope.metric.lmnn import LMNN, _Problem, same_class_neighbors

from .test_nca import three_nn_error


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    T, kind, weight = rng.normal(size=(30, 4)), rng.integers(1, 4, 30), rng.uniform(0.2, 1, 30)
    return _Problem(T, kind, weight / weight.sum(), same_class_neighbors(T, kind, 3, Silent()), 0.4)


def naive(problem, W):
    """The objective as it is written down, over all pairs."""
    Z, m, w = problem.T @ W, len(problem.T), problem.weight
    total = 0.0
    for i in range(m):
        for j in problem.targets[i]:
            near = np.sum((Z[i] - Z[j]) ** 2)
            total += 0.6 * w[i] * w[j] * m * near / 3
            for other in np.flatnonzero(problem.kind != problem.kind[i]):
                hinge = 1 + near - np.sum((Z[i] - Z[other]) ** 2)
                total += 0.4 * w[i] * w[j] * w[other] * m**2 * max(hinge, 0) / 3
    return total


@pytest.mark.parametrize("size", [0.1, 1.0])
def test_watched_pairs_give_the_objective_of_all_pairs(problem, size):
    W = size * np.random.default_rng(1).normal(size=(4, 4))
    watched, _ = problem.search(W, Silent(), 0.0)
    assert problem.cost(W, watched)[0] == pytest.approx(naive(problem, W))


def test_the_gradient_is_that_of_finite_differences(problem):
    W = 0.5 * np.random.default_rng(1).normal(size=(4, 4))
    watched, _ = problem.search(W, Silent(), 0.0)
    expected = np.zeros_like(W)
    for at in np.ndindex(W.shape):
        step = np.zeros_like(W)
        step[at] = 1e-6
        expected[at] = (problem.cost(W + step, watched)[0] - problem.cost(W - step, watched)[0]) / 2e-6
    np.testing.assert_allclose(problem.cost(W, watched)[1], expected, atol=1e-6)


def test_targets_are_the_nearest_of_the_class():
    T = np.array([[0.0], [1.0], [5.0], [0.4], [7.0]])
    kind = np.array([1, 1, 1, 2, 3])
    targets = same_class_neighbors(T, kind, 2, Silent())
    assert sorted(targets[0]) == [1, 2]
    assert targets[3].tolist() == [-1, -1]


def test_a_noisy_feature_loses_its_say():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = np.column_stack([1.5 * y + 0.3 * rng.normal(size=120), 3 * rng.normal(size=120)])
    est = LMNN(n_components=None).fit(X, y)
    own = three_nn_error(lambda: LMNN(n_components=None), X, y)
    plain = 1 - KNeighborsClassifier(3).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    assert own <= plain
    assert est.n_impostors_[1] < est.n_impostors_[0]


@pytest.mark.parametrize(("load", "most"), [(load_iris, 0.08), (load_wine, 0.05)], ids=["iris", "wine"])
def test_errors_on_iris_and_wine_stay_small(load, most):
    """`reproduce class-neighbors`: 4.9 % and 1.1 % on other splits; three errors of 150 are 2 %."""
    found = load()
    X = StandardScaler().fit_transform(found.data)
    assert three_nn_error(lambda: LMNN(n_components=None), X, found.target) <= most


def test_fitting_again_forgets_the_fit_before():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    est = LMNN().fit(X[:30], y[:30])
    est.fit(X, y)
    np.testing.assert_array_equal(est.n_impostors_, LMNN().fit(X, y).n_impostors_)


def test_classes_of_one_instance_each_have_no_targets_and_distances_stay():
    X = np.random.default_rng(0).normal(size=(5, 3))
    Z = LMNN(n_components=None).fit(X, np.arange(5) + 3).embedding_
    assert np.isfinite(Z).all()
