"""MIDR: gradients, orthonormal steps that never go uphill, and the planted bags."""

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from scipy.special import expit

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max, bag_softmax
from emberscope.base.errors import MissingLabels
from emberscope.datasets.planted import planted_bags
from emberscope.mil.classifiers.citation_knn import CitationKNN
from emberscope.mil.reduction.midr import (
    MIDR,
    Iterate,
    Problem,
    proximal_step,
    retracted,
    shrunk_entries,
    start,
    tangent_step,
)


def random_bags(seed=0, n_bags=12):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, n_bags)
    X = rng.normal(size=(sizes.sum(), 5))
    X[np.cumsum(sizes)[::2] - 1, 0] += 2  # one instance of every positive bag is a target
    return X, Bags.from_column(
        np.repeat(np.arange(n_bags), sizes), np.where(np.arange(n_bags) % 2, -1, 1)
    )


def problem(gamma=0.1, alpha=3.0, seed=0):
    X, bags = random_bags(seed)
    return Problem.of(X, bags, alpha, gamma)


def somewhere(d=2, seed=1):
    rng = np.random.default_rng(seed)
    return Iterate(np.linalg.qr(rng.normal(size=(5, d)))[0], rng.normal(size=d), 0.3)


@pytest.mark.parametrize("alpha", [0.5, 3.0, 30.0])
def test_the_loss_compares_soft_maxima_of_probabilities_with_labels(alpha):
    X, bags = random_bags()
    s = X[:, 0] * 3 - 1
    P = bag_softmax(expit(s), bags, alpha=alpha)
    assert Problem.of(X, bags, alpha, 0.0).loss(s)[0] == pytest.approx(
        np.square(P - (bags.labels > 0)).sum()
    )


@pytest.mark.parametrize("alpha", [0.5, 3.0, 30.0])
def test_the_gradient_by_scores_agrees_with_finite_differences(alpha):
    X, bags = random_bags()
    p = Problem.of(X, bags, alpha, 0.0)
    assert check_grad(lambda s: p.loss(s)[0], lambda s: p.loss(s)[1], X[:, 1]) < 1e-5


def test_the_gradient_by_directions_agrees_with_finite_differences():
    p, x = problem(), somewhere()

    def at(w):
        return Iterate(w.reshape(5, 2), x.beta, x.b)

    assert (
        check_grad(lambda w: p.objective(at(w)), lambda w: p.gradient(at(w)).ravel(), x.W.ravel())
        < 1e-5
    )


def test_every_step_stays_orthonormal_and_never_goes_uphill():
    p, x, length = problem(), somewhere(), 1.0
    value = p.objective(x)
    for _ in range(50):
        x, new, length = tangent_step(p, x, value, length)
        assert new <= value
        assert new == pytest.approx(p.objective(x))
        np.testing.assert_allclose(x.W.T @ x.W, np.eye(2), atol=1e-10)
        value = new


def test_the_retraction_leaves_orthonormal_directions_alone():
    W = somewhere().W
    np.testing.assert_allclose(retracted(W), W, atol=1e-14)


def test_the_regression_never_makes_it_worse():
    p, x = problem(), somewhere()
    assert p.objective(p.regressed(x)) < p.objective(x)


@pytest.mark.parametrize("gamma", [0.0, 0.01, 0.3])
@pytest.mark.parametrize("anneal", [False, True])
def test_the_objective_never_rises(gamma, anneal):
    X, bags = random_bags(2)
    est = MIDR(gamma=gamma, anneal=anneal).fit(X, bags=bags)
    assert (np.diff(est.history_) <= 1e-12).all()
    assert est.history_[-1] < est.history_[0]


@pytest.mark.parametrize("solver", ["riemannian", "mi-alm"])
@pytest.mark.parametrize("d", [1, 3, 5])
def test_directions_are_orthonormal(d, solver):
    X, bags = random_bags(3)
    W = MIDR(n_components=d, solver=solver).fit(X, bags=bags).components_
    np.testing.assert_allclose(W.T @ W, np.eye(d), atol=1e-10)


def test_the_score_is_the_probability_in_the_picture():
    X, bags = random_bags()
    est = MIDR().fit(X, bags=bags)
    np.testing.assert_allclose(est.score_, expit(est.embedding_ @ est.coef_ + est.intercept_))


def test_bags_of_one_without_sparsity_are_a_least_squares_logistic_regression():
    X, _ = random_bags(4)
    y = np.where(X[:, 0] + X[:, 1] + np.sin(9 * X[:, 2]) > 0, 1, -1)
    A = (X - X.mean(axis=0)) / X.std(axis=0)

    def objective(u):
        return np.square(expit(A @ u[:-1] + u[-1]) - (y > 0)).sum() + 1e-3 * np.square(u[:-1]).sum()

    best = minimize(objective, np.zeros(6)).fun
    found = MIDR(n_components=1, gamma=0.0, max_iter=2000).fit(X, y).history_[-1]
    assert best * (1 - 1e-6) <= found <= best * 1.05


@pytest.mark.parametrize("threshold", [0.0, 0.3, 2.0])
def test_the_soft_threshold_solves_its_problem(threshold):
    grid = np.linspace(-3, 3, 60_001)
    for w in (-1.7, -0.2, 0.0, 0.9):
        best = grid[np.argmin(threshold * np.abs(grid) + (grid - w) ** 2 / 2)]
        assert shrunk_entries(np.array([w]), threshold)[0] == pytest.approx(best, abs=1e-4)


def test_a_proximal_step_is_orthonormal_and_does_not_raise_the_lagrangian():
    p, x = problem(), somewhere()
    rng = np.random.default_rng(0)
    V, multiplier = rng.normal(size=(5, 2)), rng.normal(size=(5, 2))

    def lagrangian(x):
        off = x.W - V
        return (
            p.loss(p.A @ (x.W @ x.beta) + x.b)[0]
            + (multiplier * off).sum()
            + 2.0 / 2 * np.square(off).sum()
        )

    for _ in range(20):
        moved = proximal_step(p, x, V, multiplier, 2.0)
        assert lagrangian(moved) <= lagrangian(x) + 1e-12
        np.testing.assert_allclose(moved.W.T @ moved.W, np.eye(2), atol=1e-10)
        x = moved


def test_both_solvers_reach_about_the_same_objective():
    X, bags, _ = planted_bags(seed=0)
    one, other = (
        MIDR(gamma=0.1, solver=solver).fit(X, bags=bags).history_[-1]
        for solver in ("riemannian", "mi-alm")
    )
    assert other == pytest.approx(one, rel=0.2)


def test_a_higher_price_leaves_fewer_entries():
    X, bags, _ = planted_bags(seed=0)
    few, many = (MIDR(gamma=gamma).fit(X, bags=bags).sparsity_ for gamma in (0.1, 0.0))
    assert few > 0.8 > many


@pytest.mark.parametrize("solver", ["riemannian", "mi-alm"])
def test_the_best_instance_of_a_planted_bag_is_the_target(solver):
    for seed in range(3):
        X, bags, truth = planted_bags(seed=seed)
        score = MIDR(solver=solver).fit(X, bags=bags).score_
        best = [bags.of(k)[score[bags.of(k)].argmax()] for k in range(20)]
        assert truth[best].mean() >= 0.9


def test_unseen_bags_are_told_apart_by_their_best_instance():
    for seed in range(3):
        X, bags, _ = planted_bags(80, seed=seed)
        train = Bags.from_lists([bags.of(k) for k in range(0, 80, 2)], bags.labels[::2])
        est = MIDR().fit(X, bags=train)
        score = bag_max(est.transform(X) @ est.coef_ + est.intercept_, bags)[1::2]
        # Six other draws: 0.97 to 1.0
        assert ((score > 0) == (bags.labels[1::2] > 0)).mean() >= 0.9


def test_citation_tells_unseen_planted_bags_apart_better_than_in_all_features():
    right = {"raw": [], "midr": []}
    for seed in range(3):
        X, bags, _ = planted_bags(80, seed=seed)
        train, test = (
            Bags.from_lists([bags.of(k) for k in range(i, 80, 2)], bags.labels[i::2])
            for i in (0, 1)
        )
        for name, Z in (("raw", X), ("midr", MIDR().fit(X, bags=train).transform(X))):
            knn = CitationKNN(distance="max", standardize=False, features="all")
            found = knn.fit(Z, bags=train).predict(Z, test)
            right[name].append((found == test.labels).mean())
    assert np.mean(right["midr"]) >= 0.95  # six other draws: 0.99 to 1.0
    assert np.mean(right["raw"]) <= 0.85  # six other draws: 0.62 to 0.71


def test_large_bags_in_which_one_target_hardly_counts_are_noted():
    X = np.random.default_rng(0).normal(size=(400, 3))
    bags = Bags.from_lists([range(200), range(200, 400)], [1, -1])
    assert MIDR(alpha=5.0).fit(X, bags=bags).notes_ == [
        "In positive bags of 200 instances a single target hardly counts with alpha 5; choose 8 or "
        "more."
    ]
    assert MIDR(alpha=8.0).fit(X, bags=bags).notes_ == []


def test_the_order_of_instances_does_not_matter():
    X, bags = random_bags(5)
    order = np.random.default_rng(0).permutation(len(X))
    moved = Bags(bags.indptr, np.argsort(order)[bags.members], bags.labels, bags.ids, bags.classes)
    Z = MIDR().fit(X, bags=bags).embedding_
    np.testing.assert_allclose(MIDR().fit(X[order], bags=moved).embedding_, Z[order], atol=1e-6)


def test_an_instance_marked_background_takes_no_part():
    X, bags = random_bags(6)
    k = next(k for k in np.flatnonzero(bags.labels > 0) if len(bags.of(k)) > 1)
    y = bags.instance_labels(len(X)).astype(int)
    y[bags.of(k)[0]] = -1
    without = Bags.from_lists(
        [bags.of(i)[1:] if i == k else bags.of(i) for i in range(12)], bags.labels
    )
    np.testing.assert_allclose(
        MIDR().fit(X, y, bags=bags).components_, MIDR().fit(X, bags=without).components_
    )


def test_a_constant_feature_changes_nothing():
    X, bags = random_bags(7)
    wide = np.hstack([X, np.full((len(X), 1), 0.1)])
    one, other = (MIDR(gamma=0.0).fit(some, bags=bags).embedding_ for some in (X, wide))
    np.testing.assert_allclose(other, one, atol=1e-6)


def test_the_principal_components_are_the_start():
    X, _ = random_bags(8)
    A = X - X.mean(axis=0)
    _, _, right = np.linalg.svd(A, full_matrices=False)
    np.testing.assert_allclose(np.abs(start(A, 2).W), np.abs(right[:2].T), atol=1e-10)


def test_bags_of_one_class_are_refused():
    X, bags = random_bags(0)
    with pytest.raises(MissingLabels):
        MIDR().fit(
            X, bags=Bags(bags.indptr, bags.members, np.abs(bags.labels), bags.ids, bags.classes)
        )
