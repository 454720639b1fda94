"""Neighborhood components analysis: gradient, the reference of scikit-learn, and published sets."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis
from sklearn.preprocessing import StandardScaler

from emberscope.metric.nca import NCA, neighbor_probability


@pytest.fixture
def task():
    rng = np.random.default_rng(0)
    return (
        rng.normal(size=(30, 4)),
        rng.normal(size=(4, 2)),
        rng.integers(1, 4, 30),
        rng.uniform(0.2, 1, 30),
    )


def naive(T, W, kind, weight):
    """The objective as it is written down."""
    Z, total = T @ W, 0.0
    for i in range(len(Z)):
        p = np.array(
            [
                weight[j] * np.exp(-np.sum((Z[i] - Z[j]) ** 2)) if j != i else 0.0
                for j in range(len(Z))
            ]
        )
        total += weight[i] * p[kind == kind[i]].sum() / p.sum()
    return total / weight.sum()


def test_the_objective_is_the_one_that_is_written_down(task):
    assert neighbor_probability(*task)[0] == pytest.approx(naive(*task))


def test_the_gradient_is_that_of_finite_differences(task):
    T, W, kind, weight = task
    expected = np.zeros_like(W)
    for at in np.ndindex(W.shape):
        step = np.zeros_like(W)
        step[at] = 1e-6
        up, down = (neighbor_probability(T, W + s, kind, weight)[0] for s in (step, -step))
        expected[at] = (up - down) / 2e-6
    np.testing.assert_allclose(neighbor_probability(T, W, kind, weight)[1], expected, atol=1e-8)


def test_an_instance_of_weight_one_half_twice_is_one_whole_but_for_its_copy(task):
    """Copies are neighbors of each other, so only others are compared: what they see is the
    same."""
    T, W, kind, _ = task
    half = np.append(np.ones(30), 0.5)
    half[0] = 0.5
    P = naive(np.vstack([T, T[:1]]), W, np.append(kind, kind[0]), half)
    assert neighbor_probability(np.vstack([T, T[:1]]), W, np.append(kind, kind[0]), half)[
        0
    ] == pytest.approx(P)


def three_nn_error(map, X, y):
    """Mean error of 3-NN on five fifths, each mapped by what was learned from the others."""
    fifth = np.random.default_rng(0).permutation(len(X)) % 5
    wrong = 0
    for k in range(5):
        learned = fifth != k
        Z = map().fit(X[learned], y[learned]).transform(X)
        found = KNeighborsClassifier(3).fit(Z[learned], y[learned]).predict(Z[~learned])
        wrong += (found != y[~learned]).sum()
    return wrong / len(X)


@pytest.mark.parametrize("load", [load_iris, load_wine], ids=["iris", "wine"])
def test_errors_on_published_sets_are_about_those_of_scikit_learn(load):
    """Within 3 % of the set, which is about one standard error of either."""
    found = load()
    X = StandardScaler().fit_transform(found.data)
    ours = three_nn_error(NCA, X, found.target)
    theirs = three_nn_error(
        lambda: NeighborhoodComponentsAnalysis(n_components=2, init="pca", max_iter=50),
        X,
        found.target,
    )
    assert ours <= theirs + 0.03
    assert ours <= 0.06  # six other deals of the folds: 0.006 to 0.047


def test_a_class_in_two_parts_stays_in_two_parts():
    rng = np.random.default_rng(0)
    X = 0.3 * rng.normal(size=(90, 5))
    part = np.arange(90) % 3
    X[:, 0] += 3.0 * part
    est = NCA(n_components=1).fit(X, np.where(part == 1, 1, -1))
    assert est.objective_ > 0.95  # six other draws: 1.0
    assert np.abs(est.components_[:, 0]).argmax() == 0


def test_soft_labels_count_by_their_magnitude():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    misled = y.copy()
    misled[:20] = -0.01 * y[:20]
    good, soft = (NCA(n_components=1).fit(X, labels).components_[:, 0] for labels in (y, misled))
    # Six other draws: 0.98 to 1.0
    assert abs(good @ soft) / np.linalg.norm(good) / np.linalg.norm(soft) > 0.9


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_classes_that_part_where_hardly_anything_varies_are_found(seed):
    """Of 40 new instances, by 3 nearest, on a map of two dimensions; chance is one half."""
    rng = np.random.default_rng(seed)
    y = np.arange(160) % 2
    X = rng.normal(size=(160, 12)) * np.geomspace(10, 0.1, 12)
    X[:, -1] += y
    est = NCA(n_components=2).fit(X[:120], y[:120] + 1)
    near = KNeighborsClassifier(3).fit(est.embedding_, y[:120])
    assert near.score(est.transform(X[120:]), y[120:]) > 0.9
