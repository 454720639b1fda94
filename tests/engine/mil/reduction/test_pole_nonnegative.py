"""Nonnegative pOLE: planted clusters, what it lowers, and its constraint."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.sparse import block_diag, csr_array
from sklearn.metrics import adjusted_rand_score

from emberscope.base.errors import DataError
from emberscope.mil.reduction.pole_nonnegative import Cost, NonnegativePOLE, shares


def planted(seed, dtype=np.float64, irrelevant=4, apart=6.0):
    """Three groups of 40 in three features, beside some that say nothing."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(3), 40)
    X = rng.normal(size=(120, 3 + irrelevant))
    X[:, :3] += apart * np.eye(3)[group]
    return X.astype(dtype), group


def ring(n):
    """A cycle of n instances, edges of weight 1."""
    i = np.arange(n)
    one = csr_array((np.ones(n), (i, (i + 1) % n)), shape=(n, n))
    return csr_array(one + one.T)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("p", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_planted_groups_are_the_clusters_among_features_that_say_nothing(seed, p, dtype):
    X, group = planted(seed, dtype)
    est = NonnegativePOLE(n_components=3, p=p).fit(X)
    assert adjusted_rand_score(group, est.cluster_) > 0.95
    assert est.embedding_.dtype == dtype
    assert (est.embedding_ >= 0).all()


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_parts_of_a_graph_are_the_clusters_and_cost_nothing(p):
    S = csr_array(block_diag([ring(10), ring(20), ring(15)]))
    found = shares(S, 3, p=p)
    part = np.repeat([0, 1, 2], [10, 20, 15])
    assert adjusted_rand_score(part, found.Z.argmax(axis=1)) == 1
    for j in range(3):
        own = found.Z[found.Z.argmax(axis=1) == j, j]
        assert own.std() < 1e-2 * own.mean()
    assert np.sort(found.Z, axis=1)[:, :2].max() < 0.02


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_gradient_is_that_of_finite_differences(seed, p):
    rng = np.random.default_rng(seed)
    S = ring(12)
    S.data /= S.sum()
    cost = Cost(S, np.asarray(S.sum(axis=1)).ravel()[:, None], p, 0.01, 3.0)
    Z = rng.uniform(size=(12, 2))
    wrong = check_grad(lambda z: cost(z.reshape(12, 2))[0],
                       lambda z: cost(z.reshape(12, 2))[1].ravel(), Z.ravel())
    assert wrong < 1e-5


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_columns_have_length_1_and_hardly_overlap(seed):
    rng = np.random.default_rng(seed)
    A = rng.uniform(size=(60, 60)) < 0.15
    S = csr_array((A | A.T) & ~np.eye(60, dtype=bool), dtype=np.float64)
    found = shares(S, 3)
    D = S.sum(axis=1) / S.sum()
    np.testing.assert_allclose(found.Z.T * D @ found.Z, np.eye(3), atol=0.1)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_what_is_lowered_never_rises_within_a_stage(seed):
    est = NonnegativePOLE(n_components=3).fit(planted(seed)[0])
    for stage in range(3):
        values = est.history_[est.stage_ == stage]
        assert (np.diff(values) <= 1e-12).all()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_shares_are_flatter_inside_clusters_with_p_1_than_with_2(seed):
    X, _ = planted(seed, apart=3.0)

    def spread(p):
        est = NonnegativePOLE(n_components=3, p=p).fit(X)
        own = [est.embedding_[est.cluster_ == j, j] for j in range(3)]
        return np.mean([np.median(np.abs(z - np.median(z))) / np.median(z) for z in own])

    assert spread(1.0) < spread(2.0)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_new_instances_have_shares_in_the_cluster_of_their_group(seed):
    X, group = planted(seed)
    est = NonnegativePOLE(n_components=3).fit(X[::2])
    Z = est.transform(X[1::2])
    assert (Z >= 0).all()
    assert adjusted_rand_score(group[1::2], Z.argmax(axis=1)) > 0.9


def test_instances_without_an_edge_are_placed_and_noted():
    X = np.vstack([planted(0)[0], np.full((1, 7), 90.0)])
    est = NonnegativePOLE(n_components=3, graph="mutual").fit(X)
    assert np.isfinite(est.embedding_).all()
    assert any("without a neighbor" in note for note in est.notes_)


def test_more_clusters_than_connected_instances_are_refused():
    X = np.array([[0.0], [1.0], [50.0], [90.0], [140.0]])
    with pytest.raises(DataError, match="2 instances have neighbors, for 3 clusters"):
        NonnegativePOLE(n_components=3, graph="radius", radius=2.0).fit(X)
