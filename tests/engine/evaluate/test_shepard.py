"""Distances in the embedding beside distances in the data."""

import numpy as np
import pytest
from scipy.stats import pearsonr, rankdata, spearmanr

from emberscope.evaluate.shepard import (
    Distances,
    mean_ranks,
    neighbor_pairs,
    pair_distances,
    random_pairs,
    shepard,
)

X = np.random.default_rng(0).normal(size=(40, 3))
Z = X[:, :2]


def test_correlations_are_those_of_scipy(rng):
    a, b = rng.integers(0, 9, 200).astype(float), rng.normal(size=200)
    found = Distances(a, a + b)
    assert found.spearman == pytest.approx(spearmanr(a, a + b).statistic)
    assert found.pearson == pytest.approx(pearsonr(a, a + b).statistic)
    np.testing.assert_allclose(mean_ranks(a), rankdata(a) - 1)


def test_stress_is_nothing_for_scaled_distances_and_all_for_no_distances(rng):
    a = rng.uniform(1, 2, 50)
    assert Distances(a, 7 * a).stress == pytest.approx(0, abs=1e-12)
    assert Distances(a, 0 * a).stress == 1.0


def test_stress_is_that_of_the_best_scale(rng):
    a, b = rng.uniform(1, 2, 50), rng.uniform(1, 2, 50)
    scales = np.linspace(0.5, 1.5, 20_001)
    least = min(np.sqrt(np.square(a - s * b).sum() / np.square(a).sum()) for s in scales)
    assert Distances(a, b).stress == pytest.approx(least, abs=1e-8)


def test_a_constant_side_correlates_with_nothing():
    assert np.isnan(Distances(np.ones(5), np.arange(5.0)).spearman)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pair_distances_are_euclidean(dtype):
    data = X.astype(dtype)
    found = pair_distances(data, np.array([0, 3, 5]), np.array([1, 3, 9]))
    np.testing.assert_allclose(
        found, [np.linalg.norm(data[0] - data[1]), 0.0, np.linalg.norm(data[5] - data[9])], 1e-6
    )
    assert pair_distances(data, np.empty(0, int), np.empty(0, int)).shape == (0,)


def test_few_instances_give_all_their_pairs_and_many_a_sample():
    assert len(random_pairs(X, Z, seed=0).in_X) == 40 * 39 // 2
    sampled = random_pairs(X, Z, seed=0, count=100)
    assert len(sampled.in_X) == 100
    assert (sampled.in_X > 0).all()


def test_neighbor_pairs_are_all_of_them_or_a_sample():
    idx = np.stack([(np.arange(40) + 1) % 40, (np.arange(40) + 2) % 40], axis=1).astype(np.int32)
    dist = np.linalg.norm(X[:, None] - X[idx], axis=2)
    found = neighbor_pairs(Z, idx, dist, seed=0)
    np.testing.assert_allclose(found.in_Z, np.linalg.norm(Z[:, None] - Z[idx], axis=2).ravel())
    assert len(neighbor_pairs(Z, idx, dist, seed=0, count=30).in_X) == 30


def test_the_diagram_holds_every_pair():
    spread = random_pairs(X, Z, seed=0)
    local = Distances(spread.in_X[:50], np.zeros(50))
    found = shepard(local, spread)
    assert found.spread.sum() == 40 * 39 // 2
    assert found.local[:, 0].sum() == 50
    assert found.edges_X[-1] == pytest.approx(spread.in_X.max())
    assert len(found.edges_X) == len(found.edges_Z) == found.spread.shape[0] + 1


def test_distances_that_are_all_alike_have_a_diagram():
    found = shepard(Distances(np.ones(3), np.zeros(3)), Distances(np.ones(3), np.zeros(3)))
    assert found.spread.sum() == 3
    assert (np.diff(found.edges_X) > 0).all()
    assert (np.diff(found.edges_Z) > 0).all()
