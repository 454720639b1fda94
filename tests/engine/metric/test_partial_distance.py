"""Distances that match known ones: the optimum, what it predicts, and typing errors."""

import numpy as np
import pytest
from scipy.optimize import minimize

from emberscope.base.errors import DataError, MissingLabels
from emberscope.labels.side_info import SideInfo
from emberscope.metric.partial_distance import PartialDistanceMetric, matched


def distances(rows, values, *, unit="m"):
    return SideInfo(
        distances=np.asarray(rows),
        distance=np.asarray(values, float),
        distance_weight=np.ones(len(rows)),
        unit=unit,
    )


@pytest.fixture
def planted():
    """300 rows of 6 features, of which the first, times 4, is a place in meters; 60 known
    distances."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    rows = rng.permutation(300)[:120].reshape(60, 2)
    return X, rows, 4 * np.abs(X[rows[:, 0], 0] - X[rows[:, 1], 0])


def objective(A, d, d2, prior):
    off = np.einsum("pa,ab,pb->p", d, A, d) - d2
    return 0.5 * off @ off + 0.5 * prior * np.square(A).sum()


def test_the_steps_end_at_the_optimum_that_factors_reach():
    """Against L-BFGS over W with A = W W', from five starts, without a prior."""
    rng = np.random.default_rng(0)
    d, truth = rng.normal(size=(40, 4)), rng.normal(size=(4, 4))
    d2 = np.square(d @ truth).sum(axis=1) + rng.normal(size=40)
    ours = objective(matched(d, d2, np.ones(40), prior=0.0, n_iter=5000), d, d2, 0.0)
    found = [
        minimize(
            lambda w: objective(w.reshape(4, 4) @ w.reshape(4, 4).T, d, d2, 0.0),
            rng.normal(size=16),
        ).fun
        for _ in range(5)
    ]
    assert ours == pytest.approx(min(found), rel=1e-4)


def test_the_optimum_is_that_of_a_semidefinite_solver():
    cvxpy = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(0)
    d = rng.normal(size=(40, 4))
    d2 = np.square(d @ rng.normal(size=(4, 2))).sum(axis=1) + rng.normal(size=40)
    A = cvxpy.Variable((4, 4), PSD=True)
    cvxpy.Problem(
        cvxpy.Minimize(cvxpy.sum_squares(cvxpy.sum(cvxpy.multiply(d @ A, d), axis=1) - d2) / 2)
    ).solve()
    ours = matched(d, d2, np.ones(40), prior=0.0, n_iter=5000)
    assert objective(ours, d, d2, 0.0) == pytest.approx(objective(A.value, d, d2, 0.0), rel=1e-4)


def test_distances_of_other_pairs_come_out_in_the_unit_of_the_known_ones(planted):
    X, rows, known = planted
    est = PartialDistanceMetric(n_components=None).fit(X, side=distances(rows, known))
    Z = est.embedding_
    i, j = np.random.default_rng(1).integers(0, 300, (2, 500))
    truth, found = 4 * np.abs(X[i, 0] - X[j, 0]), np.linalg.norm(Z[i] - Z[j], axis=1)
    assert np.corrcoef(truth, found)[0, 1] > 0.95  # six other draws: 0.9993 to 0.9999
    assert np.median(np.abs(truth - found)) < 0.5  # six other draws: 0.02 to 0.05
    assert est.distance_correlation_ > 0.95
    assert any(" m on average" in note for note in est.notes_)


def test_huber_forgives_typing_errors(planted):
    X, rows, known = planted
    wrong = known.copy()
    wrong[:5] *= 10
    errors = {}
    for loss in ("squared", "huber"):
        Z = (
            PartialDistanceMetric(n_components=None, loss=loss)
            .fit(X, side=distances(rows, wrong))
            .embedding_
        )
        errors[loss] = np.abs(
            np.linalg.norm(Z[rows[5:, 0]] - Z[rows[5:, 1]], axis=1) - known[5:]
        ).mean()
    assert errors["huber"] < 0.5 * errors["squared"]


def test_the_residual_names_the_distance_that_does_not_fit(planted):
    X, rows, known = planted
    wrong = known.copy()
    wrong[7] += 30
    est = PartialDistanceMetric(loss="huber").fit(X, side=distances(rows, wrong))
    assert np.abs(est.residual_).argmax() == 7


def test_a_strong_prior_leaves_the_distances_of_the_features(planted):
    X, rows, known = planted
    Z = (
        PartialDistanceMetric(n_components=None, prior=1000.0)
        .fit(X, side=distances(rows, known))
        .embedding_
    )
    i, j = np.random.default_rng(1).integers(0, 300, (2, 500))
    before, after = np.linalg.norm(X[i] - X[j], axis=1), np.linalg.norm(Z[i] - Z[j], axis=1)
    assert np.corrcoef(before, after)[0, 1] > 0.99  # six other draws: 1.0


def test_one_distance_is_refused(planted):
    with pytest.raises(MissingLabels, match="number of known distances is 1"):
        PartialDistanceMetric().fit(planted[0], side=distances([(0, 1)], [3.0]))


def test_distances_of_0_only_are_refused(planted):
    with pytest.raises(DataError, match="all distances are 0"):
        PartialDistanceMetric().fit(planted[0], side=distances([(0, 1), (2, 3)], [0.0, 0.0]))


def test_few_distances_are_noted(planted):
    X, rows, known = planted
    est = PartialDistanceMetric().fit(X, side=distances(rows[:4], known[:4]))
    assert any(note.startswith("4 distances say little") for note in est.notes_)
