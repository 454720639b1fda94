"""LDA: against scikit-learn, and the axes beyond the discriminants."""

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf_shrinkage
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from emberscope.bags.model import Bags
from emberscope.base.errors import MissingLabels
from emberscope.embedding.linear import generalized, linear
from emberscope.embedding.linear.generalized import class_scatters, ledoit_wolf
from emberscope.embedding.linear.lda import LDA, discriminants, residual_axes

MIX = np.array([[2.0, 0.5, 0, 0], [0, 1, 0.3, 0], [0, 0, 1, 0.2], [0, 0, 0, 0.5]])
X = np.vstack([
    np.random.default_rng(0).normal(size=(40, 4)) @ MIX,
    np.random.default_rng(2).normal(size=(60, 4)) @ MIX + [1, 1, 0, 1],
])  # fmt: skip
Y = np.repeat([1, -1], [40, 60])


def cosine(a, b):
    return abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b)


@pytest.mark.parametrize("shrinkage", [0.0, 0.3])
def test_the_discriminant_points_where_scikit_learns_does(shrinkage):
    est = LDA(n_components=1, shrinkage=shrinkage).fit(X, Y)
    # Its eigen solver shrinks the total scatter too, which turns the axis; its lsqr solver does
    # not.
    oracle = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(X, Y)
    assert cosine(est.components_[:, 0], oracle.coef_[0]) > 1 - 1e-10


def test_three_classes_give_two_discriminants_like_scikit_learns():
    y = np.repeat([1, 2, 3], [40, 30, 30])
    est = LDA(n_components=3, shrinkage=0.0).fit(X, y)
    oracle = LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.0).fit(X, y)
    assert est.n_discriminants_ == 2
    for axis in range(2):
        assert cosine(est.components_[:, axis], oracle.scalings_[:, axis]) > 1 - 1e-9


def test_known_gaussians_give_the_known_direction():
    rng = np.random.default_rng(1)
    y = np.repeat([1, -1], 5000)
    data = rng.normal(size=(10_000, 4)) @ MIX + np.where(y[:, None] > 0, [1.0, 0, 1, 0], 0)
    truth = np.linalg.solve(MIX.T @ MIX, [1.0, 0, 1, 0])
    assert (
        np.degrees(np.arccos(cosine(LDA(n_components=1).fit(data, y).components_[:, 0], truth))) < 2
    )


def test_weight_two_equals_a_doubled_row():
    weights = np.where(np.arange(100) < 10, 2, 1)
    rows = np.repeat(np.arange(100), weights)
    weighted = discriminants(X, Y, weights=weights, shrinkage=0.1)
    doubled = discriminants(X[rows], Y[rows], shrinkage=0.1)
    np.testing.assert_allclose(weighted[1], doubled[1])


def test_swapping_the_labels_keeps_the_axis():
    np.testing.assert_allclose(LDA().fit(X, Y).components_, LDA().fit(X, -Y).components_)


def test_further_axes_are_orthogonal_principal_components_of_unit_spread():
    est = LDA(n_components=3).fit(X, Y)
    assert est.n_discriminants_ == 1
    assert "Axes from 2 on" in est.notes_[0]
    w = est.components_
    assert cosine(w[:, 0], w[:, 1]) < 1e-10
    assert cosine(w[:, 1], w[:, 2]) < 1e-10
    inner = X - np.where(Y[:, None] > 0, X[Y > 0].mean(axis=0), X[Y < 0].mean(axis=0))
    np.testing.assert_allclose((inner @ w).std(axis=0), 1)


def test_unknown_instances_are_mapped_but_do_not_turn_the_axis():
    y = np.concatenate([Y, [0, 0]])
    more = np.vstack([X, [[100, -100, 100, -100], [7, 7, 7, 7]]])
    est, plain = LDA(n_components=1).fit(more, y), LDA(n_components=1).fit(X, Y)
    np.testing.assert_allclose(est.components_, plain.components_)
    assert len(est.embedding_) == 102


def test_bag_labels_are_spread_over_the_instances():
    bags = Bags.from_lists([np.arange(40), np.arange(40, 100)], [1, -1])
    np.testing.assert_allclose(LDA().fit(X, bags=bags).components_, LDA().fit(X, Y).components_)


def test_more_features_than_instances_still_separate_new_ones():
    rng = np.random.default_rng(2)
    y = np.repeat([1, -1], 30)
    data = rng.normal(size=(60, 200)) + 0.7 * y[:, None] * (np.arange(200) < 20)
    est = LDA(n_components=1).fit(data[::2], y[::2])
    side = np.sign(est.transform(data[1::2])[:, 0] * est.transform(data[:1])[0, 0])
    assert (side == y[1::2]).mean() > 0.9  # six other draws: 0.97 to 1.0


def test_unlabeled_data_is_refused():
    with pytest.raises(MissingLabels, match="labels of two classes"):
        LDA().fit(X, np.zeros(100, int))


def test_a_half_label_counts_half():
    half = Y * np.where(np.arange(100) < 10, 1.0, 0.5)
    rows = np.repeat(np.arange(100), np.where(np.arange(100) < 10, 2, 1))
    weighted = LDA(n_components=1, shrinkage=0.1).fit(X, half)
    doubled = LDA(n_components=1, shrinkage=0.1).fit(X[rows], Y[rows])
    np.testing.assert_allclose(weighted.components_, doubled.components_)


def test_a_label_of_no_weight_is_no_label():
    y = np.concatenate([Y * 0.7, [0.0]])
    more = np.vstack([X, [[100, -100, 100, -100]]])
    np.testing.assert_allclose(
        LDA().fit(more, y).components_[:, 0], LDA().fit(X, Y * 0.7).components_[:, 0]
    )


def test_soft_labels_of_one_class_are_refused():
    with pytest.raises(MissingLabels):
        LDA().fit(X, np.full(100, 0.5))


def test_shrinkage_is_scikit_learns_ledoit_wolf_of_the_deviations_within_classes():
    inner = X - np.where(Y[:, None] > 0, X[Y > 0].mean(axis=0), X[Y < 0].mean(axis=0))
    assert LDA().fit(X, Y).shrinkage_ == pytest.approx(
        ledoit_wolf_shrinkage(inner, assume_centered=True)
    )


def test_shrinkage_counts_weights_as_copies():
    weights = np.where(np.arange(100) < 10, 2.0, 1.0)
    rows = np.repeat(np.arange(100), weights.astype(int))
    weighted = ledoit_wolf(class_scatters(X, Y, weights), 4)
    assert weighted == pytest.approx(ledoit_wolf(class_scatters(X[rows], Y[rows], np.ones(110)), 4))


def test_blocks_of_rows_do_not_change_the_axes(monkeypatch):
    whole = LDA().fit(X, Y).components_
    monkeypatch.setattr(linear, "BLOCK", 28)
    monkeypatch.setattr(generalized, "BLOCK", 28)
    np.testing.assert_allclose(LDA().fit(X, Y).components_, whole)


def test_residual_axes_are_the_same_from_covariance_and_from_rows(monkeypatch):
    w = np.array([[1.0], [1], [0], [2]])
    direct = residual_axes(X, w, 2)
    monkeypatch.setattr("emberscope.embedding.linear.lda._COVARIANCE_LIMIT", 0)
    np.testing.assert_allclose(residual_axes(X, w, 2), direct, atol=1e-10)
    np.testing.assert_allclose(w.T @ direct, 0, atol=1e-12)
