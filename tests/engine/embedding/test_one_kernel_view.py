"""Every spectral method is kernel PCA on a kernel of its own."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from emberscope.catalogue import load
from emberscope.embedding.spectral.reconstruction_weights import (
    reconstruction_error,
    reconstruction_weights,
    weight_matrix,
)
from emberscope.neighbors.geodesics import geodesics
from emberscope.neighbors.graph import affinity, knn, neighborhood_graph

X = np.random.default_rng(0).normal(size=(60, 4)) * [4, 2, 1, 0.5]
GRAPH, NEAR = neighborhood_graph(X, knn(X, 10)), knn(X, 10)
LISTS = reconstruction_error(weight_matrix(NEAR, reconstruction_weights(X, NEAR))).toarray()
W = affinity(GRAPH, NEAR).toarray()
LAPLACIAN = np.diag(W.sum(axis=1)) - W


def of_distances(D):
    """The kernel -1/2 D² of distances, which centering makes that of classical scaling."""
    return -0.5 * np.square(D)


def unfolded():
    """The kernel that MVU learns, as far as six dimensions hold it; its solution has ten columns,
    whatever d is."""
    Y = load("mvu")(n_components=6).fit(X).embedding_
    return Y @ Y.T


def mixed(a=0.5):
    M = X @ X.T
    H = np.eye(60) - 1 / 60
    M = H @ M @ H
    return (1 - a) * np.linalg.norm(LAPLACIAN) / np.linalg.norm(M) * M - a / 2 * LAPLACIAN


# id -> (parameters, kernel (N, N), weights of the instances or None, whether the axes have the
# lengths of the kernel)
KERNELS = {
    "pca": ({}, lambda: X @ X.T, None, True),
    "kpca": ({"sigma": 3.0}, lambda: np.exp(-(cdist(X, X) ** 2) / 18), None, True),
    "mds": ({"metric": "cityblock"}, lambda: of_distances(cdist(X, X, "cityblock")), None, True),
    "isomap": ({}, lambda: of_distances(geodesics(GRAPH.lengths)), None, True),
    "lle": (
        {"n_neighbors": 10, "rectify": False},
        lambda: np.linalg.pinv(LISTS, 1e-9),
        None,
        False,
    ),
    "laplacian-eigenmaps": (
        {"n_neighbors": 10},
        lambda: np.linalg.pinv(LAPLACIAN),
        W.sum(axis=1),
        False,
    ),
    "mvu": ({}, unfolded, None, True),
    "hybrid": ({"strength": 0.5, "distances": "euclidean", "scale": "unit"}, mixed, None, False),
}


def kernel_pca(K, weights, d=2):
    """Principal coordinates (N, d) in the space of a kernel, centered, instances counted by their
    weights."""
    weights = np.ones(len(K)) if weights is None else weights
    center = np.eye(len(K)) - np.outer(np.ones(len(K)), weights / weights.sum())
    root = np.sqrt(weights)
    values, vectors = np.linalg.eigh(root[:, None] * (center @ K @ center.T) * root)
    return vectors[:, ::-1][:, :d] / root[:, None] * np.sqrt(values[::-1][:d])


@pytest.mark.parametrize("id", KERNELS)
def test_it_is_kernel_pca_on_its_kernel(id):
    params, kernel, weights, lengths = KERNELS[id]
    Z, wanted = load(id)(**params).fit(X).embedding_, kernel_pca(kernel(), weights)
    if not lengths:
        Z, wanted = Z / np.linalg.norm(Z, axis=0), wanted / np.linalg.norm(wanted, axis=0)
    signs = np.sign((Z * wanted).sum(axis=0))
    np.testing.assert_allclose(Z * signs, wanted, atol=1e-6 * np.abs(wanted).max())


def test_the_kernel_of_lle_may_also_be_the_largest_eigenvalue_minus_its_misfit():
    largest = np.linalg.eigvalsh(LISTS)[-1]
    one, other = (
        kernel_pca(np.linalg.pinv(LISTS, 1e-9), None),
        kernel_pca(largest * np.eye(60) - LISTS, None),
    )
    cosines = (
        (one * other).sum(axis=0) / np.linalg.norm(one, axis=0) / np.linalg.norm(other, axis=0)
    )
    np.testing.assert_allclose(np.abs(cosines), 1, atol=1e-9)


def test_a_kernel_computed_before_gives_the_same_as_the_method_of_that_kernel():
    for id in ("pca", "mds", "isomap", "lle", "mvu"):
        params, kernel, _, lengths = KERNELS[id]
        Z = load("kpca")(kernel="precomputed").fit(kernel()).embedding_
        own = load(id)(**params).fit(X).embedding_
        if not lengths:
            Z, own = Z / np.linalg.norm(Z, axis=0), own / np.linalg.norm(own, axis=0)
        np.testing.assert_allclose(np.abs(Z), np.abs(own), atol=1e-6 * np.abs(own).max())
