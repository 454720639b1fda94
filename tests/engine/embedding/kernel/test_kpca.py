"""Kernel PCA: its identities with PCA, MDS and scikit-learn, Nystroem, the way back."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist
from sklearn.decomposition import KernelPCA as Oracle

from emberscope.base.errors import DataError
from emberscope.embedding.distance.mds import MDS
from emberscope.embedding.kernel import kpca as module
from emberscope.embedding.kernel.kpca import KernelPCA
from emberscope.embedding.linear.pca import PCA

_T = np.sort(np.random.default_rng(0).uniform(0, 2 * np.pi, 150))
RING = np.column_stack([np.cos(_T), np.sin(_T), 0.1 * np.random.default_rng(2).normal(size=150)])
KERNELS = ("rbf", "laplacian", "self-tuned", "polynomial", "cosine", "linear")


def test_the_linear_kernel_is_pca():
    est, pca = KernelPCA(kernel="linear").fit(RING), PCA().fit(RING)
    np.testing.assert_allclose(np.abs(est.embedding_), np.abs(pca.embedding_), atol=1e-8)
    np.testing.assert_allclose(
        est.inverse_transform(est.embedding_), pca.inverse_transform(pca.embedding_), atol=1e-8
    )


def test_the_centered_squared_distances_as_a_kernel_are_classical_scaling():
    D = cdist(RING, RING, "cityblock")
    est = KernelPCA(kernel="precomputed").fit(-0.5 * D**2)
    np.testing.assert_allclose(
        est.embedding_, MDS(metric="precomputed").fit(D).embedding_, atol=1e-8
    )


@pytest.mark.parametrize(("kernel", "theirs"), [
    ("rbf", {"kernel": "rbf", "gamma": 0.5 / 0.7**2}),
    ("cosine", {"kernel": "cosine"}),
    ("linear", {"kernel": "linear"}),
])
def test_scikit_learn_agrees(kernel, theirs):
    ours = KernelPCA(n_components=3, kernel=kernel, sigma=0.7).fit(RING)
    oracle = Oracle(n_components=3, eigen_solver="dense", **theirs).fit(RING)
    new = RING[:20] + 0.05
    np.testing.assert_allclose(np.abs(ours.embedding_), np.abs(oracle.transform(RING)), atol=1e-8)
    np.testing.assert_allclose(
        np.abs(ours.transform(new)), np.abs(oracle.transform(new)), atol=1e-8
    )


@pytest.mark.parametrize("kernel", KERNELS)
def test_training_instances_keep_their_coordinates(kernel):
    est = KernelPCA(kernel=kernel).fit(RING)
    np.testing.assert_allclose(est.transform(RING), est.embedding_, atol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "polynomial", "cosine", "linear"])
def test_nystroem_with_all_instances_as_landmarks_is_exact(kernel, monkeypatch):
    exact = KernelPCA(kernel=kernel).fit(RING)
    monkeypatch.setattr(
        KernelPCA, "_exact", lambda self, X, watch: self._nystroem(X, np.arange(len(X)), watch)
    )
    nystroem = KernelPCA(kernel=kernel).fit(RING)
    np.testing.assert_allclose(np.abs(nystroem.embedding_), np.abs(exact.embedding_), atol=1e-6)
    np.testing.assert_allclose(nystroem.eigenvalues_, exact.eigenvalues_, rtol=1e-6)


def test_few_landmarks_are_near_and_noted():
    exact, few = KernelPCA().fit(RING), KernelPCA(n_landmarks=40).fit(RING)
    assert procrustes(exact.embedding_, few.embedding_)[2] < 1e-4
    assert "40 landmarks" in few.notes_[0]
    np.testing.assert_allclose(few.transform(RING), few.embedding_, atol=1e-8)


def test_the_width_is_the_median_distance_unless_given():
    distances = cdist(RING, RING)[np.triu_indices(150, 1)]
    assert KernelPCA().fit(RING).sigma_ == pytest.approx(np.median(distances))
    assert KernelPCA(sigma=0.3).fit(RING).sigma_ == 0.3


def test_the_self_tuned_kernel_follows_its_definition():
    est = KernelPCA(kernel="self-tuned").fit(RING)
    D = cdist(RING, RING)
    s = np.sort(D, axis=1)[:, 7]
    np.testing.assert_allclose(est._kernels(RING), np.exp(-(D**2) / np.outer(s, s)), atol=1e-12)


def test_the_way_back_comes_near_where_the_line_alone_does_not():
    est = KernelPCA(n_components=2).fit(RING)
    back = est.inverse_transform(est.embedding_)
    assert np.square(back - RING)[:, :2].mean() < 0.01


def test_what_is_no_kernel_is_noted_and_drawn_without_it():
    K = np.random.default_rng(0).normal(size=(30, 30))
    est = KernelPCA(kernel="precomputed").fit(K + K.T)
    assert "no feature space" in est.notes_[0]
    assert np.isfinite(est.embedding_).all()


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "polynomial", "cosine", "linear"])
def test_kernels_of_a_feature_space_are_not_complained_about(kernel):
    assert KernelPCA(kernel=kernel).fit(RING).notes_ == []


def test_a_kernel_matrix_that_is_not_square_is_refused():
    with pytest.raises(DataError, match="square"):
        KernelPCA(kernel="precomputed").fit(RING)


def test_blocks_do_not_change_the_picture(monkeypatch):
    whole = KernelPCA(n_landmarks=40).fit(RING).embedding_
    monkeypatch.setattr(module, "_ROWS", 17)
    np.testing.assert_allclose(KernelPCA(n_landmarks=40).fit(RING).embedding_, whole, atol=1e-9)
