"""PCA: against scikit-learn and its own identities."""

import numpy as np
import pytest
from sklearn.decomposition import PCA as Oracle

from emberscope.base.errors import DataError
from emberscope.embedding.linear import linear
from emberscope.embedding.linear import pca as module
from emberscope.embedding.linear.pca import PCA

TALL = np.random.default_rng(0).normal(size=(50, 6)) * [5, 4, 3, 2, 1, 0.5] + 10
WIDE = np.random.default_rng(1).normal(size=(8, 40))


@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
def test_it_equals_scikit_learn_up_to_sign(X):
    est, oracle = PCA(n_components=3).fit(X), Oracle(3, svd_solver="full").fit(X)
    np.testing.assert_allclose(np.abs(est.components_.T), np.abs(oracle.components_), atol=1e-9)
    np.testing.assert_allclose(est.explained_variance_, oracle.explained_variance_)
    np.testing.assert_allclose(est.explained_variance_ratio_, oracle.explained_variance_ratio_)


def test_discarded_variance_is_the_mean_reconstruction_error():
    est = PCA(n_components=2).fit(TALL)
    discarded = TALL.var(axis=0, ddof=1).sum() - est.explained_variance_.sum()
    assert est.reconstruction_error_.mean() == pytest.approx(discarded * 49 / 50)


def test_all_axes_give_the_instances_back():
    est = PCA(n_components=6).fit(TALL)
    np.testing.assert_allclose(est.inverse_transform(est.embedding_), TALL)


def test_whitened_coordinates_have_unit_variance_and_go_back():
    est = PCA(n_components=6, whiten=True).fit(TALL)
    np.testing.assert_allclose(est.embedding_.var(axis=0, ddof=1), 1)
    np.testing.assert_allclose(est.inverse_transform(est.embedding_), TALL)


def test_chunks_of_rows_do_not_change_the_axes(monkeypatch):
    whole = PCA().fit(TALL).components_
    monkeypatch.setattr(linear, "BLOCK", 42)
    np.testing.assert_allclose(PCA().fit(TALL).components_, whole)


def test_many_rows_and_features_take_the_randomized_way_to_the_same_axes(monkeypatch):
    exact = PCA().fit(TALL).components_
    monkeypatch.setattr(module, "_EXACT", 3)
    np.testing.assert_allclose(PCA().fit(TALL).components_, exact, atol=1e-6)


@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
def test_axes_are_orthonormal(X):
    w = PCA(n_components=6).fit(X).components_
    np.testing.assert_allclose(w.T @ w, np.eye(6), atol=1e-10)


def test_turning_the_instances_keeps_the_spectrum():
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(6, 6)))[0]
    np.testing.assert_allclose(
        PCA(n_components=6).fit(TALL @ turn).explained_variance_,
        PCA(n_components=6).fit(TALL).explained_variance_,
    )


def test_blocks_of_features_do_not_change_the_axes_of_wide_data(monkeypatch):
    whole = PCA().fit(WIDE).components_
    monkeypatch.setattr(module, "BLOCK", 24)
    np.testing.assert_allclose(PCA().fit(WIDE).components_, whole)


@pytest.mark.parametrize("whiten", [False, True])
def test_directions_without_variance_are_dropped_and_noted(whiten):
    flat = np.outer(np.arange(9.0), [1, 2, 3])
    est = PCA(n_components=2, whiten=whiten).fit(flat)
    assert (est.components_[:, 1] == 0).all()
    assert (est.embedding_[:, 1] == 0).all()
    assert est.explained_variance_[1] == 0
    assert "vary in 1 directions only" in est.notes_[0]
    np.testing.assert_allclose(est.inverse_transform(est.embedding_), flat, atol=1e-12)


def test_the_reconstruction_error_is_largest_for_the_odd_one_out():
    odd = np.vstack([TALL, TALL.mean(axis=0) + np.eye(6)[5] * 8])
    est = PCA(n_components=3).fit(odd)
    assert est.reconstruction_error_.argmax() == 50
    rest = odd - est.inverse_transform(est.embedding_)
    np.testing.assert_allclose(est.reconstruction_error_, np.square(rest).sum(axis=1))


def test_coordinates_of_another_number_of_axes_are_refused():
    with pytest.raises(DataError, match=r"shape \(4, 3\). Give finite numbers in 2 columns"):
        PCA().fit(TALL).inverse_transform(np.zeros((4, 3)))
