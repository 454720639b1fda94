"""Memberships, probabilities, their union and what labels do to it; umap-learn is the oracle."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from emberscope.embedding.layout.fuzzy_graph import (
    bandwidths,
    curve,
    directed,
    led_by_labels,
    memberships,
    probabilities,
    union,
    without_weakest,
)
from emberscope.neighbors.search import neighbors_within

from ...peaks import peak_bytes

X = np.random.default_rng(0).normal(size=(300, 6)) * np.random.default_rng(1).lognormal(
    size=(300, 1)
)
NEIGHBORS = neighbors_within(X, 10)


FEW = neighbors_within(X[:40], 6)


@pytest.fixture(scope="module")
def oracle():
    """What umap-learn 0.5.12 makes of `FEW`, written down, as compiling it takes a minute.

    There every row is its own first neighbor: idx, dist (40, 7) of float32. sigma, rho :
    smooth_knn_dist(dist, 7.0). "graph, mix m" : fuzzy_simplicial_set(X, 7, RandomState(0),
    "euclidean", knn_indices=idx, knn_dists=dist, set_op_mix_ratio=m), row, column and weight of
    every edge. "graph, led by labels" : of that with m = 1 by
    discrete_metric_simplicial_set_intersection(graph, target, far_dist=5.0). curve : min_dist,
    spread and what find_ab_params(spread, min_dist) gives.
    """
    return json.loads(Path(__file__).with_name("umap_learn.json").read_text(encoding="utf-8"))


def dense(edges):
    W = np.zeros((40, 40))
    for i, j, weight in edges:
        W[i, j] = W[j, i] = weight
    return W


def test_bandwidths_are_those_of_umap_learn(oracle):
    rho, sigma = bandwidths(FEW.dist)
    np.testing.assert_allclose(rho, oracle["rho"], rtol=1e-4)
    np.testing.assert_allclose(sigma, oracle["sigma"], rtol=1e-4)


@pytest.mark.parametrize("mix", [1.0, 0.3])
def test_the_fuzzy_graph_is_that_of_umap_learn(oracle, mix):
    found = union(memberships(FEW), mix=mix).toarray()
    np.testing.assert_allclose(found, dense(oracle[f"graph, mix {mix}"]), atol=1e-5)


def test_sure_labels_lead_as_in_umap_learn(oracle):
    # 0 is unknown; in umap-learn -1 is, and -1 is class 0
    y = np.random.default_rng(2).integers(-1, 2, 40)
    found = led_by_labels(union(memberships(FEW)), y, (y != 0).astype(float), supervision=0.5)
    np.testing.assert_allclose(found.toarray(), dense(oracle["graph, led by labels"]), atol=1e-5)


def test_every_bandwidth_reaches_its_sum():
    rho, sigma = bandwidths(NEIGHBORS.dist)
    sums = np.exp(-np.maximum(NEIGHBORS.dist - rho[:, None], 0) / sigma[:, None]).sum(axis=1)
    np.testing.assert_allclose(sums, np.log2(11), atol=1e-3)


def test_equal_distances_get_the_least_bandwidth():
    rho, sigma = bandwidths(np.full((3, 5), 2.0))
    assert rho.tolist() == [2.0, 2.0, 2.0]
    np.testing.assert_allclose(sigma, 1e-3 * 2.0 * 5 / 6, rtol=1e-5)


def test_every_row_of_probabilities_has_the_perplexity():
    P = probabilities(NEIGHBORS, 4.0).toarray()
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-5)
    entropy = -(P * np.log(np.where(P > 0, P, 1))).sum(axis=1)
    np.testing.assert_allclose(np.exp(entropy), 4.0, rtol=1e-3)


def test_a_perplexity_no_row_can_have_gives_even_probabilities():
    P = probabilities(NEIGHBORS.first(3), 50.0).toarray()
    np.testing.assert_allclose(P[P > 0], 1 / 3, rtol=1e-2)


@pytest.mark.parametrize("mix", [0.0, 0.5, 1.0])
def test_the_union_is_that_of_dense_matrices(mix):
    rng = np.random.default_rng(3)
    A = np.where(rng.uniform(size=(20, 20)) < 0.3, rng.uniform(size=(20, 20)), 0).astype(np.float32)
    wanted = mix * (A + A.T - A * A.T) + (1 - mix) * A * A.T
    np.testing.assert_allclose(union(csr_array(A), mix=mix).toarray(), wanted, atol=1e-6)


def test_the_curve_is_that_of_umap_learn(oracle):
    for min_dist, spread, a, b in oracle["curve"]:
        np.testing.assert_allclose(curve(min_dist, spread), (a, b), rtol=1e-3)


def test_the_default_curve_is_the_known_one():
    np.testing.assert_allclose(curve(0.1, 1.0), (1.577, 0.895), atol=1e-3)


PATH = csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], np.float32))


def test_no_supervision_changes_nothing():
    led = led_by_labels(PATH, np.array([1, 1, -1]), np.ones(3), supervision=0.0)
    np.testing.assert_array_equal(led.toarray(), PATH.toarray())


def test_an_unsure_label_leads_less_than_a_sure_one():
    y, edges = np.array([1, 1, -1, -1]), []
    path = csr_array(0.9 * (np.eye(4, k=1, dtype=np.float32) + np.eye(4, k=-1, dtype=np.float32)))
    for weight in (0.2, 0.6, 1.0):
        led = led_by_labels(path, y, np.array([1, weight, 1, 1]), supervision=0.5)
        edges.append(led.toarray()[1, 2])
    assert edges[0] > edges[1] > edges[2]


def test_an_instance_among_other_labels_keeps_its_neighbors():
    led = led_by_labels(PATH, np.array([1, -1, 1]), np.ones(3), supervision=1.0)
    assert (led.toarray() > 0.9).sum() == 4


def test_labels_lead_where_the_last_instance_has_no_edge():
    path = csr_array(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], np.float32))
    led = led_by_labels(path, np.array([1, -1, 1]), np.ones(3), supervision=0.5)
    assert led.toarray().tolist() == path.toarray().tolist()


def test_weak_edges_are_left_out_and_the_largest_is_one():
    W = csr_array(np.array([[0, 2.0, 0.01], [2.0, 0, 1.0], [0.01, 1.0, 0]], np.float32))
    assert without_weakest(W, 0.1).toarray().tolist() == [[0, 1, 0], [1, 0, 0.5], [0, 0.5, 0]]


def test_the_union_holds_each_edge_once_beside_its_input():
    """Eight bytes an edge: of the transpose, and of room for both directions."""
    weight = np.random.default_rng(2).uniform(0.1, 1, NEIGHBORS.idx.shape).astype(np.float32)
    A = directed(NEIGHBORS, weight)
    union(A)  # kernels
    ends = 8 * 4 * len(A.indptr)
    assert peak_bytes(lambda: union(A)) < (8 + 16) * A.nnz + ends + 22_000


def test_columns_of_edges_are_no_wider_than_they_have_to_be():
    assert union(directed(NEIGHBORS, NEIGHBORS.dist)).indices.dtype == np.int32
