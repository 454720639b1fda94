"""PCA: against scikit-learn and its own identities."""

import numpy as np
import pytest
from sklearn.decomposition import PCA as Oracle

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
