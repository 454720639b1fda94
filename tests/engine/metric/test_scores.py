"""Principal component scores on one scale."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.metric import scores
from emberscope.metric.scores import principal_scores


@pytest.mark.parametrize("shape", [(50, 6), (8, 30)])
def test_distances_are_those_of_the_features_but_for_the_unit(shape):
    X = np.random.default_rng(0).normal(size=shape) * 7
    found = principal_scores(X, 30)
    np.testing.assert_allclose(
        np.linalg.norm(found.T[0] - found.T[1]) * found.unit, np.linalg.norm(X[0] - X[1])
    )
    assert np.square(found.T).mean() == pytest.approx(1)


def test_few_components_are_those_of_largest_variance():
    X = np.random.default_rng(0).normal(size=(200, 3)) * [1, 10, 3]
    axes = principal_scores(X, 2).axes
    assert np.abs(axes).argmax(axis=0).tolist() == [1, 2]


def test_directions_without_variance_are_left_out():
    X = np.random.default_rng(0).normal(size=(50, 4))
    X[:, 2] = 7
    assert principal_scores(X, 4).T.shape == (50, 3)


def test_whitened_scores_have_about_the_same_spread():
    X = np.random.default_rng(0).normal(size=(500, 3)) * [1, 2, 3]
    spread = principal_scores(X, 3, whiten=True).T.std(axis=0)
    assert spread.min() > 0.85 * spread.max()


@pytest.mark.parametrize("shape", [(50, 6), (8, 30)])
def test_scores_have_the_same_signs_whatever_signs_the_solver_chose(shape, monkeypatch):
    X = np.random.default_rng(0).normal(size=shape)
    found, solve = principal_scores(X, 5).T, scores.eigh
    signs = np.array([1, -1, -1, 1, -1])
    monkeypatch.setattr(scores, "eigh", lambda *given, **options: (
        (pairs := solve(*given, **options))[0], pairs[1] * signs))
    np.testing.assert_allclose(principal_scores(X, 5).T, found, atol=1e-12)


def test_equal_instances_are_refused():
    with pytest.raises(DataError, match="all instances are the same"):
        principal_scores(np.ones((5, 3)), 2)
