"""Charting: flat charts glued into one map."""

import numpy as np
import pytest
from scipy.io import loadmat
from scipy.spatial import procrustes

from emberscope.datasets.rolls import flat_roll
from emberscope.embedding.latent.charting import Charting, connect, patches
from emberscope.embedding.linear.pca import PCA
from emberscope.neighbors.graph import knn, neighborhood_graph


def affine_residual(Z, U):
    A = np.column_stack([Z, np.ones(len(Z))])
    rest = U - A @ np.linalg.lstsq(A, U, rcond=None)[0]
    return np.square(rest).sum() / np.square(U - U.mean(axis=0)).sum()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_roll_is_unrolled_in_units_of_the_features(seed):
    X, U = flat_roll(1200, seed=seed)
    est = Charting(n_models=25).fit(X)
    assert affine_residual(est.embedding_, U) < 0.05  # of this draw; six others: 1.6e-4 to 0.08
    assert procrustes(U, est.embedding_)[2] < 0.06  # six other draws: 2.4e-4 to 0.02
    assert np.ptp(est.embedding_, axis=0).max() == pytest.approx(np.ptp(U, axis=0).max(), rel=0.25)


def test_on_a_plane_all_charts_agree_and_the_map_is_the_plane():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 2)) * [9, 3] @ np.linalg.qr(rng.normal(size=(5, 2)))[0].T
    est = Charting(n_models=6).fit(X)
    assert procrustes(PCA().fit(X).embedding_, est.embedding_)[2] < 1e-8
    assert est.disagreement_.max() < 1e-4 * np.ptp(est.embedding_)


def test_one_chart_is_pca():
    X = np.random.default_rng(0).normal(size=(200, 4)) * [5, 3, 0.1, 0.1]
    Z = Charting(n_models=1).fit(X).embedding_
    assert procrustes(PCA().fit(X).embedding_, Z)[2] < 1e-3


def test_no_axis_of_a_picture_of_faces_is_flattened(shared_data):
    X = np.ascontiguousarray(loadmat(shared_data / "manifold" / "orl_32x32.mat")["X"], np.float64)
    est = Charting(n_components=3).fit(X)
    spread = np.linalg.svd(est.embedding_, compute_uv=False)
    assert spread[-1] > 0.1 * spread[0]
    assert any("All axes have one scale" in note for note in est.notes_)


def test_a_place_of_the_map_leads_back_to_the_features():
    X, _ = flat_roll(1200, seed=2)
    est = Charting(n_models=25).fit(X)
    far = np.linalg.norm(est.inverse_transform(est.embedding_) - X, axis=1)
    assert np.median(far) < 1.0  # the roll is 30 across


def test_the_maps_minimize_the_disagreement_of_the_charts():
    rng = np.random.default_rng(0)
    U, R = rng.normal(size=(50, 3, 2)), rng.dirichlet(np.ones(3), 50)

    def disagreement(A):
        predicted = np.einsum("nmi,mi->nm", U, A[:, :2]) + A[:, 2]
        mean = (R * predicted).sum(axis=1)
        return (R * np.square(predicted - mean[:, None])).sum() / np.square(mean).sum()

    best = disagreement(connect(U, R, 1)[:, :, 0])
    other = [rng.normal(size=(3, 3)) for _ in range(200)]
    for A in other:  # without the constant, which costs nothing
        A[:, 2] -= (R * (np.einsum("nmi,mi->nm", U, A[:, :2]) + A[:, 2])).sum() / len(U)
    assert best <= min(disagreement(A) for A in other)


def test_patches_follow_the_graph_not_the_air():
    X, U = flat_roll(800, seed=0)
    cells = patches(X, neighborhood_graph(X, knn(X, 8)).lengths, 20)
    assert max(np.ptp(U[cells == c, 0]) for c in np.unique(cells)) < 25  # the whole is 86 long
