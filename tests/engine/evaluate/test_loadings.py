"""Loadings are correlations of features with axes."""

import numpy as np
import pytest

from emberscope.evaluate.loadings import loadings


def test_they_are_the_correlations():
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(50, 4)), rng.normal(size=(50, 2))
    expected = np.corrcoef(np.hstack([X, Z]).T)[:4, 4:]
    np.testing.assert_allclose(loadings(X, Z), expected, atol=1e-6)


def test_an_axis_that_is_a_feature_loads_on_it_alone():
    X = np.array([[0.0, 1], [1, -1], [0, -1], [1, 1]])
    np.testing.assert_allclose(loadings(X, -2 * X[:, :1] + 7), [[-1], [0]], atol=1e-6)


def test_a_constant_feature_loads_on_nothing():
    X = np.column_stack([np.full(5, 0.1), np.arange(5.0)])
    assert loadings(X, np.arange(5.0)[:, None])[0, 0] == 0


def test_blocks_of_features_give_the_same(monkeypatch):
    rng = np.random.default_rng(1)
    X, Z = rng.normal(size=(20, 7)), rng.normal(size=(20, 3))
    whole = loadings(X, Z)
    monkeypatch.setattr("emberscope.evaluate.loadings._CHUNK", 40)
    assert loadings(X, Z) == pytest.approx(whole)
