"""Methods that follow a metric use what pairs say, by default settings."""

import numpy as np
import pytest

from emberscope import catalogue
from emberscope.labels.side_info import SideInfo
from emberscope.metric.equivalence import EquivalenceMetric

METHODS = ["mds", "isomap", "laplacian-eigenmaps", "lle", "mvu"]


def one_of_ten(seed, n=200):
    """Ten features of which the first tells the class and the second is three times as large."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 10))
    X[:, 0] = 2 * y - 1 + 0.3 * rng.normal(size=n)
    X[:, 1] *= 3
    rows = rng.permutation(n).reshape(-1, 2)
    same = y[rows[:, 0]] == y[rows[:, 1]]
    return X, y, SideInfo.of_pairs(rows[same][:20], rows[~same][:20])


def named_by_others(Z, y):
    far = np.square(Z[:, None] - Z).sum(axis=2)
    np.fill_diagonal(far, np.inf)
    return np.mean((y[far.argsort(axis=1)[:, :3]].mean(axis=1) > 0.5) == y)


@pytest.mark.parametrize("method", METHODS)
def test_its_map_names_more_instances_by_their_neighbors_than_without_pairs(method):
    gained = []
    for seed in range(3):
        X, y, side = one_of_ten(seed)
        plain, informed = (
            named_by_others(catalogue.load(method)(n_components=2).fit(A).embedding_, y)
            for A in (X, EquivalenceMetric(n_components=None).fit(X, side=side).embedding_))
        gained.append(informed - plain)
        assert informed > 0.8
    assert np.mean(gained) > 0.05
