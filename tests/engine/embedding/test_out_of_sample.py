"""Reconstruction of new instances from their neighbors, and how far to trust it."""

import numpy as np
import pytest
from scipy.interpolate import RBFInterpolator
from sklearn.metrics import roc_auc_score

from emberscope.base.errors import ParamError
from emberscope.embedding.kernel.isomap import Isomap
from emberscope.embedding.out_of_sample import errors_left_out, reconstruct
from emberscope.embedding.supervised.s_le import SLE

X, Z = np.random.default_rng(0).normal(size=(60, 3)), np.random.default_rng(2).normal(size=(60, 2))
NEW = np.random.default_rng(3).normal(size=(10, 3)) * 0.5


@pytest.mark.parametrize("rule", ["lle", "convex", "tangent", "idw", "rbf"])
def test_a_training_instance_gets_its_own_coordinates(rule):
    found = reconstruct(X, Z, X[:8], rule=rule)
    np.testing.assert_allclose(found.coordinates, Z[:8], atol=1e-6)
    assert (found.error < 1e-6).all()


def test_reconstruction_weights_equal_the_textbook_solution():
    found = reconstruct(X, Z, NEW[:1])
    idx = np.argsort(np.linalg.norm(X - NEW[0], axis=1))[:5]
    offsets = X[idx] - NEW[0]
    gram = offsets @ offsets.T
    w = np.linalg.solve(gram + 1e-3 * np.trace(gram) * np.eye(5), np.ones(5))
    w /= w.sum()
    np.testing.assert_allclose(found.weights[0], w)
    np.testing.assert_allclose(found.coordinates[0], w @ Z[idx])
    assert found.error[0] == pytest.approx(np.linalg.norm(NEW[0] - w @ X[idx]))


def test_a_linear_picture_is_continued_linearly():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(3, 2))
    found = reconstruct(X, X @ A, NEW, n_neighbors=8)
    np.testing.assert_allclose(found.coordinates, NEW @ A, atol=0.02)


@pytest.mark.parametrize("rule", ["lle", "convex", "tangent", "idw", "rbf"])
def test_moving_and_turning_everything_changes_nothing(rule):
    rng = np.random.default_rng(1)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    moved = reconstruct(X @ turn + 100, Z, NEW @ turn + 100, rule=rule)
    np.testing.assert_allclose(
        moved.coordinates, reconstruct(X, Z, NEW, rule=rule).coordinates, atol=1e-6
    )


@pytest.mark.parametrize("rule", ["idw", "convex"])
def test_nonnegative_weights_never_extrapolate(rule):
    far = reconstruct(X, Z, NEW + 100, rule=rule)
    members = Z[far.idx]
    assert (far.coordinates >= members.min(axis=1) - 1e-12).all()
    assert (far.coordinates <= members.max(axis=1) + 1e-12).all()


def test_convex_weights_are_the_reconstruction_weights_without_the_negative_ones():
    free, clipped = reconstruct(X, Z, NEW), reconstruct(X, Z, NEW, rule="convex")
    kept = np.maximum(free.weights, 0)
    assert (free.weights < 0).any()
    np.testing.assert_allclose(clipped.weights, kept / kept.sum(axis=1, keepdims=True))


def test_tangent_weights_are_ridge_regression_on_the_principal_directions():
    found = reconstruct(X, Z, NEW[:1], rule="tangent", n_neighbors=10)
    members = X[found.idx[0]]
    offsets = members - members.mean(axis=0)
    T = offsets @ np.linalg.svd(offsets, full_matrices=False)[2][:2].T
    ridge = 1e-3 * np.square(T).sum() / 2
    slopes = np.linalg.solve(T.T @ T + ridge * np.eye(2), T.T @ Z[found.idx[0]])
    t = (NEW[0] - members.mean(axis=0)) @ np.linalg.svd(offsets, full_matrices=False)[2][:2].T
    np.testing.assert_allclose(found.coordinates[0], Z[found.idx[0]].mean(axis=0) + t @ slopes)


def test_the_tangent_rule_goes_on_along_a_slope():
    line = np.arange(20.0)[:, None] * [1.0, 1.0]
    found = reconstruct(
        line, np.arange(20.0)[:, None] * 3, np.array([[21.0, 21.0]]), rule="tangent", n_neighbors=6
    )
    assert found.coordinates[0, 0] == pytest.approx(63, abs=0.1)


@pytest.mark.parametrize("rule", ["lle", "convex", "tangent", "idw", "rbf"])
def test_the_error_is_the_distance_to_the_combination(rule):
    found = reconstruct(X, Z, NEW, rule=rule)
    combination = np.einsum("mk,mkd->md", found.weights, X[found.idx])
    np.testing.assert_allclose(found.error, np.linalg.norm(NEW - combination, axis=1), atol=1e-9)


@pytest.mark.parametrize("rule", ["lle", "convex", "tangent", "idw", "rbf"])
def test_a_left_out_training_instance_lands_within_the_disc_of_its_neighbors(rule):
    angle, height = np.pi * np.linspace(0, 1.5, 400), np.random.default_rng(0).uniform(0, 4, 400)
    S = np.stack([np.cos(angle), height, np.sin(angle)], axis=1)
    out = np.arange(20, 380, 40)
    rest = np.setdiff1d(np.arange(400), out)
    found = Isomap(n_neighbors=10).fit(S[rest])
    place = found.transform(S[out], rule=rule)
    near = found.embedding_[reconstruct(S[rest], found.embedding_, S[out], n_neighbors=10).idx]
    disc = np.linalg.norm(near - near.mean(axis=1, keepdims=True), axis=2).max(axis=1)
    assert (np.linalg.norm(place - near.mean(axis=1), axis=1) <= disc).all()


def test_radial_weights_interpolate_by_minus_r_with_a_constant():
    found = reconstruct(X, Z, NEW, rule="rbf", n_neighbors=12)
    for q, idx, placed in zip(NEW, found.idx, found.coordinates):
        members = X[idx]
        far = np.linalg.norm(members[:, None] - members[None], axis=2)
        oracle = RBFInterpolator(
            members, Z[idx], kernel="linear", degree=0, smoothing=1e-3 * far.mean()
        )
        np.testing.assert_allclose(placed, oracle(q[None])[0], atol=1e-8)


def test_affine_weights_are_the_ridge_solution_with_intercept():
    found = reconstruct(X, Z, NEW[:1], rule="affine")
    A = X[found.idx[0]].T
    A, q = A - A.mean(axis=0), NEW[0] - NEW[0].mean()
    ridge = 1e-3 * np.trace(A.T @ A)
    np.testing.assert_allclose(
        found.weights[0], np.linalg.solve(A.T @ A + ridge * np.eye(5), A.T @ q)
    )


def test_fewer_training_instances_than_neighbors_are_all_used():
    assert reconstruct(X[:3], Z[:3], NEW).idx.shape == (10, 3)


def test_coinciding_neighbors_share_the_weight():
    same = np.zeros((4, 2))
    np.testing.assert_allclose(
        reconstruct(same, np.arange(4.0)[:, None], same[:1]).coordinates, 1.5
    )
    np.testing.assert_allclose(
        reconstruct(same, np.arange(4.0)[:, None], same[:1] + 1).coordinates, 1.5
    )


def test_an_unknown_rule_names_the_known_ones():
    with pytest.raises(ParamError, match="lle or convex or tangent or affine or idw or rbf"):
        reconstruct(X, Z, NEW, rule="magic")


def test_far_instances_are_novel_and_training_instances_are_not():
    est = Isomap(n_neighbors=8).fit(X)
    known, strange = est.novelty(X), est.novelty(X + 50)
    assert (known.distance == 0).all()
    assert known.confidence.mean() > 0.5  # six other draws: 1.0
    assert strange.confidence.max() < 1e-6
    assert strange.error.min() > 10


def test_errors_left_out_are_those_of_the_others_alone():
    errors = [
        reconstruct(np.delete(X, row, axis=0), np.delete(Z, row, axis=0), X[row : row + 1]).error[0]
        for row in range(60)
    ]
    np.testing.assert_allclose(errors_left_out(X), np.sort(errors), atol=1e-9)


def test_confidence_is_the_share_of_known_instances_that_are_rebuilt_no_better():
    rng = np.random.default_rng(1)
    known, new = rng.normal(size=(800, 4)), rng.normal(size=(400, 4))
    confidence = Isomap(n_neighbors=8).fit(known).novelty(new).confidence
    assert abs(np.mean(confidence < 0.5) - 0.5) < 0.1  # six other draws: 0.02 to 0.07
    assert abs(np.mean(confidence < 0.1) - 0.1) < 0.05  # six other draws: 0.0 to 0.02


def test_confidence_tells_strangers_apart_as_well_as_the_error_does_where_classes_meet():
    rng = np.random.default_rng(1)
    y = np.where(np.arange(400) % 2, 1, -1)
    known, new = (rng.normal(size=(400, 6)) * [1, 1, 1, 0.1, 0.1, 0.1] for _ in range(2))
    est = SLE().fit(known + 0.3 * y[:, None] * [1, 0, 0, 0, 0, 0], y)
    found, strange = est.novelty(new), est.novelty(new + np.array([0, 0, 0, 0.5, 0, 0]))
    truth = np.repeat([1, 0], 400)
    by_confidence, by_error = (
        roc_auc_score(truth, sign * np.concatenate([getattr(of, name) for of in (found, strange)]))
        for name, sign in (("confidence", 1), ("error", -1))
    )
    assert by_confidence > by_error - 0.005  # .897; with the agreement of neighbors in it .562
    assert np.median(strange.confidence) < 0.1  # .03; it was .21
