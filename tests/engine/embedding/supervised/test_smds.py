"""SMDS: the objective as corrected, its exact steps, weak labels, both ends of alpha."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from emberscope.base.errors import DataError, MissingLabels, ParamError, TooLarge
from emberscope.embedding.distance.smacof import Smacof
from emberscope.embedding.distance.stress import AllPairs, majorize
from emberscope.embedding.supervised import smds
from emberscope.embedding.supervised.smds import SMDS, Supervised

X = np.random.default_rng(0).normal(size=(60, 5))
Y = np.where(X[:, 0] + 0.5 * np.random.default_rng(2).normal(size=60) > 0, 1, -1)
D = cdist(X, X)
Z = np.random.default_rng(3).normal(size=(60, 2))
WEAK = np.random.default_rng(4).uniform(0.1, 1, 60) * (np.arange(60) % 5 > 0)


def naive_objective(D, Z, y, weights, alpha):
    """Both sums, pair by pair."""
    m, total = Z.shape[1], 0.0
    for i in range(len(D)):
        for j in range(len(D)):
            total += (1 - alpha) / 2 * (D[i, j] - np.linalg.norm(Z[i] - Z[j])) ** 2
            if y[i] < y[j]:
                miss = D[i, j] / np.sqrt(m) - (Z[j] - Z[i])
                total += alpha * weights[i] * weights[j] * (miss**2).sum()
    return total


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_the_objective_is_the_plain_sum(alpha):
    problem = Supervised(D, Y * (WEAK > 0), WEAK, alpha, 2)
    assert problem.evaluate(Z)[0] == pytest.approx(naive_objective(D, Z, Y, WEAK, alpha), rel=1e-10)


def test_three_classes_are_ordered_as_numbers():
    y, ones = np.arange(60) % 3 + 1, np.ones(60)
    assert Supervised(D, y, ones, 0.5, 2).evaluate(Z)[0] == pytest.approx(
        naive_objective(D, Z, y, ones, 0.5)
    )


def test_the_step_points_down_the_gradient():
    problem = Supervised(D, Y * (WEAK > 0), WEAK, 0.3, 2)
    step = problem.evaluate(Z)[1]
    h = 1e-6
    slope = (problem.evaluate(Z + h * step)[0] - problem.evaluate(Z - h * step)[0]) / (2 * h)
    assert slope < 0


def test_the_step_solves_the_system_of_the_majorization():
    alpha, n = 0.3, 60
    problem = Supervised(D, Y * (WEAK > 0), WEAK, alpha, 2)
    w = np.outer(WEAK, WEAK) * (Y[:, None] != Y)
    laplacian = np.diag(w.sum(axis=1)) - w
    M = (1 - alpha) * (n * np.eye(n) - 1) + alpha * laplacian
    target = (w * np.sign(Y[:, None] - Y) * D).sum(axis=1, keepdims=True) / np.sqrt(2)
    pull = (1 - alpha) * AllPairs(D).force(Z)[1] + alpha * (target - laplacian @ Z)
    step = problem.evaluate(Z)[1]
    np.testing.assert_allclose(
        step - step.mean(axis=0), np.linalg.lstsq(M, pull, rcond=None)[0], atol=1e-7
    )


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.9])
def test_the_objective_never_rises(alpha):
    problem = Supervised(D, Y, np.ones(60), alpha, 2)
    _, history = majorize(problem, Z, max_iter=100, tolerance=0, show=lambda done, Z: None)
    assert len(history) > 10
    assert (np.diff(history) < 0).all()


def test_alpha_0_is_smacof():
    ours, other = SMDS(alpha=0).fit(X), Smacof().fit(X)
    assert procrustes(ours.embedding_, other.embedding_)[2] < 1e-12
    assert ours.stress_ == pytest.approx(other.stress_)


def test_alpha_0_looks_at_no_label():
    assert not SMDS(alpha=0).reads_labels
    assert np.array_equal(SMDS(alpha=0).fit(X, Y).embedding_, SMDS(alpha=0).fit(X).embedding_)


def test_alpha_1_is_least_squares():
    problem = Supervised(D, Y, np.ones(60), 1.0, 2)
    force = problem.evaluate(SMDS(alpha=1).fit(X, Y).embedding_)[1]
    assert np.abs(force).max() < 1e-6


@pytest.mark.parametrize("d", [1, 2, 3])
def test_targets_lie_to_the_upper_right(d):
    found = SMDS(n_components=d, alpha=0.5).fit(X, Y).embedding_
    assert (found[Y == 1].mean(axis=0) > found[Y == -1].mean(axis=0)).all()


def test_more_supervision_separates_more_and_keeps_distances_less():
    fits = [SMDS(alpha=alpha).fit(X, Y) for alpha in (0.05, 0.2, 0.6)]
    gaps = [
        np.diff([fit.embedding_[c == Y].sum(axis=1).mean() for c in (-1, 1)])[0] for fit in fits
    ]
    assert sorted(gaps) == gaps
    assert sorted(fit.stress_ for fit in fits) == [fit.stress_ for fit in fits]


def test_a_label_of_weight_0_is_no_label():
    soft = 0.5 * Y * (np.arange(60) > 9)
    harder = Y * (np.arange(60) > 9)
    one, other = SMDS(alpha=0.3).fit(X, soft), SMDS(alpha=0.3).fit(X, harder)
    assert one.stress_ < other.stress_  # weaker labels pull less
    assert np.isfinite(one.embedding_).all()


def test_half_weights_are_a_quarter_of_the_pull():
    # alpha' with 1 : 1/4 between its parts is alpha = 1/5 against 1/2.
    weak, plain = (
        SMDS(alpha=0.5, tolerance=1e-7, max_iter=3000),
        SMDS(alpha=0.2, tolerance=1e-7, max_iter=3000),
    )
    assert procrustes(weak.fit(X, 0.5 * Y).embedding_, plain.fit(X, Y).embedding_)[2] < 1e-6


def test_held_out_targets_fall_among_targets():
    rng = np.random.default_rng(1)
    t = rng.normal(size=(400, 5))
    y = np.where(t[:, 0] > 0, 1, -1)
    est = SMDS(alpha=0.3).fit(t[:300], y[:300])
    score = est.transform(t[300:]).sum(axis=1)
    middle = est.embedding_.sum(axis=1).mean()
    # Six other draws: 0.82 to 0.92
    assert (np.where(score > middle, 1, -1) == y[300:]).mean() > 0.8


def test_too_many_instances_are_refused_with_the_alternative(monkeypatch):
    monkeypatch.setattr(smds, "LIMIT", 50)
    with pytest.raises(TooLarge, match="s-le or lda"):
        SMDS().fit(X, Y)


def test_equal_instances_with_two_labels_are_refused():
    with pytest.raises(DataError, match="the same"):
        SMDS(n_components=1).fit(
            np.ones((12, 3)), np.where(np.arange(12) % 2, 1.0, -0.5) * np.linspace(0.1, 0.9, 12)
        )


def test_labels_are_asked_for():
    with pytest.raises(MissingLabels):
        SMDS().fit(X)


def test_a_wrong_alpha_is_named():
    with pytest.raises(ParamError, match="alpha is 2"):
        SMDS(alpha=2).fit(X, Y)


def test_the_picture_does_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    many, y = rng.normal(size=(700, 300)), np.repeat([1, -1], 350)
    embeddings = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            embeddings.append(SMDS(max_iter=30).fit(many, y).embedding_)
    np.testing.assert_array_equal(*embeddings)


def off_the_refit(t, y, n, rule=None):
    """Procrustes distance of rows from n on, placed in a fit of the first n, from a fit with all
    labels."""
    placed = SMDS().fit(t[:n], y[:n]).transform(t[n:], rule=rule)
    return procrustes(SMDS().fit(t, y).embedding_[n:], placed)[2]


def test_new_instances_land_nearer_to_a_refit_than_by_reconstruction():
    t = np.random.default_rng(1).normal(size=(500, 8))
    y = np.where(t[:, 0] + 0.5 * t[:, 1] ** 2 > 0.5, 1, -1)
    assert off_the_refit(t, y, 250) < off_the_refit(t, y, 250, rule="lle") - 0.05


def test_a_new_instance_lies_halfway_to_where_its_terms_of_the_objective_are_least():
    t = X + 4 * (Y[:, None] > 0)
    est = SMDS(alpha=0.3).fit(t, Y)
    new = np.full((1, 5), 5.0)  # its nearest are of class 1
    at = 2 * est.transform(new)[0] - est.transform(new, rule="lle")[0]

    def terms(z):
        d, away = cdist(new, t)[0], z - est.embedding_
        below = Y == -1
        ahead = (d[below, None] / np.sqrt(2) - away[below]) ** 2
        return 0.7 * ((d - np.linalg.norm(away, axis=1)) ** 2).sum() + 0.3 * ahead.sum()

    for step in 0.05 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]):
        assert terms(at) < terms(at + step)


def test_training_instances_are_placed_where_they_are():
    est = SMDS().fit(X, Y)
    np.testing.assert_allclose(est.transform(X), est.embedding_)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_both_ends_of_alpha_place_new_instances(alpha):
    est = SMDS(alpha=alpha).fit(X, Y)
    assert np.isfinite(est.transform(X + 0.1)).all()
