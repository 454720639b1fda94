"""LLE, modified LLE, Hessian LLE and LTSA on the flat roll, against scikit-learn and tapkee, and
their common rules."""

import numpy as np
import pytest
import tapkee
from scipy.io import loadmat
from scipy.spatial import procrustes
from sklearn.manifold import LocallyLinearEmbedding, trustworthiness

from emberscope.base.errors import DataError
from emberscope.catalogue import load
from emberscope.datasets.rolls import flat_roll
from emberscope.embedding.spectral import null_space
from emberscope.embedding.spectral.hessian_lle import HessianLLE
from emberscope.embedding.spectral.lle import LLE
from emberscope.embedding.spectral.ltsa import LTSA
from emberscope.embedding.spectral.null_space import with_bridges
from emberscope.neighbors.graph import knn
from emberscope.neighbors.search import nearest
from emberscope.neighbors.spectral import participation

ALL = ["lle", "mlle", "hessian-lle", "ltsa"]


def affine_residual(U, Z):
    """Share of the variance of the true coordinates U that no affine map of Z explains."""
    A = np.column_stack([Z, np.ones(len(Z))])
    left = U - A @ np.linalg.lstsq(A, U, rcond=None)[0]
    return np.square(left).sum() / np.square(U - U.mean(axis=0)).sum()


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("id", "limit"), [("lle", 0.05), ("mlle", 0.006), ("ltsa", 5e-4), ("hessian-lle", 5e-5)]
)
def test_the_flat_roll_is_unrolled(id, limit, seed):
    X, U = flat_roll(2000, seed=seed)
    assert affine_residual(U, load(id)(n_neighbors=10).fit(X).embedding_) < limit


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_hessian_lle_leaves_less_than_ltsa_on_a_small_clean_roll(seed):
    X, U = flat_roll(1000, seed=seed)
    ltsa, hlle = (
        affine_residual(U, cls(n_neighbors=10).fit(X).embedding_) for cls in (LTSA, HessianLLE)
    )
    assert hlle < ltsa
    assert hlle < 5e-4


def test_a_hole_does_not_matter_to_hessian_lle():
    X, U = flat_roll(1500, hole=True)
    assert affine_residual(U, HessianLLE(n_neighbors=10).fit(X).embedding_) < 5e-4


@pytest.mark.parametrize("id", ["ltsa", "hessian-lle", "mlle"])
def test_axes_carry_units_that_plain_procrustes_can_judge(id):
    X, U = flat_roll(2000)
    raw = load(id)(n_neighbors=10, rectify=False).fit(X)
    straight = load(id)(n_neighbors=10).fit(X)
    assert procrustes(U, raw.embedding_)[2] > 0.1  # six other draws: 0.20
    assert procrustes(U, straight.embedding_)[2] < 3e-3  # six other draws: 2.6e-5 to 2.4e-3
    np.testing.assert_allclose(np.ptp(straight.embedding_, axis=0), np.ptp(U, axis=0), rtol=0.1)
    assert "Axes carry the unit" in straight.notes_[0]
    assert raw.stretch_.tolist() == [1, 1]


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("id", ALL)
def test_pictures_of_faces_are_never_worse_for_their_units(id, d, shared_data):
    X = np.ascontiguousarray(loadmat(shared_data / "manifold" / "orl_32x32.mat")["X"], np.float64)
    plain, straight = (
        load(id)(n_components=d, rectify=way).fit(X).embedding_ for way in (False, True)
    )
    assert trustworthiness(X, straight, n_neighbors=10) >= trustworthiness(X, plain, n_neighbors=10)
    spread = np.linalg.svd(straight - straight.mean(axis=0), compute_uv=False)
    assert spread[-1] > 0.1 * spread[0]


def test_without_rectification_axes_have_variance_1_and_no_correlation():
    Z = LLE(rectify=False).fit(flat_roll(400)[0]).embedding_
    np.testing.assert_allclose(np.cov(Z.T, bias=True), np.eye(2), atol=1e-10)


@pytest.mark.parametrize(("id", "method"), [("lle", "standard"), ("mlle", "modified")])
def test_it_equals_scikit_learn(id, method):
    X, _ = flat_roll(300)
    ours = load(id)(n_neighbors=10, rectify=False).fit(X).embedding_
    theirs = LocallyLinearEmbedding(
        n_neighbors=10, method=method, eigen_solver="dense"
    ).fit_transform(X)
    assert procrustes(ours, theirs)[2] < 1e-8


@pytest.mark.parametrize("method", ["ltsa", "hessian"])
def test_scikit_learns_hessian_lle_is_ltsa(method):
    """Genuine Hessian LLE has another matrix; the instance itself is not in scikit-learn's
    neighborhoods."""
    X, _ = flat_roll(300)
    sklearns = LocallyLinearEmbedding(
        n_neighbors=10, method=method, eigen_solver="dense"
    ).fit_transform(X)
    ltsa = LocallyLinearEmbedding(
        n_neighbors=10, method="ltsa", eigen_solver="dense"
    ).fit_transform(X)
    assert procrustes(ltsa, sklearns)[2] < 1e-8
    assert procrustes(LTSA(n_neighbors=10, rectify=False).fit(X).embedding_, sklearns)[2] < 0.02


def test_with_the_fewest_neighbors_scikit_learns_hessian_lle_is_genuine_and_ours():
    X, _ = flat_roll(300)
    sklearns = LocallyLinearEmbedding(
        n_neighbors=6, method="hessian", eigen_solver="dense"
    ).fit_transform(X)
    assert (
        procrustes(HessianLLE(n_neighbors=6, rectify=False).fit(X).embedding_, sklearns)[2] < 1e-8
    )


def test_an_instance_that_is_nobodys_neighbor_gets_no_axis_of_its_own():
    U = np.random.default_rng(0).uniform(size=(300, 2)) * [4, 2]
    # The last one above a flat sheet
    X = np.column_stack([np.vstack([U, [2, 1]]), np.append(np.zeros(300), 0.9)])
    assert 300 not in knn(X, 12).idx
    est = HessianLLE().fit(X)
    assert procrustes(U, est.embedding_[:300])[2] < 1e-3
    assert (
        np.linalg.norm(est.embedding_[300] - est.embedding_[:300][knn(X, 12).idx[300]].mean(axis=0))
        < 0.3
    )
    assert any("1 instance that no other has for a neighbor" in note for note in est.notes_)


def test_an_axis_of_a_few_instances_is_named(shared_data):
    X = np.ascontiguousarray(loadmat(shared_data / "manifold" / "orl_32x32.mat")["X"], np.float64)
    est = load("mlle")().fit(X)
    assert participation(est.embedding_)[0] < 0.01
    assert any(
        "carried by less than 5% of the instances; try more neighbors" in note
        for note in est.notes_
    )


def test_it_is_as_exact_as_tapkees_genuine_hessian_lle():
    X, U = flat_roll(1000)
    theirs = tapkee.embed(
        np.asfortranarray(X.T), method="hlle", num_neighbors=11, target_dimension=2
    )
    ours = HessianLLE(n_neighbors=11).fit(X).embedding_
    assert (
        affine_residual(U, ours)
        < 1.5 * affine_residual(U, np.asarray(theirs).reshape(1000, 2))
        < 3e-4
    )


def test_a_plane_in_space_is_laid_flat_by_ltsa():
    U = np.random.default_rng(0).uniform(size=(200, 2))
    axes = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 2)))[0]
    est = LTSA().fit(U @ axes.T + 3)
    assert procrustes(U, est.embedding_)[2] < 1e-12
    np.testing.assert_allclose(est.eigenvalues_, 0, atol=1e-10)


@pytest.mark.parametrize("id", ALL)
def test_the_unit_of_the_features_is_the_unit_of_the_axes(id):
    X, _ = flat_roll(400)
    est = load(id)(n_neighbors=10)
    Z = est.fit(X).embedding_
    np.testing.assert_allclose(
        est.fit(10 * X).embedding_, 10 * Z, rtol=1e-4, atol=1e-4 * np.abs(Z).max()
    )


@pytest.mark.parametrize("id", ALL)
def test_instances_left_out_land_among_their_neighbors(id):
    X, _ = flat_roll(1000, seed=2)
    est = load(id)(n_neighbors=10).fit(X[:900])
    images = est.embedding_[nearest(X[:900], X[900:], 10).idx]
    center = images.mean(axis=1)
    radius = np.linalg.norm(images - center[:, None], axis=2).max(axis=1)
    # six other draws: 0.97 to 1.0
    assert (np.linalg.norm(est.transform(X[900:]) - center, axis=1) < radius).mean() > 0.95


@pytest.mark.parametrize("cls", [LTSA, HessianLLE])
def test_instances_left_out_of_a_roll_lie_where_they_belong(cls):
    X, U = flat_roll(1000, seed=2)
    Z = np.empty((1000, 2))
    est = cls(n_neighbors=10).fit(X[:900])
    Z[:900], Z[900:] = est.embedding_, est.transform(X[900:])
    assert affine_residual(U, Z) < 1e-3


def test_too_few_neighbors_are_raised_and_noted():
    X, _ = flat_roll(200)
    est = HessianLLE(n_neighbors=3).fit(X)
    assert any("k was raised from 3 to 6" in note for note in est.notes_)


def test_too_few_instances_for_a_quadric_are_refused():
    with pytest.raises(DataError, match="need 6 different instances, n_samples = 5"):
        HessianLLE().fit(np.random.default_rng(0).normal(size=(5, 3)))


def test_both_ends_of_a_bridge_become_neighbors():
    X = np.concatenate([np.arange(5.0), 100 + np.arange(5.0)])[:, None]
    joined = with_bridges(X, knn(X, 3), np.array([[4, 5]]))
    assert joined.idx[4].tolist() == [3, 2, 5]
    assert joined.idx[5].tolist() == [6, 7, 4]
    assert joined.dist[4].tolist() == [1, 2, 96]


@pytest.mark.parametrize("id", ALL)
def test_a_problem_too_large_is_solved_for_a_random_part(id, monkeypatch):
    monkeypatch.setattr(null_space, "_WHOLE", 1000)
    monkeypatch.setattr(null_space, "_SUBSET", 1000)
    X, U = flat_roll(1500, seed=3)
    est = load(id)(n_neighbors=10).fit(X)
    assert affine_residual(U, est.embedding_) < 0.05  # of this draw; six others: 2.1e-4 to 0.14
    assert "1000 random instances were embedded" in est.notes_[-1]


def test_a_choice_of_edges_is_offered_by_lle_alone_since_the_others_read_neighbor_lists():
    assert [id for id in ALL if "graph" in {param.name for param in load(id).params}] == ["lle"]
